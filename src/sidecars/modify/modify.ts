/**
 * One attempt to modify the volume of a claim.
 *
 * @module
 */
import { keyText } from "../../client/index.ts";
import { PersistentVolume, PersistentVolumeClaim, type VolumeAttributesClass } from "../../client/kinds/index.ts";
import { CODES } from "../../csi/driver-error.ts";
import type { Result } from "../../runtime/index.ts";
import { REQUEUE_SOON, write, writeStatus } from "../../runtime/writes.ts";
import { errorText } from "../../util/cut-text.ts";
import { CallError, mayStillRun } from "../call.ts";
import { conditionsWith } from "../claim-conditions.ts";
import { type ClaimContext, remainingPause } from "../claim-context.ts";
import type { Texts } from "../contract.ts";
import { annotatedSecret, credentials } from "../secrets.ts";
import { callDriver } from "../sidecar.ts";

const MODIFYING = "ModifyingVolume";
const FAILED = "ModifyVolumeError";

/** Modifies the volume of a claim that has another class. An error becomes an Event, and is thrown for a retry. */
export async function modify(context: ClaimContext, volume: PersistentVolume): Promise<Result> {
  const { ctx, sidecar, last } = context;
  const { spec, status, metadata } = ctx.object;
  const desired = spec.volumeAttributesClassName ?? "";
  const current = status.currentVolumeAttributesClassName ?? "";
  const running = status.modifyVolumeStatus;
  if (!running && desired === current) return undefined;
  const isRunning = running?.status === "InProgress";
  if (desired === "" && !isRunning) return cancel(context);
  // The driver gets no other class while it may work on this one, as after a restart.
  const isFixed = isRunning && (desired === "" || last.get(keyText(ctx.key))?.mayRun !== false);
  const target = isFixed ? (running.targetVolumeAttributesClassName ?? desired) : desired;
  const pause = remainingPause(context, target);
  if (pause > 0) return { requeueAfter: pause };
  const found = await ctx.client.resource(sidecar.kinds.attributesClass).find({ name: target });
  if (found?.driverName !== sidecar.driver.name) return wait(context, target, found);
  const claim = await begin(context, target);
  if (!claim) return REQUEUE_SOON;
  ctx.events.normal("VolumeModify", `external resizer is modifying volume ${metadata.name} with vac ${target}`);
  try {
    await callDriver(context, "controllerModifyVolume", await requestFor(context, volume, found));
  } catch (error) {
    return failed(context, claim, target, error);
  }
  last.delete(keyText(ctx.key));
  return finish(context, claim, volume, target);
}

/** Ends a modification that the driver refused: the claim names no class any more (PVC-17). */
async function cancel({ ctx }: ClaimContext): Promise<Result> {
  const { conditions = [], modifyVolumeStatus, ...status } = ctx.object.status;
  const kept = conditions.filter(({ type }) => type !== MODIFYING && type !== FAILED);
  if (kept.length === conditions.length && !modifyVolumeStatus) return undefined;
  const next = { ...ctx.object, status: { ...status, conditions: kept } };
  if (!(await writeStatus(ctx.client, PersistentVolumeClaim, next))) return REQUEUE_SOON;
  ctx.events.normal("VolumeModifyCanceled", "Cancelled modify.");
  return undefined;
}

/** The class does not exist, or belongs to another driver (MVS-1). */
async function wait(
  { ctx, sidecar }: ClaimContext,
  target: string,
  found: VolumeAttributesClass | undefined,
): Promise<Result> {
  const claim = ctx.object;
  const why = found ? `is for driver ${found.driverName}, not for ${sidecar.driver.name}` : "does not exist";
  ctx.events.warning("VolumeModifyFailed", `VAC ${JSON.stringify(target)} ${why}.`);
  if (claim.status.modifyVolumeStatus?.status === "Pending") return undefined;
  const modifyVolumeStatus = { ...claim.status.modifyVolumeStatus, status: "Pending" };
  const next = { ...claim, status: { ...claim.status, modifyVolumeStatus } };
  return (await writeStatus(ctx.client, PersistentVolumeClaim, next)) ? undefined : REQUEUE_SOON;
}

