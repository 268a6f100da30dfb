/**
 * One attempt to create the volume of a claim.
 *
 * @module
 */
import { attempt, keyText } from "../../client/index.ts";
import { PersistentVolume, PersistentVolumeClaim, type StorageClass } from "../../client/kinds/index.ts";
import { CODES } from "../../csi/driver-error.ts";
import { annotated } from "../../meta/annotations.ts";
import type { Result } from "../../runtime/index.ts";
import { REQUEUE_SOON, write } from "../../runtime/writes.ts";
import { errorText } from "../../util/cut-text.ts";
import { CallError, isFinal, mayStillCreate } from "../call.ts";
import type { CreatedVolume } from "../contract.ts";
import { removeFinalizer, withFinalizer } from "../finalizers.ts";
import { callDriver } from "../sidecar.ts";
import type { ProvisionContext } from "./attempts.ts";
import { contentOf, needsPopulator } from "./content.ts";
import { type Prepared, prepare, volumeOf } from "./request.ts";
import { TopologyError } from "./topology.ts";

/** After so many final errors in a row, the volume does not exist for certain. */
const MIN_FINAL_ERRORS = 2;

/** Creates the volume of a claim. An error becomes an Event of the claim, and is thrown for a retry. */
export async function provision(context: ProvisionContext, storageClass: StorageClass): Promise<Result> {
  const { ctx, sidecar } = context;
  if (needsPopulator(ctx.object, sidecar)) {
    ctx.events.normal("Provisioning", "Assuming an external populator will provision the volume");
    return undefined;
  }
  const { name } = storageClass.metadata;
  try {
    return await createAndStore(context, storageClass);
  } catch (error) {
    const message = `failed to provision volume with StorageClass ${JSON.stringify(name)}: ${errorText(error)}`;
    ctx.events.warning("ProvisioningFailed", message);
    return await afterError(context, error);
  } finally {
    sidecar.capacityChanges.notify(name);
  }
}

async function createAndStore(context: ProvisionContext, storageClass: StorageClass): Promise<Result> {
  const { ctx, sidecar, attempts } = context;
  const known = attempts.of(keyText(ctx.key), ctx.object.metadata.uid);
  const prepared = known.prepared ?? (await prepareWithSource(context, storageClass));
  if (!prepared) return REQUEUE_SOON;
  const claim = await withFinalizer(ctx.client, PersistentVolumeClaim, ctx.object, sidecar.names.provisioning);
  if (!claim) return REQUEUE_SOON;
  const key = JSON.stringify(keyText(ctx.key));
  ctx.events.normal("Provisioning", `External provisioner is provisioning volume for claim ${key}`);
  known.prepared = prepared;
  known.requested = prepared;
  const release = (): Promise<void> =>
    removeFinalizer(ctx.client, PersistentVolumeClaim, claim, sidecar.names.provisioning);
  try {
    const created = await create(context, prepared);
    known.prepared = undefined;
    if (!(await store(context, claim, prepared, created))) return REQUEUE_SOON;
  } catch (error) {
    known.refused = error instanceof CallError && isFinal(error) ? known.refused + 1 : 0;
    // There is no volume, so a deleted claim needs neither class nor driver any more.
    if (known.refused >= MIN_FINAL_ERRORS) await release();
    throw error;
  }
  known.refused = 0;
  await release();
  ctx.events.normal("ProvisioningSucceeded", `Successfully provisioned volume ${prepared.request.name}`);
  return undefined;
}

/** The request for a volume; its source gets a finalizer. Undefined where the source has changed meanwhile. */
async function prepareWithSource(
  { ctx, sidecar }: ProvisionContext,
  storageClass: StorageClass,
): Promise<Prepared | undefined> {
  const claim = ctx.object;
  const source = await contentOf(ctx, sidecar, claim, storageClass);
  if (source && !(await withFinalizer(ctx.client, source.kind, source.object, source.finalizer))) return undefined;
  return prepare(ctx, sidecar, { claim, storageClass, content: source?.content });
}

/** The volume that the driver creates, or has created before. @throws CallError */
export async function create(context: ProvisionContext, { request }: Prepared): Promise<CreatedVolume> {
  const { ctx, attempts } = context;
  try {
    const { volume } = await callDriver(context, "createVolume", request);
    if (volume) return volume;
    throw new CallError("CreateVolume", CODES.Internal, "expected a volume in the response");
  } catch (error) {
    const mayRun = error instanceof CallError && mayStillCreate(error);
    // The request has to stay the same only while the driver may work on it.
    if (!mayRun) attempts.of(keyText(ctx.key), ctx.object.metadata.uid).prepared = undefined;
    throw error;
  }
}

/** Stores the volume. Deletes one that does not fit the request. False where another object has its name. */
async function store(
  context: ProvisionContext,
  claim: PersistentVolumeClaim,
  prepared: Prepared,
  created: CreatedVolume,
): Promise<boolean> {
  const { ctx, sidecar } = context;
  const { name, secrets } = prepared.request;
  const fault = faultOf(prepared, created);
  if (fault !== undefined) {
    await callDriver(context, "deleteVolume", { volumeId: created.volumeId, secrets });
    throw new CallError("CreateVolume", CODES.OutOfRange, fault);
  }
  const volumes = ctx.client.resource(PersistentVolume);
  const stored = await attempt(volumes.create(volumeOf(sidecar, claim, prepared, created)), "AlreadyExists");
  if (stored.ok) return true;
  const found = await volumes.find({ name });
  return found?.spec.claimRef?.uid === claim.metadata.uid;
}

function faultOf({ request }: Prepared, { capacityBytes, contentSource }: CreatedVolume): string | undefined {
  const { requiredBytes } = request.capacityRange;
  if (capacityBytes > 0n && capacityBytes < requiredBytes) {
    return `created volume capacity ${capacityBytes} less than requested capacity ${requiredBytes}`;
  }
  return request.volumeContentSource && !contentSource ? "volume content source missing" : undefined;
}

/** Removes a selected node without capacity from the claim (CTL-OUT-2). Throws every other error again. */
async function afterError({ ctx, sidecar, attempts }: ProvisionContext, error: unknown): Promise<Result> {
  const { names, driver, pace } = sidecar;
  const isFull = error instanceof CallError && error.code === CODES.ResourceExhausted;
  const isOfNode = error instanceof TopologyError && error.isOfNode;
  const hasTopology = driver.abilities.has("PLUGIN_VOLUME_ACCESSIBILITY_CONSTRAINTS");
  const claim = ctx.object;
  if (hasTopology && claim.metadata.annotations?.[names.selectedNode] && (isFull || isOfNode)) {
    const now = await ctx.client.resource(PersistentVolumeClaim).find(ctx.key);
    if (now?.metadata.uid !== claim.metadata.uid) return undefined;
    const next = annotated(now, { [names.selectedNode]: undefined });
    return (await write(ctx.client, PersistentVolumeClaim, next)) ? undefined : REQUEUE_SOON;
  }
  // A refused request waits longer; a change of class or claim starts another reconcile.
  const { refused } = attempts.of(keyText(ctx.key), claim.metadata.uid);
  if (error instanceof CallError && error.code === CODES.InvalidArgument && refused >= MIN_FINAL_ERRORS) {
    return { requeueAfter: pace.backoff.most };
  }
  throw error;
}
