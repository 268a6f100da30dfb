/**
 * Gives a snapshot its content: makes one, or binds the one that the snapshot names.
 *
 * @module
 */
import { type NewObject, attempt } from "../../client/index.ts";
import { AGAIN, write } from "../../runtime/writes.ts";
import type { Result } from "../../runtime/index.ts";
import { withFinalizer } from "../finalizers.ts";
import { ParameterError, type TemplateValues, secretFor } from "../secrets.ts";
import type { Snapshotting } from "./given.ts";
import type { VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent } from "./kinds.ts";
import { holdClaim, sourceClaim } from "./source-claims.ts";
import { contentNameOf } from "./specs.ts";
import { type SnapshotFault, copyStatus, tellFault } from "./status.ts";

/** Looks after a snapshot that is to be there. */
export async function bindSnapshot(given: Snapshotting, content: VolumeSnapshotContent | undefined): Promise<Result> {
  const { ctx, sidecar, specs } = given;
  const { asSource, bound, driverName } = sidecar.names.snapshot;
  const snapshots = specs.kinds.snapshot;
  const isBound = content !== undefined && ctx.object.status?.boundVolumeSnapshotContentName === content.metadata.name;
  const mark = { [driverName]: sidecar.driver.name };
  const held = await withFinalizer(ctx.client, snapshots, ctx.object, asSource, mark);
  if (!held) return AGAIN;
  if (isBound && content.spec.deletionPolicy === "Delete") {
    if (!(await withFinalizer(ctx.client, snapshots, held, bound))) return AGAIN;
  }
  if (content) return follow(given, content);
  return ctx.object.spec.source.volumeSnapshotContentName !== undefined || isReady(ctx.object)
    ? missing(given)
    : begin(given, held);
}

const isReady = ({ status }: VolumeSnapshot): boolean =>
  status?.readyToUse === true && status.boundVolumeSnapshotContentName !== undefined;

async function missing(given: Snapshotting): Promise<Result> {
  const message = "expected its VolumeSnapshotContent to be there, and to name it";
  await tellFault(given, { reason: "SnapshotContentMissing", message });
  return undefined;
}

/** Says what the content says, once the content is that of this very snapshot. */
async function follow(given: Snapshotting, content: VolumeSnapshotContent): Promise<Result> {
  const { ctx, sidecar, specs } = given;
  const { metadata, spec } = ctx.object;
  const isNamed = spec.source.volumeSnapshotContentName !== undefined;
  if (isNamed !== (content.spec.source.snapshotHandle !== undefined)) {
    const message = `expected the content ${content.metadata.name} to ${isNamed ? "stand for a snapshot that is there" : "be made for a volume"}`;
    await tellFault(given, { reason: "SnapshotContentMismatch", message });
    return undefined;
  }
  const { contentBound } = sidecar.names.snapshot;
  if (content.metadata.deletionTimestamp === undefined) {
    const kept = await withFinalizer(ctx.client, specs.kinds.content, content, contentBound);
    if (!kept) return AGAIN;
    const { volumeSnapshotClassName: name } = spec;
    if (kept.spec.volumeSnapshotRef.uid !== metadata.uid) {
      const next = {
        ...kept.spec,
        volumeSnapshotRef: { ...kept.spec.volumeSnapshotRef, uid: metadata.uid },
        ...(name === undefined ? {} : { volumeSnapshotClassName: name }),
      };
      return (await write(ctx.client, specs.kinds.content, { ...kept, spec: next })) ? undefined : AGAIN;
    }
  }
  return copyStatus(given, content);
}

