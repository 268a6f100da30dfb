/**
 * Takes a volume off a node whose attachment is deleted, and lets the attachment go (VA-18, VA-19, DEC-54).
 *
 * @module
 */
import { attempt } from "../../client/index.ts";
import { formatTime } from "../../meta/time.ts";
import type { Result } from "../../runtime/index.ts";
import { hasFinalizer, removeFinalizer } from "../finalizers.ts";
import { credentialsIfAny } from "../secrets.ts";
import { callOf } from "../sidecar.ts";
import type { Attaching } from "./given.ts";
import { SubjectError, errorStatus, nodeIdOf, secretsOf, subjectOf } from "./subject.ts";

/** Detaches; what fails is written as `detachError`, and thrown to be tried again. */
export async function detach(given: Attaching): Promise<Result> {
  const { ctx, sidecar } = given;
  const { names, kinds } = sidecar;
  // Without it nothing was attached, or it is off again.
  if (!hasFinalizer(ctx.object, names.attached)) return undefined;
  const attachments = ctx.client.resource(kinds.attachment);
  try {
    await unpublish(given);
  } catch (error) {
    const status = { detachError: errorStatus(error, formatTime(ctx.clock.now())) };
    await attempt(attachments.status.patch(ctx.key, { status }), "NotFound");
    throw error;
  }
  // The finalizer first: an attachment that has it would be taken off once more.
  await letGo(given);
  const status = { attached: false, attachmentMetadata: null, detachError: null };
  const { uid } = ctx.object.metadata;
  await attempt(attachments.status.patch(ctx.key, { metadata: { uid }, status }), "NotFound", "Conflict", "Invalid");
  return undefined;
}

/** Lets an attachment go whose driver has nothing attached for it. */
export async function letGo({ ctx, sidecar }: Attaching): Promise<undefined> {
  const { names, kinds } = sidecar;
  if (hasFinalizer(ctx.object, names.attached)) {
    await removeFinalizer(ctx.client, kinds.attachment, ctx.object, names.attached);
  }
}

async function unpublish(given: Attaching): Promise<void> {
  const { ctx, sidecar } = given;
  const { names } = sidecar;
  const { [names.nodeId]: noted, [names.volumeHandle]: handle } = ctx.object.metadata.annotations ?? {};
  const found = await subjectOf(given).catch((error: unknown) => {
    // Who took its volume away by hand did not take it off the node.
    if (error instanceof SubjectError && handle !== undefined) return undefined;
    throw error;
  });
  // A Secret that went before, as with its namespace, keeps no volume attached.
  const secrets = found ? await secretsOf(given, found, credentialsIfAny) : {};
  const request = { volumeId: found?.csi.volumeHandle ?? handle!, nodeId: nodeIdOf(given, noted), secrets };
  await callOf(sidecar, ctx.signal)("ControllerUnpublishVolume", (calls, how) =>
    calls.controllerUnpublishVolume(request, how),
  );
}
