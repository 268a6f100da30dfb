/**
 * Objects that volumes of Pods are made of, one by one: each is read once and then followed while some Pod uses it, which is all that
 * the agent of a node may do (it reads only what its Pods refer to, by name).
 *
 * What is marked as immutable is not followed: a Pod keeps what it read first (PROJ-56).
 *
 * @module
 */
import { type ApiObject, type Key, type Kind, keyText } from "../../client/index.ts";
import { type HeldInformer, sharedInformer, withoutManagedFields } from "../../runtime/index.ts";
import type { NodeGround } from "../contract.ts";

/** An object that may say that it never changes. */
export type Followable = ApiObject & { readonly immutable?: boolean };

type Place = Key<"Namespaced">;

/** An object that is followed. */
interface Followed<T extends Followable> {
  readonly informer: HeldInformer<T, "Namespaced">;
  /** The Pods that use it, by uid. */
  readonly users: Set<string>;
  /** The version that was given last, empty where there was none. */
  given: string;
}

/** See the head of this file. */
export class FollowedObjects<T extends Followable> implements Disposable {
  readonly #ground: Pick<NodeGround, "client" | "informer" | "lookAt">;
  readonly #kind: Kind<T, "Namespaced">;
  readonly #followed = new Map<string, Followed<T>>();
  /** What Pods keep of what never changes, by key and uid. */
  readonly #kept = new Map<string, Map<string, T>>();
  /** The keys that each Pod uses, by uid. */
  readonly #uses = new Map<string, Set<string>>();

  constructor(ground: Pick<NodeGround, "client" | "informer" | "lookAt">, kind: Kind<T, "Namespaced">) {
    this.#ground = ground;
    this.#kind = kind;
  }

  /** An object for a Pod, as it is now; undefined where there is none. @throws StatusError where it may not be read */
  async get(podUid: string, place: Place): Promise<T | undefined> {
    const key = keyText(place);
    const kept = this.#kept.get(key)?.get(podUid);
    if (kept) return kept;
    const followed = this.#followed.get(key);
    const object = followed && hasSeen(followed) ? followed.informer.get(place) : await this.#read(place);
    let uses = this.#uses.get(podUid);
    if (!uses) this.#uses.set(podUid, (uses = new Set()));
    uses.add(key);
    if (object?.immutable === true) this.#keep(podUid, key, object);
    else this.#follow(podUid, place, object);
    return object;
  }

  /** A Pod is gone: what it alone used is followed no more. */
  forget(podUid: string): void {
    for (const key of this.#uses.get(podUid) ?? []) {
      const kept = this.#kept.get(key);
      if (kept?.delete(podUid) && kept.size === 0) this.#kept.delete(key);
      this.#release(podUid, key);
    }
    this.#uses.delete(podUid);
  }

  /** How many objects are followed. */
  get size(): number {
    return this.#followed.size;
  }

  [Symbol.dispose](): void {
    for (const { informer } of this.#followed.values()) informer[Symbol.dispose]();
    this.#followed.clear();
    this.#kept.clear();
    this.#uses.clear();
  }

  async #read(place: Place): Promise<T | undefined> {
    const object = await this.#ground.client.resource(this.#kind).find(place);
    return object && withoutManagedFields(object);
  }

  /** The same object is kept once, however many Pods use it. */
  #keep(podUid: string, key: string, object: T): void {
    let kept = this.#kept.get(key);
    if (!kept) this.#kept.set(key, (kept = new Map()));
    const same = [...kept.values()].find((one) => isSame(one, object));
    kept.set(podUid, same ?? object);
    this.#release(podUid, key);
  }

  #follow(podUid: string, place: Place, object: T | undefined): void {
    const key = keyText(place);
    const given = object?.metadata.resourceVersion ?? "";
    const known = this.#followed.get(key);
    if (known) {
      known.users.add(podUid);
      known.given = given;
      return;
    }
    const { namespace, name } = place;
    const spec = sharedInformer(this.#kind, {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      keep: withoutManagedFields,
    });
    const followed: Followed<T> = { informer: this.#ground.informer(spec), users: new Set([podUid]), given };
    this.#followed.set(key, followed);
    followed.informer.on(() => this.#compare(key, place));
    // It may have gone between the reading and the first list, of which no event tells.
    followed.informer.reflector.onProgress(() => this.#compare(key, place));
  }

  /** Has the Pods of an object looked at where it is not what they were given. */
  #compare(key: string, place: Place): void {
    const followed = this.#followed.get(key);
    if (!followed || !hasSeen(followed)) return;
    const version = followed.informer.get(place)?.metadata.resourceVersion ?? "";
    if (version === followed.given) return;
    followed.given = version;
    for (const uid of followed.users) this.#ground.lookAt(uid);
  }

  #release(podUid: string, key: string): void {
    const followed = this.#followed.get(key);
    if (!followed?.users.delete(podUid) || followed.users.size > 0) return;
    this.#followed.delete(key);
    followed.informer[Symbol.dispose]();
  }
}

const hasSeen = ({ informer }: { readonly informer: HeldInformer }): boolean => informer.reflector.hasSynced;

const isSame = (a: ApiObject, b: ApiObject): boolean =>
  a.metadata.uid === b.metadata.uid && a.metadata.resourceVersion === b.metadata.resourceVersion;
