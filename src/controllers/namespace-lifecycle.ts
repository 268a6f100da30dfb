/**
 * Empties namespaces that are being deleted, then lets them go (DEC-34).
 *
 * Everything in the namespace is deleted, kind by kind as discovery lists them; when nothing is left the finalizer of
 * this controller is taken off `spec.finalizers`, and the server removes the namespace. Objects with finalizers of their own
 * hold it back until those are done.
 *
 * @module
 */
import type { ApiObject } from "../schema/definition.ts";
import { type Client, Informer, type ResourceRef, isStatus } from "../client/index.ts";
import { WorkQueue } from "../util/work-queue.ts";
import type { Controller, ControllerContext, RunningController } from "./controller.ts";

const NAMESPACES: ResourceRef = { group: "", version: "v1", plural: "namespaces" };
const FINALIZER = "kubernetes";
/** How long to wait before looking again at what has not gone yet, more and more. */
const AGAIN = { first: 200, most: 10_000 };
/** Created by nothing in the namespace itself, so that reports of the end can still be written. */
const LAST = "events";

/** The controller named `namespace`. */
export const namespaceLifecycle: Controller = {
  name: "namespace",
  async start(context: ControllerContext): Promise<RunningController> {
    const { client, clock, random, log } = context;
    const namespaces = client.resource(NAMESPACES);
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
    const look = (namespace: ApiObject): void => {
      if (namespace.metadata.deletionTimestamp !== undefined) queue.add(namespace.metadata.name!);
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
async function empty(client: Client, namespace: ApiObject | undefined): Promise<void> {
  if (!namespace) return;
  const name = namespace.metadata.name!;
  const left = await deleteContent(client, name);
  if (left > 0) throw new NotEmpty(`expected namespace ${name} to be empty, ${left} kinds are left`);
  const spec = (namespace["spec"] ?? {}) as { finalizers?: string[] };
  if (!spec.finalizers?.includes(FINALIZER)) return;
  const finalizers = spec.finalizers.filter((f) => f !== FINALIZER);
  try {
    await client.resource(NAMESPACES).update({ ...namespace, spec: { ...spec, finalizers } }, "finalize");
  } catch (error) {
    // Somebody wrote it meanwhile; that change brings it back here.
    if (!isStatus(error, "NotFound", "Conflict")) throw error;
  }
}

/** Deletes every collection of a namespace and counts the kinds that still have objects. */
async function deleteContent(client: Client, namespace: string): Promise<number> {
  let left = 0;
  for (const ref of await contentKinds(client)) {
    const resource = client.resource(ref);
    const before = await resource.list({ namespace, limit: 1 });
    if (before.items.length === 0) continue;
    await resource.deleteCollection({ namespace });
    const after = await resource.list({ namespace, limit: 1 });
    left += after.items.length > 0 ? 1 : 0;
  }
  return left;
}

interface DiscoveredResource {
  readonly name: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** Every kind that a namespace can hold, once per group, Events last. */
async function contentKinds(client: Client): Promise<readonly ResourceRef[]> {
  const { groups } = await client.json<{
    groups: { name: string; versions: { version: string }[] }[];
  }>("GET", "/apis");
  const kinds: ResourceRef[] = await kindsOf(client, "", "v1");
  for (const group of groups) {
    const seen = new Set<string>();
    for (const { version } of group.versions) {
      for (const ref of await kindsOf(client, group.name, version)) {
        if (!seen.has(ref.plural)) kinds.push(ref);
        seen.add(ref.plural);
      }
    }
  }
  return [...kinds.filter((k) => k.plural !== LAST), ...kinds.filter((k) => k.plural === LAST).slice(0, 1)];
}

async function kindsOf(client: Client, group: string, version: string): Promise<ResourceRef[]> {
  const path = group ? `/apis/${group}/${version}` : `/api/${version}`;
  const { resources } = await client.json<{ resources: DiscoveredResource[] }>("GET", path);
  return resources
    .filter(
      (r) => r.namespaced && r.verbs.includes("deletecollection") && r.verbs.includes("list") && !r.name.includes("/"),
    )
    .map((r) => ({ group, version, plural: r.name }));
}
