/**
 * What the Pods of each node refer to, kept as Pods and volumes come, change and go.
 *
 *     secret, configmap, claim, account ◄── Pod ──► node
 *     secret ◄── volume ──► claim ◄── Pod ──► node
 *
 * Nothing is read before the first question. After that each question takes in what has changed since the last one, in turns
 * where that is much.
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

/** More changes than it is worth to take in one by one. */
const MANY = 5000;

/** See the head of this file. */
export class NodeGraph {
  readonly #lookup: Lookup;
  readonly #loop: Loop;
  readonly #pods: Side<PodReferences>;
  readonly #volumes: Side<VolumeReferences>;
  /** How many Pods of a node refer to an object, by its key. */
  #nodes = new Map<string, Map<string, number>>();
  /** The volumes that refer to a Secret, by its key. */
  #holders = new Map<string, Set<string>>();
  #isLoaded = false;
  #loading: Promise<void> | undefined;

  constructor(lookup: Lookup, loop: Loop) {
    this.#lookup = lookup;
    this.#loop = loop;
    this.#pods = new Side(lookup.follow(PODS), readPod, {
      add: ({ node, keys }) => {
        for (const key of keys) count(this.#nodes, key, node, 1);
      },
      remove: ({ node, keys }) => {
        for (const key of keys) count(this.#nodes, key, node, -1);
      },
    });
    this.#volumes = new Side(lookup.follow(VOLUMES), readVolume, {
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

  /** Takes in what has changed: a promise where that is not done at once. Asked before the others. */
  catchUp(): Promise<void> | undefined {
    if (this.#loading) return this.#loading;
    const pods = this.#isLoaded ? this.#pods.changed() : undefined;
    const volumes = this.#isLoaded ? this.#volumes.changed() : undefined;
    if (!pods || !volumes || pods.length + volumes.length > MANY) return this.#wait(this.#loadAll());
    if (pods.length + volumes.length === 0) return undefined;
    const done = inSlices(this.#take(pods, volumes), this.#loop.slice());
    return done instanceof Promise ? this.#wait(done) : undefined;
  }

  *#take(pods: Changed, volumes: Changed): Steps<void> {
    // What fails on the way leaves nothing half taken in: all is read again.
    this.#isLoaded = false;
    yield* this.#pods.take(pods, (namespace, name) => this.#lookup.get(PODS, namespace, name));
    yield* this.#volumes.take(volumes, (_, name) => this.#lookup.get(VOLUMES, "", name));
    this.#isLoaded = true;
  }

  /** Whether a Pod of the node refers to an object, also by the volume of its claim. */
  refers(node: string, plural: string, namespace: string, name: string): boolean {
    const key = keyOf(plural, namespace, name);
    if (this.#nodes.get(key)?.has(node)) return true;
    for (const volume of this.#holders.get(key) ?? []) if (this.usesVolume(node, volume)) return true;
    return false;
  }

  /** Whether a Pod of the node has the claim of a volume. */
  usesVolume(node: string, volume: string): boolean {
    const found = this.#volumes.get("", volume);
    return found !== undefined && this.#nodes.get(found.claim)?.has(node) === true;
  }

  /** Whoever asks meanwhile waits for it, too, and then for what has changed since it began. */
  #wait(done: Promise<void>): Promise<void> {
    const over = done.finally(() => {
      this.#loading = undefined;
    });
    this.#loading = over.then(() => this.catchUp());
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
    const limit = this.#loop.slice();
    for (const pod of pods) {
      if (limit.isOver) await limit.pause();
      this.#pods.put(pod.namespace, pod.name, pod);
    }
    for (const volume of volumes) {
      if (limit.isOver) await limit.pause();
      this.#volumes.put("", volume.name, volume);
    }
    this.#isLoaded = true;
  }
}

/** Objects that have changed. */
type Changed = readonly ObjectName[];

/** What is done with what was read of an object, and undone when it is another one. */
interface Effects<T> {
  add(read: T): void;
  remove(read: T): void;
}

/** One resource: what was read of its objects, and how far that has come. */
class Side<T> {
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

  /** Forgets everything: what follows is read as of now. */
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

  /** The objects that have changed since the last time; undefined where that is not known. */
  changed(): ReturnType<Followed["changedSince"]> {
    return this.#followed.mark === this.#mark ? [] : this.#followed.changedSince(this.#mark);
  }

  *take(changed: Changed, get: (namespace: string, name: string) => ApiObject | undefined): Steps<void> {
    this.#mark = this.#followed.mark;
    for (const { namespace, name } of changed) {
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
