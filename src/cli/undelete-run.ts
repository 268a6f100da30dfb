/**
 * What `keelson undelete` does once it is asked to. It writes as any client does: what may not be created is refused.
 *
 * @module
 */
import type { ApiObject } from "../schema/definition.ts";
import { retryOnConflict } from "../client/errors.ts";
import { PersistentVolume, PersistentVolumeClaim } from "../client/kinds/index.ts";
import type { JsonPatchOperation, UntypedObject } from "../client/kind.ts";
import type { ReportedVersion } from "../meta/history-report.ts";
import { type Value, equal } from "../value/value.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { printable } from "./colours.ts";
import { type Connection, connect } from "./connect.ts";
import type { ConnectFlags } from "./connect-flags.ts";
import { findExactKind } from "./find-kind.ts";
import { parseObject } from "./object-argument.ts";
import { type PastObject, historyOf, nameOf, pastObject } from "./past.ts";
import { pointVolume } from "./point-volume.ts";
import { type Pairing, claimRefOf, pairClaim, pairVolume, sideOf, volumeNameOf } from "./undelete-pair.ts";
import { type Loss, type Plan, planUndelete } from "./undelete-plan.ts";

/** What to bring back. */
export interface UndeleteRequest extends ConnectFlags {
  readonly words: readonly (string | undefined)[];
  readonly fieldManager: string;
  readonly dryRun?: boolean;
  readonly output: "text" | "json";
}

type OwnerReference = NonNullable<ApiObject["metadata"]["ownerReferences"]>[number];

/** Asks the server, creates and prints. */
export async function runUndelete(actions: Actions, request: UndeleteRequest): Promise<void> {
  const { dryRun = false } = request;
  using connection = await connect(actions, request);
  const { past, from, now, losses, status } = await undelete(connection, request);
  const { resourceVersion, event } = from;
  if (request.output === "json") {
    actions.print(JSON.stringify({ version: resourceVersion, dryRun, object: now, losses }, undefined, 2));
    return;
  }
  const { uid, resourceVersion: version } = now.metadata;
  const done = dryRun ? "would be back" : "is back";
  const as = dryRun ? "" : `, now version ${version} with uid ${uid}`;
  const when = event === "deleted" ? "when it was deleted, at" : "at";
  actions.print(`${nameOf(past)} ${done} as it was ${when} version ${resourceVersion}${as}`);
  if (status !== undefined && dryRun) actions.print("its status would be written through its subresource");
  actions.print(["What cannot come back:", ...losses.map(lossText)].join("\n"));
}

/** An object that is back, or would be. */
export interface Undeleted extends Restored {
  readonly past: PastObject;
  /** The version that it was made from. */
  readonly from: ReportedVersion;
  /** What is written, or would be, after the create. */
  readonly status: unknown;
}

/** Makes a deleted object again. @throws CliError where there is nothing to undelete */
export async function undelete(
  connection: Pick<Connection, "client" | "namespace">,
  { words, fieldManager, dryRun = false }: Pick<UndeleteRequest, "words" | "fieldManager" | "dryRun">,
): Promise<Undeleted> {
  const { kind, name, versions } = parseObject(words, 1, "keelson undelete configmap web");
  const past = await pastObject(connection, kind, name);
  await refuseExisting(past);
  const from = await versionToRestore(past, versions[0]);
  const deleted = from.object as unknown as ApiObject;
  const hasStatus = past.kind.subresources.has("status");
  const plan = planUndelete({ object: deleted, goneOwners: await goneOwners(past, deleted), hasStatus });
  const { namespace } = past;
  const metadata = { ...plan.body.metadata, ...(namespace ? { namespace } : {}), name: past.name };
  const pairing = await pairingOf(past, { ...plan.body, metadata }, deleted);
  const resource = past.client.resource(past.kind);
  const now = await resource.create(pairing.body as UntypedObject, { fieldManager, dryRun });
  const status = pairing.holds ? plan.status : undefined;
  const begun = { now, losses: [...plan.losses, ...pairing.losses] };
  if (dryRun) return { past, from, status, ...begun };
  const rest = { ...plan, status, managers: managersOf(plan, status) };
  return { past, from, status, ...(await restoreRest(past, begun, rest, { pairing, fieldManager })) };
}

