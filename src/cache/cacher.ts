/**
 * The watch cache: all stored objects in memory, their recent changes, and their watchers.
 *
 * It follows one store by one watch and has a {@link ResourceCache} for each resource. It shows only what the store has committed
 * and, once {@link Cacher.waitFor} has resolved, at least the requested revision. It knows keys, bytes, labels and selectable
 * fields; it knows nothing of HTTP, kinds or the content of the bytes.
 *
 * Reads are synchronous and take no locks: a snapshot is a root of a copy-on-write tree. Changes that the store committed together
 * are first applied to all resources and then delivered, in one batch for each group of watchers.
 *
 * A cache can be forked together with its store, in a time that depends on the number of resources alone: the fork shares every
 * entry and every tree node until one of the two changes them.
 *
 * When the store's watch breaks, it resumes at its revision; when that was compacted, all resources are loaded again and their
 * watches end with `compacted`, since they may have missed changes.
 *
 * @module
 */
import { type Store, StoreError, type StoreEvent } from "../storage/contract.ts";
import { assert } from "../util/assert.ts";
import type { Timer } from "../util/clock.ts";
import { type CacheResource, type Entry, keyInside } from "./entry.ts";
import { Budget } from "./budget.ts";
import { CacheError, cacheErrorOf, closed, fromStore, future } from "./errors.ts";
import { Follower, RETRY_MS } from "./follower.ts";
import { loadState } from "./load.ts";
import { type CacherOptions, type Settings, settingsOf } from "./options.ts";
import { type Hub, ResourceCache, type ResourceStats } from "./resource.ts";
import { Router } from "./router.ts";
import { type Mismatch, compareWithStore } from "./verify.ts";
import { Waiters } from "./waiters.ts";

/** Statistics for `/metrics`. */
export interface CacherStats {
  readonly revision: number;
  readonly resources: readonly ResourceStats[];
  /** How often all resources were loaded again. */
  readonly reloads: number;
  /** Requests that wait for a revision. */
  readonly waiting: number;
}

/** How often a load is repeated when its revision was compacted meanwhile. */
const MAX_LOADS = 5;
/** Records that are read again between two pauses. */
const READ_BATCH = 100;

interface Slot {
  readonly cache: ResourceCache;
  /** Changes that arrive during the load; undefined when it is done. */
  waiting: StoreEvent[] | undefined;
}

/** See the head of this file. */
export class Cacher {
  readonly #store: Store;
  readonly #options: CacherOptions;
  readonly #settings: Settings;
  readonly #hub: Hub;
  readonly #follower: Follower;
  #slots = new Router<Slot>();
  readonly #waiters = new Waiters();
  /** Resources with changes that are not delivered yet. */
  readonly #touched = new Set<ResourceCache>();
  #revision = 0;
  #delivered = 0;
  #reloads = 0;
  #reloading: Promise<void> | undefined;
  #readingAgain: Promise<number> | undefined;
  /** Whether the followed revision was compacted, so that all resources have to be loaded again. */
  #lost = false;
  #retry: Timer | undefined;
  #closed: CacheError | undefined;

