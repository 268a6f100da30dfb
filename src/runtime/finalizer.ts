/**
 * Finalizers: a name on the object that keeps it until whoever wrote it has cleaned up.
 *
 * It is added under the version that memory shows, so it is never added to an object whose deletion has begun, and taken
 * off by its place and the uid, so it is never taken off another object of that name.
 *
 * @module
 */
import {
  type ApiObject,
  type Client,
  type JsonPatchOperation,
  type Kind,
  attempt,
  isStatus,
  keyOf,
} from "../client/index.ts";

/** Whether an object has a finalizer. */
export const hasFinalizer = ({ metadata }: ApiObject, finalizer: string): boolean =>
  metadata.finalizers?.includes(finalizer) ?? false;

/** Adds a finalizer; false when the object is gone. @throws StatusError Conflict when it has changed meanwhile: to be tried again */
export async function addFinalizer(client: Client, kind: Kind, object: ApiObject, finalizer: string): Promise<boolean> {
  const { uid, resourceVersion, finalizers = [] } = object.metadata;
  const metadata = { uid, resourceVersion, finalizers: [...finalizers, finalizer] };
  const added = await attempt(client.resource(kind).patch(keyOf(object), { metadata }), "NotFound");
  return added.ok;
}

/**
 * Takes a finalizer off; that the object is gone, or has lost it already, is fine.
 *
 * @throws StatusError when its finalizers change all the time
 */
export async function removeFinalizer(client: Client, kind: Kind, object: ApiObject, finalizer: string): Promise<void> {
  const resource = client.resource(kind);
  const done = await attempt(resource.patch(keyOf(object), withoutFinalizer(object, finalizer)), "NotFound", "Invalid");
  if (done.ok || isStatus(done.error, "NotFound")) return;
  // The object is not what memory shows: another of its name, or one with other finalizers before this one.
  const now = await resource.find(keyOf(object));
  if (now?.metadata.uid !== object.metadata.uid || !hasFinalizer(now, finalizer)) return;
  await attempt(resource.patch(keyOf(now), withoutFinalizer(now, finalizer)), "NotFound");
}

function withoutFinalizer(
  { metadata: { uid, finalizers = [] } }: ApiObject,
  finalizer: string,
): readonly JsonPatchOperation[] {
  const path = `/metadata/finalizers/${finalizers.indexOf(finalizer)}`;
  return [
    { op: "test", path: "/metadata/uid", value: uid },
    { op: "test", path, value: finalizer },
    { op: "remove", path },
  ];
}