const lossText = ({ what, why }: Loss): string => `  ${what}: ${printable(why)}`;

async function refuseExisting(past: PastObject): Promise<void> {
  const { client, kind, name, namespace } = past;
  const found = await client.resource(kind).find({ name, namespace });
  if (!found) return;
  const { uid, resourceVersion, deletionTimestamp } = found.metadata;
  const how = deletionTimestamp ? "is being deleted, but is still there" : "exists";
  throw new CliError(`${nameOf(past)} ${how} (version ${resourceVersion}, uid ${uid}): there is nothing to undelete`);
}

/** The version that was named, or the last one before somebody began to delete the object. */
async function versionToRestore(past: PastObject, at: string | undefined): Promise<ReportedVersion> {
  if (at !== undefined) return (await historyOf(past, { at, objects: true })).versions[0]!;
  const [last] = (await historyOf(past, { limit: 1, objects: true })).versions as [ReportedVersion];
  if (last.event !== "deleted") throw new CliError(`${nameOf(past)} has been made again just now`);
  const { metadata } = last.object as unknown as ApiObject;
  if (metadata.deletionTimestamp === undefined) return last;
  // It waited for its finalizers; how it was before stands right below the version in which that began.
  const { versions } = await historyOf(past, { limit: 500 });
  const began = versions.findIndex(({ changes }) =>
    changes.some(({ op, pointer }) => op === "add" && pointer === "/metadata/deletionTimestamp"),
  );
  const before = began < 0 ? undefined : versions[began + 1];
  if (before === undefined) return last;
  return (await historyOf(past, { at: before.resourceVersion, objects: true })).versions[0]!;
}

/** The owners that do not exist any more; of a kind that this server does not have nothing can be said. */
async function goneOwners(past: PastObject, { metadata }: ApiObject): Promise<OwnerReference[]> {
  const gone: OwnerReference[] = [];
  for (const owner of metadata.ownerReferences ?? []) {
    const kind = await findExactKind(past.client, owner.apiVersion, owner.kind).catch((error: unknown) => {
      if (error instanceof CliError) return undefined;
      throw error;
    });
    if (kind === undefined) continue;
    const namespace = kind.scope === "Namespaced" ? past.namespace : undefined;
    const found = await past.client.resource(kind).find({ name: owner.name, namespace });
    if (found?.metadata.uid !== owner.uid) gone.push(owner);
  }
  return gone;
}

/** An object that is back, and what of it is not. */
interface Restored {
  readonly now: UntypedObject;
  readonly losses: readonly Loss[];
}

/** Who wrote a status that does not come back owns none. */
const managersOf = ({ managers }: Plan, status: unknown): Plan["managers"] =>
  managers.filter(({ subresource }) => subresource !== "status" || status !== undefined);

interface RestoreWith {
  readonly pairing: Pairing;
  readonly fieldManager: string;
}

/** What follows a create: the other one of a pair, the status, the owners. */
async function restoreRest(past: PastObject, begun: Restored, plan: Plan, how: RestoreWith): Promise<Restored> {
  const paired = await restorePair(past, begun, how);
  return restoreOwners(past, await restoreStatus(past, paired, plan, how), plan, how);
}

