/**
 * Attaches a volume to a node, and says so (VA-16, VA-17).
 *
 * @module
 */
import { attempt } from "../../client/index.ts";
import { PersistentVolume } from "../../client/kinds/index.ts";
import { AGAIN } from "../../runtime/writes.ts";
import { formatTime } from "../../meta/time.ts";
import type { Result } from "../../runtime/index.ts";
import type { Texts } from "../contract.ts";
import { withFinalizer } from "../finalizers.ts";
import { callOf } from "../sidecar.ts";
import { useOfVolume } from "../volume-use.ts";
import type { Attaching } from "./given.ts";
import { type Subject, SubjectError, errorStatus, nodeIdOf, secretsOf, subjectOf } from "./subject.ts";

/** Attaches; what fails is written as `attachError`, and thrown to be tried again. */
export async function attach(given: Attaching): Promise<Result> {
  try {
    const metadata = await publish(given);
    return metadata === undefined ? AGAIN : await markAttached(given, metadata);
  } catch (error) {
    await tell(given, error);
    throw error;
  }
}

/** What the driver says of a volume that it has attached; undefined where an object has changed meanwhile. */
async function publish(given: Attaching): Promise<Texts | undefined> {
  const { ctx, sidecar } = given;
  const { names, driver, kinds, settings } = sidecar;
  const found = await subjectOf(given);
  if (found.volume?.metadata.deletionTimestamp !== undefined) {
    throw new SubjectError(`expected the volume ${found.volume.metadata.name} not to be deleted`);
  }
  const volumeCapability = useOfVolume({ spec: found.spec } as PersistentVolume, driver, settings.defaultFsType);
  const secrets = await secretsOf(given, found);
  const nodeId = nodeIdOf(given);
  if (!(await protectVolume(given, found))) return undefined;
  const { csi } = found;
  const mark = { [names.nodeId]: nodeId, [names.volumeHandle]: csi.volumeHandle };
  if (!(await withFinalizer(ctx.client, kinds.attachment, ctx.object, names.attached, mark))) return undefined;
  const request = {
    volumeId: csi.volumeHandle,
    nodeId,
    volumeCapability,
    readonly: csi.readOnly === true && driver.abilities.has("PUBLISH_READONLY"),
    volumeContext: csi.volumeAttributes ?? {},
    secrets,
  };
  const { publishContext } = await callOf(sidecar, ctx.signal)("ControllerPublishVolume", (calls, how) =>
    calls.controllerPublishVolume(request, how),
  );
  return publishContext;
}

async function protectVolume({ ctx, sidecar }: Attaching, { volume }: Subject): Promise<boolean> {
  if (!volume) return true;
  return (await withFinalizer(ctx.client, PersistentVolume, volume, sidecar.names.attached)) !== undefined;
}

/** Says that a volume is attached (VA-16). */
export async function markAttached({ ctx, sidecar }: Attaching, metadata: Texts): Promise<Result> {
  const attachmentMetadata = Object.keys(metadata).length > 0 ? metadata : null;
  const status = { attached: true, attachmentMetadata, attachError: null };
  await attempt(ctx.client.resource(sidecar.kinds.attachment).status.patch(ctx.key, { status }), "NotFound");
  return undefined;
}

async function tell({ ctx, sidecar }: Attaching, error: unknown): Promise<void> {
  const status = { attachError: errorStatus(error, formatTime(ctx.clock.now())) };
  await attempt(ctx.client.resource(sidecar.kinds.attachment).status.patch(ctx.key, { status }), "NotFound");
}
