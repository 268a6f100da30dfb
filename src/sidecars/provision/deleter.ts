/**
 * The deleter: deletes the disks of released volumes with reclaim policy Delete (CTL-OUT-3, CTL-RECLAIM-7, CTL-RECLAIM-19,
 * CTL-RECLAIM-20).
 *
 * Such a volume has a finalizer, so that its disk is deleted first.
 *
 * @module
 */
import { type Key, attempt } from "../../client/index.ts";
import { PersistentVolume } from "../../client/kinds/index.ts";
import { classOf } from "../../claims/fit.ts";
import { type Controller, type Result, defineController, watches } from "../../runtime/index.ts";
import { REQUEUE_SOON } from "../../runtime/writes.ts";
import { errorText } from "../../util/cut-text.ts";
import { hasFinalizer, removeFinalizer, withFinalizer } from "../finalizers.ts";
import { isAccessible } from "../own-node.ts";
import { SECRET_PURPOSES } from "../parameters.ts";
import { type OptionalSecretRef, annotatedSecret, credentialsIfAny, secretFor } from "../secrets.ts";
import { type Sidecar, type SidecarContext, callDriver, changesOf } from "../sidecar.ts";
import { templateValues } from "./request.ts";

type DeleteContext = SidecarContext<PersistentVolume, "Cluster">;

/** The controller named `keelson-deleter`. */
export function deleter(sidecar: Sidecar): Controller {
  const { specs, pace } = sidecar;
  return defineController({
    name: "keelson-deleter",
    eventSource: "external-provisioner",
    for: specs.volumes,
    predicate: changesOf<PersistentVolume>(({ spec, status, metadata }) => [
      spec.persistentVolumeReclaimPolicy,
      status.phase,
      metadata.deletionTimestamp,
      metadata.annotations,
    ]),
    uses: [specs.classes],
    sources: [watches(specs.attachments, ({ spec }) => keyOfVolume(spec.source.persistentVolumeName))],
    ...pace,
    reconcile: (ctx) => reconcile({ ctx, sidecar }),
  });
}

const keyOfVolume = (name: string | undefined): Key<"Cluster">[] => (name ? [{ name }] : []);

/** Whether the driver has created a volume, or has one without a known provisioner. */
function isOfDriver({ metadata, spec }: PersistentVolume, { names, driver }: Sidecar): boolean {
  const provisioner = metadata.annotations?.[names.provisionedBy];
  return (provisioner || spec.csi?.driver) === driver.name && spec.csi?.driver === driver.name;
}

async function reconcile(context: DeleteContext): Promise<Result> {
  const { ctx, sidecar } = context;
  const { provisioned } = sidecar.names;
  const volume = ctx.object;
  if (!isOfDriver(volume, sidecar) || !isAccessible(volume, sidecar.settings.node)) return undefined;
  const { phase } = volume.status;
  const isDeleted = volume.metadata.deletionTimestamp !== undefined;
  if (volume.spec.persistentVolumeReclaimPolicy !== "Delete") {
    if (hasFinalizer(volume, provisioned)) await removeFinalizer(ctx.client, PersistentVolume, volume, provisioned);
    return undefined;
  }
  if (phase === "Bound" && !isDeleted) {
    return (await withFinalizer(ctx.client, PersistentVolume, volume, provisioned)) ? undefined : REQUEUE_SOON;
  }
  // The disk of a deleted volume without the finalizer is already gone.
  if (phase !== "Released" || (isDeleted && !hasFinalizer(volume, provisioned))) return undefined;
  return remove(context);
}

async function remove(context: DeleteContext): Promise<Result> {
  const { ctx, sidecar } = context;
  const { names } = sidecar;
  const volume = ctx.object;
  if (!(await isStillReleased(context))) return undefined;
  try {
    const [attachment] = ctx.informer(sidecar.specs.attachments).by("volume", volume.metadata.name);
    if (attachment) {
      const { nodeName } = attachment.spec;
      throw new Error(`persistentvolume ${volume.metadata.name} is still attached to node ${nodeName}`);
    }
    const secrets = await credentialsIfAny(ctx.client, deletionSecret(context));
    await callDriver(context, "deleteVolume", { volumeId: volume.spec.csi!.volumeHandle, secrets });
  } catch (error) {
    ctx.events.warning("VolumeFailedDelete", errorText(error));
    throw error;
  }
  const deleted = await attempt(ctx.client.resource(PersistentVolume).delete(volume), "NotFound", "Conflict");
  if (!deleted.ok) return deleted.reason === "Conflict" ? REQUEUE_SOON : undefined;
  const now = await ctx.client.resource(PersistentVolume).find(ctx.key);
  if (now?.metadata.uid === volume.metadata.uid && hasFinalizer(now, names.provisioned)) {
    await removeFinalizer(ctx.client, PersistentVolume, now, names.provisioned);
  }
  sidecar.capacityChanges.notify(classOf(volume, names));
  return undefined;
}

/** Whether the stored volume is still to be deleted: the informer may be behind, and the disk would be lost. */
async function isStillReleased({ ctx: { client, key, object } }: DeleteContext): Promise<boolean> {
  const now = await client.resource(PersistentVolume).find(key);
  return (
    now?.metadata.uid === object.metadata.uid &&
    now.spec.persistentVolumeReclaimPolicy === "Delete" &&
    now.status.phase === "Released"
  );
}

/** The Secret that the volume names, or its class for a volume without the annotations. */
function deletionSecret({ ctx, sidecar }: DeleteContext): OptionalSecretRef | undefined {
  const { names, specs } = sidecar;
  const { metadata, spec } = ctx.object;
  const named = annotatedSecret(metadata.annotations, names.deletionSecret);
  if (named.name !== undefined && named.namespace !== undefined) return named;
  const storageClass = ctx.informer(specs.classes).get({ name: classOf(ctx.object, names) });
  if (!storageClass || !spec.claimRef) return undefined;
  const { name = "", namespace = "" } = spec.claimRef;
  const claim = { metadata: { ...metadata, annotations: {}, name, namespace } };
  return secretFor("provisioner", storageClass.parameters ?? {}, templateValues(claim, metadata.name), {
    prefix: names.parameters,
    older: SECRET_PURPOSES.provisioner,
  });
}
