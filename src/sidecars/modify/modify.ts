/**
 * One attempt to modify the volume of a claim.
 *
 * @module
 */
import { keyText } from "../../client/index.ts";
import { PersistentVolume, PersistentVolumeClaim, type VolumeAttributesClass } from "../../client/kinds/index.ts";
import { AGAIN, write, writeStatus } from "../../runtime/writes.ts";
import type { Result } from "../../runtime/index.ts";
import { millisOf } from "../../util/duration.ts";
import { CODES } from "../../csi/driver-error.ts";
import { CallError, mayGoOn } from "../call.ts";
import { conditionsWith } from "../claim-status.ts";
import type { Texts } from "../contract.ts";
import { credentials } from "../secrets.ts";
import { callOf } from "../sidecar.ts";
import type { Modifying } from "./given.ts";
import { errorText } from "../../util/cut-text.ts";

const MODIFYING = "ModifyingVolume";
const FAILED = "ModifyVolumeError";

/** Modifies the volume of a claim, where that is asked for; what fails is told, and thrown to be tried again. */
export async function modify(given: Modifying, volume: PersistentVolume): Promise<Result> {
  const { ctx, sidecar, last } = given;
  const { spec, status } = ctx.object;
  const wanted = spec.volumeAttributesClassName ?? "";
  const current = status.currentVolumeAttributesClassName ?? "";
  const doing = status.modifyVolumeStatus;
  if (!doing && wanted === current) return undefined;
  const isBegun = doing?.status === "InProgress";
  if (wanted === "" && !isBegun) return cancel(given);
  const known = last.get(keyText(ctx.key));
  // While the driver may be at work, as after a restart, it is not asked for something else.
  const isBound = isBegun && (wanted === "" || known?.isOpen !== false);
  const target = isBound ? (doing.targetVolumeAttributesClassName ?? wanted) : wanted;
  const pause = known?.refused?.name === target ? pauseAfter(given, known.refused.at) : 0;
  if (pause > 0) return { requeueAfter: pause };
  const found = await ctx.client.resource(sidecar.kinds.attributesClass).find({ name: target });
  if (found?.driverName !== sidecar.driver.name) return wait(given, target, found);
  const claim = await begin(given, target);
  if (!claim) return AGAIN;
  ctx.events.normal("VolumeModify", `${sidecar.driver.name} is asked to make its volume one of ${target}`);
  try {
    await ask(given, volume, found);
  } catch (error) {
    return failed(given, claim, { target, error });
  }
  last.delete(keyText(ctx.key));
  return finish(given, claim, volume, target);
}

const pauseAfter = ({ ctx, sidecar }: Modifying, at: number): number =>
  at + millisOf(sidecar.pace.backoff.most) - ctx.clock.steady();

/** The claim wants what it has, which is none: what was refused is no longer asked for (PVC-17). */
async function cancel(given: Modifying): Promise<Result> {
  const { ctx } = given;
  const { conditions = [], modifyVolumeStatus: _, ...status } = ctx.object.status;
  const isSaid = conditions.some(({ type }) => type === MODIFYING || type === FAILED);
  if (!isSaid && !ctx.object.status.modifyVolumeStatus) return undefined;
  const left = conditions.filter(({ type }) => type !== MODIFYING && type !== FAILED);
  const next = { ...ctx.object, status: { ...status, conditions: left } };
  if (!(await writeStatus(ctx.client, PersistentVolumeClaim, next))) return AGAIN;
  ctx.events.normal("VolumeModifyCanceled", "its attributes stay as they are");
  return undefined;
}

/** The class is not there, or of another driver (MVS-1). */
async function wait(given: Modifying, target: string, found: VolumeAttributesClass | undefined): Promise<Result> {
  const { ctx, sidecar } = given;
  const claim = ctx.object;
  const why = found ? `is one of ${found.driverName}, not of ${sidecar.driver.name}` : "is not there";
  ctx.events.warning("VolumeModifyFailed", `the VolumeAttributesClass ${target} ${why}`);
  if (claim.status.modifyVolumeStatus?.status === "Pending") return undefined;
  const modifyVolumeStatus = { ...claim.status.modifyVolumeStatus, status: "Pending" };
  const next = { ...claim, status: { ...claim.status, modifyVolumeStatus } };
  return (await writeStatus(ctx.client, PersistentVolumeClaim, next)) ? undefined : AGAIN;
}

