/**
 * The watch cache: all stored objects in memory, their recent past, and everybody who watches them.
 *
 * It follows one store by one watch and keeps a {@link ResourceCache} for each resource. What it answers is what the
 * store has committed, never earlier and, once {@link Cacher.waitFor} has resolved, not older than was asked for. It
 * knows keys, bytes, labels and selectable fields; it knows nothing of HTTP, of kinds or of what is in the bytes.
 *
 * Reading is synchronous and takes no locks: a snapshot is a root of a copy-on-write tree. Changes that the store
 * committed together are applied to all resources first and delivered then, in one batch for each group of watchers.
 *
 * A cache can be forked together with its store, in a time that depends on the number of resources alone: the fork shares
 * every entry and every node of the trees until one of the two changes them.
 *
 * When the store's watch breaks it is taken up where it was; when the store has forgotten that place, all resources are
 * loaded anew and their watches end with `compacted`, since nobody knows what they missed.
 *
 * @module
 */
import { type Store, StoreError, type StoreEvent } from "../storage/contract.ts";
import { assert } from "../util/assert.ts";
import type { Timer } from "../util/clock.ts";
import type { CacheResource, Entry } from "./entry.ts";
import { Budget } from "./budget.ts";
import { CacheError, cacheErrorOf, closed, fromStore, future } from "./errors.ts";
import { Follower, RETRY_MS } from "./follower.ts";
import { loadState } from "./load.ts";
import { type CacherOptions, type Settings, settingsOf } from "./options.ts";
import { type Hub, ResourceCache, type ResourceStats } from "./resource.ts";
import { Router } from "./router.ts";
import { type Mismatch, compareWithStore } from "./verify.ts";
import { Waiters } from "./waiters.ts";

/** Figures for `/metrics`. */
export interface CacherStats {
  readonly revision: number;
  readonly resources: readonly ResourceStats[];
  /** How often everything had to be loaded anew. */
  readonly reloads: number;
  /** Requests that wait for a revision. */
  readonly waiting: number;
}

/** How often a load is begun anew because the store forgot its revision on the way. */
const MOST_LOADS = 5;
/** Records that are read again before others have their turn. */
const PART = 100;

