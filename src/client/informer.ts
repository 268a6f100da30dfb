/**
 * An informer: a copy of a collection that follows it, and tells what changed.
 *
 * It lists, then watches from the version of the list; a watch that ends goes on where it was, one whose version is gone
 * (410) begins with a new list, and everything else is tried again after a while. Handlers hear every object once as
 * added, then each change; what a new list shows is compared with the copy, so nothing is told twice.
 *
 * @module
 */
import { backoff } from "../util/backoff.ts";
import { type Clock, type Random, sleep } from "../util/clock.ts";
import { isStatus } from "./errors.ts";
import type { ApiObject } from "./kind.ts";
import type { ListQuery } from "./queries.ts";
import type { ResourceClient } from "./resource-client.ts";

/** What an informer tells. Objects are shared: read only. */
export interface Handlers<T> {
  added?(object: T): void;
  changed?(object: T, old: T): void;
  deleted?(last: T): void;
}

/** What an informer needs. */
export interface InformerOptions<T> extends Pick<ListQuery, "namespace" | "labelSelector" | "fieldSelector"> {
  readonly clock: Clock;
  readonly random: Random;
  readonly handlers?: Handlers<T>;
  /** Hears why a list or watch failed; it is tried again whatever it does. */
  readonly failed?: (error: unknown) => void;
}

const PAGE = 500;
const RETRY = { first: 100, most: 30_000 };
/** A watch that lasted so long is taken up again at once. */
const HEALTHY_MS = 1000;

/** Follows one collection until it is stopped. */
export class Informer<T extends ApiObject = ApiObject> {
  readonly #client: Pick<ResourceClient<T>, "list" | "watch">;
  readonly #options: InformerOptions<T>;
  readonly #objects = new Map<string, T>();
  readonly #stop = new AbortController();
  readonly #synced = Promise.withResolvers<void>();
  #version = "";
  #running: Promise<void> | undefined;

  constructor(client: Pick<ResourceClient<T>, "list" | "watch">, options: InformerOptions<T>) {
    this.#client = client;
    this.#options = options;
  }

  /** Begins to follow; resolves when the first list is there. */
  start(): Promise<void> {
    this.#running ??= this.#run();
    return this.#synced.promise;
  }

  /** Ends the watch; resolves when nothing will be told any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#synced.resolve();
    await this.#running;
  }

  /** The object as it was last seen; `namespace` empty for objects of the cluster. */
  get(namespace: string, name: string): T | undefined {
    return this.#objects.get(`${namespace}/${name}`);
  }

  /** All objects as they were last seen. */
  list(): readonly T[] {
    return [...this.#objects.values()];
  }

  async #run(): Promise<void> {
    const { clock, random, failed } = this.#options;
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted; failures++) {
      const began = clock.steady();
      try {
        if (this.#version === "") await this.#relist();
        this.#synced.resolve();
        await this.#follow();
      } catch (error) {
        if (signal.aborted) return;
        if (isStatus(error, "Expired", "Gone")) this.#version = "";
        else failed?.(error);
      }
      // A server that is going away ends watches as soon as they begin; who comes back at once only hinders it.
      if (clock.steady() - began >= HEALTHY_MS) failures = -1;
      else await sleep(clock, backoff(failures, RETRY, random), signal);
    }
  }

  async #relist(): Promise<void> {
    const { namespace, labelSelector, fieldSelector } = this.#options;
    const seen = new Map<string, T>();
    let token: string | undefined;
    let version: string;
    do {
      const page = await this.#client.list({
        ...defined({ namespace, labelSelector, fieldSelector, continue: token }),
        limit: PAGE,
        signal: this.#stop.signal,
      });
      for (const item of page.items) seen.set(keyOf(item), item);
      token = page.metadata.continue;
      version = page.metadata.resourceVersion;
    } while (token);
    if (this.#stop.signal.aborted) return;
    // Only now: a watch from the version of half a list would never tell of the other half.
    this.#version = version;
    for (const [key, old] of this.#objects) if (!seen.has(key)) this.#remove(key, old);
    for (const object of seen.values()) this.#put(object);
  }

  async #follow(): Promise<void> {
    const { namespace, labelSelector, fieldSelector } = this.#options;
    const { signal } = this.#stop;
    const query = { ...defined({ namespace, labelSelector, fieldSelector }), resourceVersion: this.#version, signal };
    for await (const { type, object } of this.#client.watch(query)) {
      if (signal.aborted) return;
      if (type === "DELETED") this.#remove(keyOf(object), object);
      else if (type !== "BOOKMARK") this.#put(object);
      this.#version = object.metadata.resourceVersion ?? this.#version;
    }
  }

  #put(object: T): void {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    if (old?.metadata.resourceVersion === object.metadata.resourceVersion && old) return;
    this.#objects.set(key, object);
    const { handlers } = this.#options;
    if (!old) handlers?.added?.(object);
    else handlers?.changed?.(object, old);
  }

  #remove(key: string, last: T): void {
    if (this.#objects.delete(key)) this.#options.handlers?.deleted?.(last);
  }
}

const keyOf = (object: ApiObject): string => `${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`;

/** The members that are set. */
function defined<T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
