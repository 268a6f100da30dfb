/**
 * The garbage collector: deletes objects without existing owners, and treats the dependents of a deleted object as
 * requested (CTL-GC-1..28).
 *
 * - An object whose owners are all absent is deleted; otherwise the absent ones are removed from it.
 * - An object with `foregroundDeletion` stays until no dependent blocks it.
 * - An object with `orphan` is removed from its dependents before it is deleted.
 *
 * A key is the uid of an object. The server confirms that an owner is absent, and deletes an object only in the version
 * that the decision was made for.
 */
import { type Client, attempt, keyOf, metadataOf } from "../../client/index.ts";
import type { StatusReason } from "../../meta/status.ts";
import { removeFinalizer } from "../../runtime/finalizer.ts";
import { type Controller, type KeyContext, type Result, defineKeyController } from "../../runtime/index.ts";
import { REQUEUE_SOON, deleteObject } from "../../runtime/writes.ts";
import {
  FOREGROUND,
  type GraphNode,
  ORPHAN,
  type OwnerReference,
  ObjectGraph,
  isWaitingForDependents,
} from "./object-graph.ts";

type Propagation = "Orphan" | "Foreground" | "Background";

interface Owners {
  readonly stay: readonly OwnerReference[];
  /** Owners that stay, and are not in memory yet. */
  readonly unseen: readonly OwnerReference[];
  readonly absent: readonly OwnerReference[];
  readonly leave: readonly OwnerReference[];
  /** Unknown owners; the object is kept. */
  readonly undecided: readonly OwnerReference[];
}

/** The reasons of the server where the object has changed since. */
const STALE_REASONS: readonly StatusReason[] = ["Conflict", "Invalid"];

/** The controller named `garbage-collector`. */
export const garbageCollector: Controller = defineKeyController({
  name: "keelson-garbage-collector",
  eventSource: "garbage-collector-controller",
  concurrency: 16,
  begin: (parts, add) => new ObjectGraph(parts, add),
  async reconcile(ctx): Promise<Result> {
    const node = ctx.memory.get(ctx.key);
    if (!node) return undefined;
    const { deletionTimestamp, finalizers = [] } = node.object.metadata;
    if (deletionTimestamp === undefined) return decide(ctx, node);
    if (finalizers.includes(ORPHAN)) return orphan(ctx, node);
    if (!isWaitingForDependents(node.object) || ctx.memory.isBlocked(ctx.key)) return undefined;
    // A blocking dependent may be of a kind that was just added.
    return ctx.memory.isComplete ? removeDeletionFinalizer(ctx.client, node, FOREGROUND) : REQUEUE_SOON;
  },
});

type CollectorContext = KeyContext<ObjectGraph>;

/** Keeps or deletes an object that is not being deleted, or removes owners from it. */
async function decide(ctx: CollectorContext, node: GraphNode): Promise<Result> {
  const { ownerReferences = [], uid } = node.object.metadata;
  if (ownerReferences.length === 0) return undefined;
  const { stay, unseen, absent, leave, undecided } = await classifyOwners(ctx, node);
  if (undecided.length > 0) return undefined;
  const gone = new Set([...absent, ...leave]);
  if (stay.length + unseen.length > 0) {
    if (gone.size > 0) {
      const left = ownerReferences.filter((one) => !gone.has(one));
      return setOwners(ctx.client, node, left);
    }
    // No event reports an owner that is added and deleted while its watch is behind: it is read until memory has it.
    return unseen.length > 0 ? REQUEUE_SOON : undefined;
  }
  if (leave.length === 0 || !ctx.memory.hasDependents(uid)) return remove(ctx, node, policyOf(node));
  // In a cycle each would wait for the other (CTL-GC-19).
  const isCircle = ctx.memory.dependentsOf(uid).some(({ object }) => isWaitingForDependents(object));
  if (isCircle && ownerReferences.some((one) => one.blockOwnerDeletion === true)) {
    return setOwners(
      ctx.client,
      node,
      ownerReferences.map((one) => ({ ...one, blockOwnerDeletion: false })),
    );
  }
  return remove(ctx, node, "Foreground");
}

