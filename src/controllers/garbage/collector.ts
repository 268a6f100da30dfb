/**
 * The garbage collector: what belongs to nobody any more is deleted, and who is deleted gets the dependents treated as it was
 * asked for (CTL-GC-1..28).
 *
 * - An object none of whose owners is there is deleted; of several the absent ones are taken off it.
 * - Who is deleted in the foreground (`foregroundDeletion`) stays until no dependent blocks it any more.
 * - Who is deleted as `orphan` loses its dependents before it goes.
 *
 * Each object is looked at by its uid. Whether an owner is there is asked of the server, unless it was seen; nothing is deleted
 * but in the version that was judged.
 *
 * @module
 */
import { type Client, attempt, keyOf, metadataOf } from "../../client/index.ts";
import type { StatusReason } from "../../meta/status.ts";
import { removeFinalizer } from "../../runtime/finalizer.ts";
import { type Controller, type KeyContext, type Result, defineKeyController } from "../../runtime/index.ts";
import { FOREGROUND, type Member, ORPHAN, type OwnerReference, Population, isLeaving } from "./population.ts";

type Propagation = "Orphan" | "Foreground" | "Background";

/** What is judged of an object: which owners stay, which are not there, which leave and wait for it. */
interface Owners {
  readonly stay: readonly OwnerReference[];
  readonly absent: readonly OwnerReference[];
  readonly leave: readonly OwnerReference[];
  /** Nothing can be said of them, so the object is kept. */
  readonly undecided: readonly OwnerReference[];
}

/** Memory was behind, and will show what has changed. */
const AGAIN: Result = { requeueAfter: "100ms" };
/** How the server tells that an object is not the one that was judged. */
const BEHIND: readonly StatusReason[] = ["Conflict", "Invalid"];

/** The controller named `garbage-collector`. */
export const garbageCollector: Controller = defineKeyController({
  name: "keelson-garbage-collector",
  eventSource: "garbage-collector-controller",
  concurrency: 16,
  begin: (ground, add) => new Population(ground, add),
  async reconcile(ctx): Promise<Result> {
    const member = ctx.memory.get(ctx.key);
    if (!member) return undefined;
    const { deletionTimestamp, finalizers = [] } = member.object.metadata;
    if (deletionTimestamp === undefined) return decide(ctx, member);
    if (finalizers.includes(ORPHAN)) return orphan(ctx, member);
    if (!isLeaving(member.object) || ctx.memory.isBlocked(ctx.key)) return undefined;
    // Who blocks it may be of a kind that has just come.
    return ctx.memory.isComplete ? release(ctx.client, member, FOREGROUND) : AGAIN;
  },
});

type Collecting = KeyContext<Population>;

/** Keeps, strips or deletes an object that nobody has deleted yet. */
async function decide(ctx: Collecting, member: Member): Promise<Result> {
  const { ownerReferences = [], uid } = member.object.metadata;
  if (ownerReferences.length === 0) return undefined;
  const { stay, absent, leave, undecided } = await judge(ctx, member);
  if (undecided.length > 0) return undefined;
  const gone = new Set([...absent, ...leave]);
  if (stay.length > 0) {
    return gone.size === 0
      ? undefined
      : setOwners(
          ctx.client,
          member,
          ownerReferences.filter((one) => !gone.has(one)),
        );
  }
  if (leave.length === 0 || !ctx.memory.hasDependents(uid)) return remove(ctx, member, policyOf(member));
  // In a circle each would wait for the other (CTL-GC-19).
  const isCircle = ctx.memory.dependentsOf(uid).some(({ object }) => isLeaving(object));
  if (isCircle && ownerReferences.some((one) => one.blockOwnerDeletion === true)) {
    return setOwners(
      ctx.client,
      member,
      ownerReferences.map((one) => ({ ...one, blockOwnerDeletion: false })),
    );
  }
  return remove(ctx, member, "Foreground");
}

