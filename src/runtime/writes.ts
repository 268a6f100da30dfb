/**
 * Writes of controllers, each in the version of the decision.
 *
 * They return undefined where that version is not stored any more: the informer will show the newer one, and the key is
 * reconciled again.
 */
import { type ApiObject, type Client, type DeleteOptions, type Kind, type Scope, attempt } from "../client/index.ts";
import type { Result } from "./definition.ts";

/** Retries after the informer has caught up, which may take long: each time later. */
export const REQUEUE_SOON: Result = { requeueAfter: "100ms", doubles: true };

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

/** Deletes an object, and returns why it was not deleted: it was absent, or had another uid or version. */
export async function deleteObject<T extends ApiObject, S extends Scope>(
  client: Client,
  kind: Kind<T, S>,
  object: T,
  options?: DeleteOptions,
): Promise<"NotFound" | "Conflict" | undefined> {
  const done = await attempt(client.resource(kind).delete(object, options), "NotFound", "Conflict");
  return done.ok ? undefined : done.reason;
}
