/**
 * The deleter: deletes the disks of volumes that are released and are not to be kept (CTL-OUT-3, CTL-RECLAIM-7, CTL-RECLAIM-19,
 * CTL-RECLAIM-20).
 *
 * A volume that may have to be deleted has a finalizer, so that it does not go before its disk.
 *
 * @module
 */
import { type Key, attempt } from "../../client/index.ts";
import { PersistentVolume } from "../../client/kinds/index.ts";
import { classOf } from "../../claims/fit.ts";
import { AGAIN } from "../../runtime/writes.ts";
import {
  type Context,
  type Controller,
  type ObjectEvent,
  type Result,
  defineController,
  watches,
} from "../../runtime/index.ts";
import { hasFinalizer, removeFinalizer, withFinalizer } from "../finalizers.ts";
import { isReached } from "../own-node.ts";
import { type SecretRef, credentialsIfAny, secretFor } from "../secrets.ts";
import { type Sidecar, callOf } from "../sidecar.ts";
import { templateValues } from "./request.ts";

type Deleting = Context<PersistentVolume, "Cluster">;

/** The controller named `keelson-deleter`. */
export function deleter(sidecar: Sidecar): Controller {
  const { specs, pace } = sidecar;
  return defineController({
    name: "keelson-deleter",
    eventSource: "external-provisioner",
    for: specs.volumes,
    predicate: matters,
    uses: [specs.classes],
    sources: [watches(specs.attachments, ({ spec }) => keyOfVolume(spec.source.persistentVolumeName))],
    ...pace,
    reconcile: (ctx) => reconcile(ctx, sidecar),
  });
}

const keyOfVolume = (name: string | undefined): Key<"Cluster">[] => (name ? [{ name }] : []);

function matters(event: ObjectEvent<PersistentVolume>): boolean {
  if (event.type !== "changed") return true;
  const told = ({ spec, status, metadata }: PersistentVolume): string =>
    JSON.stringify([
      spec.persistentVolumeReclaimPolicy,
      status.phase,
      metadata.deletionTimestamp,
      metadata.annotations,
    ]);
  return told(event.object) !== told(event.old);
}

/** Whether the driver has made a volume, or knows one that nobody is said to have made. */
function isOfDriver({ metadata, spec }: PersistentVolume, { names, driver }: Sidecar): boolean {
  const maker = metadata.annotations?.[names.provisionedBy];
  return (maker || spec.csi?.driver) === driver.name && spec.csi?.driver === driver.name;
}

async function reconcile(ctx: Deleting, sidecar: Sidecar): Promise<Result> {
  const { names } = sidecar;
  const volume = ctx.object;
  if (!isOfDriver(volume, sidecar) || !isReached(volume, sidecar.settings.node)) return undefined;
  const { persistentVolumeReclaimPolicy: policy } = volume.spec;
  const { phase } = volume.status;
  const isDeleted = volume.metadata.deletionTimestamp !== undefined;
  if (policy !== "Delete") {
    if (hasFinalizer(volume, names.provisioned)) {
      await removeFinalizer(ctx.client, PersistentVolume, volume, names.provisioned);
    }
    return undefined;
  }
  if (phase === "Bound" && !isDeleted) {
    return (await withFinalizer(ctx.client, PersistentVolume, volume, names.provisioned)) ? undefined : AGAIN;
  }
  // Without the finalizer its disk is gone already.
  if (phase !== "Released" || (isDeleted && !hasFinalizer(volume, names.provisioned))) return undefined;
  return remove(ctx, sidecar);
}

async function remove(ctx: Deleting, sidecar: Sidecar): Promise<Result> {
  const { names } = sidecar;
  const volume = ctx.object;
  if (!(await isStillToGo(ctx))) return undefined;
  try {
    const attached = ctx.informer(sidecar.specs.attachments).by("volume", volume.metadata.name);
    if (attached.length > 0)
      throw new Error(`it is attached to ${attached.map(({ spec }) => spec.nodeName).join(", ")}`);
    const secrets = await credentialsIfAny(ctx.client, deletionSecret(ctx, sidecar));
    const volumeId = volume.spec.csi!.volumeHandle;
    await callOf(sidecar, ctx.signal)("DeleteVolume", (calls, how) => calls.deleteVolume({ volumeId, secrets }, how));
  } catch (error) {
    ctx.events.warning("VolumeFailedDelete", error instanceof Error ? error.message : String(error));
    throw error;
  }
  const gone = await attempt(ctx.client.resource(PersistentVolume).delete(volume), "NotFound", "Conflict");
  if (!gone.ok) return gone.reason === "Conflict" ? AGAIN : undefined;
  const now = await ctx.client.resource(PersistentVolume).find(ctx.key);
  if (now?.metadata.uid === volume.metadata.uid && hasFinalizer(now, names.provisioned)) {
    await removeFinalizer(ctx.client, PersistentVolume, now, names.provisioned);
  }
  sidecar.capacityNews.tell(classOf(volume, names));
  return undefined;
}

/**
 * Whether the volume as it is stored is still to go: memory may be behind, and a disk does not come back. What has changed is heard
 * of.
 */
async function isStillToGo({ client, key, object }: Deleting): Promise<boolean> {
  const now = await client.resource(PersistentVolume).find(key);
  return (
    now?.metadata.uid === object.metadata.uid &&
    now.spec.persistentVolumeReclaimPolicy === "Delete" &&
    now.status.phase === "Released"
  );
}

/** The Secret that a volume says itself, or that its class names for volumes that say nothing. */
function deletionSecret(ctx: Deleting, { names, specs }: Sidecar): SecretRef | undefined {
  const { metadata, spec } = ctx.object;
  const { annotations = {} } = metadata;
  const [name, namespace] = [annotations[names.deletionSecret.name], annotations[names.deletionSecret.namespace]];
  if (name !== undefined && namespace !== undefined) return name && namespace ? { name, namespace } : undefined;
  const storageClass = ctx.informer(specs.classes).get({ name: classOf(ctx.object, names) });
  if (!storageClass || !spec.claimRef) return undefined;
  const claim = {
    metadata: {
      ...metadata,
      annotations: {},
      name: spec.claimRef.name ?? "",
      namespace: spec.claimRef.namespace ?? "",
    },
  };
  const older = ["csiProvisionerSecretName", "csiProvisionerSecretNamespace"] as const;
  return secretFor("provisioner", storageClass.parameters ?? {}, templateValues(claim, metadata.name), {
    prefix: names.parameters,
    older,
  });
}
