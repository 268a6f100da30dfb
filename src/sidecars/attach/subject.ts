/**
 * What an attachment is about: the volume as its driver knows it, and the node as its driver calls it.
 *
 * @module
 */
import { PersistentVolume, type VolumeAttachment } from "../../client/kinds/index.ts";
import type { Texts } from "../contract.ts";
import { credentials } from "../secrets.ts";
import type { Attaching } from "./given.ts";
import { errorText } from "../../util/cut-text.ts";

type VolumeSpec = PersistentVolume["spec"];

/** See the head of this file. */
export interface Subject {
  /** The volume as it is stored; undefined for one that is described in the attachment itself. */
  readonly volume: PersistentVolume | undefined;
  readonly spec: VolumeSpec;
  readonly csi: NonNullable<VolumeSpec["csi"]>;
}

/** An attachment that its driver cannot be asked for, or not yet. */
export class SubjectError extends Error {
  override readonly name = "SubjectError";
}

/** The volume of an attachment. @throws SubjectError */
export async function subjectOf({ ctx, sidecar }: Attaching): Promise<Subject> {
  const { persistentVolumeName: name, inlineVolumeSpec: inline } = ctx.object.spec.source;
  if (name === undefined) {
    if (inline?.csi) return { volume: undefined, spec: inline, csi: inline.csi };
    throw new SubjectError("expected a volume of a driver in the source");
  }
  const known = ctx.informer(sidecar.specs.volumes).get({ name });
  const volume = known ?? (await ctx.client.resource(PersistentVolume).find({ name }));
  if (!volume) throw new SubjectError(`expected the volume ${name} to be there`);
  const { csi } = volume.spec;
  if (csi) return { volume, spec: volume.spec, csi };
  throw new SubjectError(`expected the volume ${name} to be one of a driver`);
}

/** What the driver calls the node of an attachment; `noted` is what the attachment says, for a node that is gone (CSIN-15). */
export function nodeIdOf({ ctx, sidecar }: Attaching, noted?: string): string {
  const { driver, specs } = sidecar;
  const { nodeName: name } = ctx.object.spec;
  const drivers = ctx.informer(specs.csiNodes).get({ name })?.spec.drivers ?? [];
  const id = drivers.find((one) => one.name === driver.name)?.nodeID ?? noted;
  if (id) return id;
  throw new SubjectError(`expected ${driver.name} to be registered in the CSINode ${name}`);
}

/** What the driver is given to attach and detach a volume. */
export function secretsOf({ ctx }: Attaching, { csi }: Subject, read = credentials): Promise<Texts> {
  const { name = "", namespace = "" } = csi.controllerPublishSecretRef ?? {};
  return read(ctx.client, name && namespace ? { name, namespace } : undefined);
}

/** An error in the status of an attachment; no secret is in what a driver is told to say (VA-14). */
export const errorStatus = (error: unknown, time: string): NonNullable<VolumeAttachment["status"]["attachError"]> => {
  const { code } = error as { readonly code?: unknown };
  return { time, message: errorText(error), ...(typeof code === "number" ? { errorCode: code } : {}) };
};
