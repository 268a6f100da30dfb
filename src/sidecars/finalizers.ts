/**
 * Finalizers of sidecars: added before a call of a driver, removed when its result is stored.
 *
 * @module
 */
import { type ApiObject, type Client, type Kind, type Scope, attempt, keyOf } from "../client/index.ts";
import { hasFinalizer } from "../runtime/finalizer.ts";

export { hasFinalizer, removeFinalizer } from "../runtime/finalizer.ts";

/**
 * The object with a finalizer and annotations, which one write adds; undefined when it has changed or was deleted
 * meanwhile.
 */
export async function withFinalizer<T extends ApiObject, S extends Scope>(
  client: Client,
  kind: Kind<T, S>,
  object: T,
  finalizer: string,
  annotations: Readonly<Record<string, string>> = {},
): Promise<T | undefined> {
  const { uid, resourceVersion, finalizers = [], annotations: before = {} } = object.metadata;
  const isMissing = !hasFinalizer(object, finalizer);
  const isOther = Object.entries(annotations).some(([name, value]) => before[name] !== value);
  if (!isMissing && !isOther) return object;
  const metadata = {
    uid,
    resourceVersion,
    ...(isMissing ? { finalizers: [...finalizers, finalizer] } : {}),
    ...(isOther ? { annotations } : {}),
  };
  const resource = client.resource<ApiObject, Scope>(kind);
  const done = await attempt(resource.patch(keyOf(object), { metadata }), "NotFound", "Conflict");
  return done.ok ? (done.value as T) : undefined;
}
