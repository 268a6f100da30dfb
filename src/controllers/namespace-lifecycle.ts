/**
 * Empties namespaces that are being deleted, then lets them go (DEC-34).
 *
 * Everything in the namespace is deleted, kind by kind as discovery lists them; when nothing is left the finalizer of
 * this controller is taken off `spec.finalizers`, and the server removes the namespace. Objects with finalizers of their own
 * hold it back until those are done.
 *
 * @module
 */
import { type Client, Discovery, Informer, type ServedKind, isStatus, preferredKinds } from "../client/index.ts";
import { Namespace } from "../client/kinds/index.ts";
import { WorkQueue } from "../util/work-queue.ts";
import type { Controller, ControllerContext, RunningController } from "./controller.ts";

const FINALIZER = "kubernetes";
/** How long to wait before looking again at what has not gone yet, more and more. */
const AGAIN = { first: 200, most: 10_000 };
/** Created by nothing in the namespace itself, so that reports of the end can still be written. */
const LAST = "Event";

/** The controller named `namespace`. */
export const namespaceLifecycle: Controller = {
  name: "namespace",
  async start(context: ControllerContext): Promise<RunningController> {
    const { client, clock, random, log } = context;
    const namespaces = client.resource(Namespace);
    const queue = new WorkQueue({
      clock,
      random,
      work: (name) => empty(client, informer.get("", name)),
      retry: AGAIN,
      failed(name, error) {
        if (error instanceof NotEmpty) return;
        log.warn("a namespace could not be emptied yet", { namespace: name, error: String(error) });
      },
    });
    const look = (namespace: Namespace): void => {
      if (namespace.metadata.deletionTimestamp !== undefined) queue.add(namespace.metadata.name);
    };
    const informer = new Informer(namespaces, { clock, random, handlers: { added: look, changed: look } });
    await informer.start();
    return {
      async stop() {
        await Promise.all([queue.close(), informer.stop()]);
      },
    };
  },
};

/** Something in a namespace has finalizers that are not ours; it will be looked at again. */
class NotEmpty extends Error {
  override readonly name = "NotEmpty";
}

/** Deletes what is in a namespace and lets it go; throws {@link NotEmpty} while something is left. */
async function empty(client: Client, namespace: Namespace | undefined): Promise<void> {
  if (!namespace) return;
  const { name } = namespace.metadata;
  const left = await deleteContent(client, name);
  if (left > 0) throw new NotEmpty(`expected namespace ${name} to be empty, ${left} kinds are left`);
  const { spec } = namespace;
  if (!spec.finalizers?.includes(FINALIZER)) return;
  const finalizers = spec.finalizers.filter((f) => f !== FINALIZER);
  try {
    await client
      .resource(Namespace)
      .subresource("finalize")
      .update({ ...namespace, spec: { ...spec, finalizers } });
  } catch (error) {
    // Somebody wrote it meanwhile; that change brings it back here.
    if (!isStatus(error, "NotFound", "Conflict")) throw error;
  }
}

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
