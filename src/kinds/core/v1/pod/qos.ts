/**
 * The quality of service of a Pod, by the requests and limits of its containers (SUP-5).
 *
 * @module
 */
import { compareQuantities, quantitySign } from "../../../../meta/quantity.ts";
import type { Resources } from "../../../rules/quantities.ts";
import type { PodSpec } from "./spec-schema.ts";

const COUNTED = ["cpu", "memory"];

/** Whether a counted resource has an amount above 0; 0 counts as absent. */
const asks = (resources: Resources | undefined): boolean =>
  COUNTED.some((name) => resources?.[name] !== undefined && quantitySign(resources[name]) > 0);

/**
 * `BestEffort` without requests and limits, `Guaranteed` when every container has limits for cpu and memory and equal requests, else
 * `Burstable`. Requests of the Pod as a whole replace those of its containers.
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
