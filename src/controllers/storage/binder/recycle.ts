/**
 * Recycling: a Pod empties a volume whose claim was deleted, then the volume is available again (CTL-RECLAIM-14..16).
 *
 * The objects show the progress: no Pod, a Pod for this claim, or an available volume. So any server can continue, and
 * a Pod for an earlier claim empties nothing.
 */
import { attempt, keyText } from "../../../client/index.ts";
import { PersistentVolume, Pod } from "../../../client/kinds/index.ts";
import type { Result } from "../../../runtime/index.ts";
import { hasEnded } from "../../../claims/usage.ts";
import { REQUEUE_SOON, deleteObject } from "../../../runtime/writes.ts";
import type { BinderContext } from "./claims.ts";
import { namedClaim } from "../../../claims/claim-ref.ts";
import { isRecyclerOf, recyclerKey, recyclerOf } from "./recycler-pod.ts";
import { fail, makeAvailable } from "./release.ts";

/** Recycles a volume. */
export async function recycle(ctx: BinderContext, volume: PersistentVolume): Promise<Result> {
  const { hostPath, nfs } = volume.spec;
  const { recyclers, pods, names } = ctx.memory;
  if (!hostPath && !nfs) {
    return fail(ctx, volume, "VolumeFailedRecycle", "expected a volume of hostPath or nfs: no other can be recycled");
  }
  const pod = pods.get(recyclerKey(volume));
  if (!pod) {
    const deleted = recyclers.takeDeletedPod(volume);
    return deleted
      ? failed(ctx, volume, "the pod that empties it was deleted before it had ended", deleted)
      : createPod(ctx, volume);
  }
  // Another one is created after its deletion.
  if (!isRecyclerOf(pod, volume, names)) return deletePod(ctx, pod);
  for (const { type, message = "" } of recyclers.newEvents(volume)) {
    ctx.event(type === "Warning" ? "Warning" : "Normal", volume, "RecyclerPod", message);
  }
  if (pod.status.phase === "Failed") {
    if (recyclers.isReported(volume, pod)) return deletePod(ctx, pod);
    const result = await failed(ctx, volume, pod.status.message ?? "the pod that empties it has failed", pod);
    if (result !== REQUEUE_SOON) await deletePod(ctx, pod);
    return result;
  }
  if (pod.status.phase !== "Succeeded") return undefined;
  const result = await makeAvailable(ctx, volume);
  if (result !== REQUEUE_SOON) ctx.event("Normal", volume, "VolumeRecycled", "Volume recycled");
  return result;
}

/** Deletes the recycler Pod of a volume that needs none any more. */
export async function stopRecycling(ctx: BinderContext, volume: PersistentVolume): Promise<void> {
  const { pods, names, recyclers } = ctx.memory;
  recyclers.forget(volume.metadata.name);
  const pod = pods.get(recyclerKey(volume));
  if (pod?.metadata.annotations?.[names.emptiedAfter] !== undefined) await deletePod(ctx, pod);
}

async function deletePod({ client }: BinderContext, pod: Pod): Promise<undefined> {
  if (pod.metadata.deletionTimestamp !== undefined) return;
  await deleteObject(client, Pod, pod);
}

/** Creates the recycler Pod once no other Pod uses the volume. */
async function createPod(ctx: BinderContext, volume: PersistentVolume): Promise<Result> {
  const { client, memory } = ctx;
  const wait = memory.recyclers.wait(volume);
  if (wait > 0) return { requeueAfter: wait };
  const users = usersOf(ctx, volume);
  if (users.length > 0) {
    ctx.event("Normal", volume, "VolumeFailedRecycle", `it waits for the pods that use it: ${users.join(", ")}`);
    return undefined;
  }
  // Memory may be stale, and the volume may have another claim whose data would be lost.
  const known = await client.resource(PersistentVolume).find({ name: volume.metadata.name });
  if (known?.metadata.resourceVersion !== volume.metadata.resourceVersion) return REQUEUE_SOON;
  const pod = recyclerOf(volume, memory.names);
  const made = await attempt(client.resource(Pod).create(pod), "AlreadyExists", "Invalid", "Forbidden", "NotFound");
  return made.ok || made.reason === "AlreadyExists" ? undefined : failed(ctx, volume, made.error.message);
}

/** The Pods that use the claim of a volume; a new claim of that name has Pods of its own. */
function usersOf({ memory }: BinderContext, volume: PersistentVolume): string[] {
  const key = namedClaim(volume);
  if (!key || memory.claims.get(key)) return [];
  const users = memory.pods.by("claim", keyText(key)).filter((pod) => !hasEnded(pod));
  return users.map(({ metadata }) => metadata.name).toSorted();
}

/** Records a failure; the next try comes after a growing backoff. */
async function failed(ctx: BinderContext, volume: PersistentVolume, why: string, pod?: Pod): Promise<Result> {
  const result = await fail(ctx, volume, "VolumeFailedRecycle", why);
  return result ?? { requeueAfter: ctx.memory.recyclers.failed(volume, pod) };
}
