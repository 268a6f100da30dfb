/**
 * What `keelson undelete` does once it is asked to. It writes as any client does: what may not be created is refused.
 *
 * @module
 */
import type { ApiObject } from "../schema/definition.ts";
import type { JsonPatchOperation, UntypedObject } from "../client/kind.ts";
import type { ReportedVersion } from "../meta/history-report.ts";
import { type Value, equal } from "../value/value.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { printable } from "./colours.ts";
import { connect } from "./connect.ts";
import type { ConnectFlags } from "./connect-flags.ts";
import { findExactKind } from "./find-kind.ts";
import { parseObject } from "./object-argument.ts";
import { type PastObject, historyOf, nameOf, pastObject } from "./past.ts";
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
  const { kind, name, versions } = parseObject(request.words, 1, "keelson undelete configmap web");
  const { fieldManager, dryRun = false } = request;
  using connection = connect(actions, request);
  const past = await pastObject(connection, kind, name);
  await refuseExisting(past);
  const { resourceVersion, event, object } = await versionToRestore(past, versions[0]);
  const deleted = object as unknown as ApiObject;
  const hasStatus = past.kind.subresources.has("status");
  const plan = planUndelete({ object: deleted, goneOwners: await goneOwners(past, deleted), hasStatus });
  const resource = past.client.resource(past.kind);
  const { namespace } = past;
  const body = {
    ...plan.body,
    metadata: { ...plan.body.metadata, ...(namespace ? { namespace } : {}), name: past.name },
  };
  const created = await resource.create(body, { fieldManager, dryRun });
  const { now, losses } = dryRun
    ? { now: created, losses: plan.losses }
    : await restoreOwners(past, await restoreStatus(past, created, plan, fieldManager), plan);
  if (request.output === "json") {
    actions.print(JSON.stringify({ version: resourceVersion, dryRun, object: now, losses }, undefined, 2));
    return;
  }
  const { uid, resourceVersion: version } = now.metadata;
  const done = dryRun ? "would be back" : "is back";
  const as = dryRun ? "" : `, now version ${version} with uid ${uid}`;
  const when = event === "deleted" ? "when it was deleted, at" : "at";
  actions.print(`${nameOf(past)} ${done} as it was ${when} version ${resourceVersion}${as}`);
  if (plan.status !== undefined && dryRun) actions.print("its status would be written through its subresource");
  actions.print(["What cannot come back:", ...losses.map(lossText)].join("\n"));
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

/** Gives fields back to those who owned them, in this very version; that this fails is told, for the object is back. */
async function restoreOwners(past: PastObject, { now, losses }: Restored, { managers }: Plan): Promise<Restored> {
  if (managers.length === 0) return { now, losses };
  const { name, namespace } = past;
  const patch: readonly JsonPatchOperation[] = [
    { op: "test", path: "/metadata/resourceVersion", value: now.metadata.resourceVersion },
    { op: "add", path: "/metadata/managedFields", value: managers },
  ];
  try {
    return { now: await past.client.resource(past.kind).patch({ name, namespace }, patch), losses };
  } catch (error) {
    return { now, losses: [...losses, { what: "metadata.managedFields", why: (error as Error).message }] };
  }
}

/** Writes the status, where it is not as it was; that this fails is told, for the object is back. */
async function restoreStatus(
  past: PastObject,
  created: UntypedObject,
  { status, losses }: Plan,
  fieldManager: string,
): Promise<Restored> {
  if (status === undefined || equal(status as Value, created["status"] as Value | undefined)) {
    return { now: created, losses };
  }
  try {
    const resource = past.client.resource(past.kind);
    return { now: await resource.status.update({ ...created, status }, { fieldManager }), losses };
  } catch (error) {
    return { now: created, losses: [...losses, { what: "status", why: (error as Error).message }] };
  }
}
