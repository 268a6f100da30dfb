/**
 * Creates a deleted object again from the history: the object, its status, its binding, and the managers of its fields.
 *
 * @module
 */
import { messageOf } from "../../util/error.ts";
import { type Value, equal } from "../../value/value.ts";
import type { ReportedVersion } from "../../meta/history-report.ts";
import { Discovery } from "../discovery.ts";
import { retryOnConflict } from "../errors.ts";
import { type ApiObject, type JsonPatchOperation, type UntypedObject, apiVersionOf } from "../kind.ts";
import { PersistentVolume, PersistentVolumeClaim } from "../kinds/index.ts";
import { setClaimRef } from "./claim-ref.ts";
import { type ObjectRef, historyOf, nameOf, versionOf } from "./history.ts";
import { ObjectError } from "./object-error.ts";
import { type Pairing, claimRefOf, pairClaim, pairVolume, sideOf, volumeNameOf } from "./undelete-pair.ts";
import { type Loss, type Plan, type RestorableObject, planUndelete } from "./undelete-plan.ts";

type OwnerReference = NonNullable<ApiObject["metadata"]["ownerReferences"]>[number];

/** How to restore an object. */
export interface UndeleteOptions {
  /** The version to restore; by default the last one before the deletion began. */
  readonly version?: string | undefined;
  readonly fieldManager: string;
  /** Whether nothing is stored. */
  readonly dryRun?: boolean;
}

/** A restored object, or one of a dry run. */
export interface Undeleted extends Restored {
  readonly ref: ObjectRef;
  /** The restored version. */
  readonly from: ReportedVersion;
  /** The status that is written after the create. */
  readonly status: unknown;
}

/** Creates a deleted object again. @throws ObjectError if there is nothing to undelete */
export async function undelete(
  ref: ObjectRef,
  { version, fieldManager, dryRun = false }: UndeleteOptions,
): Promise<Undeleted> {
  await refuseExisting(ref);
  const from = await versionToRestore(ref, version);
  const deleted = objectOf(from);
  const hasStatus = ref.kind.subresources.has("status");
  const plan = planUndelete({ object: deleted, goneOwners: await goneOwners(ref, deleted), hasStatus });
  const { namespace } = ref;
  const metadata = { ...plan.body.metadata, ...(namespace ? { namespace } : {}), name: ref.name };
  const pairing = await pairingOf(ref, { ...plan.body, metadata }, deleted);
  const resource = ref.client.resource(ref.kind);
  const now = await resource.create(pairing.body as unknown as UntypedObject, { fieldManager, dryRun });
  const status = pairing.restoresStatus ? plan.status : undefined;
  const begun = { now, losses: [...plan.losses, ...pairing.losses] };
  if (dryRun) return { ref, from, status, ...begun };
  const rest = { ...plan, status, managers: managersOf(plan, status) };
  return { ref, from, status, ...(await restoreRest(ref, begun, rest, { pairing, fieldManager })) };
}

async function refuseExisting(ref: ObjectRef): Promise<void> {
  const { client, kind, name, namespace } = ref;
  const found = await client.resource(kind).find({ name, namespace });
  if (!found) return;
  const { uid, resourceVersion, deletionTimestamp } = found.metadata;
  const how = deletionTimestamp ? "is being deleted, but is still there" : "exists";
  throw new ObjectError(`${nameOf(ref)} ${how} (version ${resourceVersion}, uid ${uid}): there is nothing to undelete`);
}

const objectOf = ({ object }: ReportedVersion): UntypedObject => object as unknown as UntypedObject;

/** Requests the named version, or the last one before the deletion began. */
async function versionToRestore(ref: ObjectRef, at: string | undefined): Promise<ReportedVersion> {
  if (at !== undefined) return versionOf(ref, at);
  const [last] = (await historyOf(ref, { limit: 1, objects: true })).versions;
  if (last?.event !== "deleted") throw new ObjectError(`${nameOf(ref)} has been created again just now`);
  if (objectOf(last).metadata.deletionTimestamp === undefined) return last;
  // It waited for finalizers: the version before the deletion is below the one that has set the deletionTimestamp.
  const { versions } = await historyOf(ref, { limit: 500 });
  const began = versions.findIndex(({ changes }) =>
    changes.some(({ op, pointer }) => op === "add" && pointer === "/metadata/deletionTimestamp"),
  );
  const before = began < 0 ? undefined : versions[began + 1];
  return before === undefined ? last : versionOf(ref, before.resourceVersion);
}

/** Returns the owners that do not exist any more; owners of an unknown kind are kept. */
async function goneOwners(ref: ObjectRef, { metadata }: ApiObject): Promise<OwnerReference[]> {
  const { ownerReferences = [] } = metadata;
  if (ownerReferences.length === 0) return [];
  const kinds = await new Discovery(ref.client).read();
  const gone: OwnerReference[] = [];
  for (const owner of ownerReferences) {
    const kind = kinds.find((served) => served.kind === owner.kind && apiVersionOf(served) === owner.apiVersion);
    if (kind === undefined) continue;
    const namespace = kind.scope === "Namespaced" ? ref.namespace : undefined;
    const found = await ref.client.resource(kind).find({ name: owner.name, namespace });
    if (found?.metadata.uid !== owner.uid) gone.push(owner);
  }
  return gone;
}

