/**
 * What a claim says while its volume is enlarged.
 *
 * @module
 */
import { attempt } from "../../client/index.ts";
import { PersistentVolumeClaim } from "../../client/kinds/index.ts";
import { AGAIN, writeStatus } from "../../runtime/writes.ts";
import type { Result } from "../../runtime/index.ts";
import { type ClaimFinding, type ClaimStatus, conditionsWith } from "../claim-status.ts";
import type { Resizing } from "./given.ts";
import { RESIZING, STATE } from "./states.ts";

const ALL = Object.values(RESIZING);

/** The claim with a status; its annotations are written with it. */
function written(
  { ctx }: Resizing,
  claim: PersistentVolumeClaim,
  status: ClaimStatus,
): Promise<PersistentVolumeClaim | undefined> {
  return writeStatus(ctx.client, PersistentVolumeClaim, { ...claim, status });
}

/**
 * Says which size the driver is asked for; undefined where the claim has changed meanwhile.
 *
 * @param isNew whether it is another size than before
 */
export async function begin(given: Resizing, size: string, isNew: boolean): Promise<PersistentVolumeClaim | undefined> {
  const claim = given.ctx.object;
  const { status } = claim;
  const isSaid = status.conditions?.some(({ type, status: said }) => type === RESIZING.resizing && said === "True");
  if (!isNew && isSaid) return claim;
  const now = given.ctx.clock.now();
  const without = isNew ? ALL : [];
  return written(given, withoutMark(given, claim), {
    ...status,
    allocatedResources: { ...status.allocatedResources, storage: size },
    ...(isNew ? { allocatedResourceStatuses: { ...status.allocatedResourceStatuses, storage: STATE.inProgress } } : {}),
    conditions: conditionsWith(claim, [{ type: RESIZING.resizing }], { without, now }),
  });
}

/** The claim without the mark that says that a node has nothing to do. */
function withoutMark({ sidecar }: Resizing, claim: PersistentVolumeClaim): PersistentVolumeClaim {
  const { [sidecar.names.noNodeExpansion]: _, ...annotations } = claim.metadata.annotations ?? {};
  return { ...claim, metadata: { ...claim.metadata, annotations } };
}

/** The driver is done, and the node is to enlarge the file system (RSZ-4). */
export async function leaveToNode(given: Resizing, claim: PersistentVolumeClaim): Promise<Result> {
  const { status } = claim;
  const finding: ClaimFinding = {
    type: RESIZING.nodePending,
    message: "it waits for a node to enlarge the file system",
  };
  const done = await written(given, withoutMark(given, claim), {
    ...status,
    allocatedResourceStatuses: { ...status.allocatedResourceStatuses, storage: STATE.nodePending },
    conditions: conditionsWith(claim, [finding], { without: [RESIZING.failed], now: given.ctx.clock.now() }),
  });
  if (!done) return AGAIN;
  given.ctx.events.normal("FileSystemResizeRequired", "the file system has to be enlarged on a node");
  return undefined;
}

/** Nothing is left to do: the claim has what its volume has. */
export async function finish(given: Resizing, claim: PersistentVolumeClaim, size: string): Promise<Result> {
  const { allocatedResourceStatuses = {}, conditions: _, ...status } = claim.status;
  const { storage: _storage, ...others } = allocatedResourceStatuses;
  const conditions = conditionsWith(claim, [], { without: ALL, now: given.ctx.clock.now() });
  const { noNodeExpansion } = given.sidecar.names;
  const annotations = { ...claim.metadata.annotations, [noNodeExpansion]: "true" };
  const done = await written(
    given,
    { ...claim, metadata: { ...claim.metadata, annotations } },
    {
      ...status,
      capacity: { ...status.capacity, storage: size },
      ...(Object.keys(others).length > 0 ? { allocatedResourceStatuses: others } : {}),
      conditions,
    },
  );
  if (!done) return AGAIN;
  given.ctx.events.normal("VolumeResizeSuccessful", `its volume has ${size}`);
  return undefined;
}

/** The driver has not enlarged the volume; where it never will, the state says so (RSZ-3). */
export async function fail(
  given: Resizing,
  claim: PersistentVolumeClaim,
  { isForGood, message }: { readonly isForGood: boolean; readonly message: string },
): Promise<void> {
  const { ctx, sidecar } = given;
  const finding = { type: RESIZING.failed, message };
  const status = {
    ...(isForGood ? { allocatedResourceStatuses: { storage: sidecar.names.resizeRefused } } : {}),
    conditions: conditionsWith(claim, [finding], { now: ctx.clock.now() }),
  };
  // Whatever has happened to the claim meanwhile, this is true of it.
  await attempt(ctx.client.resource(PersistentVolumeClaim).status.patch(ctx.key, { status }), "NotFound");
}