async function classifyOwners(ctx: CollectorContext, node: GraphNode): Promise<Owners> {
  const owners: Record<keyof Owners, OwnerReference[]> = {
    stay: [],
    unseen: [],
    absent: [],
    leave: [],
    undecided: [],
  };
  // Requests in the same process may not yield to the event loop, and an object may have thousands of owners.
  const limit = ctx.clock.loop.slice();
  for (const owner of node.object.metadata.ownerReferences ?? []) {
    owners[await classifyOwner(ctx, node, owner)].push(owner);
    await limit.pause();
  }
  return owners;
}

async function classifyOwner(ctx: CollectorContext, node: GraphNode, owner: OwnerReference): Promise<keyof Owners> {
  const { memory } = ctx;
  const location = memory.locationOf(owner, node);
  if (location === "unknown kind") memory.waitForKinds(ctx.key);
  if (location === "elsewhere") reportForeignOwner(ctx, node, owner);
  if (typeof location === "string") return "undecided";
  const seen = memory.at(location);
  if (seen?.metadata.uid === owner.uid) return isWaitingForDependents(seen) ? "leave" : "stay";
  if (!memory.isAbsent(owner, location)) {
    // Memory may not contain it yet.
    const found = await ctx.client.resource(metadataOf(location.kind)).find(location.key);
    if (found?.metadata.uid === owner.uid) {
      if (isWaitingForDependents(found)) return "leave";
      return memory.isFollowed(location) ? "unseen" : "stay";
    }
    memory.rememberAbsent(owner, location);
  }
  const { namespace } = memory.get(owner.uid)?.object.metadata ?? {};
  if (location.key.namespace !== undefined && namespace !== undefined && namespace !== location.key.namespace) {
    reportForeignOwner(ctx, node, owner);
  }
  return "absent";
}

function reportForeignOwner(
  { event }: CollectorContext,
  { object }: GraphNode,
  { apiVersion, kind, name, uid }: OwnerReference,
): void {
  const owner = `${kind}.${apiVersion} ${name} (uid ${uid})`;
  event(
    "Warning",
    object,
    "OwnerRefInvalidNamespace",
    `expected an owner in the namespace of its dependent, ${object.metadata.namespace ?? "which has none"}: found ${owner}`,
  );
}

/** Removes an object from the owners of its dependents, then removes the finalizer. */
async function orphan({ client, memory }: CollectorContext, node: GraphNode): Promise<Result> {
  const { uid } = node.object.metadata;
  if (!memory.isComplete) return REQUEUE_SOON;
  for (const dependent of memory.dependentsOf(uid)) {
    const { ownerReferences = [] } = dependent.object.metadata;
    const result = await setOwners(
      client,
      dependent,
      ownerReferences.filter((owner) => owner.uid !== uid),
    );
    if (result) return result;
  }
  return removeDeletionFinalizer(client, node, ORPHAN);
}

async function removeDeletionFinalizer(
  client: Client,
  { kind, object }: GraphNode,
  finalizer: string,
): Promise<Result> {
  const done = await attempt(removeFinalizer(client, metadataOf(kind), object, finalizer), ...STALE_REASONS);
  return done.ok ? undefined : REQUEUE_SOON;
}

/** Deletes an object in the version of the decision. */
async function remove({ client }: CollectorContext, { kind, object }: GraphNode, policy: Propagation): Promise<Result> {
  const { resourceVersion } = object.metadata;
  const options = { resourceVersion, propagationPolicy: policy };
  return (await deleteObject(client, metadataOf(kind), object, options)) === "Conflict" ? REQUEUE_SOON : undefined;
}

async function setOwners(
  client: Client,
  { kind, object }: GraphNode,
  ownerReferences: readonly OwnerReference[],
): Promise<Result> {
  const { uid, resourceVersion } = object.metadata;
  const metadata = { uid, resourceVersion, ownerReferences };
  const done = await attempt(
    client.resource(metadataOf(kind)).patch(keyOf(object), { metadata }),
    "NotFound",
    "Conflict",
  );
  return done.ok || done.reason === "NotFound" ? undefined : REQUEUE_SOON;
}

/** The propagation policy that the finalizers of an object imply (CTL-GC-16). */
function policyOf({ object: { metadata } }: GraphNode): Propagation {
  if (metadata.finalizers?.includes(ORPHAN) === true) return "Orphan";
  return metadata.finalizers?.includes(FOREGROUND) === true ? "Foreground" : "Background";
}
