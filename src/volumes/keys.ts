/** Keys of ConfigMaps and Secrets as files. */
import type { PodVolume } from "./contract.ts";
import type { VolumeFiles } from "./draft.ts";

/** The keys that become files, and their paths. */
export interface KeyChoice {
  readonly items?: NonNullable<PodVolume["configMap"]>["items"];
  readonly optional?: boolean | null | undefined;
  /** The mode of items without one. */
  readonly mode: number;
}

/**
 * Adds the keys of an object to a volume: all, or the listed ones at their paths (PROJ-35).
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
