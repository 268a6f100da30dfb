/**
 * One attempt to make the volume of a claim.
 *
 * @module
 */
import { attempt, keyText } from "../../client/index.ts";
import { PersistentVolume, PersistentVolumeClaim, type StorageClass } from "../../client/kinds/index.ts";
import { AGAIN, write } from "../../runtime/writes.ts";
import { annotated } from "../../meta/annotations.ts";
import type { Result } from "../../runtime/index.ts";
import { CODES } from "../../csi/driver-error.ts";
import { CallError, isFinal, mayBeMade } from "../call.ts";
import type { CreatedVolume } from "../contract.ts";
import { removeFinalizer, withFinalizer } from "../finalizers.ts";
import { callOf } from "../sidecar.ts";
import { type FoundContent, contentFor, fillerOf } from "./content.ts";
import type { Provisioning } from "./given.ts";
import { type Prepared, prepare, volumeOf } from "./request.ts";
import { PlaceError } from "./topology.ts";
import { errorText } from "../../util/cut-text.ts";

/** So many times in a row a driver has to say that there is no volume, before that is believed. */
const BELIEVED = 2;

/** Makes the volume of a claim; what fails is told on the claim, and thrown to be tried again. */
export async function provision(given: Provisioning, storageClass: StorageClass): Promise<Result> {
  const { ctx, sidecar } = given;
  const filler = fillerOf(ctx.object, sidecar);
  if (filler.is === "other") {
    ctx.events.normal("Provisioning", "Assuming an external populator will provision the volume");
    return undefined;
  }
  try {
    return await make(given, storageClass);
  } catch (error) {
    ctx.events.warning("ProvisioningFailed", failureText(storageClass, error));
    return await giveNodeBack(given, error);
  } finally {
    sidecar.capacityNews.tell(storageClass.metadata.name);
  }
}

const failureText = ({ metadata }: StorageClass, error: unknown): string =>
  `failed to provision volume with StorageClass ${JSON.stringify(metadata.name)}: ${errorText(error)}`;

async function make(given: Provisioning, storageClass: StorageClass): Promise<Result> {
  const { ctx, sidecar, attempts } = given;
  const known = attempts.of(keyText(ctx.key), ctx.object.metadata.uid);
  const found = known.prepared ? undefined : await held(given, storageClass);
  if (found === "busy") return AGAIN;
  const prepared =
    known.prepared ?? (await prepare(ctx, sidecar, { claim: ctx.object, storageClass, content: found?.content }));
  const claim = await withFinalizer(ctx.client, PersistentVolumeClaim, ctx.object, sidecar.names.provisioning);
  if (!claim) return AGAIN;
  ctx.events.normal(
    "Provisioning",
    `External provisioner is provisioning volume for claim ${JSON.stringify(keyText(ctx.key))}`,
  );
  known.prepared = prepared;
  known.asked = prepared;
  const letGo = (): Promise<void> =>
    removeFinalizer(ctx.client, PersistentVolumeClaim, claim, sidecar.names.provisioning);
  try {
    const created = await create(given, prepared);
    known.prepared = undefined;
    if (!(await store(given, claim, prepared, created))) return AGAIN;
  } catch (error) {
    known.refused = error instanceof CallError && isFinal(error) ? known.refused + 1 : 0;
    // There is no volume: whether class and driver are there when the claim goes does not matter any more.
    if (known.refused >= BELIEVED) await letGo();
    throw error;
  }
  known.refused = 0;
  await letGo();
  ctx.events.normal("ProvisioningSucceeded", `Successfully provisioned volume ${prepared.request.name}`);
  return undefined;
}

/** The source of a claim, held until the claim has been filled; `busy` where it changes at the moment. */
async function held(
  { ctx, sidecar }: Provisioning,
  storageClass: StorageClass,
): Promise<FoundContent | "busy" | undefined> {
  const claim = ctx.object;
  const filler = fillerOf(claim, sidecar);
  if (filler.is !== "driver") return undefined;
  const found = await contentFor(ctx, sidecar, { claim, storageClass, source: filler.source });
  const isHeld = await withFinalizer(ctx.client, found.kind, found.object, found.finalizer);
  return isHeld ? found : "busy";
}