/** How a claim or a volume comes back beside the other one; anything else as it is. */
async function pairingOf(past: PastObject, body: ApiObject, deleted: ApiObject): Promise<Pairing> {
  const alone: Pairing = { body, marks: {}, holds: true, losses: [] };
  const side = sideOf(body);
  if (side === "claim") {
    const name = volumeNameOf(body);
    return pairClaim(
      body,
      name === undefined ? undefined : await past.client.resource(PersistentVolume).find({ name }),
    );
  }
  if (side !== "volume") return alone;
  const { name = "", namespace = "" } = claimRefOf(body) ?? {};
  const claim = await past.client.resource(PersistentVolumeClaim).find({ name, namespace });
  return pairVolume(body, (deleted as { readonly status?: { readonly phase?: string } }).status?.phase, claim);
}

/** Lets the volume name the claim that is back; that this fails is told, for the object is back. */
async function restorePair(
  past: PastObject,
  { now, losses }: Restored,
  { pairing: { volume, marks }, fieldManager }: RestoreWith,
): Promise<Restored> {
  if (volume === undefined) return { now, losses };
  try {
    await pointVolume(past.client, { volume, claim: now, fieldManager });
    if (Object.keys(marks).length === 0) return { now, losses };
    const key = { name: past.name, namespace: past.namespace };
    const metadata = { uid: now.metadata.uid, annotations: marks };
    return { now: await past.client.resource(past.kind).patch(key, { metadata }, { fieldManager }), losses };
  } catch (error) {
    return { now, losses: [...losses, { what: "binding", why: (error as Error).message }] };
  }
}

/** So often a write is tried that others come before: controllers write an object that is back as well. */
const ATTEMPTS = 10;

/** The object that was made, as it is now. @throws CliError where it is gone */
async function present(past: PastObject, { metadata }: UntypedObject): Promise<UntypedObject> {
  const { name, namespace } = past;
  const found = await past.client.resource(past.kind).find({ name, namespace });
  if (found?.metadata.uid === metadata.uid) return found!;
  throw new CliError("somebody has deleted it meanwhile");
}

/** Gives fields back to those who owned them, beside who owns some since; that this fails is told, for the object is back. */
async function restoreOwners(
  past: PastObject,
  { now, losses }: Restored,
  { managers }: Plan,
  { fieldManager }: RestoreWith,
): Promise<Restored> {
  if (managers.length === 0) return { now, losses };
  const { name, namespace } = past;
  const give = async (): Promise<UntypedObject> => {
    const found = await present(past, now);
    const since = (found.metadata.managedFields ?? []).filter(
      (one) => one.manager !== fieldManager && !managers.some((known) => isSameManager(one, known)),
    );
    // The version is replaced by itself: another one is a conflict.
    const patch: readonly JsonPatchOperation[] = [
      { op: "replace", path: "/metadata/resourceVersion", value: found.metadata.resourceVersion },
      { op: "add", path: "/metadata/managedFields", value: [...managers, ...since] },
    ];
    return past.client.resource(past.kind).patch({ name, namespace }, patch);
  };
  try {
    return { now: await retryOnConflict(give, ATTEMPTS), losses };
  } catch (error) {
    return { now, losses: [...losses, { what: "metadata.managedFields", why: (error as Error).message }] };
  }
}

type Manager = Plan["managers"][number];

const isSameManager = (a: Manager, b: Manager): boolean =>
  a.manager === b.manager && a.operation === b.operation && a.subresource === b.subresource;

/** Writes the status, where it is not as it was; that this fails is told, for the object is back. */
async function restoreStatus(
  past: PastObject,
  { now, losses }: Restored,
  { status }: Plan,
  { fieldManager }: RestoreWith,
): Promise<Restored> {
  if (status === undefined) return { now, losses };
  const resource = past.client.resource(past.kind);
  const put = async (): Promise<UntypedObject> => {
    const found = await present(past, now);
    if (equal(status as Value, found["status"] as Value | undefined)) return found;
    return resource.status.update({ ...found, status }, { fieldManager });
  };
  try {
    return { now: await retryOnConflict(put, ATTEMPTS), losses };
  } catch (error) {
    return { now, losses: [...losses, { what: "status", why: (error as Error).message }] };
  }
}
