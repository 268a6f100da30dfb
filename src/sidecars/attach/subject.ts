/**
 * The subject of an attachment: the volume and the node as their driver knows them.
 *
 * @module
 */
import { PersistentVolume, type VolumeAttachment } from "../../client/kinds/index.ts";
import { errorText } from "../../util/cut-text.ts";
import type { Texts } from "../contract.ts";
import { credentials } from "../secrets.ts";
import type { SidecarContext } from "../sidecar.ts";

/** What a reconcile of an attachment has. */
export type AttachContext = SidecarContext<VolumeAttachment, "Cluster">;

type VolumeSpec = PersistentVolume["spec"];

/** See the head of this file. */
export interface Subject {
  /** The stored volume; undefined for one that the attachment itself describes. */
  readonly volume: PersistentVolume | undefined;
  readonly spec: VolumeSpec;
  readonly csi: NonNullable<VolumeSpec["csi"]>;
}

/** The error of an attachment whose volume or node does not permit a call. */
export class SubjectError extends Error {
  override readonly name = "SubjectError";
}

/** The volume of an attachment. @throws SubjectError */
export async function subjectOf({ ctx, sidecar }: AttachContext): Promise<Subject> {
  const { persistentVolumeName: name, inlineVolumeSpec: inline } = ctx.object.spec.source;
  if (name === undefined) {
    if (inline?.csi) return { volume: undefined, spec: inline, csi: inline.csi };
    throw new SubjectError("expected a CSI volume in the source");
  }
  const known = ctx.informer(sidecar.specs.volumes).get({ name });
  const volume = known ?? (await ctx.client.resource(PersistentVolume).find({ name }));
  if (!volume) throw new SubjectError(`persistentvolume ${name} not found`);
  const { csi } = volume.spec;
  if (csi) return { volume, spec: volume.spec, csi };
  throw new SubjectError(`expected persistentvolume ${name} to be a CSI volume`);
}

/** The driver's ID of the node; `recorded` is that of the attachment, for a node that is gone (CSIN-15). */
export function nodeIdOf({ ctx, sidecar }: AttachContext, recorded?: string): string {
  const { driver, specs } = sidecar;
  const { nodeName: name } = ctx.object.spec;
  const drivers = ctx.informer(specs.csiNodes).get({ name })?.spec.drivers ?? [];
  const id = drivers.find((one) => one.name === driver.name)?.nodeID ?? recorded;
  if (id) return id;
  throw new SubjectError(`CSINode ${name} does not contain driver ${driver.name}`);
}

/** The secrets to attach and detach a volume. */
export const secretsOf = ({ ctx }: AttachContext, { csi }: Subject, read = credentials): Promise<Texts> =>
  read(ctx.client, csi.controllerPublishSecretRef);

/** An error in the status of an attachment; errors of a driver have no secrets (VA-14). */
export const errorStatus = (error: unknown, time: string): NonNullable<VolumeAttachment["status"]["attachError"]> => {
  const { code } = error as { readonly code?: unknown };
  return { time, message: errorText(error), ...(typeof code === "number" ? { errorCode: code } : {}) };
};
