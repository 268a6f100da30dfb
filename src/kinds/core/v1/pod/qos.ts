/**
 * The quality of service of a Pod, by what its containers ask for (SUP-5).
 *
 * @module
 */
import { compareQuantities, quantitySign } from "../../../../meta/quantity.ts";
import type { Resources } from "../quantities.ts";
import type { PodSpec } from "./spec-schema.ts";

const COUNTED = ["cpu", "memory"];

/** The resources that count and are not 0. */
const counted = (resources: Resources | undefined): readonly string[] =>
  COUNTED.filter((name) => resources?.[name] !== undefined && quantitySign(resources[name]) > 0);

/**
 * `BestEffort` when nothing is asked for, `Guaranteed` when every container has limits for cpu and memory and requests
 * just those, else `Burstable`.
 */
export function qosClass(spec: PodSpec): "BestEffort" | "Burstable" | "Guaranteed" {
  const own = spec.resources;
  const parts =
    own && (own.requests || own.limits)
      ? [own]
      : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((container) => container.resources ?? {});
  if (parts.every((part) => counted(part.requests).length + counted(part.limits).length === 0)) return "BestEffort";
  const guaranteed = parts.every(
    ({ requests = {}, limits = {} }) =>
      counted(limits).length === COUNTED.length &&
      counted(requests).every((name) => compareQuantities(requests[name]!, limits[name]!) === 0),
  );
  return guaranteed ? "Guaranteed" : "Burstable";
}
