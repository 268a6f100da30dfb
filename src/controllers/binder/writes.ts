/**
 * What the binder writes: references, marks and phases, each in the version that was judged.
 *
 * Undefined is told where that version is gone: memory will show the newer one, and the key is looked at again.
 *
 * @module
 */
import { type ApiObject, type Client, type Kind, type Scope, attempt } from "../../client/index.ts";
import { PersistentVolume, PersistentVolumeClaim } from "../../client/kinds/index.ts";
import type { Result } from "../../runtime/index.ts";

/** Memory was behind, and will show what has changed. */
export const AGAIN: Result = { requeueAfter: "100ms" };

type Annotations = Readonly<Record<string, string | undefined>>;

/** Writes an object. */
export async function write<T extends ApiObject, S extends Scope>(
  client: Client,
  kind: Kind<T, S>,
  object: T,
): Promise<T | undefined> {
  const done = await attempt(client.resource(kind).update(object), "Conflict", "NotFound");
  return done.ok ? done.value : undefined;
}

async function writeStatus<T extends ApiObject, S extends Scope>(
  client: Client,
  kind: Kind<T, S>,
  object: T,
): Promise<T | undefined> {
  const done = await attempt(client.resource(kind).status.update(object), "Conflict", "NotFound");
  return done.ok ? done.value : undefined;
}

/** The same object with other annotations; those that are undefined are taken off. */
export function annotated<T extends ApiObject>(object: T, changes: Annotations): T {
  const annotations = { ...object.metadata.annotations } as Record<string, string>;
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete annotations[name];
    else annotations[name] = value;
  }
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Whether an object has annotations as they are wanted. */
export const isAnnotated = ({ metadata: { annotations = {} } }: ApiObject, wanted: Annotations): boolean =>
  Object.entries(wanted).every(([name, value]) => annotations[name] === value);

/** Gives a volume a phase; nothing is written when it has it. */
export async function setPhase(
  client: Client,
  volume: PersistentVolume,
  phase: string,
  message?: string,
): Promise<PersistentVolume | undefined> {
  if (volume.status.phase === phase) return volume;
  const { message: _, ...status } = volume.status;
  const next = { ...volume, status: { ...status, phase, ...(message === undefined ? {} : { message }) } };
  return writeStatus(client, PersistentVolume, next);
}

/** Says of a claim that it has a volume, all of it (CTL-BIND-15, 16). */
export async function setBound(
  client: Client,
  claim: PersistentVolumeClaim,
  { spec }: PersistentVolume,
): Promise<PersistentVolumeClaim | undefined> {
  const { status } = claim;
  const comes = status.phase !== "Bound";
  const { storage } = spec.capacity ?? {};
  const current = spec.volumeAttributesClassName;
  const next = {
    ...status,
    phase: "Bound",
    ...(spec.accessModes ? { accessModes: spec.accessModes } : {}),
    ...(comes && storage !== undefined ? { capacity: { ...status.capacity, storage } } : {}),
    ...(comes && current ? { currentVolumeAttributesClassName: current } : {}),
  };
  const isThere = !comes && JSON.stringify(status.accessModes) === JSON.stringify(spec.accessModes);
  return isThere ? claim : writeStatus(client, PersistentVolumeClaim, { ...claim, status: next });
}

/** Says of a claim that it has no volume: it waits, or has lost the one that it had (CTL-BIND-17, 36). */
export async function setUnbound(
  client: Client,
  claim: PersistentVolumeClaim,
  phase: "Pending" | "Lost",
): Promise<PersistentVolumeClaim | undefined> {
  const { accessModes, capacity, ...rest } = claim.status;
  const goes = rest.phase !== phase;
  if (!goes && accessModes === undefined && capacity === undefined) return claim;
  const { currentVolumeAttributesClassName: _, ...bare } = rest;
  return writeStatus(client, PersistentVolumeClaim, { ...claim, status: { ...(goes ? bare : rest), phase } });
}
