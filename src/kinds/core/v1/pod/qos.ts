/**
 * The quality of service of a Pod, by what its containers ask for (SUP-5).
 *
 * @module
 */
import { compareQuantities, quantitySign } from "../../../../meta/quantity.ts";
import type { Resources } from "../../../rules/quantities.ts";
import type { PodSpec } from "./spec-schema.ts";

const COUNTED = ["cpu", "memory"];

/** Whether some of a resource that counts is asked for; nothing of it is as good as not asked for. */
const asks = (resources: Resources | undefined): boolean =>
  COUNTED.some((name) => resources?.[name] !== undefined && quantitySign(resources[name]) > 0);

/**
 * `BestEffort` when nothing is asked for, `Guaranteed` when every container has limits for cpu and memory and requests
 * just those, else `Burstable`. What is asked for by the Pod as a whole counts in place of what its containers ask for.
 */
export function qosClass({ resources, containers, initContainers }: PodSpec): QosClass {
  const all = [...(containers ?? []), ...(initContainers ?? [])];
  const parts = resources ? [resources] : all.map((container) => container.resources ?? {});
  if (!parts.some(({ requests, limits }) => asks(requests) || asks(limits))) return "BestEffort";
  return parts.every(isGuaranteed) ? "Guaranteed" : "Burstable";
}

type QosClass = "BestEffort" | "Burstable" | "Guaranteed";

const isGuaranteed = ({ requests, limits }: NonNullable<PodSpec["resources"]>): boolean =>
  COUNTED.every((name) => {
    const [request, limit] = [requests?.[name], limits?.[name]];
    return (
      request !== undefined && limit !== undefined && quantitySign(limit) > 0 && compareQuantities(request, limit) === 0
    );
  });
