/**
 * Takes the snapshot of a content, or requests the state of one that exists already.
 *
 * @module
 */
import { attempt } from "../../client/index.ts";
import { CODES } from "../../csi/driver-error.ts";
import { annotated } from "../../meta/annotations.ts";
import { formatTime } from "../../meta/time.ts";
import type { Result } from "../../runtime/index.ts";
import { REQUEUE_SOON, write } from "../../runtime/writes.ts";
import { errorText } from "../../util/cut-text.ts";
import { CallError, mayStillRun } from "../call.ts";
import type { CreateSnapshot, TakenSnapshot, Texts } from "../contract.ts";
import { forDriver } from "../parameters.ts";
import { annotatedSecret, credentials, credentialsIfAny, secretFor } from "../secrets.ts";
import { callDriver } from "../sidecar.ts";
import type { VolumeSnapshotContent } from "./kinds.ts";
import type { ContentContext } from "./specs.ts";

const POLL_INTERVAL = "1s";

/** Takes the snapshot of a content. An error becomes an Event, and is thrown for a retry. */
export async function takeSnapshot(context: ContentContext): Promise<Result> {
  const { ctx, sidecar } = context;
  const content = ctx.object;
  // No snapshot is bound to it yet.
  if (!content.spec.volumeSnapshotRef.uid) return undefined;
  if (content.status?.readyToUse === true) return unmark(context, content);
  const isStatic = content.spec.source.snapshotHandle !== undefined;
  if (!isStatic && !sidecar.driver.abilities.has("CREATE_DELETE_SNAPSHOT")) return undefined;
  try {
    return isStatic ? await store(context, content, await find(context)) : await take(context);
  } catch (error) {
    await writeError(context, error);
    throw error;
  }
}

/** A snapshot that exists already. */
async function find(context: ContentContext): Promise<TakenSnapshot> {
  const { ctx, sidecar } = context;
  const snapshotId = ctx.object.spec.source.snapshotHandle!;
  if (!sidecar.driver.abilities.has("LIST_SNAPSHOTS")) return { snapshotId, sizeBytes: 0n, readyToUse: true };
  const secrets = await listSecrets(context);
  const { entries } = await callDriver(context, "listSnapshots", { snapshotId, secrets });
  const found = entries[0]?.snapshot;
  if (found) return found;
  throw new CallError("ListSnapshots", CODES.NotFound, `can not find snapshot for snapshotID ${snapshotId}`);
}

async function listSecrets({ ctx, sidecar, specs }: ContentContext): Promise<Texts> {
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

async function take(context: ContentContext): Promise<Result> {
  const { ctx, sidecar, specs } = context;
  const { beingCreated } = sidecar.names.snapshot;
  const { volumeSnapshotClassName: name = "" } = ctx.object.spec;
  const found = ctx.informer(specs.classes).get({ name });
  if (!found) throw new Error(`VolumeSnapshotClass ${JSON.stringify(name)} not found`);
  const request = await requestFor(context, found.parameters, credentials);
  const marked =
    ctx.object.metadata.annotations?.[beingCreated] === undefined
      ? await write(ctx.client, specs.kinds.content, annotated(ctx.object, { [beingCreated]: "yes" }))
      : ctx.object;
  if (!marked) return REQUEUE_SOON;
  return store(context, marked, await create(context, request));
}

/** The snapshot that the driver takes, or has taken before. @throws CallError */
export async function create(context: ContentContext, request: CreateSnapshot): Promise<TakenSnapshot> {
  const { snapshot } = await callDriver(context, "createSnapshot", request);
  if (snapshot) return snapshot;
  throw new CallError("CreateSnapshot", CODES.Internal, "expected a snapshot in the response");
}

/** The request again, to get the ID of the snapshot; also where its class or its Secret was deleted. */
export async function repeatedRequest(context: ContentContext): Promise<CreateSnapshot> {
  const { ctx, specs } = context;
  const { volumeSnapshotClassName: name = "" } = ctx.object.spec;
  return requestFor(context, ctx.informer(specs.classes).get({ name })?.parameters, credentialsIfAny);
}

async function requestFor(
  { ctx, sidecar }: ContentContext,
  parameters: Texts | undefined,
  read: typeof credentials,
): Promise<CreateSnapshot> {
  const { names, settings } = sidecar;
  const { volumeSnapshotRef: ref, source } = ctx.object.spec;
  const own = forDriver(parameters ?? {}, names.parameters, "snapshots");
  const metadata: Texts = {
    [`${names.parameters}volumesnapshot/name`]: ref.name ?? "",
    [`${names.parameters}volumesnapshot/namespace`]: ref.namespace ?? "",
    [`${names.parameters}volumesnapshotcontent/name`]: ctx.object.metadata.name,
  };
  return {
    sourceVolumeId: source.volumeHandle ?? "",
    name: `${settings.snapshotNamePrefix ?? "snapshot"}-${ref.uid}`,
    parameters: settings.extraCreateMetadata ? { ...own, ...metadata } : own,
    secrets: await read(ctx.client, annotatedSecret(ctx.object.metadata.annotations, names.snapshot.deletionSecret)),
  };
}

/** Writes the status of a content, then removes the annotation. */
async function store(context: ContentContext, content: VolumeSnapshotContent, taken: TakenSnapshot): Promise<Result> {
  const { ctx, specs } = context;
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
  const retry = await unmark(context, done.value);
  return retry ?? (readyToUse ? undefined : { requeueAfter: POLL_INTERVAL });
}

/** Removes the annotation that the driver may be taking the snapshot. */
async function unmark({ ctx, sidecar, specs }: ContentContext, content: VolumeSnapshotContent): Promise<Result> {
  const { beingCreated } = sidecar.names.snapshot;
  if (content.metadata.annotations?.[beingCreated] === undefined) return undefined;
  const next = annotated(content, { [beingCreated]: undefined });
  return (await write(ctx.client, specs.kinds.content, next)) ? undefined : REQUEUE_SOON;
}

async function writeError(context: ContentContext, error: unknown): Promise<void> {
  const { ctx, specs } = context;
  const message = errorText(error);
  ctx.events.warning("SnapshotCreationFailed", message);
  const contents = ctx.client.resource(specs.kinds.content);
  const status = { readyToUse: false, error: { time: formatTime(ctx.clock.now()), message } };
  const written = await attempt(contents.status.patch(ctx.key, { status }), "NotFound");
  const isOver = error instanceof CallError && !mayStillRun(error);
  if (written.ok && isOver) await unmark(context, written.value);
}
