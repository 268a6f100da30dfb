/**
 * Recycling: a pod empties a volume whose claim has gone, then anybody may have it again (CTL-RECLAIM-14..16).
 *
 * How far it is can be seen: no pod, a pod that was made after this very claim, a volume that is free. So whoever takes over changesPhase on,
 * and an older pod of that name empties nothing.
 *
 * @module
 */
import { attempt, keyText } from "../../../client/index.ts";
import { PersistentVolume, Pod } from "../../../client/kinds/index.ts";
import type { Result } from "../../../runtime/index.ts";
import { hasEnded } from "../../../claims/usage.ts";
import { AGAIN } from "../../../runtime/writes.ts";
import type { BinderContext } from "./claims.ts";
import { namedClaim } from "../../../claims/claim-ref.ts";
import { isRecyclerOf, recyclerKey, recyclerOf } from "./recycler-pod.ts";
import { fail, makeAvailable } from "./release.ts";

/** Empties a volume. */
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
  // When it is gone there will be another.
  if (!isRecyclerOf(pod, volume, names)) return deletePod(ctx, pod);
  for (const { type, message = "" } of recyclers.newEvents(volume)) {
    ctx.event(type === "Warning" ? "Warning" : "Normal", volume, "RecyclerPod", message);
  }
  if (pod.status.phase === "Failed") {
    if (recyclers.isReported(volume, pod)) return deletePod(ctx, pod);
    const result = await failed(ctx, volume, pod.status.message ?? "the pod that empties it has failed", pod);
    if (result !== AGAIN) await deletePod(ctx, pod);
    return result;
  }
  if (pod.status.phase !== "Succeeded") return undefined;
  const result = await makeAvailable(ctx, volume);
  if (result !== AGAIN) ctx.event("Normal", volume, "VolumeRecycled", "it was emptied");
  return result;
}

/** Takes away the pod that empties a volume, or has emptied it, where nobody wants that any more. */
export async function stopRecycling(ctx: BinderContext, volume: PersistentVolume): Promise<void> {
  const { pods, names, recyclers } = ctx.memory;
  recyclers.forget(volume.metadata.name);
  const pod = pods.get(recyclerKey(volume));
  if (pod?.metadata.annotations?.[names.emptiedAfter] !== undefined) await deletePod(ctx, pod);
}

async function deletePod({ client }: BinderContext, pod: Pod): Promise<undefined> {
  if (pod.metadata.deletionTimestamp !== undefined) return;
  await attempt(client.resource(Pod).delete(pod), "NotFound", "Conflict");
}

/** Makes the pod, as soon as nobody else uses what the volume holds. */
async function createPod(ctx: BinderContext, volume: PersistentVolume): Promise<Result> {
  const { client, memory } = ctx;
  const wait = memory.recyclers.wait(volume);
  if (wait > 0) return { requeueAfter: wait };
  const users = usersOf(ctx, volume);
  if (users.length > 0) {
    ctx.event("Normal", volume, "VolumeFailedRecycle", `it waits for the pods that use it: ${users.join(", ")}`);
    return undefined;
  }
  // Memory may be behind that of another, who has given the volume away since: it would be emptied under its next claim.
  const known = await client.resource(PersistentVolume).find({ name: volume.metadata.name });
  if (known?.metadata.resourceVersion !== volume.metadata.resourceVersion) return AGAIN;
  const pod = recyclerOf(volume, memory.names);
  const made = await attempt(client.resource(Pod).create(pod), "AlreadyExists", "Invalid", "Forbidden", "NotFound");
  return made.ok || made.reason === "AlreadyExists" ? undefined : failed(ctx, volume, made.error.message);
}

/** The pods that use the claim that a volume had; where there is one of that name again, they use that. */
function usersOf({ memory }: BinderContext, volume: PersistentVolume): string[] {
  const key = namedClaim(volume);
  if (!key || memory.claims.get(key)) return [];
  const users = memory.pods.by("claim", keyText(key)).filter((pod) => !hasEnded(pod));
  return users.map(({ metadata }) => metadata.name).toSorted();
}

/** Says that a volume was not emptied; it is tried again, later each time. */
async function failed(ctx: BinderContext, volume: PersistentVolume, why: string, pod?: Pod): Promise<Result> {
  const result = await fail(ctx, volume, "VolumeFailedRecycle", why);
  return result ?? { requeueAfter: ctx.memory.recyclers.failed(volume, pod) };
}
