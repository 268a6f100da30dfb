import {
  type ApiObject,
  type ServedKind,
  type Key,
  apiVersionOf,
  metadataOf,
  nameOfKind,
  preferredKinds,
} from "../../client/index.ts";
import type { ObjectMeta } from "../../client/kinds/types.ts";
import { type SourceParts, type HeldInformer, type ObjectEvent, sharedInformer } from "../../runtime/index.ts";
import { addTo, removeFrom } from "../../runtime/sets-by-key.ts";
import { BoundedCache } from "../../util/bounded-cache.ts";

/** An entry of ownerReferences. */
export type OwnerReference = NonNullable<ObjectMeta["ownerReferences"]>[number];

/** An object in the graph. */
export interface GraphNode {
  readonly kind: ServedKind;
  readonly object: ApiObject;
}

/** The kind and key of an owner. */
export interface OwnerLocation {
  readonly kind: ServedKind;
  readonly key: Key;
}

/** The finalizers that say how to treat dependents. */
export const FOREGROUND = "foregroundDeletion";
export const ORPHAN = "orphan";

interface FollowedKind {
  readonly kind: ServedKind;
  readonly informer: HeldInformer;
  readonly subscriptions: DisposableStack;
  isTimedOut: boolean;
}

/** How long a kind that cannot be listed delays the start. */
const LIST_TIMEOUT_MS = 30_000;
const MAX_ABSENT_OWNERS = { entries: 10_000, bytes: 4 << 20 };

/**
 * The graph of owners and dependents: the metadata of every object by uid, followed as objects and kinds change.
 *
 * It adds the keys that need work: dependents of objects that were deleted or wait for dependents, owners that wait,
 * and objects with unknown owners. It adds none before all kinds have been listed.
 */
export class ObjectGraph implements Disposable {
  readonly #parts: SourceParts;
  readonly #add: (uid: string) => void;
  readonly #members = new Map<string, GraphNode>();
  readonly #dependents = new Map<string, Set<string>>();
  /** Dependents that block the foreground deletion of their owner. */
  readonly #blocking = new Map<string, Set<string>>();
  readonly #followed = new Map<string, FollowedKind>();
  readonly #kinds = new Map<string, ServedKind>();
  readonly #absent = new BoundedCache<true>(MAX_ABSENT_OWNERS);
  /** Objects with an owner of a kind that is not served. */
  readonly #waiting = new Set<string>();
  readonly #subscriptions = new DisposableStack();
  #isComplete = false;

  constructor(parts: SourceParts, add: (uid: string) => void) {
    this.#parts = parts;
    this.#add = add;
    this.#subscriptions.use(parts.kinds.on((kinds) => this.#follow(kinds)));
  }

