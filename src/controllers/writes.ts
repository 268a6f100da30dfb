/**
 * How controllers write: each object in the version that was judged.
 *
 * Undefined is told where that version is gone: memory will show the newer one, and the key is looked at again.
 *
 * @module
 */
import { type ApiObject, type Client, type Kind, type Scope, attempt } from "../client/index.ts";
import type { Result } from "../runtime/index.ts";

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

/** Writes the status of an object. */
export async function writeStatus<T extends ApiObject, S extends Scope>(
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
