/**
 * How much a volume in memory may hold (NODE-55).
 *
 * @module
 */
import type { Pod } from "../../client/kinds/index.ts";
import { wholeNumber } from "../../meta/quantity.ts";
import type { PodVolume } from "../../volumes/contract.ts";

/** The least of the volume's limit, the Pod's and what the node can give; undefined where nobody says anything. */
export function memorySize(
  pod: Pod,
  volume: PodVolume,
  allocatable: Readonly<Record<string, string>>,
): bigint | undefined {
  const sizes = [bytes(volume.emptyDir?.sizeLimit), podLimit(pod), bytes(allocatable["memory"])];
  return sizes.reduce((least, size) => (least === undefined || (size !== undefined && size < least) ? size : least));
}

/** A limit of 0 is none. */
function bytes(quantity: string | undefined): bigint | undefined {
  const size = quantity === undefined ? undefined : wholeNumber(quantity);
  return size !== undefined && size > 0n ? size : undefined;
}

/**
 * The limit of a Pod's memory: its own; else of its containers that run together, or of an init container that needs more, if
 * every one of them has a limit.
 */
function podLimit({ spec }: Pod): bigint | undefined {
  const own = bytes(spec.resources?.limits?.["memory"]);
  if (own !== undefined) return own;
  const { initContainers = [], containers } = spec;
  let [beside, most] = [0n, 0n];
  for (const { resources, restartPolicy } of initContainers) {
    const limit = bytes(resources?.limits?.["memory"]);
    if (limit === undefined) return undefined;
    // One that goes on running counts with all that come after it.
    if (restartPolicy === "Always") beside += limit;
    most = greater(most, restartPolicy === "Always" ? beside : beside + limit);
  }
  let together = beside;
  for (const { resources } of containers) {
    const limit = bytes(resources?.limits?.["memory"]);
    if (limit === undefined) return undefined;
    together += limit;
  }
  const limit = greater(most, together);
  return limit > 0n ? limit : undefined;
}

const greater = (a: bigint, b: bigint): bigint => (a > b ? a : b);
