/**
 * What becomes of a volume whose claim has gone: it is kept, deleted by who made it, or emptied (CTL-RECLAIM-3..21).
 *
 * @module
 */
import { attempt } from "../../client/index.ts";
import { PersistentVolume } from "../../client/kinds/index.ts";
import type { Result } from "../../runtime/index.ts";
import { AGAIN, write } from "../writes.ts";
import type { Binding } from "./claims.ts";
import { recycle } from "./recycle.ts";
import { fail } from "./release.ts";

/** Directories below it are scratch: a volume of one goes with all that is in it. */
const SCRATCH = /^\/tmp\/.+/;

/** Does what the policy says that the volume has now (CTL-RECLAIM-3). */
export async function reclaim(ctx: Binding, volume: PersistentVolume): Promise<Result> {
  if (volume.metadata.annotations?.[ctx.memory.specs.migration.mark]) return undefined;
  switch (volume.spec.persistentVolumeReclaimPolicy) {
    case "Delete":
      return isElsewhere(ctx, volume) ? undefined : remove(ctx, volume);
    case "Recycle":
      return recycle(ctx, volume);
    default:
      return undefined;
  }
}

/** Whether a deleter outside looks after a volume (CTL-RECLAIM-7, 8). */
function isElsewhere({ memory }: Binding, { metadata, spec }: PersistentVolume): boolean {
  const provisioner = metadata.annotations?.[memory.specs.names.provisionedBy];
  return spec.csi !== undefined || (provisioner !== undefined && !provisioner.startsWith(memory.specs.names.builtIn));
}

/** Deletes a volume that is built in; what nothing can delete has failed (CTL-RECLAIM-9..11). */
async function remove(ctx: Binding, volume: PersistentVolume): Promise<Result> {
  const provisioner = volume.metadata.annotations?.[ctx.memory.specs.names.provisionedBy];
  if (provisioner !== undefined && !provisioner.endsWith("/host-path")) {
    return fail(ctx, volume, "VolumeFailedDelete", `nothing here deletes volumes of ${provisioner}`);
  }
  const path = volume.spec.hostPath?.path;
  if (path === undefined) return fail(ctx, volume, "VolumeFailedDelete", "nothing here deletes volumes of its kind");
  if (!SCRATCH.test(path)) {
    return fail(ctx, volume, "VolumeFailedDelete", `expected a directory below /tmp/ to delete, found ${path}`);
  }
  const { finalizers = [] } = volume.metadata;
  const own = builtInFinalizer(ctx);
  const kept = finalizers.filter((name) => name !== own);
  const bare = { ...volume, metadata: { ...volume.metadata, finalizers: kept } };
  const free = kept.length === finalizers.length ? volume : await write(ctx.client, PersistentVolume, bare);
  if (!free) return AGAIN;
  await attempt(ctx.client.resource(PersistentVolume).delete(free), "NotFound", "Conflict");
  return undefined;
}

const builtInFinalizer = ({ memory }: Binding): string => `${memory.specs.labelDomain}/pv-controller`;
/** That of provisioners outside has one name, wherever they are. */
const EXTERNAL = "external-provisioner.volume.kubernetes.io/finalizer";

/** A volume of a provisioner that is built in, to be deleted with its claim, is held for that (CTL-RECLAIM-17). */
export async function withFinalizers(ctx: Binding, volume: PersistentVolume): Promise<PersistentVolume | undefined> {
  const { metadata, spec } = volume;
  const { names, migration } = ctx.memory.specs;
  const provisioner = metadata.annotations?.[names.provisionedBy];
  if (provisioner === undefined || !provisioner.startsWith(names.builtIn)) return volume;
  if (migration.driverOf(provisioner) !== undefined) return volume;
  const { finalizers = [] } = metadata;
  const own = builtInFinalizer(ctx);
  const isHeld = spec.persistentVolumeReclaimPolicy === "Delete" && metadata.deletionTimestamp === undefined;
  const others = finalizers.filter((name) => name !== own && name !== EXTERNAL);
  const isKept = isHeld || (spec.persistentVolumeReclaimPolicy === "Delete" && finalizers.includes(own));
  const wanted = isKept ? [...others, own] : others;
  if (wanted.toSorted().join() === finalizers.toSorted().join()) return volume;
  return write(ctx.client, PersistentVolume, { ...volume, metadata: { ...metadata, finalizers: wanted } });
}
