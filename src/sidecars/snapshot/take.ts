/**
 * Takes a snapshot, and finds out about one that is there already.
 *
 * @module
 */
import { attempt } from "../../client/index.ts";
import { AGAIN, write } from "../../runtime/writes.ts";
import { annotated } from "../../meta/annotations.ts";
import { formatTime } from "../../meta/time.ts";
import type { Result } from "../../runtime/index.ts";
import { CODES } from "../../csi/driver-error.ts";
import { CallError, mayGoOn } from "../call.ts";
import type { TakenSnapshot, Texts } from "../contract.ts";
import { forDriver } from "../parameters.ts";
import { credentials, credentialsIfAny, secretFor } from "../secrets.ts";
import { callOf } from "../sidecar.ts";
import type { VolumeSnapshotContent } from "./kinds.ts";
import type { Taking } from "./given.ts";
import { errorText } from "../../util/cut-text.ts";

/** The wait before a driver is asked again whether a snapshot is ready. */
const LOOK = "1s";

/** Takes the snapshot of a content; what fails is told, and thrown to be tried again. */
export async function takeSnapshot(given: Taking): Promise<Result> {
  const { ctx, sidecar } = given;
  const content = ctx.object;
  // Reserved, but nobody has it yet.
  if (!content.spec.volumeSnapshotRef.uid) return undefined;
  if (content.status?.readyToUse === true) return unmark(given, content);
  const isThere = content.spec.source.snapshotHandle !== undefined;
  if (!isThere && !sidecar.driver.abilities.has("CREATE_DELETE_SNAPSHOT")) return undefined;
  try {
    return isThere ? await store(given, content, await look(given)) : await take(given);
  } catch (error) {
    await tell(given, error);
    throw error;
  }
}

/** A snapshot that is there already, as its driver tells of it. */
async function look(given: Taking): Promise<TakenSnapshot> {
  const { ctx, sidecar } = given;
  const snapshotId = ctx.object.spec.source.snapshotHandle!;
  if (!sidecar.driver.abilities.has("LIST_SNAPSHOTS")) return { snapshotId, sizeBytes: 0n, readyToUse: true };
  const secrets = await listSecrets(given);
  const { entries } = await callOf(sidecar, ctx.signal)("ListSnapshots", (calls, how) =>
    calls.listSnapshots({ snapshotId, secrets }, how),
  );
  const found = entries[0]?.snapshot;
  if (found) return found;
  throw new CallError("ListSnapshots", CODES.NotFound, `expected the snapshot ${snapshotId} to be there`);
}

async function listSecrets({ ctx, sidecar, specs }: Taking): Promise<Texts> {
  const { volumeSnapshotClassName: name = "", volumeSnapshotRef: ref } = ctx.object.spec;
  const parameters = ctx.informer(specs.classes).get({ name })?.parameters ?? {};
  const inNamespace = { "volumesnapshotcontent.name": ctx.object.metadata.name };
  const inName = {
    ...inNamespace,
    "volumesnapshot.name": ref.name ?? "",
    "volumesnapshot.namespace": ref.namespace ?? "",
  };
  const prefix = sidecar.names.parameters;
  return credentials(ctx.client, secretFor("snapshotter-list", parameters, { inName, inNamespace }, { prefix }));
}

async function take(given: Taking): Promise<Result> {
  const { ctx, sidecar, specs } = given;
  const { beingCreated } = sidecar.names.snapshot;
  const request = await requestFor(given);
  const marked =
    ctx.object.metadata.annotations?.[beingCreated] === undefined
      ? await write(ctx.client, specs.kinds.content, annotated(ctx.object, { [beingCreated]: "yes" }))
      : ctx.object;
  if (!marked) return AGAIN;
  return store(given, marked, await create(given, request));
}

/** What a driver is asked for when it takes a snapshot. */
export interface SnapshotRequest {
  readonly sourceVolumeId: string;
  readonly name: string;
  readonly parameters: Texts;
  readonly secrets: Texts;
}

/** The snapshot as the driver has taken it, or has again. @throws CallError */
export async function create({ ctx, sidecar }: Taking, request: SnapshotRequest): Promise<TakenSnapshot> {
  const { snapshot } = await callOf(sidecar, ctx.signal)("CreateSnapshot", (calls, how) =>
    calls.createSnapshot(request, how),
  );
  if (snapshot) return snapshot;
  throw new CallError("CreateSnapshot", CODES.Internal, "expected a snapshot in the answer");
}