/** Sorts the owners of an object by what has become of them. */
async function judge(ctx: Collecting, member: Member): Promise<Owners> {
  const owners = { stay: [], absent: [], leave: [], undecided: [] } as Record<keyof Owners, OwnerReference[]>;
  // Requests in the same process may be answered without a turn of the event loop, and an object may have thousands of owners.
  const limit = ctx.clock.loop.slice();
  for (const owner of member.object.metadata.ownerReferences ?? []) {
    owners[await fateOf(ctx, member, owner)].push(owner);
    await limit.pause();
  }
  return owners;
}

async function fateOf(ctx: Collecting, member: Member, owner: OwnerReference): Promise<keyof Owners> {
  const { memory } = ctx;
  const place = memory.placeOf(owner, member);
  if (place === "unknown kind") memory.waitForKinds(ctx.key);
  if (place === "elsewhere") tellForeign(ctx, member, owner);
  if (typeof place === "string") return "undecided";
  const seen = memory.at(place);
  if (seen?.metadata.uid === owner.uid) return isLeaving(seen) ? "leave" : "stay";
  if (!memory.isAbsent(owner, place)) {
    // It may be younger than what memory shows.
    const found = await ctx.client.resource(metadataOf(place.kind)).find(place.key);
    if (found?.metadata.uid === owner.uid) return isLeaving(found) ? "leave" : "stay";
    memory.rememberAbsent(owner, place);
  }
  const { namespace } = memory.get(owner.uid)?.object.metadata ?? {};
  if (place.key.namespace !== undefined && namespace !== undefined && namespace !== place.key.namespace) {
    tellForeign(ctx, member, owner);
  }
  return "absent";
}

function tellForeign({ event }: Collecting, { object }: Member, { apiVersion, kind, name, uid }: OwnerReference): void {
  const owner = `${kind}.${apiVersion} ${name} (uid ${uid})`;
  event(
    "Warning",
    object,
    "OwnerRefInvalidNamespace",
    `expected an owner in the namespace of its dependent, ${object.metadata.namespace ?? "which has none"}: found ${owner}`,
  );
}

/** Takes an object off every dependent, then lets it go. */
async function orphan({ client, memory }: Collecting, member: Member): Promise<Result> {
  const { uid } = member.object.metadata;
  if (!memory.isComplete) return AGAIN;
  for (const dependent of memory.dependentsOf(uid)) {
    const { ownerReferences = [] } = dependent.object.metadata;
    const result = await setOwners(
      client,
      dependent,
      ownerReferences.filter((owner) => owner.uid !== uid),
    );
    if (result) return result;
  }
  return release(client, member, ORPHAN);
}

async function release(client: Client, { kind, object }: Member, finalizer: string): Promise<Result> {
  const done = await attempt(removeFinalizer(client, metadataOf(kind), object, finalizer), ...BEHIND);
  return done.ok ? undefined : AGAIN;
}

/** Deletes an object in the version that was judged. */
async function remove({ client }: Collecting, { kind, object }: Member, policy: Propagation): Promise<Result> {
  const { resourceVersion } = object.metadata;
  const options = { resourceVersion, propagationPolicy: policy };
  const done = await attempt(client.resource(metadataOf(kind)).delete(object, options), "NotFound", "Conflict");
  return done.ok || done.reason === "NotFound" ? undefined : AGAIN;
}

/** Writes the owners of an object in the version that was judged. */
async function setOwners(
  client: Client,
  { kind, object }: Member,
  ownerReferences: readonly OwnerReference[],
): Promise<Result> {
  const { uid, resourceVersion } = object.metadata;
  const metadata = { uid, resourceVersion, ownerReferences };
  const done = await attempt(
    client.resource(metadataOf(kind)).patch(keyOf(object), { metadata }),
    "NotFound",
    "Conflict",
  );
  return done.ok || done.reason === "NotFound" ? undefined : AGAIN;
}

/** What becomes of the dependents of an object that nobody has asked about: what its finalizers say (CTL-GC-16). */
function policyOf({ object: { metadata } }: Member): Propagation {
  if (metadata.finalizers?.includes(ORPHAN) === true) return "Orphan";
  return metadata.finalizers?.includes(FOREGROUND) === true ? "Foreground" : "Background";
}