interface Slot {
  readonly cache: ResourceCache;
  /** Changes that arrived while the resource is being loaded; undefined when it is loaded. */
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
  /** Resources with changes that have not been delivered. */
  readonly #touched = new Set<ResourceCache>();
  #revision = 0;
  #delivered = 0;
  #reloads = 0;
  #reloading: Promise<void> | undefined;
  #readingAgain: Promise<number> | undefined;
  /** Whether the store has forgotten the place where it was followed; only loading anew helps then. */
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
      events: (batch) => this.#take(batch),
      progress: (revision) => this.#advance(revision),
      broken: onError,
      lost: (error) => {
        onError(error);
        this.#reloadUntilDone();
      },
      over: (error) => this.#end(cacheErrorOf(error)),
    });
  }

  /** Loads all resources as of one revision and follows the store from there. Rejects with CacheError. */
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
   * A second cache over `store`, which must be a fork of this one's store: it has the resources that are loaded, as they
   * are now, and follows its store from there. Watches, history and what was kept for pages stay behind: older revisions
   * are `compacted`. Where that store stands at a later revision than its parent, nothing has happened in between. Settings
   * are those of this cache by default; work is counted only where asked for. Neither cache sees what happens to the other, and
   * each is closed for itself.
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

  /** Every change up to this revision can be read. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * The cache of a resource.
   *
   * @throws CacheError `closed` when nothing is registered for the prefix
   */
  resource(prefix: string): ResourceCache {
    const slot = this.#slots.get(prefix);
    if (!slot || slot.waiting) throw closed(prefix);
    return slot.cache;
  }

  /**
   * Loads one more resource while everything else goes on. Rejects with CacheError, `closed` when it is removed on the
   * way; then nothing is left of it.
   */
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

  /** Stops serving a resource: its watches end with `closed`, its memory is given up, and reading it throws. */
  removeResource(prefix: string): void {
    const slot = this.#slots.get(prefix);
    if (slot) this.#drop(slot);
  }

  /**
   * Resolves when everything up to `revision` can be read; at once when that is so already.
   * Rejects with CacheError `future` after `timeoutMs`, `closed` when the cache is closed.
   */
  async waitFor(revision: number, { timeoutMs }: { readonly timeoutMs: number }): Promise<void> {
    if (revision <= this.#revision) return;
    if (this.#closed) throw this.#closed;
    const { reached, cancel } = this.#waiters.add(revision);
    const timer = this.#settings.clock.after(timeoutMs, () => cancel(future(revision, this.#revision)));
    try {
      await reached;
    } finally {
      timer.cancel();
    }
  }

  /** Every object of the present that cannot be read, with the prefix of its resource. */
  unreadable(): { readonly prefix: string; readonly entry: Entry }[] {
    return [...this.#slots.values()].flatMap(({ cache, waiting }) => {
      const { prefix } = cache.resource;
      return waiting ? [] : cache.unreadable.map((entry) => ({ prefix, entry }));
    });
  }

  /**
   * Reads again what could not be read, when there is reason to believe that it can be now; resolves to the number of objects
   * that can. Rejects with StoreError.
   */
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
   * Loads everything anew, because the cache may differ from the store; all watches end with `compacted`. Rejects with
   * CacheError when the store cannot be read; the old state is served on then.
   */
  reload(): Promise<void> {
    return (this.#reloading ??= this.#counted("load of all resources", () => this.#reload()));
  }

  /**
   * Compares all resources with the store, each at one revision, and answers how they differ: by nothing, if all is
   * well. A resource that is compacted or removed on the way is left out. Rejects with StoreError.
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

  /** Stops following the store; all watches end with `closed`, all who wait are refused. */
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
      reached: (wanted, signal) => this.#reached(wanted, signal),
      pause,
      activity,
    };
  }

  async #reached(revision: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { reached, cancel } = this.#waiters.add(revision);
    const onAbort = (): void => cancel(signal.reason as Error);
    signal.addEventListener("abort", onAbort);
    try {
      await reached;
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
        if (found.length % PART === 0) await this.#hub.pause();
      }
      count += cache.heal(found);
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
      // Before the store is followed: it may say at once that this place too is lost, and then all begins anew.
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

  /** Reads all resources as of the newest revision and only then replaces what there was. */
  async #loadAll(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const revision = await this.#store.currentRevision();
      const slots = [...this.#slots.values()].filter((slot) => slot.waiting === undefined);
      try {
        const states = await Promise.all(
          slots.map(({ cache }) => loadState(this.#store, cache.resource, revision, this.#hub.pause)),
        );
        this.#revision = this.#delivered = revision;
        slots.forEach(({ cache }, i) => cache.reset(states[i]!, revision));
        this.#waiters.reach(revision);
        return;
      } catch (error) {
        if (!isCompacted(error) || attempt >= MOST_LOADS) throw error;
      }
    }
  }

  /** Reads one resource as of the present revision, then applies what was committed since. */
  async #load(slot: Slot): Promise<void> {
    const { cache } = slot;
    for (let attempt = 1; ; attempt++) {
      // While everything is loaded anew the present revision may be one that the store has forgotten.
      await this.#reloaded();
      const revision = this.#revision;
      const reloads = this.#reloads;
      slot.waiting = [];
      try {
        const state = await loadState(this.#store, cache.resource, revision, this.#hub.pause);
        await this.#reloaded();
        this.#checkServed(slot);
        // A reload leaves out what is still being loaded, and the changes in the gap before it never came.
        if (reloads !== this.#reloads) continue;
        cache.reset(state, revision);
        for (const event of slot.waiting) this.#apply(slot, event);
        this.#checkServed(slot);
        slot.waiting = undefined;
        return;
      } catch (error) {
        this.#checkServed(slot);
        if (!isCompacted(error) || attempt >= MOST_LOADS) throw error;
        // The present revision is forgotten: it will soon be another one, or everything is loaded anew.
        await this.#hub.pause();
      }
    }
  }

  /** Resolves when nothing is being loaded anew. */
  async #reloaded(): Promise<void> {
    while (this.#reloading) await this.#reloading.catch(() => {});
  }

  /** Whether this very resource is registered, and not removed or another one with its prefix. */
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

  #take(batch: readonly StoreEvent[]): void {
    let revision = this.#revision;
    const before = revision;
    for (const event of batch) {
      // A watch that was taken up again may repeat what is known.
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
      // The cache would be wrong from here on, so it stops to answer for this resource.
      this.#settings.onError(error);
      this.#drop(slot, new CacheError("failed", `Expected ${event.key} to be readable, got an error`, error));
    }
  }

  #drop({ cache }: Slot, error?: CacheError): void {
    this.#slots.remove(cache.resource.prefix);
    this.#touched.delete(cache);
    cache.drop(error);
  }

  /** Everything up to `revision` has been applied: deliver it, let those go on who waited for it. */
  #advance(revision: number): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    for (const cache of this.#touched) cache.flush();
    this.#touched.clear();
    // A sink may have made the store call again, so that more has been delivered already.
    this.#delivered = Math.max(this.#delivered, revision);
    this.#waiters.reach(revision);
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
