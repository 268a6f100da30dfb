/**
 * The size of a volume in memory (NODE-55).
 *
 * @module
 */
import type { Pod } from "../../client/kinds/index.ts";
import { wholeNumber } from "../../meta/quantity.ts";
import type { PodVolume } from "../../volumes/contract.ts";

/** The minimum of the limits of volume and Pod, and of the node's memory; undefined where there is none. */
export function memorySize(
  pod: Pod,
  volume: PodVolume,
  allocatable: Readonly<Record<string, string>>,
): bigint | undefined {
  const sizes = [bytes(volume.emptyDir?.sizeLimit), podLimit(pod), bytes(allocatable["memory"])];
  return sizes.reduce((min, size) => (min === undefined || (size !== undefined && size < min) ? size : min));
}

/** The bytes of a limit; 0 means no limit. */
function bytes(quantity: string | undefined): bigint | undefined {
  const size = quantity === undefined ? undefined : wholeNumber(quantity);
  return size !== undefined && size > 0n ? size : undefined;
}

/**
 * The memory limit of a Pod: its own; else that of the containers that run together, or of an init container that needs
 * more, if all of them have a limit.
 */
function podLimit({ spec }: Pod): bigint | undefined {
  const own = bytes(spec.resources?.limits?.["memory"]);
  if (own !== undefined) return own;
  const { initContainers = [], containers } = spec;
  let [sidecars, max] = [0n, 0n];
  for (const { resources, restartPolicy } of initContainers) {
    const limit = bytes(resources?.limits?.["memory"]);
    if (limit === undefined) return undefined;
    // A sidecar counts with all later containers.
    if (restartPolicy === "Always") sidecars += limit;
    max = greater(max, restartPolicy === "Always" ? sidecars : sidecars + limit);
  }
  let together = sidecars;
  for (const { resources } of containers) {
    const limit = bytes(resources?.limits?.["memory"]);
    if (limit === undefined) return undefined;
    together += limit;
  }
  const limit = greater(max, together);
  return limit > 0n ? limit : undefined;
}

const greater = (a: bigint, b: bigint): bigint => (a > b ? a : b);
