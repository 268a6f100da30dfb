/**
 * Binds a snapshot to its content: creates the content, or takes the one that the snapshot names.
 *
 * @module
 */
import { type NewObject, attempt, keyText } from "../../client/index.ts";
import type { Result } from "../../runtime/index.ts";
import { REQUEUE_SOON, write } from "../../runtime/writes.ts";
import { withFinalizer } from "../finalizers.ts";
import { ParameterError, type TemplateValues, secretFor } from "../secrets.ts";
import type { VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent } from "./kinds.ts";
import { holdClaim, sourceClaim } from "./source-claims.ts";
import { type SnapshotContext, contentNameOf } from "./specs.ts";
import { copyStatus, writeError } from "./status.ts";

const CREATION_FAILED = "SnapshotContentCreationFailed";

/** Binds a snapshot that is not deleted. */
export async function bindSnapshot(
  context: SnapshotContext,
  content: VolumeSnapshotContent | undefined,
): Promise<Result> {
  const { ctx, sidecar, specs } = context;
  const { asSource, bound, driverName } = sidecar.names.snapshot;
  const snapshots = specs.kinds.snapshot;
  const isBound = content !== undefined && ctx.object.status?.boundVolumeSnapshotContentName === content.metadata.name;
  const annotations = { [driverName]: sidecar.driver.name };
  const held = await withFinalizer(ctx.client, snapshots, ctx.object, asSource, annotations);
  if (!held) return REQUEUE_SOON;
  if (isBound && content.spec.deletionPolicy === "Delete") {
    if (!(await withFinalizer(ctx.client, snapshots, held, bound))) return REQUEUE_SOON;
  }
  if (content) return follow(context, content);
  const isStatic = ctx.object.spec.source.volumeSnapshotContentName !== undefined;
  if (isStatic || isReady(ctx.object)) {
    return writeError(context, "SnapshotContentMissing", "VolumeSnapshotContent is missing");
  }
  return begin(context, held);
}

const isReady = ({ status }: VolumeSnapshot): boolean =>
  status?.readyToUse === true && status.boundVolumeSnapshotContentName !== undefined;

/** Copies the status of a content, once its reference has the UID of this snapshot. */
async function follow(context: SnapshotContext, content: VolumeSnapshotContent): Promise<Result> {
  const { ctx, sidecar, specs } = context;
  const { metadata, spec } = ctx.object;
  const isStatic = spec.source.volumeSnapshotContentName !== undefined;
  if (isStatic !== (content.spec.source.snapshotHandle !== undefined)) {
    const message = isStatic
      ? "VolumeSnapshotContent is dynamically provisioned while expecting a pre-provisioned one"
      : `VolumeSnapshotContent ${content.metadata.name} is pre-provisioned while expecting a dynamically provisioned one`;
    return writeError(context, "SnapshotContentMismatch", message);
  }
  const { contentBound } = sidecar.names.snapshot;
  if (content.metadata.deletionTimestamp === undefined) {
    const kept = await withFinalizer(ctx.client, specs.kinds.content, content, contentBound);
    if (!kept) return REQUEUE_SOON;
    const { volumeSnapshotClassName: name } = spec;
    if (kept.spec.volumeSnapshotRef.uid !== metadata.uid) {
      const next = {
        ...kept.spec,
        volumeSnapshotRef: { ...kept.spec.volumeSnapshotRef, uid: metadata.uid },
        ...(name === undefined ? {} : { volumeSnapshotClassName: name }),
      };
      return (await write(ctx.client, specs.kinds.content, { ...kept, spec: next })) ? undefined : REQUEUE_SOON;
    }
  }
  return copyStatus(context, content);
}

