/**
 * Writes the status of a claim while its volume is expanded.
 *
 * @module
 */
import { attempt } from "../../client/index.ts";
import { PersistentVolumeClaim } from "../../client/kinds/index.ts";
import { annotated } from "../../meta/annotations.ts";
import type { Result } from "../../runtime/index.ts";
import { REQUEUE_SOON, writeStatus } from "../../runtime/writes.ts";
import { conditionsWith } from "../claim-conditions.ts";
import type { ClaimContext } from "../claim-context.ts";
import { CONDITION, STATE } from "./states.ts";

const ALL = Object.values(CONDITION);

/**
 * Writes the size before the call of the driver; undefined where the claim has changed meanwhile.
 *
 * @param isNew whether it is another size than before
 */
export async function begin(
  context: ClaimContext,
  size: string,
  isNew: boolean,
): Promise<PersistentVolumeClaim | undefined> {
  const { ctx } = context;
  const { status } = ctx.object;
  const isBegun = status.conditions?.some((one) => one.type === CONDITION.resizing && one.status === "True");
  if (!isNew && isBegun) return ctx.object;
  return writeClaim(context, ctx.object, undefined, {
    ...status,
    allocatedResources: { ...status.allocatedResources, storage: size },
    ...(isNew ? { allocatedResourceStatuses: { ...status.allocatedResourceStatuses, storage: STATE.inProgress } } : {}),
    conditions: conditionsWith(ctx.object, [{ type: CONDITION.resizing }], {
      without: isNew ? ALL : [],
      now: ctx.clock.now(),
    }),
  });
}

/** Writes the status of a claim, and whether its node has nothing to do. */
const writeClaim = (
  { ctx, sidecar }: ClaimContext,
  claim: PersistentVolumeClaim,
  noNodeExpansion: "true" | undefined,
  status: PersistentVolumeClaim["status"],
): Promise<PersistentVolumeClaim | undefined> => {
  const next = annotated(claim, { [sidecar.names.noNodeExpansion]: noNodeExpansion });
  return writeStatus(ctx.client, PersistentVolumeClaim, { ...next, status });
};

/** The driver has expanded the volume, and the node has to expand the file system (RSZ-4). */
export async function leaveToNode(context: ClaimContext, claim: PersistentVolumeClaim): Promise<Result> {
  const { ctx } = context;
  const { status } = claim;
  const message = "Waiting for user to (re-)start a pod to finish file system resize of volume on node.";
  const finding = { type: CONDITION.nodePending, message };
  const done = await writeClaim(context, claim, undefined, {
    ...status,
    allocatedResourceStatuses: { ...status.allocatedResourceStatuses, storage: STATE.nodePending },
    conditions: conditionsWith(claim, [finding], { without: [CONDITION.failed], now: ctx.clock.now() }),
  });
  if (!done) return REQUEUE_SOON;
  ctx.events.normal("FileSystemResizeRequired", "Require file system resize of volume on node");
  return undefined;
}

/** The expansion is complete: the claim gets the size of its volume. */
export async function finish(context: ClaimContext, claim: PersistentVolumeClaim, size: string): Promise<Result> {
  const { ctx } = context;
  const { allocatedResourceStatuses = {}, conditions: _, ...status } = claim.status;
  const { storage: _storage, ...others } = allocatedResourceStatuses;
  const done = await writeClaim(context, claim, "true", {
    ...status,
    capacity: { ...status.capacity, storage: size },
    ...(Object.keys(others).length > 0 ? { allocatedResourceStatuses: others } : {}),
    conditions: conditionsWith(claim, [], { without: ALL, now: ctx.clock.now() }),
  });
  if (!done) return REQUEUE_SOON;
  ctx.events.normal("VolumeResizeSuccessful", "Resize volume succeeded");
  return undefined;
}

/** The driver has failed to expand the volume; the state says whether it failed for good (RSZ-3). */
export async function fail(
  { ctx, sidecar }: ClaimContext,
  claim: PersistentVolumeClaim,
  { isForGood, message }: { readonly isForGood: boolean; readonly message: string },
): Promise<void> {
  const finding = { type: CONDITION.failed, message: `failed to expand pvc with ${message}` };
  const status = {
    ...(isForGood ? { allocatedResourceStatuses: { storage: sidecar.names.resizeInfeasible } } : {}),
    conditions: conditionsWith(claim, [finding], { now: ctx.clock.now() }),
  };
  // This is true whatever has happened to the claim meanwhile.
  await attempt(ctx.client.resource(PersistentVolumeClaim).status.patch(ctx.key, { status }), "NotFound");
}
