/**
 * The volumes of a Pod that its containers use (NODE-4).
 *
 * @module
 */
import type { Pod } from "../client/kinds/index.ts";
import type { PodVolume } from "../volumes/contract.ts";
import type { NeededVolume } from "./contract.ts";

/** A volume that a container uses. */
export interface VolumeUse {
  readonly volume: PodVolume;
  /** In volumeMounts, in volumeDevices, or in both, which is an error. */
  readonly modes: ReadonlySet<NeededVolume["mode"]>;
}

/** The volumes of a Pod that containers mount or have as devices, by their names. */
export function usesOf({ spec }: Pod): ReadonlyMap<string, VolumeUse> {
  const modes = new Map<string, Set<NeededVolume["mode"]>>();
  const use = (name: string, mode: NeededVolume["mode"]): void => {
    modes.set(name, (modes.get(name) ?? new Set()).add(mode));
  };
  const all = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
  for (const { volumeMounts = [], volumeDevices = [] } of all) {
    for (const { name } of volumeMounts) use(name, "Filesystem");
    for (const { name } of volumeDevices) use(name, "Block");
  }
  const uses = new Map<string, VolumeUse>();
  for (const volume of spec.volumes ?? []) {
    const found = modes.get(volume.name);
    if (found) uses.set(volume.name, { volume, modes: found });
  }
  return uses;
}