  private constructor(store: Store, options: CacherOptions) {
    this.#store = store;
    this.#options = options;
    this.#settings = settingsOf(options);
    this.#hub = this.#makeHub();
    const { clock, root, onError } = this.#settings;
    this.#follower = new Follower(store, clock, root, () => this.#revision, {
      events: (batch) => this.#receive(batch),
      progress: (revision) => this.#advance(revision),
      broken: onError,
      lost: (error) => {
        onError(error);
        this.#reloadUntilDone();
      },
      ended: (error) => this.#end(cacheErrorOf(error)),
    });
  }

  /** Loads all resources at one revision and follows the store from there. Rejects with CacheError. */
  static async open(store: Store, resources: readonly CacheResource[], options: CacherOptions = {}): Promise<Cacher> {
    const cacher = new Cacher(store, options);
    for (const resource of resources) {
      cacher.#slots.add(resource.prefix, { cache: new ResourceCache(cacher.#hub, resource), waiting: undefined });
    }
    await cacher.#counted("load of all resources", () => cacher.#loadAll()).catch(fromStore);
    cacher.#follower.start();
    return cacher;
  }

  /**
   * Creates a cache over `store`, which must be a fork of this one's store. It has the loaded resources, and follows its store from
   * their revision. Watches, history and states of paged lists are not copied: older revisions are `compacted`. A later revision of
   * the forked store means that nothing has changed in between. Settings are those of this cache by default, except `activity`.
   * Neither cache sees later changes of the other, and each is closed on its own.
   *
   * @throws CacheError when the cache is closed
   */
  fork(store: Store, options: CacherOptions = {}): Cacher {
    if (this.#closed) throw this.#closed;
    const isBehind = this.#store.revision > this.#revision;
    const revision = isBehind ? this.#revision : store.revision;
    assert(
      store.revision >= this.#revision,
      `a fork has a revision of at least ${this.#revision}, got ${store.revision}`,
    );
    const { activity: _, ...inherited } = this.#options;
    const fork = new Cacher(store, { ...inherited, ...options });
    fork.#revision = fork.#delivered = revision;
    fork.#slots = this.#slots.map(({ cache, waiting }) =>
      waiting ? undefined : { cache: cache.fork(fork.#hub), waiting: undefined },
    );
    fork.#follower.start();
    return fork;
  }

  /** The newest revision that can be read. */
  get revision(): number {
    return this.#revision;
  }

  /** The cache of a resource. @throws CacheError `closed` when the prefix is not served */
  resource(prefix: string): ResourceCache {
    const slot = this.#slots.get(prefix);
    if (!slot || slot.waiting) throw closed(prefix);
    return slot.cache;
  }

  /** The revision of a key of the store, 0 where it does not exist; undefined where its resource is not loaded. */
  revisionOf(key: string): number | undefined {
    const slot = this.#slots.find(key);
    if (!slot || slot.waiting) return undefined;
    const { cache } = slot;
    return cache.get(keyInside(cache.resource.prefix, key))?.revision ?? 0;
  }

  /** Loads one more resource. Rejects with CacheError; with `closed` when it is removed meanwhile. */
  async addResource(resource: CacheResource): Promise<ResourceCache> {
    if (this.#closed) throw this.#closed;
    const slot: Slot = { cache: new ResourceCache(this.#hub, resource), waiting: [] };
    this.#slots.add(resource.prefix, slot);
    try {
      await this.#counted(`load of ${resource.prefix}`, () => this.#load(slot));
    } catch (error) {
      if (this.#isServed(slot)) this.#drop(slot);
      return fromStore(error);
    }
    return slot.cache;
  }

  /** Removes a resource: its watches end with `closed`, its memory is released, and reads throw. */
  removeResource(prefix: string): void {
    const slot = this.#slots.get(prefix);
    if (slot) this.#drop(slot);
  }

  /**
   * Resolves when everything up to `revision` can be read. Rejects with CacheError: `future` after `timeoutMs`, `closed` when the
   * cache is closed.
   */
  async waitFor(revision: number, { timeoutMs }: { readonly timeoutMs: number }): Promise<void> {
    if (revision <= this.#revision) return;
    if (this.#closed) throw this.#closed;
    const { promise, cancel } = this.#waiters.add(revision);
    const timer = this.#settings.clock.after(timeoutMs, () => cancel(future(revision, this.#revision)));
    try {
      await promise;
    } finally {
      timer.cancel();
    }
  }

  /** All current objects that cannot be read, with the prefixes of their resources. */
  unreadable(): { readonly prefix: string; readonly entry: Entry }[] {
    return [...this.#slots.values()].flatMap(({ cache, waiting }) => {
      const { prefix } = cache.resource;
      return waiting ? [] : cache.unreadable.map((entry) => ({ prefix, entry }));
    });
  }

  /** Reads the unreadable objects again; resolves to the number of those that are now readable. Rejects with StoreError. */
  readAgain(): Promise<number> {
    return (this.#readingAgain ??= this.#counted("reading again", () => this.#readAgain()).finally(() => {
      this.#readingAgain = undefined;
    }));
  }

  stats(): CacherStats {
    return {
      revision: this.#revision,
      resources: [...this.#slots.values()].map(({ cache }) => cache.stats()),
      reloads: this.#reloads,
      waiting: this.#waiters.size,
    };
  }

  /**
   * Loads all resources again, because the cache may differ from the store; all watches end with `compacted`. Rejects with
   * CacheError when the store cannot be read; the old state is then still served.
   */
  reload(): Promise<void> {
    return (this.#reloading ??= this.#counted("load of all resources", () => this.#reload()));
  }

  /**
   * Compares all resources with the store, each at one revision, and resolves to the differences. A resource that is compacted or
   * removed meanwhile is left out. Rejects with StoreError.
   */
  async verify(): Promise<Mismatch[]> {
    const found: Mismatch[] = [];
    for (const { cache, waiting } of this.#slots.values()) {
      if (waiting) continue;
      const mismatch = await compareWithStore(this.#store, cache, this.#hub.pause).catch((error: unknown) => {
        if (!isCompacted(error)) throw error;
      });
      if (mismatch) found.push(mismatch);
    }
    return found;
  }

  /** Stops following the store; all watches and waiters end with `closed`. */
  close(): void {
    this.#end(closed("the cache"));
  }

  #makeHub(): Hub {
    const { clock, historyLimits, historyBytes, versionLimits, versionBytes, pause, activity } = this.#settings;
    const revision = (): number => this.#revision;
    const delivered = (): number => this.#delivered;
    return {
      store: this.#store,
      clock,
      historyLimits,
      versionLimits,
      historyBudget: new Budget(historyBytes),
      versionBudget: new Budget(versionBytes),
      get revision() {
        return revision();
      },
      get delivered() {
        return delivered();
      },
      reached: (target, signal) => this.#reached(target, signal),
      pause,
      activity,
    };
  }

  async #reached(revision: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, cancel } = this.#waiters.add(revision);
    const onAbort = (): void => cancel(signal.reason as Error);
    signal.addEventListener("abort", onAbort);
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async #readAgain(): Promise<number> {
    let count = 0;
    for (const { cache, waiting } of this.#slots.values()) {
      if (waiting) continue;
      const { prefix, factory } = cache.resource;
      const found: Entry[] = [];
      for (const { key } of cache.unreadable) {
        const record = await this.#store.get(prefix + key);
        if (record) found.push(factory(key, record.value, record.revision));
        if (found.length % READ_BATCH === 0) await this.#hub.pause();
      }
      count += cache.repair(found);
    }
    return count;
  }

  async #reload(): Promise<void> {
    this.#follower.stop();
    try {
      await this.#loadAll().catch(fromStore);
      this.#reloads++;
      this.#lost = false;
    } finally {
      // Before the follower starts: it may report at once that this revision was compacted, too.
      this.#reloading = undefined;
      if (!this.#closed && !this.#lost) this.#follower.start();
    }
  }

  #reloadUntilDone(): void {
    if (this.#closed) return;
    this.#lost = true;
    this.reload().catch((error: unknown) => {
      this.#settings.onError(error);
      this.#retry = this.#settings.clock.after(RETRY_MS, () => this.#reloadUntilDone());
    });
  }

  /** Reads all resources at the newest revision, then replaces the current state. */
  async #loadAll(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const revision = await this.#store.currentRevision();
      const slots = [...this.#slots.values()].filter((slot) => slot.waiting === undefined);
      try {
        const states = await Promise.all(
          slots.map(({ cache }) =>
            loadState(this.#store, cache.resource, revision, this.#hub.pause, this.#settings.onLoaded),
          ),
        );
        this.#revision = this.#delivered = revision;
        slots.forEach(({ cache }, i) => cache.reset(states[i]!, revision));
        this.#waiters.notify(revision);
        return;
      } catch (error) {
        if (!isCompacted(error) || attempt >= MAX_LOADS) throw error;
      }
    }
  }

  /** Reads one resource at the current revision, then applies the changes that were committed since. */
  async #load(slot: Slot): Promise<void> {
    const { cache } = slot;
    for (let attempt = 1; ; attempt++) {
      // During a reload the current revision may be compacted in the store.
      await this.#reloaded();
      const revision = this.#revision;
      const reloads = this.#reloads;
      slot.waiting = [];
      try {
        const state = await loadState(this.#store, cache.resource, revision, this.#hub.pause, this.#settings.onLoaded);
        await this.#reloaded();
        this.#checkServed(slot);
        // A reload skips resources that are being loaded, and the changes in the gap before it never arrived.
        if (reloads !== this.#reloads) continue;
        cache.reset(state, revision);
        for (const event of slot.waiting) this.#apply(slot, event);
        this.#checkServed(slot);
        slot.waiting = undefined;
        return;
      } catch (error) {
        this.#checkServed(slot);
        if (!isCompacted(error) || attempt >= MAX_LOADS) throw error;
        // The current revision was compacted: it will soon be another one, or a reload begins.
        await this.#hub.pause();
      }
    }
  }

  /** Resolves when no reload is running. */
  async #reloaded(): Promise<void> {
    while (this.#reloading) await this.#reloading.catch(() => {});
  }

  /** Whether this slot is still registered under its prefix. */
  #isServed(slot: Slot): boolean {
    return this.#slots.get(slot.cache.resource.prefix) === slot;
  }

  #checkServed(slot: Slot): void {
    if (this.#closed) throw this.#closed;
    if (!this.#isServed(slot)) throw slot.cache.closed ?? closed(slot.cache.resource.prefix);
  }

  async #counted<T>(what: string, work: () => Promise<T>): Promise<T> {
    const end = this.#settings.activity?.begin(what);
    try {
      return await work();
    } finally {
      end?.();
    }
  }

  #receive(batch: readonly StoreEvent[]): void {
    let revision = this.#revision;
    const before = revision;
    for (const event of batch) {
      // A resumed watch may repeat known events.
      if (event.revision <= before) continue;
      revision = event.revision;
      const slot = this.#slots.find(event.key);
      if (slot?.waiting) slot.waiting.push(event);
      else if (slot) this.#apply(slot, event);
    }
    this.#advance(revision);
  }

  #apply(slot: Slot, event: StoreEvent): void {
    if (!this.#isServed(slot)) return;
    const { cache } = slot;
    try {
      cache.apply(event);
      this.#touched.add(cache);
    } catch (error) {
      // The cache would be wrong from here on, so it drops the resource.
      this.#settings.onError(error);
      this.#drop(slot, new CacheError("failed", `Expected ${event.key} to be readable, got an error`, error));
    }
  }

  #drop({ cache }: Slot, error?: CacheError): void {
    this.#slots.remove(cache.resource.prefix);
    this.#touched.delete(cache);
    cache.drop(error);
  }

  /** Delivers everything up to `revision`, which has been applied, and notifies the waiters. */
  #advance(revision: number): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    for (const cache of this.#touched) cache.flush();
    this.#touched.clear();
    // A sink may have caused the store to deliver more, by a nested call.
    this.#delivered = Math.max(this.#delivered, revision);
    this.#waiters.notify(revision);
    this.#hub.historyBudget.trim();
    this.#hub.versionBudget.trim();
  }

  #end(error: CacheError): void {
    if (this.#closed) return;
    this.#closed = error;
    this.#retry?.cancel();
    this.#follower.stop();
    this.#waiters.end(error);
    for (const { cache } of this.#slots.values()) cache.close(error);
  }
}

const isCompacted = (error: unknown): boolean => error instanceof StoreError && error.code === "compacted";