/** What the driver is asked for; its class has to be there. */
async function requestFor(given: Taking): Promise<SnapshotRequest> {
  const { ctx, specs } = given;
  const { volumeSnapshotClassName: name = "" } = ctx.object.spec;
  const found = ctx.informer(specs.classes).get({ name });
  if (!found) throw new Error(`expected the VolumeSnapshotClass ${name} to be there`);
  return requestOf(given, found.parameters ?? {}, await secretsOf(given));
}

/** The same once more, for what it is called: by name alone where its class or its Secret has gone. */
export async function requestAgain(given: Taking): Promise<SnapshotRequest> {
  const { ctx, specs } = given;
  const { volumeSnapshotClassName: name = "" } = ctx.object.spec;
  const parameters = ctx.informer(specs.classes).get({ name })?.parameters ?? {};
  return requestOf(given, parameters, await secretsOf(given, credentialsIfAny));
}

function requestOf({ ctx, sidecar }: Taking, parameters: Texts, secrets: Texts): SnapshotRequest {
  const { names, settings } = sidecar;
  const { volumeSnapshotRef: ref, source } = ctx.object.spec;
  const told = forDriver(parameters, names.parameters, "snapshots");
  const metadata: Texts = {
    [`${names.parameters}volumesnapshot/name`]: ref.name ?? "",
    [`${names.parameters}volumesnapshot/namespace`]: ref.namespace ?? "",
    [`${names.parameters}volumesnapshotcontent/name`]: ctx.object.metadata.name,
  };
  return {
    sourceVolumeId: source.volumeHandle ?? "",
    name: `${settings.snapshotNamePrefix ?? "snapshot"}-${ref.uid}`,
    parameters: settings.extraCreateMetadata ? { ...told, ...metadata } : told,
    secrets,
  };
}

/** What the driver is given to take and to delete a snapshot. */
export function secretsOf({ ctx, sidecar }: Taking, read = credentials): Promise<Texts> {
  const { deletionSecret } = sidecar.names.snapshot;
  const { annotations = {} } = ctx.object.metadata;
  const [name, namespace] = [annotations[deletionSecret.name], annotations[deletionSecret.namespace]];
  return read(ctx.client, name && namespace ? { name, namespace } : undefined);
}

/** Says what the driver has; first that, then that it is not being asked any more. */
async function store(given: Taking, content: VolumeSnapshotContent, taken: TakenSnapshot): Promise<Result> {
  const { ctx, specs } = given;
  const { snapshotId, sizeBytes, creationTime, readyToUse } = taken;
  const before = content.status;
  const at = creationTime ? Number(creationTime.seconds) * 1e9 + creationTime.nanos : ctx.clock.now() * 1e6;
  const status = {
    snapshotHandle: before?.snapshotHandle ?? snapshotId,
    readyToUse,
    creationTime: before?.creationTime ?? at,
    ...(sizeBytes > 0n ? { restoreSize: before?.restoreSize ?? Number(sizeBytes) } : {}),
    error: null,
  };
  const contents = ctx.client.resource(specs.kinds.content);
  const done = await attempt(contents.status.patch(ctx.key, { status }), "NotFound");
  if (!done.ok) return undefined;
  const after = await unmark(given, done.value);
  return after ?? (readyToUse ? undefined : { requeueAfter: LOOK });
}

/** Takes off a content that its driver may be at work for it. */
async function unmark({ ctx, sidecar, specs }: Taking, content: VolumeSnapshotContent): Promise<Result> {
  const { beingCreated } = sidecar.names.snapshot;
  if (content.metadata.annotations?.[beingCreated] === undefined) return undefined;
  const next = annotated(content, { [beingCreated]: undefined });
  return (await write(ctx.client, specs.kinds.content, next)) ? undefined : AGAIN;
}

async function tell(given: Taking, error: unknown): Promise<void> {
  const { ctx, specs } = given;
  const message = errorText(error);
  ctx.events.warning("SnapshotCreationFailed", message);
  const contents = ctx.client.resource(specs.kinds.content);
  const status = { readyToUse: false, error: { time: formatTime(ctx.clock.now()), message } };
  const told = await attempt(contents.status.patch(ctx.key, { status }), "NotFound");
  const isOver = error instanceof CallError && !mayGoOn(error);
  if (told.ok && isOver) await unmark(given, told.value);
}