  [Symbol.dispose](): void {
    this.#subscriptions.dispose();
    for (const { subscriptions } of this.#followed.values()) subscriptions.dispose();
    this.#followed.clear();
  }

  /** Whether every kind has been listed or has timed out; before, dependents may be unknown. */
  get isComplete(): boolean {
    return this.#followed.values().every(({ informer, isTimedOut }) => isTimedOut || informer.reflector.hasSynced);
  }

  get(uid: string): GraphNode | undefined {
    return this.#members.get(uid);
  }

  /** Returns the dependents of an owner, in all namespaces. */
  dependentsOf(uid: string): readonly GraphNode[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => this.#members.get(dependent) ?? []);
  }

  hasDependents(uid: string): boolean {
    return this.#dependents.has(uid);
  }

  /** Whether a dependent blocks the foreground deletion of an object. */
  isBlocked(uid: string): boolean {
    return this.#blocking.has(uid);
  }

  /** Returns the location of an owner; a cluster-scoped object has no owner in a namespace. */
  locationOf(
    { apiVersion, kind, name }: OwnerReference,
    { kind: own, object }: GraphNode,
  ): OwnerLocation | "unknown kind" | "elsewhere" {
    const served = this.#kinds.get(`${apiVersion} ${kind}`);
    // A kind that cannot be read owns nothing.
    if (!served?.verbs.includes("get")) return "unknown kind";
    if (served.scope === "Cluster") return { kind: served, key: { name } };
    const { namespace } = object.metadata;
    if (own.scope === "Cluster" || !namespace) return "elsewhere";
    return { kind: served, key: { name, namespace } };
  }

  /** Returns the object at a location, as far as it is known. */
  at({ kind, key }: OwnerLocation): ApiObject | undefined {
    return this.#followed.get(nameOfKind(kind))?.informer.get(key);
  }

  /** Whether the objects of a location will become known. */
  isFollowed({ kind }: OwnerLocation): boolean {
    return this.#followed.has(nameOfKind(kind));
  }

  /** Remembers an absent owner: a uid is never used again. */
  rememberAbsent(owner: OwnerReference, location: OwnerLocation): void {
    this.#absent.set(absenceKey(owner, location), true);
  }

  isAbsent(owner: OwnerReference, location: OwnerLocation): boolean {
    return this.#absent.get(absenceKey(owner, location)) === true;
  }

  /** Adds the key again when the served kinds change. */
  waitForKinds(uid: string): void {
    this.#waiting.add(uid);
  }

  #follow(kinds: readonly ServedKind[]): void {
    this.#kinds.clear();
    for (const kind of kinds) this.#kinds.set(`${apiVersionOf(kind)} ${kind.kind}`, kind);
    const wanted = new Map(
      preferredKinds(kinds)
        .filter(isCollected)
        .map((kind) => [nameOfKind(kind), kind]),
    );
    for (const [name, { kind }] of this.#followed) {
      if (wanted.get(name)?.version !== kind.version) this.#leave(name);
    }
    for (const [name, kind] of wanted) if (!this.#followed.has(name)) this.#enter(name, kind);
    for (const uid of this.#waiting) this.#add(uid);
    this.#waiting.clear();
    this.#startWhenListed();
  }

  #enter(name: string, kind: ServedKind): void {
    const subscriptions = new DisposableStack();
    const informer = subscriptions.use(this.#parts.informer(sharedInformer(metadataOf(kind))));
    const followed: FollowedKind = { kind, informer, subscriptions, isTimedOut: false };
    const onTimeout = (): void => {
      followed.isTimedOut = true;
      this.#startWhenListed();
    };
    this.#followed.set(name, followed);
    subscriptions.adopt(this.#parts.clock.after(LIST_TIMEOUT_MS, onTimeout), (timer) => timer.cancel());
    subscriptions.use(informer.on((event) => this.#observe(event, kind)));
    subscriptions.use(informer.reflector.onProgress(() => this.#startWhenListed()));
  }

  /** Drops the objects of a kind that is not served any more, or in another version; they are not deleted. */
  #leave(name: string): void {
    const followed = this.#followed.get(name);
    if (!followed) return;
    for (const object of followed.informer.list()) this.#forget(object);
    this.#followed.delete(name);
    followed.subscriptions.dispose();
  }

  /** Once everything has been listed, adds the keys that need work. */
  #startWhenListed(): void {
    if (this.#isComplete || this.#followed.size === 0 || !this.isComplete) return;
    this.#isComplete = true;
    for (const node of this.#members.values()) if (this.#needsWork(node)) this.#add(node.object.metadata.uid);
  }

  #observe(event: ObjectEvent<ApiObject>, kind: ServedKind): void {
    const { object } = event;
    const old = event.type === "changed" ? event.old : undefined;
    if (old) this.#forget(old);
    const node = { kind, object };
    if (event.type === "deleted") this.#forget(object);
    else this.#remember(node);
    if (!this.#isComplete) return;
    const leaves =
      event.type === "deleted" || (isWaitingForDependents(object) && !(old && isWaitingForDependents(old)));
    if (leaves) for (const uid of this.#dependents.get(object.metadata.uid) ?? []) this.#add(uid);
    if (event.type !== "deleted" && this.#needsWork(node)) this.#add(object.metadata.uid);
    this.#addWaitingOwners(object);
    if (old) this.#addWaitingOwners(old);
  }

  /** Adds owners that wait for dependents, one of which has changed. */
  #addWaitingOwners({ metadata: { ownerReferences = [] } }: ApiObject): void {
    for (const { uid } of ownerReferences) {
      const owner = this.#members.get(uid);
      if (owner && isWaitingForDependents(owner.object)) this.#add(uid);
    }
  }

  /** Whether an object needs work: a deletion finalizer, or owners that do not stay. */
  #needsWork(node: GraphNode): boolean {
    const { deletionTimestamp, finalizers = [], ownerReferences = [] } = node.object.metadata;
    if (deletionTimestamp !== undefined) return finalizers.includes(ORPHAN) || finalizers.includes(FOREGROUND);
    return ownerReferences.some((owner) => !this.#stays(owner, node));
  }

  #stays(owner: OwnerReference, dependent: GraphNode): boolean {
    const location = this.locationOf(owner, dependent);
    if (typeof location === "string") return false;
    const found = this.at(location);
    return found?.metadata.uid === owner.uid && !isWaitingForDependents(found);
  }

  #remember(node: GraphNode): void {
    const { uid, ownerReferences = [] } = node.object.metadata;
    this.#members.set(uid, node);
    for (const owner of ownerReferences) {
      addTo(this.#dependents, owner.uid, uid);
      if (blocks(owner, uid)) addTo(this.#blocking, owner.uid, uid);
    }
  }

  #forget({ metadata: { uid, ownerReferences = [] } }: ApiObject): void {
    this.#members.delete(uid);
    this.#waiting.delete(uid);
    for (const owner of ownerReferences) {
      removeFrom(this.#dependents, owner.uid, uid);
      removeFrom(this.#blocking, owner.uid, uid);
    }
  }
}

/** Whether an object waits for its dependents to be deleted. */
export const isWaitingForDependents = ({ metadata: { deletionTimestamp, finalizers } }: ApiObject): boolean =>
  deletionTimestamp !== undefined && finalizers?.includes(FOREGROUND) === true;

/** Whether a dependent blocks the foreground deletion of this owner; an object does not block itself. */
export const blocks = (owner: OwnerReference, dependent: string): boolean =>
  owner.blockOwnerDeletion === true && owner.uid !== dependent;

/** Whether objects of a kind are collected; Events are not, as they change often and expire (CTL-GC-23). */
export const isCollected = ({ kind, verbs }: ServedKind): boolean =>
  kind !== "Event" && ["list", "watch", "delete"].every((verb) => verbs.includes(verb));

const absenceKey = ({ uid }: OwnerReference, { kind, key }: OwnerLocation): string =>
  `${uid} ${nameOfKind(kind)} ${key.namespace ?? ""}/${key.name}`;