/** Creates the content of a snapshot; the snapshotter takes the snapshot then. */
async function begin(context: SnapshotContext, snapshot: VolumeSnapshot): Promise<Result> {
  const { ctx, specs, sidecar } = context;
  const { volumeSnapshotClassName: name } = snapshot.spec;
  if (name === undefined) return writeDefaultClass(context, snapshot);
  const found = ctx.informer(specs.classes).get({ name });
  if (!found) return writeError(context, CREATION_FAILED, `VolumeSnapshotClass ${JSON.stringify(name)} not found`);
  const claim = sourceClaim(context);
  const volume = ctx.informer(sidecar.specs.volumes).get({ name: claim?.spec.volumeName ?? "" });
  const isBound = claim?.status.phase === "Bound" && volume?.spec.claimRef?.uid === claim.metadata.uid;
  const { csi, volumeMode } = volume?.spec ?? {};
  if (!isBound || !csi || claim.metadata.deletionTimestamp !== undefined) {
    const claimName = snapshot.spec.source.persistentVolumeClaimName;
    const message = `expected PVC ${claimName} to exist and to be Bound to a volume of a CSI driver`;
    return writeError(context, CREATION_FAILED, message);
  }
  if (!(await holdClaim(context, claim))) return REQUEUE_SOON;
  return create(context, { snapshot, class: found, handle: csi.volumeHandle, volumeMode });
}

/** Writes the default class of the driver into a snapshot without a class. */
async function writeDefaultClass(context: SnapshotContext, snapshot: VolumeSnapshot): Promise<Result> {
  const { ctx, specs, sidecar } = context;
  const { isDefault } = sidecar.names.snapshot;
  const classes = ctx.informer(specs.classes).list();
  const [found, ...others] = classes.filter(
    ({ driver, metadata }) => driver === sidecar.driver.name && metadata.annotations?.[isDefault] === "true",
  );
  if (!found || others.length > 0) {
    const reason = found
      ? `${others.length + 1} default snapshot classes were found`
      : "cannot find default snapshot class";
    const message = `Failed to set default snapshot class with error ${reason}`;
    return writeError(context, "SetDefaultSnapshotClassFailed", message);
  }
  const spec = { ...snapshot.spec, volumeSnapshotClassName: found.metadata.name };
  return (await write(ctx.client, specs.kinds.snapshot, { ...snapshot, spec })) ? undefined : REQUEUE_SOON;
}

interface RequestedContent {
  readonly snapshot: VolumeSnapshot;
  readonly class: VolumeSnapshotClass;
  readonly handle: string;
  readonly volumeMode: string | undefined;
}

async function create(context: SnapshotContext, requested: RequestedContent): Promise<Result> {
  const { ctx, specs, sidecar } = context;
  const { snapshot, volumeMode, class: found } = requested;
  const { apiVersion, kind, metadata } = snapshot;
  const { name, namespace, uid, resourceVersion } = metadata;
  let annotations: Record<string, string>;
  try {
    annotations = secretAnnotations(context, requested);
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    return writeError(context, CREATION_FAILED, error.message);
  }
  const content: NewObject<VolumeSnapshotContent> = {
    metadata: { name: contentNameOf(snapshot), finalizers: [sidecar.names.snapshot.contentBound], annotations },
    spec: {
      volumeSnapshotRef: { apiVersion, kind, name, namespace, uid, resourceVersion } as never,
      source: { volumeHandle: requested.handle },
      volumeSnapshotClassName: found.metadata.name,
      deletionPolicy: found.deletionPolicy,
      driver: found.driver,
      ...(volumeMode ? { sourceVolumeMode: volumeMode } : {}),
    },
  };
  const created = await attempt(ctx.client.resource(specs.kinds.content).create(content), "AlreadyExists");
  const message = `Waiting for a snapshot ${keyText(ctx.key)} to be created by the CSI driver.`;
  if (created.ok) ctx.events.normal("CreatingSnapshot", message);
  return undefined;
}

function secretAnnotations(
  { sidecar }: SnapshotContext,
  { snapshot, class: found }: RequestedContent,
): Record<string, string> {
  const { names } = sidecar;
  const values = snapshotValues(snapshot);
  const ref = secretFor("snapshotter", found.parameters ?? {}, values, { prefix: names.parameters });
  const { name, namespace } = names.snapshot.deletionSecret;
  return ref ? { [name]: ref.name, [namespace]: ref.namespace } : {};
}

/** The values of variables in the names of Secrets. */
function snapshotValues(snapshot: VolumeSnapshot): TemplateValues {
  const { name, namespace = "" } = snapshot.metadata;
  const inNamespace = { "volumesnapshotcontent.name": contentNameOf(snapshot), "volumesnapshot.namespace": namespace };
  return { inNamespace, inName: { ...inNamespace, "volumesnapshot.name": name } };
}
