/**
 * What the services of a driver share: settings, records, backing, and one lock for each volume.
 *
 * @module
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { DriverError } from "../../csi/driver-error.ts";
import { KeyedLock } from "../../util/keyed-lock.ts";
import type { Backing } from "./backing.ts";
import { directoryBacking } from "./directory-backing.ts";
import { imageBacking } from "./image-backing.ts";
import { canMount } from "./mounts.ts";
import { NodeFiles, type Published, type Staged } from "./node-state.ts";
import { Records, type SnapshotRecord, Sequence, type VolumeRecord, fileNameOf, writeJson } from "./records.ts";
import type { FullSettings } from "./settings.ts";

/** See the head of this file. */
export interface DriverContext {
  readonly settings: FullSettings;
  readonly backing: Backing;
  readonly volumes: Records<VolumeRecord>;
  readonly snapshots: Records<SnapshotRecord>;
  readonly sequence: Sequence;
  /** Whether volumes are mounted; otherwise they are symbolic links. */
  readonly mounts: boolean;
  /** The directory with the state of this node. */
  readonly node: string;
  /** By volume ID. */
  readonly staged: NodeFiles<Staged>;
  /** By path. */
  readonly published: NodeFiles<Published>;
  /** Runs one call at a time for each volume or snapshot. */
  readonly lock: KeyedLock;
}

/** The file of a node that a driver serves. */
export const nodeFile = (dir: string, nodeId: string): string => join(dir, "nodes", fileNameOf(nodeId), "node.json");

/**
 * Opens the directory of a driver, or creates it. Rejects where the backing needs mounts and this process may not mount.
 */
export async function openContext(settings: FullSettings): Promise<DriverContext> {
  const { dir, nodeId, topology } = settings;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const mounts = !settings.links && (await canMount());
  if (!mounts && settings.backing === "image") {
    throw new Error("disk images have to be mounted, which needs root on Linux; directories do not");
  }
  if (!mounts) {
    const why = settings.links ? "as configured" : "since this process may not mount";
    settings.warn(`volumes are symbolic links, ${why}; read-only is not enforced`);
  }
  const file = nodeFile(dir, nodeId);
  const node = join(file, "..");
  for (const folder of ["staged", "published", "mounts"]) await mkdir(join(node, folder), { recursive: true });
  await writeJson(file, { nodeId, topology });
  const context: DriverContext = {
    settings,
    backing: settings.backing === "image" ? imageBacking : directoryBacking,
    volumes: new Records(join(dir, "volumes")),
    snapshots: new Records(join(dir, "snapshots")),
    sequence: new Sequence(join(dir, "sequence.json")),
    mounts,
    node,
    staged: new NodeFiles(node, "staged"),
    published: new NodeFiles(node, "published"),
    lock: new KeyedLock(),
  };
  await context.volumes.open();
  await context.snapshots.open();
  return context;
}

/** A volume that has to exist. Rejects with `NotFound`. */
export async function volumeOf({ volumes }: DriverContext, id: string): Promise<VolumeRecord> {
  const volume = await volumes.get(id);
  if (volume) return volume;
  throw new DriverError("NotFound", `there is no volume ${id}`);
}
