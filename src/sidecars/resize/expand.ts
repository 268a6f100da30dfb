/**
 * One attempt to enlarge the volume of a claim.
 *
 * @module
 */
import { keyText } from "../../client/index.ts";
import { PersistentVolume, type PersistentVolumeClaim } from "../../client/kinds/index.ts";
import { capacityOf } from "../../claims/fit.ts";
import { allocatedTo, claimCapacity } from "../../claims/resize.ts";
import { AGAIN, write } from "../../runtime/writes.ts";
import { annotated } from "../../meta/annotations.ts";
import { compareQuantities } from "../../meta/quantity.ts";
import type { Result } from "../../runtime/index.ts";
import { millisOf } from "../../util/duration.ts";
import { bytesOf, quantityOf } from "../bytes.ts";
import { CallError, isRefused, mayGoOn } from "../call.ts";
import { credentials } from "../secrets.ts";
import { callOf } from "../sidecar.ts";
import { useOfVolume } from "../volume-use.ts";
import { begin, fail, finish, leaveToNode } from "./marks.ts";
import type { Resizing } from "./given.ts";
import { nextSize } from "./states.ts";
import { errorText } from "../../util/cut-text.ts";

/** Enlarges the volume of a claim, or leaves the rest to its node; what fails is told, and thrown to be tried again. */
export async function expand(given: Resizing, volume: PersistentVolume): Promise<Result> {
  const { ctx, sidecar, last } = given;
  const key = keyText(ctx.key);
  const known = last.get(key);
  const next = nextSize(ctx.object, volume, { names: sidecar.names, hasRefused: known?.isOver === true });
  if (next.is === "node's") return undefined;
  const { size } = next;
  const isSame = compareQuantities(allocatedTo(ctx.object) ?? "0", size) === 0;
  const pause = isSame && known?.refused?.size === size ? pauseAfter(given, known.refused.at) : 0;
  if (pause > 0) return { requeueAfter: pause };
  const claim = await begin(given, size, !isSame);
  if (!claim) return AGAIN;
  ctx.events.normal("Resizing", `${sidecar.driver.name} is asked to enlarge the volume ${volume.metadata.name}`);
  try {
    const answer = await ask(given, volume, size);
    last.delete(key);
    return await keep(given, claim, volume, answer);
  } catch (error) {
    return failed(given, { claim, size, error });
  }
}

/** For how long a size that was refused is not asked for again. */
const pauseAfter = ({ ctx, sidecar }: Resizing, at: number): number =>
  at + millisOf(sidecar.pace.backoff.most) - ctx.clock.steady();

interface Grown {
  readonly size: string;
  readonly needsNode: boolean;
}

async function ask({ ctx, sidecar }: Resizing, volume: PersistentVolume, size: string): Promise<Grown> {
  const { driver } = sidecar;
  // A driver that grows on nodes alone has nothing to do here.
  if (!driver.abilities.has("EXPAND_VOLUME")) return { size, needsNode: true };
  const { volumeHandle: volumeId, controllerExpandSecretRef: ref } = volume.spec.csi!;
  const { name = "", namespace = "" } = ref ?? {};
  const request = {
    volumeId,
    capacityRange: { requiredBytes: bytesOf(size) },
    volumeCapability: useOfVolume(volume, driver),
    secrets: await credentials(ctx.client, name && namespace ? { name, namespace } : undefined),
  };
  const answer = await callOf(sidecar, ctx.signal)("ControllerExpandVolume", (calls, how) =>
    calls.controllerExpandVolume(request, how),
  );
  return { size: quantityOf(answer.capacityBytes), needsNode: answer.nodeExpansionRequired };
}

async function keep(
  given: Resizing,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  { size, needsNode }: Grown,
): Promise<Result> {
  const { ctx, sidecar } = given;
  const { beforeResize } = sidecar.names;
  const isMarked = volume.metadata.annotations?.[beforeResize] !== undefined;
  const storage = compareQuantities(capacityOf(volume), size) === 0 ? capacityOf(volume) : size;
  const marked = needsNode && !isMarked ? annotated(volume, { [beforeResize]: claimCapacity(claim) }) : volume;
  const spec = { ...volume.spec, capacity: { ...volume.spec.capacity, storage } };
  if (!(await write(ctx.client, PersistentVolume, { ...marked, spec }))) return AGAIN;
  return needsNode ? leaveToNode(given, claim) : finish(given, claim, storage);
}

interface Failed {
  readonly claim: PersistentVolumeClaim;
  readonly size: string;
  readonly error: unknown;
}

async function failed(given: Resizing, { claim, size, error }: Failed): Promise<Result> {
  const { ctx, sidecar, last } = given;
  const key = keyText(ctx.key);
  const message = errorText(error);
  ctx.events.warning("VolumeResizeFailed", message);
  if (!(error instanceof CallError) || mayGoOn(error)) {
    last.delete(key);
    throw error;
  }
  const isForGood = isRefused(error);
  last.set(key, { isOver: true, ...(isForGood ? { refused: { size, at: ctx.clock.steady() } } : {}) });
  await fail(given, claim, { isForGood, message });
  if (isForGood) return { requeueAfter: sidecar.pace.backoff.most };
  throw error;
}
