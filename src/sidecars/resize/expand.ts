/**
 * One attempt to expand the volume of a claim.
 *
 * @module
 */
import { keyText } from "../../client/index.ts";
import { PersistentVolume, type PersistentVolumeClaim } from "../../client/kinds/index.ts";
import { capacityOf } from "../../claims/fit.ts";
import { allocatedTo, claimCapacity } from "../../claims/resize.ts";
import { annotated } from "../../meta/annotations.ts";
import { compareQuantities } from "../../meta/quantity.ts";
import type { Result } from "../../runtime/index.ts";
import { REQUEUE_SOON, write } from "../../runtime/writes.ts";
import { errorText } from "../../util/cut-text.ts";
import { bytesOf, quantityOf } from "../bytes.ts";
import { CallError, isInfeasible, mayStillRun } from "../call.ts";
import { type ClaimContext, remainingPause } from "../claim-context.ts";
import { credentials } from "../secrets.ts";
import { callDriver } from "../sidecar.ts";
import { useOfVolume } from "../volume-use.ts";
import { begin, fail, finish, leaveToNode } from "./claim-states.ts";
import { nextSize } from "./states.ts";

/** Expands the volume of a claim, or leaves the rest to its node. An error becomes an Event, and is thrown for a retry. */
export async function expand(context: ClaimContext, volume: PersistentVolume): Promise<Result> {
  const { ctx, sidecar, last } = context;
  const key = keyText(ctx.key);
  const hasRefused = last.get(key)?.mayRun === false;
  const size = nextSize(ctx.object, volume, { names: sidecar.names, hasRefused });
  if (size === undefined) return undefined;
  const isSame = compareQuantities(allocatedTo(ctx.object) ?? "0", size) === 0;
  const pause = isSame ? remainingPause(context, size) : 0;
  if (pause > 0) return { requeueAfter: pause };
  const claim = await begin(context, size, !isSame);
  if (!claim) return REQUEUE_SOON;
  ctx.events.normal("Resizing", `External resizer is resizing volume ${volume.metadata.name}`);
  try {
    const expanded = await callFor(context, volume, size);
    last.delete(key);
    return await store(context, claim, volume, expanded);
  } catch (error) {
    return failed(context, claim, size, error);
  }
}

interface Expanded {
  readonly size: string;
  readonly needsNode: boolean;
}

async function callFor(context: ClaimContext, volume: PersistentVolume, size: string): Promise<Expanded> {
  const { ctx, sidecar } = context;
  const { driver } = sidecar;
  // Some drivers expand volumes on nodes only.
  if (!driver.abilities.has("EXPAND_VOLUME")) return { size, needsNode: true };
  const { volumeHandle: volumeId, controllerExpandSecretRef: ref } = volume.spec.csi!;
  const { capacityBytes, nodeExpansionRequired: needsNode } = await callDriver(context, "controllerExpandVolume", {
    volumeId,
    capacityRange: { requiredBytes: bytesOf(size) },
    volumeCapability: useOfVolume(volume, driver),
    secrets: await credentials(ctx.client, ref),
  });
  return { size: quantityOf(capacityBytes), needsNode };
}

async function store(
  context: ClaimContext,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  { size, needsNode }: Expanded,
): Promise<Result> {
  const { ctx, sidecar } = context;
  const { beforeResize } = sidecar.names;
  const isMarked = volume.metadata.annotations?.[beforeResize] !== undefined;
  const storage = compareQuantities(capacityOf(volume), size) === 0 ? capacityOf(volume) : size;
  const marked = needsNode && !isMarked ? annotated(volume, { [beforeResize]: claimCapacity(claim) }) : volume;
  const spec = { ...volume.spec, capacity: { ...volume.spec.capacity, storage } };
  if (!(await write(ctx.client, PersistentVolume, { ...marked, spec }))) return REQUEUE_SOON;
  return needsNode ? leaveToNode(context, claim) : finish(context, claim, storage);
}

async function failed(
  context: ClaimContext,
  claim: PersistentVolumeClaim,
  size: string,
  error: unknown,
): Promise<Result> {
  const { ctx, sidecar, last } = context;
  const key = keyText(ctx.key);
  const message = errorText(error);
  ctx.events.warning("VolumeResizeFailed", message);
  if (!(error instanceof CallError) || mayStillRun(error)) {
    last.delete(key);
    throw error;
  }
  const isForGood = isInfeasible(error);
  const refused = isForGood ? { refused: { target: size, at: ctx.clock.steady() } } : {};
  last.set(key, { mayRun: false, ...refused });
  await fail(context, claim, { isForGood, message });
  if (isForGood) return { requeueAfter: sidecar.pace.backoff.most };
  throw error;
}
