/**
 * Finalizers: a name on the object that keeps it until whoever wrote it has cleaned up.
 *
 * It is added under the version that memory shows, so it is never added to an object whose deletion has begun, and taken
 * off by its place and the uid, so it is never taken off another object of that name.
 *
 * @module
 */
import { type ApiObject, type Client, type Kind, attempt, keyOf } from "../client/index.ts";

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

/** Takes a finalizer off; that the object is gone is fine. @throws StatusError when its finalizers have changed meanwhile */
export async function removeFinalizer(client: Client, kind: Kind, object: ApiObject, finalizer: string): Promise<void> {
  const { uid, finalizers = [] } = object.metadata;
  const path = `/metadata/finalizers/${finalizers.indexOf(finalizer)}`;
  const patch = [
    { op: "test", path: "/metadata/uid", value: uid },
    { op: "test", path, value: finalizer },
    { op: "remove", path },
  ];
  await attempt(client.resource(kind).patch(keyOf(object), patch), "NotFound");
}
