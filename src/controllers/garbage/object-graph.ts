/**
 * Every object of the server by uid, and who depends on whom: a graph of metadata, followed as objects and kinds come and go.
 *
 * It says which objects have to be looked at: dependents of who has gone or leaves in the foreground, owners that wait, and
 * who has an owner that is not known here. Nothing is told before all kinds have been listed; what is known then is
 * looked at once.
 *
 * @module
 */
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
import { BoundedCache } from "../../util/bounded-cache.ts";

/** An owner as a dependent names it. */
export type OwnerReference = NonNullable<ObjectMeta["ownerReferences"]>[number];

/** An object, as the collector sees it. */
export interface GraphNode {
  readonly kind: ServedKind;
  /** Only metadata. */
  readonly object: ApiObject;
}

/** Where an owner is looked for. */
export interface OwnerLocation {
  readonly kind: ServedKind;
  readonly key: Key;
}

/** The finalizers that say what becomes of the dependents of an object that is being deleted. */
export const FOREGROUND = "foregroundDeletion";
export const ORPHAN = "orphan";

interface FollowedKind {
  readonly kind: ServedKind;
  readonly informer: HeldInformer;
  readonly subscriptions: DisposableStack;
  /** Whether it has had its time to list. */
  isTimedOut: boolean;
}

/** A kind that cannot be listed holds up the others for so long. */
const LIST_TIMEOUT_MS = 30_000;
/** How many owners that are not there are remembered; nothing bounds what stands in a reference to one. */
const MAX_ABSENT_OWNERS = { entries: 10_000, bytes: 4 << 20 };

/** See the head of this file. */
export class ObjectGraph implements Disposable {
  readonly #parts: SourceParts;
  readonly #add: (uid: string) => void;
  readonly #members = new Map<string, GraphNode>();
  /** Uids of dependents by the uid of their owner. */
  readonly #dependents = new Map<string, Set<string>>();
  /** Of these the ones that hold an owner which leaves in the foreground. */
  readonly #blocking = new Map<string, Set<string>>();
  readonly #followed = new Map<string, FollowedKind>();
  /** By apiVersion and kind, in all versions. */
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

  /** Whether every kind has been listed, or has had its time: only then it is known on whom nobody depends. */
  get isComplete(): boolean {
    return this.#followed.values().every(({ informer, isTimedOut }) => isTimedOut || informer.reflector.hasSynced);
  }

  get(uid: string): GraphNode | undefined {
    return this.#members.get(uid);
  }

  /** The objects that name an owner, in whatever namespace they are. */
  dependentsOf(uid: string): readonly GraphNode[] {
    return [...(this.#dependents.get(uid) ?? [])].map((dependent) => this.#members.get(dependent)!);
  }

  hasDependents(uid: string): boolean {
    return this.#dependents.has(uid);
  }

  /** Whether somebody holds an owner that leaves in the foreground. */
  isBlocked(uid: string): boolean {
    return this.#blocking.has(uid);
  }

  /** Where the owner of an object is to be found; a cluster-wide object has none in a namespace. */
  locationOf(
    { apiVersion, kind, name }: OwnerReference,
    { kind: own, object }: GraphNode,
  ): OwnerLocation | "unknown kind" | "elsewhere" {
    const served = this.#kinds.get(`${apiVersion} ${kind}`);
    // What is asked and not stored owns nothing.
    if (!served?.verbs.includes("get")) return "unknown kind";
    if (served.scope === "Cluster") return { kind: served, key: { name } };
    const { namespace } = object.metadata;
    if (own.scope === "Cluster" || !namespace) return "elsewhere";
    return { kind: served, key: { name, namespace } };
  }

  /** The object at a location, as far as it has been seen. */
  at({ kind, key }: OwnerLocation): ApiObject | undefined {
    return this.#followed.get(nameOfKind(kind))?.informer.get(key);
  }

  /** An owner that is not at its location will never be there: no uid is given twice. */
  rememberAbsent(owner: OwnerReference, location: OwnerLocation): void {
    this.#absent.set(absenceKey(owner, location), true);
  }

  isAbsent(owner: OwnerReference, location: OwnerLocation): boolean {
    return this.#absent.get(absenceKey(owner, location)) === true;
  }

  /** Has an object looked at again when other kinds are served. */
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

  /** A kind is not served any more, or in another version: its objects are forgotten, not gone. */
  #leave(name: string): void {
    const { subscriptions, informer } = this.#followed.get(name)!;
    for (const object of informer.list()) this.#forget(object);
    this.#followed.delete(name);
    subscriptions.dispose();
  }

  /** As soon as everything has been listed, all that may matter is looked at. */
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

  /** Owners that leave in the foreground are looked at again when a dependent of theirs has changed. */
  #addWaitingOwners({ metadata: { ownerReferences = [] } }: ApiObject): void {
    for (const { uid } of ownerReferences) {
      const owner = this.#members.get(uid);
      if (owner && isWaitingForDependents(owner.object)) this.#add(uid);
    }
  }

  /** Whether there is something to do for an object: it leaves and asks for it, or not all of its owners stay. */
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
      put(this.#dependents, owner.uid, uid);
      if (blocks(owner, uid)) put(this.#blocking, owner.uid, uid);
    }
  }

  #forget({ metadata: { uid, ownerReferences = [] } }: ApiObject): void {
    this.#members.delete(uid);
    this.#waiting.delete(uid);
    for (const owner of ownerReferences) {
      take(this.#dependents, owner.uid, uid);
      take(this.#blocking, owner.uid, uid);
    }
  }
}

/** Whether an object waits for its dependents to be deleted. */
export const isWaitingForDependents = ({ metadata: { deletionTimestamp, finalizers } }: ApiObject): boolean =>
  deletionTimestamp !== undefined && finalizers?.includes(FOREGROUND) === true;

/** Whether a dependent holds this owner of it, should that leave in the foreground; who owns itself does not wait for itself. */
export const blocks = (owner: OwnerReference, dependent: string): boolean =>
  owner.blockOwnerDeletion === true && owner.uid !== dependent;

/** Whether objects of a kind own and are owned: what is written again and again, and dies by itself, is not (CTL-GC-23). */
export const isCollected = ({ kind, verbs }: ServedKind): boolean =>
  kind !== "Event" && ["list", "watch", "delete"].every((verb) => verbs.includes(verb));

const absenceKey = ({ uid }: OwnerReference, { kind, key }: OwnerLocation): string =>
  `${uid} ${nameOfKind(kind)} ${key.namespace ?? ""}/${key.name}`;

function put(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  if (set) set.add(value);
  else sets.set(key, new Set([value]));
}

function take(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}
