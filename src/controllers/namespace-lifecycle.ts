/**
 * Empties namespaces that are being deleted, then lets them go (DEC-34).
 *
 * Everything in the namespace is deleted, kind by kind as discovery lists them; when nothing is left the finalizer of
 * this controller is taken off `spec.finalizers`, and the server removes the namespace. Objects with finalizers of their own
 * hold it back until those are done.
 *
 * @module
 */
import { type Client, Discovery, type ServedKind, attempt, preferredKinds } from "../client/index.ts";
import { Namespace } from "../client/kinds/index.ts";
import { type Controller, defineController } from "../runtime/index.ts";

const FINALIZER = "kubernetes";
/** Created by nothing in the namespace itself, so that reports of the end can still be written. */
const LAST = "Event";
/** What has not gone yet is looked at again after a quarter of the time that it takes already, within these bounds. */
const AGAIN = { least: 200, most: 10_000 };

/** The controller named `namespace`. */
export const namespaceLifecycle: Controller = defineController({
  name: "keelson-namespace",
  for: Namespace,
  predicate: ({ object }) => object.metadata.deletionTimestamp !== undefined,
  backoff: { first: AGAIN.least, most: AGAIN.most },
  timeout: "10m",
  async reconcile({ object, client, clock }) {
    const { name, deletionTimestamp = "" } = object.metadata;
    if ((await deleteContent(client, name)) > 0) {
      const taken = clock.now() - Date.parse(deletionTimestamp);
      return { requeueAfter: Math.max(AGAIN.least, Math.min(AGAIN.most, taken / 4)) };
    }
    const { finalizers = [] } = object.spec;
    if (!finalizers.includes(FINALIZER)) return undefined;
    const spec = { ...object.spec, finalizers: finalizers.filter((finalizer) => finalizer !== FINALIZER) };
    // Whoever wrote it meanwhile brings it back here.
    await attempt(
      client
        .resource(Namespace)
        .subresource("finalize")
        .update({ ...object, spec }),
      "NotFound",
      "Conflict",
    );
    return undefined;
  },
});

/** Deletes every collection of a namespace and counts the kinds that still have objects. */
async function deleteContent(client: Client, namespace: string): Promise<number> {
  let left = 0;
  for (const kind of await contentKinds(client)) {
    const resource = client.resource(kind);
    const before = await resource.list({ namespace, limit: 1 });
    if (before.items.length === 0) continue;
    await resource.deleteCollection({ namespace });
    const after = await resource.list({ namespace, limit: 1 });
    left += after.items.length > 0 ? 1 : 0;
  }
  return left;
}

/** Every kind that a namespace can hold, each in one version, Events last. */
async function contentKinds(client: Client): Promise<readonly ServedKind[]> {
  const kinds = preferredKinds(await new Discovery(client).read()).filter(isContent);
  return [...kinds.filter(({ kind }) => kind !== LAST), ...kinds.filter(({ kind }) => kind === LAST)];
}

const isContent = ({ scope, verbs }: ServedKind): boolean =>
  scope === "Namespaced" && verbs.includes("deletecollection") && verbs.includes("list");
