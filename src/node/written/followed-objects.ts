/**
 * Follows single objects of volumes: each is read once and followed while a Pod uses it. An agent may read only the objects
 * that its Pods refer to, by name.
 *
 * An immutable object is not followed: a Pod keeps what it read first (PROJ-56).
 *
 * @module
 */
import { type ApiObject, type Key, type Kind, keyText } from "../../client/index.ts";
import { type HeldInformer, sharedInformer, withoutManagedFields } from "../../runtime/index.ts";
import type { PluginContext } from "../contract.ts";

/** An object that may be immutable. */
export type Followable = ApiObject & { readonly immutable?: boolean };

type ObjectKey = Key<"Namespaced">;

/** A followed object. */
interface Followed<T extends Followable> {
  readonly informer: HeldInformer<T, "Namespaced">;
  /** The UIDs of the Pods that use it. */
  readonly users: Set<string>;
  /** The version that they got last; empty where there was no object. */
  version: string;
}

/** See the head of this file. */
export class FollowedObjects<T extends Followable> implements Disposable {
  readonly #context: Pick<PluginContext, "client" | "informer" | "lookAt">;
  readonly #kind: Kind<T, "Namespaced">;
  readonly #followed = new Map<string, Followed<T>>();
  /** Immutable objects of Pods, by key and uid. */
  readonly #kept = new Map<string, Map<string, T>>();
  /** The keys that each Pod uses, by its uid. */
  readonly #uses = new Map<string, Set<string>>();

  constructor(context: Pick<PluginContext, "client" | "informer" | "lookAt">, kind: Kind<T, "Namespaced">) {
    this.#context = context;
    this.#kind = kind;
  }

  /** The current object for a Pod; undefined where there is none. @throws StatusError where it may not be read */
  async get(podUid: string, objectKey: ObjectKey): Promise<T | undefined> {
    const key = keyText(objectKey);
    const kept = this.#kept.get(key)?.get(podUid);
    if (kept) return kept;
    const followed = this.#followed.get(key);
    const object = followed && hasSynced(followed) ? followed.informer.get(objectKey) : await this.#read(objectKey);
    this.#uses.set(podUid, (this.#uses.get(podUid) ?? new Set()).add(key));
    if (object?.immutable === true) this.#keep(podUid, key, object);
    else this.#follow(podUid, objectKey, object);
    return object;
  }

  /** Forgets a Pod; stops following objects that it alone used. */
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

  async #read(objectKey: ObjectKey): Promise<T | undefined> {
    const object = await this.#context.client.resource(this.#kind).find(objectKey);
    return object && withoutManagedFields(object);
  }

  /** Keeps the same object once for all Pods. */
  #keep(podUid: string, key: string, object: T): void {
    const kept = this.#kept.get(key) ?? new Map<string, T>();
    this.#kept.set(key, kept);
    const same = [...kept.values()].find((one) => isSame(one, object));
    kept.set(podUid, same ?? object);
    this.#release(podUid, key);
  }

  #follow(podUid: string, objectKey: ObjectKey, object: T | undefined): void {
    const key = keyText(objectKey);
    const version = object?.metadata.resourceVersion ?? "";
    const known = this.#followed.get(key);
    if (known) {
      known.users.add(podUid);
      known.version = version;
      return;
    }
    const { namespace, name } = objectKey;
    const spec = sharedInformer(this.#kind, {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      keep: withoutManagedFields,
    });
    const followed: Followed<T> = { informer: this.#context.informer(spec), users: new Set([podUid]), version };
    this.#followed.set(key, followed);
    followed.informer.on(() => this.#compare(key, objectKey));
    // No event reports a deletion between the read and the first list.
    followed.informer.reflector.onProgress(() => this.#compare(key, objectKey));
  }

  /** Reconciles the Pods of an object that is not the one that they got. */
  #compare(key: string, objectKey: ObjectKey): void {
    const followed = this.#followed.get(key);
    if (!followed || !hasSynced(followed)) return;
    const version = followed.informer.get(objectKey)?.metadata.resourceVersion ?? "";
    if (version === followed.version) return;
    followed.version = version;
    for (const uid of followed.users) this.#context.lookAt(uid);
  }

  #release(podUid: string, key: string): void {
    const followed = this.#followed.get(key);
    if (!followed?.users.delete(podUid) || followed.users.size > 0) return;
    this.#followed.delete(key);
    followed.informer[Symbol.dispose]();
  }
}

const hasSynced = ({ informer }: { readonly informer: HeldInformer }): boolean => informer.reflector.hasSynced;

const isSame = (a: ApiObject, b: ApiObject): boolean =>
  a.metadata.uid === b.metadata.uid && a.metadata.resourceVersion === b.metadata.resourceVersion;