/** Makes the content of a snapshot; the driver's part does the rest. */
async function begin(given: Snapshotting, snapshot: VolumeSnapshot): Promise<Result> {
  const { ctx, specs } = given;
  const found = classFor(given);
  if ("fault" in found) {
    await tellFault(given, found.fault);
    return undefined;
  }
  if (snapshot.spec.volumeSnapshotClassName === undefined) {
    const spec = { ...snapshot.spec, volumeSnapshotClassName: found.class.metadata.name };
    return (await write(ctx.client, specs.kinds.snapshot, { ...snapshot, spec })) ? undefined : AGAIN;
  }
  const claim = sourceClaim(given);
  const volume = ctx.informer(given.sidecar.specs.volumes).get({ name: claim?.spec.volumeName ?? "" });
  const isBound = claim?.status.phase === "Bound" && volume?.spec.claimRef?.uid === claim.metadata.uid;
  const handle = volume?.spec.csi?.volumeHandle;
  if (!isBound || handle === undefined || claim.metadata.deletionTimestamp !== undefined) {
    const message = `expected the claim ${snapshot.spec.source.persistentVolumeClaimName} to be there and Bound, with a volume of a driver`;
    await tellFault(given, { reason: "SnapshotContentCreationFailed", message });
    return undefined;
  }
  if (!(await holdClaim(given, claim))) return AGAIN;
  return make(given, { snapshot, class: found.class, handle, volumeMode: volume!.spec.volumeMode });
}

interface Making {
  readonly snapshot: VolumeSnapshot;
  readonly class: VolumeSnapshotClass;
  readonly handle: string;
  readonly volumeMode: string | undefined;
}

async function make(given: Snapshotting, making: Making): Promise<Result> {
  const { ctx, specs, sidecar } = given;
  const { snapshot, volumeMode } = making;
  const { apiVersion, kind, metadata } = snapshot;
  const { name, namespace, uid, resourceVersion } = metadata;
  let annotations: Record<string, string>;
  try {
    annotations = secretMarks(given, making);
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    await tellFault(given, { reason: "SnapshotContentCreationFailed", message: error.message });
    return undefined;
  }
  const content: NewObject<VolumeSnapshotContent> = {
    metadata: { name: contentNameOf(snapshot), finalizers: [sidecar.names.snapshot.contentBound], annotations },
    spec: {
      volumeSnapshotRef: { apiVersion, kind, name, namespace, uid, resourceVersion } as never,
      source: { volumeHandle: making.handle },
      volumeSnapshotClassName: making.class.metadata.name,
      deletionPolicy: making.class.deletionPolicy,
      driver: making.class.driver,
      ...(volumeMode ? { sourceVolumeMode: volumeMode } : {}),
    },
  };
  const made = await attempt(ctx.client.resource(specs.kinds.content).create(content), "AlreadyExists");
  if (made.ok) ctx.events.normal("CreatingSnapshot", `it waits for ${making.class.driver} to take it`);
  return undefined;
}

function secretMarks({ sidecar }: Snapshotting, { snapshot, class: found }: Making): Record<string, string> {
  const { names } = sidecar;
  const values = snapshotValues(snapshot);
  const ref = secretFor("snapshotter", found.parameters ?? {}, values, { prefix: names.parameters });
  const { name, namespace } = names.snapshot.deletionSecret;
  return ref ? { [name]: ref.name, [namespace]: ref.namespace } : {};
}

/** What may stand for places in templates of the names of Secrets. */
export function snapshotValues(snapshot: VolumeSnapshot): TemplateValues {
  const { name, namespace = "" } = snapshot.metadata;
  const inNamespace = { "volumesnapshotcontent.name": contentNameOf(snapshot), "volumesnapshot.namespace": namespace };
  return { inNamespace, inName: { ...inNamespace, "volumesnapshot.name": name } };
}

/** The class of a snapshot: the one that it names, or the one that is the default of its driver. */
function classFor({
  ctx,
  specs,
  sidecar,
}: Snapshotting): { readonly class: VolumeSnapshotClass } | { readonly fault: SnapshotFault } {
  const { volumeSnapshotClassName: name } = ctx.object.spec;
  const classes = ctx.informer(specs.classes);
  const reason = "SnapshotContentCreationFailed";
  if (name !== undefined) {
    const found = classes.get({ name });
    return found
      ? { class: found }
      : { fault: { reason, message: `expected the VolumeSnapshotClass ${name} to be there` } };
  }
  const { isDefault } = sidecar.names.snapshot;
  const found = classes
    .list()
    .filter(({ driver, metadata }) => driver === sidecar.driver.name && metadata.annotations?.[isDefault] === "true");
  if (found.length === 1) return { class: found[0]! };
  const message = `expected one VolumeSnapshotClass of ${sidecar.driver.name} to be the default, got ${found.length}`;
  return { fault: { reason: "SetDefaultSnapshotClassFailed", message } };
}
