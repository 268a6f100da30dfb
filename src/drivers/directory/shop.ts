/**
 * What the services of a driver share: its settings, the records, where the data lies, and one lock for each volume.
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
import { Records, type SnapshotRecord, Sequence, type VolumeRecord, fileNameOf, writeJson } from "./records.ts";
import type { FullSettings } from "./settings.ts";

/** See the head of this file. */
export interface Shop {
  readonly settings: FullSettings;
  readonly backing: Backing;
  readonly volumes: Records<VolumeRecord>;
  readonly snapshots: Records<SnapshotRecord>;
  readonly sequence: Sequence;
  /** Whether volumes are mounted; else they are linked. */
  readonly mounts: boolean;
  /** The directory with what is known of this node. */
  readonly node: string;
  /** One call at a time for each volume or snapshot. */
  readonly lock: KeyedLock;
}

/** The file that says that there is a node of that ID. */
export const nodeFile = (dir: string, nodeId: string): string => join(dir, "nodes", fileNameOf(nodeId), "node.json");

/** Opens the directory of a driver, and makes it. Rejects where the backing needs more than this process may. */
export async function openShop(settings: FullSettings): Promise<Shop> {
  const { dir, nodeId, topology } = settings;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const mounts = !settings.links && (await canMount());
  if (!mounts && settings.backing === "image") {
    throw new Error("images of disks have to be mounted, which needs root on Linux; directories need nothing");
  }
  if (!mounts) {
    const why = settings.links ? "as it was told" : "since this process may not mount";
    settings.warn(`volumes are symbolic links, ${why}; read-only is not enforced`);
  }
  const file = nodeFile(dir, nodeId);
  const node = join(file, "..");
  for (const folder of ["staged", "published", "mounts"]) await mkdir(join(node, folder), { recursive: true });
  await writeJson(file, { nodeId, topology });
  const shop: Shop = {
    settings,
    backing: settings.backing === "image" ? imageBacking : directoryBacking,
    volumes: new Records(join(dir, "volumes")),
    snapshots: new Records(join(dir, "snapshots")),
    sequence: new Sequence(join(dir, "sequence.json")),
    mounts,
    node,
    lock: new KeyedLock(),
  };
  await shop.volumes.open();
  await shop.snapshots.open();
  return shop;
}

/** A volume that has to be there. Rejects with `NotFound`. */
export async function volumeOf({ volumes }: Shop, id: string): Promise<VolumeRecord> {
  const volume = await volumes.get(id);
  if (volume) return volume;
  throw new DriverError("NotFound", `there is no volume ${id}`);
}