/** Writes the target class before the call (MVS-2). */
async function begin({ ctx }: ClaimContext, target: string): Promise<PersistentVolumeClaim | undefined> {
  const claim = ctx.object;
  const { modifyVolumeStatus: running } = claim.status;
  if (running?.status === "InProgress" && running.targetVolumeAttributesClassName === target) return claim;
  const message = "ModifyVolume operation in progress.";
  return writeStatus(ctx.client, PersistentVolumeClaim, {
    ...claim,
    status: {
      ...claim.status,
      modifyVolumeStatus: { targetVolumeAttributesClassName: target, status: "InProgress" },
      conditions: conditionsWith(claim, [{ type: MODIFYING, message }], { without: [FAILED], now: ctx.clock.now() }),
    },
  });
}

async function requestFor({ ctx, sidecar }: ClaimContext, volume: PersistentVolume, found: VolumeAttributesClass) {
  const { names, settings } = sidecar;
  const { volumeHandle: volumeId, controllerExpandSecretRef: ref } = volume.spec.csi!;
  const annotated = annotatedSecret(volume.metadata.annotations, names.modifySecret);
  const { name: claim, namespace = "" } = ctx.object.metadata;
  const metadata: Texts = {
    [`${names.parameters}pvc/name`]: claim,
    [`${names.parameters}pvc/namespace`]: namespace,
    [`${names.parameters}pv/name`]: volume.metadata.name,
  };
  return {
    volumeId,
    secrets: await credentials(ctx.client, {
      name: annotated.name || ref?.name,
      namespace: annotated.namespace || ref?.namespace,
    }),
    mutableParameters: { ...found.parameters, ...(settings.extraModifyMetadata ? metadata : {}) },
  };
}

/** Writes the new class: first into the volume, then into the claim (PVC-48). */
async function finish(
  { ctx }: ClaimContext,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  target: string,
): Promise<Result> {
  const spec = { ...volume.spec, volumeAttributesClassName: target };
  const isWritten = volume.spec.volumeAttributesClassName === target;
  if (!isWritten && !(await write(ctx.client, PersistentVolume, { ...volume, spec }))) return REQUEUE_SOON;
  const { modifyVolumeStatus: _, ...status } = claim.status;
  const conditions = conditionsWith(claim, [], { without: [MODIFYING, FAILED], now: ctx.clock.now() });
  const next = { ...claim, status: { ...status, currentVolumeAttributesClassName: target, conditions } };
  if (!(await writeStatus(ctx.client, PersistentVolumeClaim, next))) return REQUEUE_SOON;
  const message = `external resizer modified volume ${claim.metadata.name} with vac ${target} successfully`;
  ctx.events.normal("VolumeModifySuccessful", message);
  return undefined;
}

/** The driver has refused the class (MVS-3), or the call is repeated. */
async function failed(
  { ctx, sidecar, last }: ClaimContext,
  claim: PersistentVolumeClaim,
  target: string,
  error: unknown,
): Promise<Result> {
  const message = errorText(error);
  ctx.events.warning("VolumeModifyFailed", message);
  if (!(error instanceof CallError)) throw error;
  const isRefused = error.code === CODES.InvalidArgument;
  last.set(keyText(ctx.key), {
    mayRun: mayStillRun(error),
    ...(isRefused ? { refused: { target, at: ctx.clock.steady() } } : {}),
  });
  const status = isRefused ? "Infeasible" : "InProgress";
  const finding = { type: FAILED, reason: error.codeName, message };
  const next = {
    ...claim,
    status: {
      ...claim.status,
      modifyVolumeStatus: { targetVolumeAttributesClassName: target, status },
      conditions: conditionsWith(claim, [finding], { now: ctx.clock.now() }),
    },
  };
  await writeStatus(ctx.client, PersistentVolumeClaim, next);
  if (isRefused) return { requeueAfter: sidecar.pace.backoff.most };
  throw error;
}
