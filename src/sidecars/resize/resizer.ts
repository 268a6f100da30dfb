/**
 * The resizer: expands volumes of its driver when their claims request more (CTL-OUT-5, DEC-58, RSZ-1..4).
 *
 * @module
 */
import { keyText } from "../../client/index.ts";
import { PersistentVolume, type PersistentVolumeClaim } from "../../client/kinds/index.ts";
import { capacityOf, requestOf } from "../../claims/fit.ts";
import { claimCapacity, isGrowing, stateOf } from "../../claims/resize.ts";
import { annotated } from "../../meta/annotations.ts";
import { compareQuantities } from "../../meta/quantity.ts";
import { type Controller, type ObjectEvent, type Result, defineController } from "../../runtime/index.ts";
import { REQUEUE_SOON, write } from "../../runtime/writes.ts";
import { type ClaimContext, type LastCall, volumeOfClaim } from "../claim-context.ts";
import { type Sidecar, changesOf } from "../sidecar.ts";
import { expand } from "./expand.ts";
import { STATE } from "./states.ts";

/** The controller named `keelson-resizer`. */
export function resizer(sidecar: Sidecar): Controller {
  const { specs, pace, names } = sidecar;
  const last = new Map<string, LastCall>();
  // The resizer itself writes these states: they start no reconcile.
  const own = new Set<string>([STATE.inProgress, STATE.nodePending, names.resizeInfeasible]);
  return defineController({
    name: "keelson-resizer",
    eventSource: "external-resizer",
    for: specs.claims,
    uses: [specs.volumes],
    predicate: (event) => isRequested(event) || isStateOfOther(event, own),
    ...pace,
    reconcile: (ctx) => reconcile({ ctx, sidecar, last }),
    gone: (key) => void last.delete(keyText(key)),
  });
}

const isRequested = changesOf<PersistentVolumeClaim>((claim) => [
  requestOf(claim),
  claimCapacity(claim),
  claim.status.phase,
  claim.spec.volumeName,
]);

const isStateOfOther = (event: ObjectEvent<PersistentVolumeClaim>, own: ReadonlySet<string>): boolean =>
  event.type === "changed" && stateOf(event.object) !== stateOf(event.old) && !own.has(stateOf(event.object) ?? "");

async function reconcile(context: ClaimContext): Promise<Result> {
  const volume = await volumeOfClaim(context);
  if (!volume) return undefined;
  const unmarked = await withoutMark(context, volume);
  if (!unmarked) return REQUEUE_SOON;
  return isGrowing(context.ctx.object) ? expand(context, unmarked) : undefined;
}

/** Removes the annotation with the claim's former size once a node has expanded the file system. */
async function withoutMark(
  { ctx, sidecar }: ClaimContext,
  volume: PersistentVolume,
): Promise<PersistentVolume | undefined> {
  const { beforeResize } = sidecar.names;
  const isMarked = volume.metadata.annotations?.[beforeResize] !== undefined;
  if (!isMarked || compareQuantities(claimCapacity(ctx.object), capacityOf(volume)) < 0) return volume;
  return write(ctx.client, PersistentVolume, annotated(volume, { [beforeResize]: undefined }));
}
