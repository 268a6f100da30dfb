/**
 * Recycling: a pod empties a volume whose claim has gone, then anybody may have it again (CTL-RECLAIM-14..16).
 *
 * @module
 */
import { attempt } from "../../client/index.ts";
import { type PersistentVolume, Pod } from "../../client/kinds/index.ts";
import type { Result } from "../../runtime/index.ts";
import { isFinished } from "../usage.ts";
import { AGAIN } from "../writes.ts";
import type { Binding } from "./claims.ts";
import { claimOfVolume } from "./memory.ts";
import { setPhase } from "./phases.ts";
import { recyclerKey, recyclerOf } from "./recycler.ts";
import { fail, giveBack } from "./release.ts";

/** Empties a volume. */
export async function recycle(ctx: Binding, volume: PersistentVolume): Promise<Result> {
  const { hostPath, nfs } = volume.spec;
  if (!hostPath && !nfs) {
    return fail(ctx, volume, "VolumeFailedRecycle", "expected a volume of hostPath or nfs: no other can be recycled");
  }
  const { recyclers, pods } = ctx.memory;
  for (const { type, message } of recyclers.told(volume)) {
    ctx.event(type === "Warning" ? type : "Normal", volume, "RecyclerPod", message ?? "");
  }
  const pod = pods.get(recyclerKey(volume));
  if (!pod) return begin(ctx, volume);
  recyclers.follow(volume, pod);
  if (!isFinished(pod)) return undefined;
  await attempt(ctx.client.resource(Pod).delete(pod), "NotFound", "Conflict");
  if (pod.status.phase === "Failed") {
    const why = pod.status.message ?? "the pod that empties it has failed";
    return recyclers.failed(volume, pod) ? later(ctx, volume, why) : undefined;
  }
  ctx.event("Normal", volume, "VolumeRecycled", "it was emptied");
  return giveBack(ctx, volume);
}

/** Makes the pod that empties a volume: some time after one has failed, and when nobody uses the volume. */
async function begin(ctx: Binding, volume: PersistentVolume): Promise<Result> {
  const { recyclers, pods } = ctx.memory;
  if (recyclers.wasLost(volume)) {
    recyclers.failed(volume);
    return later(ctx, volume, "expected the pod that empties it to end, it was deleted");
  }
  const wait = recyclers.wait(volume);
  if (wait > 0) return { requeueAfter: wait };
  const user = pods.by("claim", claimOfVolume(volume) ?? "").find((pod) => !isFinished(pod));
  if (user) {
    const { namespace, name } = user.metadata;
    ctx.event("Normal", volume, "VolumeFailedRecycle", `expected nobody to use it, the pod ${namespace}/${name} does`);
    return undefined;
  }
  await attempt(ctx.client.resource(Pod).create(recyclerOf(volume)), "AlreadyExists");
  return undefined;
}

/** Says that a volume could not be emptied; another pod is tried when it is time. */
async function later(ctx: Binding, volume: PersistentVolume, why: string): Promise<Result> {
  ctx.event("Warning", volume, "VolumeFailedRecycle", why);
  if (!(await setPhase(ctx.client, volume, "Failed", why))) return AGAIN;
  return { requeueAfter: ctx.memory.recyclers.wait(volume) };
}
