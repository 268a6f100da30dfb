/**
 * Detaches a volume whose attachment is deleted, and removes the finalizer (VA-18, VA-19, DEC-54).
 *
 * @module
 */
import { attempt } from "../../client/index.ts";
import { formatTime } from "../../meta/time.ts";
import type { Result } from "../../runtime/index.ts";
import { hasFinalizer, removeFinalizer } from "../finalizers.ts";
import { credentialsIfAny } from "../secrets.ts";
import { callDriver } from "../sidecar.ts";
import { type AttachContext, SubjectError, errorStatus, nodeIdOf, secretsOf, subjectOf } from "./subject.ts";

/** Detaches a volume. Writes an error as `detachError`, and throws it for a retry. */
export async function detach(context: AttachContext): Promise<Result> {
  const { ctx, sidecar } = context;
  const { names, kinds } = sidecar;
  // Without the finalizer nothing was attached, or it is detached already.
  if (!hasFinalizer(ctx.object, names.attached)) return undefined;
  const attachments = ctx.client.resource(kinds.attachment);
  try {
    await unpublish(context);
  } catch (error) {
    const status = { detachError: errorStatus(error, formatTime(ctx.clock.now())) };
    await attempt(attachments.status.patch(ctx.key, { status }), "NotFound");
    throw error;
  }
  // The finalizer first: an attachment that still has it would be detached again.
  await release(context);
  const status = { attached: false, attachmentMetadata: null, detachError: null };
  const { uid } = ctx.object.metadata;
  await attempt(attachments.status.patch(ctx.key, { metadata: { uid }, status }), "NotFound", "Conflict", "Invalid");
  return undefined;
}

/** Removes the finalizer of an attachment for which nothing is attached. */
export async function release({ ctx, sidecar }: AttachContext): Promise<undefined> {
  const { names, kinds } = sidecar;
  if (hasFinalizer(ctx.object, names.attached)) {
    await removeFinalizer(ctx.client, kinds.attachment, ctx.object, names.attached);
  }
}

async function unpublish(context: AttachContext): Promise<void> {
  const { names } = context.sidecar;
  const { [names.nodeId]: nodeId, [names.volumeHandle]: handle } = context.ctx.object.metadata.annotations ?? {};
  const subject = await subjectOf(context).catch((error: unknown) => {
    // A volume that was deleted by force is still attached to the node.
    if (error instanceof SubjectError && handle !== undefined) return undefined;
    throw error;
  });
  // A Secret may be deleted first, as with its namespace. The volume is detached without it.
  const secrets = subject ? await secretsOf(context, subject, credentialsIfAny) : {};
  const volumeId = subject?.csi.volumeHandle ?? handle!;
  await callDriver(context, "controllerUnpublishVolume", { volumeId, nodeId: nodeIdOf(context, nodeId), secrets });
}
