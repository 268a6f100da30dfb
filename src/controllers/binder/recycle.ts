/**
 * Recycling: a pod empties a volume whose claim has gone, then anybody may have it again (CTL-RECLAIM-14..16).
 *
 * @module
 */
import { attempt } from "../../client/index.ts";
import { type PersistentVolume, Pod } from "../../client/kinds/index.ts";
import type { Result } from "../../runtime/index.ts";
import type { Binding } from "./claims.ts";
import { recyclerKey, recyclerOf } from "./recycler.ts";
import { fail, giveBack } from "./release.ts";

/** Empties a volume. */
export async function recycle(ctx: Binding, volume: PersistentVolume): Promise<Result> {
  const { hostPath, nfs } = volume.spec;
  if (!hostPath && !nfs) {
    return fail(ctx, volume, "VolumeFailedRecycle", "expected a volume of hostPath or nfs: no other can be recycled");
  }
  const pods = ctx.client.resource(Pod);
  const pod = ctx.memory.pods.get(recyclerKey(volume));
  if (!pod) {
    await attempt(pods.create(recyclerOf(volume)), "AlreadyExists");
    return undefined;
  }
  if (pod.status.phase !== "Succeeded" && pod.status.phase !== "Failed") return undefined;
  await attempt(pods.delete(pod), "NotFound", "Conflict");
  if (pod.status.phase === "Failed") {
    const why = pod.status.message ?? "the pod that empties it has failed";
    return fail(ctx, volume, "VolumeFailedRecycle", why);
  }
  ctx.event("Normal", volume, "VolumeRecycled", "it was emptied");
  return giveBack(ctx, volume);
}
