import type { ContainerValue } from "./container-schema.ts";
import type { PodSpec } from "./spec-schema.ts";

const LISTS = ["initContainers", "containers", "ephemeralContainers"] as const;

/** All containers of a Pod in the order in which they start, each with its path: `spec.containers[0]`. */
export const containersOf = (spec: PodSpec): readonly (readonly [ContainerValue, string])[] =>
  LISTS.flatMap((list) => (spec[list] ?? []).map((container, i) => [container, `spec.${list}[${i}]`] as const));
