/**
 * The graph of nodes, Pods, volumes and the objects that they refer to; it follows Pods and volumes.
 *
 *     secret, configmap, claim, account ◄── Pod ──► node
 *     secret ◄── volume ──► claim ◄── Pod ──► node
 *
 * Nothing is read before the first request of a node. Each later request applies the changes since the one before, in slices
 * where there are many.
 *
 * @module
 */
import type { ApiObject } from "../../schema/definition.ts";
import type { Followed, Lookup, ObjectName } from "../../schema/lookup.ts";
import { type Steps, inSlices } from "../../util/steps.ts";
import { type PodReferences, type VolumeReferences, keyOf, readPod, readVolume } from "./references.ts";
import type { Loop } from "../../util/loop.ts";

const PODS = "pods";
const VOLUMES = "persistentvolumes";

/** With more changes, everything is read again. */
const MAX_CHANGES = 5000;

/** Knows which objects the Pods of a node refer to. */
export class NodeGraph {
  readonly #lookup: Lookup;
  readonly #loop: Loop;
  readonly #pods: FollowedResource<PodReferences>;
  readonly #volumes: FollowedResource<VolumeReferences>;
  /** The number of Pods that refer to an object, by its key and by node. */
  #nodes = new Map<string, Map<string, number>>();
  /** The volumes that refer to a Secret, by its key. */
  #holders = new Map<string, Set<string>>();
  #isLoaded = false;
  #loading: Promise<void> | undefined;

  constructor(lookup: Lookup, loop: Loop) {
    this.#lookup = lookup;
    this.#loop = loop;
    this.#pods = new FollowedResource(lookup.follow(PODS), readPod, {
      add: ({ node, keys }) => {
        for (const key of keys) count(this.#nodes, key, node, 1);
      },
      remove: ({ node, keys }) => {
        for (const key of keys) count(this.#nodes, key, node, -1);
      },
    });
    this.#volumes = new FollowedResource(lookup.follow(VOLUMES), readVolume, {
      add: ({ name, secrets }) => {
        for (const key of secrets) this.#holders.set(key, (this.#holders.get(key) ?? new Set()).add(name));
      },
      remove: ({ name, secrets }) => {
        for (const key of secrets) {
          const holders = this.#holders.get(key);
          holders?.delete(name);
          if (holders?.size === 0) this.#holders.delete(key);
        }
      },
    });
  }

  /** Applies the changes; a promise where that takes several slices. Called before {@link refers} and {@link usesVolume}. */
  catchUp(): Promise<void> | undefined {
    if (this.#loading) return this.#loading;
    const pods = this.#isLoaded ? this.#pods.changed() : undefined;
    const volumes = this.#isLoaded ? this.#volumes.changed() : undefined;
    if (!pods || !volumes || pods.length + volumes.length > MAX_CHANGES) return this.#wait(this.#loadAll());
    if (pods.length + volumes.length === 0) return undefined;
    const done = inSlices(this.#apply(pods, volumes), this.#loop.slice());
    return done instanceof Promise ? this.#wait(done) : undefined;
  }

  *#apply(pods: Changes, volumes: Changes): Steps<void> {
    // After a failure everything is read again.
    this.#isLoaded = false;
    yield* this.#pods.apply(pods, (namespace, name) => this.#lookup.get(PODS, namespace, name));
    yield* this.#volumes.apply(volumes, (_, name) => this.#lookup.get(VOLUMES, "", name));
    this.#isLoaded = true;
  }

  /** Whether a Pod of the node refers to an object, directly or by the volume of its claim. */
  refers(node: string, plural: string, namespace: string, name: string): boolean {
    const key = keyOf(plural, namespace, name);
    if (this.#nodes.get(key)?.has(node)) return true;
    for (const volume of this.#holders.get(key) ?? []) if (this.usesVolume(node, volume)) return true;
    return false;
  }

  /** Whether a Pod of the node uses the claim of a volume. */
  usesVolume(node: string, volume: string): boolean {
    const found = this.#volumes.get("", volume);
    return found !== undefined && this.#nodes.get(found.claim)?.has(node) === true;
  }

  /** Requests wait for `done`, and then for the changes since it began. */
  #wait(done: Promise<void>): Promise<void> {
    const ended = done.finally(() => {
      this.#loading = undefined;
    });
    this.#loading = ended.then(() => this.catchUp());
    return this.#loading;
  }

  async #loadAll(): Promise<void> {
    this.#isLoaded = false;
    this.#pods.begin();
    this.#volumes.begin();
    const [pods, volumes] = await Promise.all([
      this.#lookup.collect(PODS, readPod),
      this.#lookup.collect(VOLUMES, readVolume),
    ]);
    this.#nodes = new Map();
    this.#holders = new Map();
    const slice = this.#loop.slice();
    for (const pod of pods) {
      if (slice.isOver) await slice.pause();
      this.#pods.put(pod.namespace, pod.name, pod);
    }
    for (const volume of volumes) {
      if (slice.isOver) await slice.pause();
      this.#volumes.put("", volume.name, volume);
    }
    this.#isLoaded = true;
  }
}

/** The names of the changed objects. */
type Changes = readonly ObjectName[];

/** Adds the references of an object, and removes them when the object changes. */
interface Effects<T> {
  add(read: T): void;
  remove(read: T): void;
}

/** The references of the objects of one resource, as of a mark. */
class FollowedResource<T> {
  readonly #followed: Followed;
  readonly #read: (object: ApiObject) => T | undefined;
  readonly #effects: Effects<T>;
  #known = new Map<string, T>();
  #mark = -1;

  constructor(followed: Followed, read: (object: ApiObject) => T | undefined, effects: Effects<T>) {
    this.#followed = followed;
    this.#read = read;
    this.#effects = effects;
  }

  /** Starts again without objects, as of now. */
  begin(): void {
    this.#mark = this.#followed.mark;
    this.#known = new Map();
  }

  get(namespace: string, name: string): T | undefined {
    return this.#known.get(`${namespace}/${name}`);
  }

  put(namespace: string, name: string, read: T | undefined): void {
    const key = `${namespace}/${name}`;
    const before = this.#known.get(key);
    if (before) this.#effects.remove(before);
    if (read) {
      this.#known.set(key, read);
      this.#effects.add(read);
    } else this.#known.delete(key);
  }

  /** The objects that have changed since the mark; undefined where that is not known. */
  changed(): ReturnType<Followed["changedSince"]> {
    return this.#followed.mark === this.#mark ? [] : this.#followed.changedSince(this.#mark);
  }

  *apply(changes: Changes, get: (namespace: string, name: string) => ApiObject | undefined): Steps<void> {
    this.#mark = this.#followed.mark;
    for (const { namespace, name } of changes) {
      const object = get(namespace, name);
      this.put(namespace, name, object && this.#read(object));
      yield;
    }
  }
}

function count(nodes: Map<string, Map<string, number>>, key: string, node: string, by: number): void {
  let counts = nodes.get(key);
  if (!counts) nodes.set(key, (counts = new Map()));
  const left = (counts.get(node) ?? 0) + by;
  if (left > 0) counts.set(node, left);
  else counts.delete(node);
  if (counts.size === 0) nodes.delete(key);
}
