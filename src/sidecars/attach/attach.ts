/**
 * Attaches a volume to a node, and writes the status of the attachment (VA-16, VA-17).
 *
 * @module
 */
import { attempt } from "../../client/index.ts";
import { PersistentVolume } from "../../client/kinds/index.ts";
import { formatTime } from "../../meta/time.ts";
import type { Result } from "../../runtime/index.ts";
import { REQUEUE_SOON } from "../../runtime/writes.ts";
import type { Texts } from "../contract.ts";
import { withFinalizer } from "../finalizers.ts";
import { callDriver } from "../sidecar.ts";
import { useOfVolume } from "../volume-use.ts";
import { type AttachContext, SubjectError, errorStatus, nodeIdOf, secretsOf, subjectOf } from "./subject.ts";

/** Attaches a volume. Writes an error as `attachError`, and throws it for a retry. */
export async function attach(context: AttachContext): Promise<Result> {
  try {
    const metadata = await publish(context);
    return metadata === undefined ? REQUEUE_SOON : await markAttached(context, metadata);
  } catch (error) {
    await writeStatus(context, { attachError: errorStatus(error, formatTime(context.ctx.clock.now())) });
    throw error;
  }
}

/** The publish context of the driver; undefined where an object has changed meanwhile. */
async function publish(context: AttachContext): Promise<Texts | undefined> {
  const { ctx, sidecar } = context;
  const { names, driver, kinds, settings } = sidecar;
  const subject = await subjectOf(context);
  const { volume, csi } = subject;
  if (volume?.metadata.deletionTimestamp !== undefined) {
    throw new SubjectError(`persistentvolume ${volume.metadata.name} is being deleted`);
  }
  const volumeCapability = useOfVolume(subject, driver, settings.defaultFsType);
  const secrets = await secretsOf(context, subject);
  const nodeId = nodeIdOf(context);
  if (volume && !(await withFinalizer(ctx.client, PersistentVolume, volume, names.attached))) return undefined;
  const annotations = { [names.nodeId]: nodeId, [names.volumeHandle]: csi.volumeHandle };
  if (!(await withFinalizer(ctx.client, kinds.attachment, ctx.object, names.attached, annotations))) return undefined;
  const { publishContext } = await callDriver(context, "controllerPublishVolume", {
    volumeId: csi.volumeHandle,
    nodeId,
    volumeCapability,
    readonly: csi.readOnly === true && driver.abilities.has("PUBLISH_READONLY"),
    volumeContext: csi.volumeAttributes ?? {},
    secrets,
  });
  return publishContext;
}

/** Writes that a volume is attached (VA-16). */
export async function markAttached(context: AttachContext, metadata: Texts): Promise<Result> {
  const attachmentMetadata = Object.keys(metadata).length > 0 ? metadata : null;
  await writeStatus(context, { attached: true, attachmentMetadata, attachError: null });
  return undefined;
}

async function writeStatus({ ctx, sidecar }: AttachContext, status: object): Promise<void> {
  await attempt(ctx.client.resource(sidecar.kinds.attachment).status.patch(ctx.key, { status }), "NotFound");
}