/** The volume as the driver has made it, or has again. @throws CallError */
export async function create({ ctx, sidecar, attempts }: Provisioning, prepared: Prepared): Promise<CreatedVolume> {
  const call = callOf(sidecar, ctx.signal);
  const { request } = prepared;
  try {
    const { volume } = await call("CreateVolume", (calls, how) => calls.createVolume(request, how));
    if (volume) return volume;
    throw new CallError("CreateVolume", CODES.Internal, "expected a volume in the answer");
  } catch (error) {
    const isOpen = error instanceof CallError && mayBeMade(error);
    // Only as long as the driver may be at work it has to be asked in the same words.
    if (!isOpen) attempts.of(keyText(ctx.key), ctx.object.metadata.uid).prepared = undefined;
    throw error;
  }
}

/** Stores the volume, unless it is not what was asked for: then it is deleted; false where another object is in its place. */
async function store(
  given: Provisioning,
  claim: PersistentVolumeClaim,
  prepared: Prepared,
  created: CreatedVolume,
): Promise<boolean> {
  const { ctx, sidecar } = given;
  const fault = faultOf(prepared, created);
  if (fault !== undefined) {
    const { volumeId } = created;
    const { secrets } = prepared.request;
    await callOf(sidecar, ctx.signal)("DeleteVolume", (calls, how) => calls.deleteVolume({ volumeId, secrets }, how));
    throw new CallError("CreateVolume", CODES.OutOfRange, fault);
  }
  const volumes = ctx.client.resource(PersistentVolume);
  const volume = volumeOf(sidecar, claim, prepared, created);
  const made = await attempt(volumes.create(volume), "AlreadyExists");
  if (made.ok) return true;
  const there = await volumes.find({ name: prepared.request.name });
  return there?.spec.claimRef?.uid === claim.metadata.uid;
}

function faultOf({ request }: Prepared, { capacityBytes, contentSource }: CreatedVolume): string | undefined {
  const { requiredBytes } = request.capacityRange;
  if (capacityBytes > 0n && capacityBytes < requiredBytes) {
    return `expected a volume of at least ${requiredBytes} bytes, it has ${capacityBytes}`;
  }
  if (request.volumeContentSource && !contentSource) return "expected the volume to be filled from its source";
  return undefined;
}

/** Takes the choice of a node back that has no room (CTL-OUT-2); every other error is thrown again. */
async function giveNodeBack({ ctx, sidecar, attempts }: Provisioning, error: unknown): Promise<Result> {
  const { names, driver, pace } = sidecar;
  const isFull = error instanceof CallError && error.code === CODES.ResourceExhausted;
  const isOfNode = error instanceof PlaceError && error.isOfNode;
  const knowsPlaces = driver.abilities.has("PLUGIN_VOLUME_ACCESSIBILITY_CONSTRAINTS");
  const claim = ctx.object;
  if (knowsPlaces && claim.metadata.annotations?.[names.selectedNode] && (isFull || isOfNode)) {
    const now = await ctx.client.resource(PersistentVolumeClaim).find(ctx.key);
    if (now?.metadata.uid !== claim.metadata.uid) return undefined;
    return (await write(ctx.client, PersistentVolumeClaim, annotated(now, { [names.selectedNode]: undefined })))
      ? undefined
      : AGAIN;
  }
  // What is refused is not asked for again soon, once that is believed; a change of class or claim is heard.
  const isBelieved = attempts.of(keyText(ctx.key), claim.metadata.uid).refused >= BELIEVED;
  if (error instanceof CallError && error.code === CODES.InvalidArgument && isBelieved) {
    return { requeueAfter: pace.backoff.most };
  }
  throw error;
}