/** A created object, and its losses. */
interface Restored {
  readonly now: UntypedObject;
  readonly losses: readonly Loss[];
}

/** A manager of a status that is not restored owns nothing. */
const managersOf = ({ managers }: Plan, status: unknown): Plan["managers"] =>
  managers.filter(({ subresource }) => subresource !== "status" || status !== undefined);

interface RestoreWith {
  readonly pairing: Pairing;
  readonly fieldManager: string;
}

/** Writes after the create: the claimRef, the status, the owners. */
async function restoreRest(ref: ObjectRef, begun: Restored, plan: Plan, how: RestoreWith): Promise<Restored> {
  const paired = await restorePair(ref, begun, how);
  return restoreOwners(ref, await restoreStatus(ref, paired, plan, how), plan, how);
}

/** Decides how a claim or a volume is restored; any other object needs nothing. */
async function pairingOf(ref: ObjectRef, body: RestorableObject, deleted: RestorableObject): Promise<Pairing> {
  const side = sideOf(body);
  if (side === "claim") {
    const name = volumeNameOf(body);
    const volume = name === undefined ? undefined : await ref.client.resource(PersistentVolume).find({ name });
    return pairClaim(body, volume);
  }
  if (side !== "volume") return { body, boundAnnotations: {}, restoresStatus: true, losses: [] };
  const { name = "", namespace = "" } = claimRefOf(body) ?? {};
  const claim = await ref.client.resource(PersistentVolumeClaim).find({ name, namespace });
  return pairVolume(body, (deleted as { readonly status?: { readonly phase?: string } }).status?.phase, claim);
}

/** Runs a write after the create; a failure is a loss, as the object exists. */
async function attempt(
  { now, losses }: Restored,
  what: string,
  write: () => Promise<UntypedObject>,
): Promise<Restored> {
  try {
    return { now: await write(), losses };
  } catch (error) {
    return { now, losses: [...losses, { what, why: messageOf(error) }] };
  }
}

/** Sets the claimRef of the volume to the restored claim. */
async function restorePair(
  ref: ObjectRef,
  restored: Restored,
  { pairing: { volume, boundAnnotations: annotations }, fieldManager }: RestoreWith,
): Promise<Restored> {
  const { now } = restored;
  if (volume === undefined) return restored;
  return attempt(restored, "binding", async () => {
    await setClaimRef(ref.client, { volume, claim: now, fieldManager });
    if (Object.keys(annotations).length === 0) return now;
    const key = { name: ref.name, namespace: ref.namespace };
    const metadata = { uid: now.metadata.uid, annotations };
    return ref.client.resource(ref.kind).patch(key, { metadata }, { fieldManager });
  });
}

/** Attempts of a write that conflicts: controllers write a restored object at the same time. */
const MAX_ATTEMPTS = 10;

/** Reads the current state of the restored object. @throws ObjectError if it was deleted */
async function current(ref: ObjectRef, { metadata }: UntypedObject): Promise<UntypedObject> {
  const { name, namespace } = ref;
  const found = await ref.client.resource(ref.kind).find({ name, namespace });
  if (found?.metadata.uid === metadata.uid) return found;
  throw new ObjectError("it was deleted meanwhile");
}

/** Restores the managers of fields, in addition to those that have written since. */
async function restoreOwners(
  ref: ObjectRef,
  restored: Restored,
  { managers }: Plan,
  { fieldManager }: RestoreWith,
): Promise<Restored> {
  if (managers.length === 0) return restored;
  const { name, namespace } = ref;
  const write = async (): Promise<UntypedObject> => {
    const found = await current(ref, restored.now);
    const since = (found.metadata.managedFields ?? []).filter(
      (one) => one.manager !== fieldManager && !managers.some((known) => isSameManager(one, known)),
    );
    // A replacement of the resourceVersion with itself is a conflict if it has changed.
    const patch: readonly JsonPatchOperation[] = [
      { op: "replace", path: "/metadata/resourceVersion", value: found.metadata.resourceVersion },
      { op: "add", path: "/metadata/managedFields", value: [...managers, ...since] },
    ];
    return ref.client.resource(ref.kind).patch({ name, namespace }, patch);
  };
  return attempt(restored, "metadata.managedFields", () => retryOnConflict(write, MAX_ATTEMPTS));
}

type Manager = Plan["managers"][number];

const isSameManager = (a: Manager, b: Manager): boolean =>
  a.manager === b.manager && a.operation === b.operation && a.subresource === b.subresource;

/** Writes the status if it differs. */
async function restoreStatus(
  ref: ObjectRef,
  restored: Restored,
  { status }: Plan,
  { fieldManager }: RestoreWith,
): Promise<Restored> {
  if (status === undefined) return restored;
  const resource = ref.client.resource(ref.kind);
  const write = async (): Promise<UntypedObject> => {
    const found = await current(ref, restored.now);
    if (equal(status as Value, found["status"] as Value | undefined)) return found;
    return resource.status.update({ ...found, status }, { fieldManager });
  };
  return attempt(restored, "status", () => retryOnConflict(write, MAX_ATTEMPTS));
}