/** Says which class the volume is getting (MVS-2). */
async function begin(given: Modifying, target: string): Promise<PersistentVolumeClaim | undefined> {
  const { ctx } = given;
  const claim = ctx.object;
  const { modifyVolumeStatus: doing } = claim.status;
  if (doing?.status === "InProgress" && doing.targetVolumeAttributesClassName === target) return claim;
  const message = `its volume is becoming one of ${target}`;
  return writeStatus(ctx.client, PersistentVolumeClaim, {
    ...claim,
    status: {
      ...claim.status,
      modifyVolumeStatus: { targetVolumeAttributesClassName: target, status: "InProgress" },
      conditions: conditionsWith(claim, [{ type: MODIFYING, message }], { without: [FAILED], now: ctx.clock.now() }),
    },
  });
}

async function ask({ ctx, sidecar }: Modifying, volume: PersistentVolume, found: VolumeAttributesClass): Promise<void> {
  const { names, settings } = sidecar;
  const { volumeHandle: volumeId, controllerExpandSecretRef: ref } = volume.spec.csi!;
  const { annotations = {} } = volume.metadata;
  const name = annotations[names.modifySecret.name] || ref?.name;
  const namespace = annotations[names.modifySecret.namespace] || ref?.namespace;
  const { name: claim, namespace: place = "" } = ctx.object.metadata;
  const metadata: Texts = {
    [`${names.parameters}pvc/name`]: claim,
    [`${names.parameters}pvc/namespace`]: place,
    [`${names.parameters}pv/name`]: volume.metadata.name,
  };
  const request = {
    volumeId,
    secrets: await credentials(ctx.client, name && namespace ? { name, namespace } : undefined),
    mutableParameters: { ...found.parameters, ...(settings.extraModifyMetadata ? metadata : {}) },
  };
  await callOf(sidecar, ctx.signal)("ControllerModifyVolume", (calls, how) =>
    calls.controllerModifyVolume(request, how),
  );
}

/** The volume has its attributes: first the volume says so, then the claim (PVC-48). */
async function finish(
  given: Modifying,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  target: string,
): Promise<Result> {
  const { ctx } = given;
  const spec = { ...volume.spec, volumeAttributesClassName: target };
  const isSaid = volume.spec.volumeAttributesClassName === target;
  if (!isSaid && !(await write(ctx.client, PersistentVolume, { ...volume, spec }))) return AGAIN;
  const { modifyVolumeStatus: _, ...status } = claim.status;
  const conditions = conditionsWith(claim, [], { without: [MODIFYING, FAILED], now: ctx.clock.now() });
  const next = { ...claim, status: { ...status, currentVolumeAttributesClassName: target, conditions } };
  if (!(await writeStatus(ctx.client, PersistentVolumeClaim, next))) return AGAIN;
  ctx.events.normal("VolumeModifySuccessful", `its volume is one of ${target}`);
  return undefined;
}

interface Failed {
  readonly target: string;
  readonly error: unknown;
}

/** The driver has refused the class (MVS-3), or it is tried again. */
async function failed(given: Modifying, claim: PersistentVolumeClaim, { target, error }: Failed): Promise<Result> {
  const { ctx, sidecar, last } = given;
  const message = errorText(error);
  ctx.events.warning("VolumeModifyFailed", message);
  if (!(error instanceof CallError)) throw error;
  const isRefused = error.code === CODES.InvalidArgument;
  last.set(keyText(ctx.key), {
    isOpen: mayGoOn(error),
    ...(isRefused ? { refused: { name: target, at: ctx.clock.steady() } } : {}),
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
