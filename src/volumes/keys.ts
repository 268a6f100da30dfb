/**
 * Keys of an object as files: what ConfigMaps and Secrets share.
 *
 * @module
 */
import type { PodVolume } from "./contract.ts";
import type { VolumeFiles } from "./draft.ts";

/** Which keys become files, and where. */
export interface KeyChoice {
  readonly items?: NonNullable<PodVolume["configMap"]>["items"];
  readonly optional?: boolean | null | undefined;
  /** Of files whose item says none. */
  readonly mode: number;
}

/**
 * Puts the keys of an object into a volume: all of them, or only the listed ones, each at its path (PROJ-35).
 *
 * @param values bytes by key; undefined where the object does not exist
 * @throws where the object or a listed key is missing and not optional (PROJ-37, PROJ-38)
 */
export function putKeys(
  draft: VolumeFiles,
  values: ReadonlyMap<string, Uint8Array> | undefined,
  { items, optional, mode }: KeyChoice,
): void {
  if (!values && optional !== true) throw new Error("not found");
  const found = values ?? new Map<string, Uint8Array>();
  if ((items ?? []).length === 0) {
    for (const [key, bytes] of found) draft.put(key, { bytes, mode });
    return;
  }
  for (const item of items ?? []) {
    const bytes = found.get(item.key);
    if (bytes) draft.put(item.path, { bytes, mode: item.mode ?? mode });
    else if (optional !== true) {
      throw new Error(`its items reference non-existent key ${JSON.stringify(item.key)}`);
    }
  }
}
