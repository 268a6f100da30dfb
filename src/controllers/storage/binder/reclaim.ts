/** Reclaims a volume whose claim was deleted: retains, deletes or recycles it (CTL-RECLAIM-3..21). */
import { PersistentVolume } from "../../../client/kinds/index.ts";
import type { Result } from "../../../runtime/index.ts";
import { REQUEUE_SOON, deleteObject, write } from "../../../runtime/writes.ts";
import type { BinderContext } from "./claims.ts";
import { EXTERNAL_FINALIZER, builtInVolumeFinalizer, reclaimActionOf } from "../../../claims/reclaim.ts";
import { recycle } from "./recycle.ts";
import { fail } from "./release.ts";

/** Executes the current reclaim policy of a volume (CTL-RECLAIM-3). */
export async function reclaim(ctx: BinderContext, volume: PersistentVolume): Promise<Result> {
  const action = reclaimActionOf(volume, ctx.memory.specs);
  switch (action.is) {
    case "kept":
    case "deleted elsewhere":
      return undefined;
    case "recycled":
      return recycle(ctx, volume);
    case "failed":
      return fail(ctx, volume, "VolumeFailedDelete", action.why);
    case "deleted":
      return deleteVolume(ctx, volume);
  }
}

async function deleteVolume(ctx: BinderContext, volume: PersistentVolume): Promise<Result> {
  const { finalizers = [] } = volume.metadata;
  const own = builtInFinalizer(ctx);
  const kept = finalizers.filter((name) => name !== own);
  const bare = { ...volume, metadata: { ...volume.metadata, finalizers: kept } };
  const free = kept.length === finalizers.length ? volume : await write(ctx.client, PersistentVolume, bare);
  if (!free) return REQUEUE_SOON;
  // Other finalizers delay its deletion.
  if (free.metadata.deletionTimestamp !== undefined) return undefined;
  await deleteObject(ctx.client, PersistentVolume, free);
  return undefined;
}

const builtInFinalizer = ({ memory }: BinderContext): string => builtInVolumeFinalizer(memory.specs.labelDomain);

/** Adds or removes the finalizer of an in-tree volume with reclaim policy Delete (CTL-RECLAIM-17). */
export async function withFinalizers(
  ctx: BinderContext,
  volume: PersistentVolume,
): Promise<PersistentVolume | undefined> {
  const { metadata, spec } = volume;
  const { names, migration } = ctx.memory.specs;
  const provisioner = metadata.annotations?.[names.provisionedBy];
  if (provisioner === undefined || !provisioner.startsWith(names.builtIn)) return volume;
  const { finalizers = [] } = metadata;
  const own = builtInFinalizer(ctx);
  if (migration.driverOf(provisioner) !== undefined) {
    // Its driver deletes it and does not know this finalizer.
    if (!finalizers.includes(own)) return volume;
    const others = finalizers.filter((name) => name !== own);
    return write(ctx.client, PersistentVolume, { ...volume, metadata: { ...metadata, finalizers: others } });
  }
  const isHeld = spec.persistentVolumeReclaimPolicy === "Delete" && metadata.deletionTimestamp === undefined;
  const others = finalizers.filter((name) => name !== own && name !== EXTERNAL_FINALIZER);
  const isKept = isHeld || (spec.persistentVolumeReclaimPolicy === "Delete" && finalizers.includes(own));
  const wanted = isKept ? [...others, own] : others;
  if (wanted.toSorted().join() === finalizers.toSorted().join()) return volume;
  return write(ctx.client, PersistentVolume, { ...volume, metadata: { ...metadata, finalizers: wanted } });
}
