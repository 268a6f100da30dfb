/**
 * Finalizers keep an object until their owner has cleaned up.
 *
 * A finalizer is added in the version in memory, so never to an object whose deletion has begun. It is removed by index
 * and uid, so never from another object of that name.
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

/** Adds a finalizer; false where the object does not exist. @throws StatusError Conflict where it has changed */
export async function addFinalizer(client: Client, kind: Kind, object: ApiObject, finalizer: string): Promise<boolean> {
  const { uid, resourceVersion, finalizers = [] } = object.metadata;
  const metadata = { uid, resourceVersion, finalizers: [...finalizers, finalizer] };
  const added = await attempt(client.resource(kind).patch(keyOf(object), { metadata }), "NotFound");
  return added.ok;
}

/**
 * Removes a finalizer; an absent object or finalizer is no error.
 *
 * @throws StatusError when its finalizers change all the time
 */
export async function removeFinalizer(client: Client, kind: Kind, object: ApiObject, finalizer: string): Promise<void> {
  const resource = client.resource(kind);
  const done = await attempt(resource.patch(keyOf(object), withoutFinalizer(object, finalizer)), "NotFound", "Invalid");
  if (done.ok || isStatus(done.error, "NotFound")) return;
  // Memory was stale: another object of that name, or other finalizers before this one.
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
