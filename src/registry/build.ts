/**
 * Builds a registry: opens the cache over the store, puts the kinds together, serves the definitions.
 * The registry itself has no kinds and no steps of admission. {@link Handlers} has both; they are made from a {@link RegistryAccess}, which
 * reads the kinds once they are served.
 *
 * @module
 */
import { Chain } from "../admission/chain.ts";
import type { Admission } from "../admission/contract.ts";
import { type CacherOptions, Cacher } from "../cache/index.ts";
import type { ApiContext, NewObject, ResourceDefinition } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";
import type { Bytes, Store } from "../storage/contract.ts";
import type { Clock, Random } from "../util/clock.ts";
import { type AllocatingKind, startRepairs } from "./allocation/repair.ts";
import { StoredPools } from "./allocation/pools.ts";
import { objectLocks } from "./commit/object-locks.ts";
import type { Actions } from "./kind/action.ts";
import { HotObjects } from "./kind/hot-objects.ts";
import { type SharedParts, type Shown, keyOf } from "./kind/kind.ts";
import { type KeptKinds, Kinds, resourceSpecs } from "./kinds.ts";
import { lookupIn } from "./lookup.ts";
import { shows } from "./shows.ts";
import { createMissing } from "./verbs/own.ts";
import { storedBytes } from "./versions/codec.ts";

/** The parts from which a registry is built. */
export interface RegistryOptions<H extends Handlers = Handlers> {
  readonly definitions: readonly ResourceDefinition[];
  readonly api: ApiContext;
  readonly store: Store;
  readonly cache?: Partial<CacherOptions>;
  /** Called once, before any kind is served. */
  readonly handlers: (access: RegistryAccess) => H;
}

/** The access of admission, actions and authorizers to a registry. */
export interface RegistryAccess {
  readonly api: ApiContext;
  /** Reads objects in their stored version. */
  readonly lookup: Lookup;
  /** The served kinds; set once the registry is built. */
  readonly kinds: Kinds;
}

/** The steps and actions that decide about writes and carry out requests that store nothing. */
export interface Handlers {
  /** The steps of admission, in their order. */
  readonly admission: Admission;
  readonly actions: Actions;
  /** Makes the objects of kinds that can be read and are not stored; without it these kinds have no objects. */
  readonly shown?: Shown;
}

/** A registry with the cache under it. */
export interface BuiltRegistry<H extends Handlers = Handlers> extends RegistryAccess {
  readonly cacher: Cacher;
  readonly handlers: H;
  /** Repairs the pools of allocations at intervals, until closed. */
  startRepairs(random: Random, onError: (error: unknown) => void): { close(): void };
  /** The unreadable records, as they are stored. */
  unreadable(): readonly UnreadableRecord[];
  /** Creates the namespaces that a cluster has from its start, where they are missing. */
  provisionNamespaces(names: readonly string[]): Promise<void>;
  /** Creates the objects of {@link StartObject} that are missing, all at the same time; `onError` gets those that failed. */
  provision(objects: readonly StartObject[], onError: (object: StartObject, error: unknown) => void): Promise<void>;
}

/** A record that cannot be read: its key in the store, and its stored bytes. */
export interface UnreadableRecord {
  readonly key: string;
  readonly stored: Bytes;
}

/** An object that a cluster has from its start. */
export interface StartObject {
  /** `plural.group`. */
  readonly resource: string;
  readonly object: NewObject;
}

/** The state of a registry from which registries over forks of its store begin. */
export interface KeptRegistry {
  readonly cacher: Cacher;
  readonly kinds: KeptKinds;
}

/**
 * Opens the cache over the store and serves the definitions. Rejects with CacheError when records cannot be loaded; the cache is
 * closed then.
 */
export async function buildRegistry<H extends Handlers>(options: RegistryOptions<H>): Promise<BuiltRegistry<H>> {
  const { api, store, definitions, cache } = options;
  const cacher = await Cacher.open(store, [], { clock: api.clock, ...cache });
  try {
    const registry = new OpenRegistry(options, cacher, (shared) => new Kinds(shared));
    await registry.kinds.setAll(resourceSpecs(definitions));
    return registry;
  } catch (error) {
    cacher.close();
    throw error;
  }
}

/** The current state of a registry, over a fork of its store that does not change; it serves no requests. */
export const keepRegistry = ({ cacher, kinds }: BuiltRegistry, store: Store, clock: Clock): KeptRegistry => ({
  cacher: cacher.fork(store, { clock }),
  kinds: kinds.keep(),
});

/** A registry over a fork of the store of another one; the time for it does not depend on the number of stored objects. */
export function forkRegistry<H extends Handlers>(kept: KeptRegistry, options: RegistryOptions<H>): BuiltRegistry<H> {
  const { api, store, cache } = options;
  const cacher = kept.cacher.fork(store, { clock: api.clock, ...cache });
  try {
    return new OpenRegistry(options, cacher, (shared) => kept.kinds.fork(shared));
  } catch (error) {
    cacher.close();
    throw error;
  }
}

/** A registry over an open cache. */
class OpenRegistry<H extends Handlers> implements BuiltRegistry<H> {
  readonly api: ApiContext;
  readonly cacher: Cacher;
  readonly lookup: Lookup;
  readonly handlers: H;
  readonly kinds: Kinds;
  readonly #pools: StoredPools;
  /** The clock of locks. */
  readonly #wallClock: Clock;

  constructor(options: RegistryOptions<H>, cacher: Cacher, kindsOf: (shared: SharedParts) => Kinds) {
    const { api, store } = options;
    this.api = api;
    this.cacher = cacher;
    this.#wallClock = options.cache?.clock ?? api.clock;
    this.lookup = lookupIn(() => this.kinds);
    this.handlers = options.handlers(this);
    this.#pools = new StoredPools({ api, store, shows, find: (resource) => this.kinds.stored(resource) });
    this.kinds = kindsOf(this.#sharedParts(store));
  }

  #sharedParts(store: Store): SharedParts {
    const { api, cacher, lookup, handlers } = this;
    return {
      api,
      store,
      cacher,
      admission: new Chain(handlers.admission),
      actions: handlers.actions,
      shown: handlers.shown,
      locks: objectLocks(this.#wallClock),
      hot: new HotObjects(),
      lookup,
      pools: this.#pools,
      namespaceLabels: (name) => lookup.get("namespaces", "", name)?.metadata.labels,
    };
  }

  startRepairs(random: Random, onError: (error: unknown) => void): { close(): void } {
    const { clock } = this.api;
    return startRepairs({ clock, random, pools: this.#pools, kinds: () => this.#allocatingKinds(), onError });
  }

  unreadable(): readonly UnreadableRecord[] {
    return this.cacher.unreadable().flatMap(({ prefix, entry }) => {
      const stored = storedBytes(entry);
      return stored ? [{ key: prefix + entry.key, stored }] : [];
    });
  }

  async provisionNamespaces(names: readonly string[]): Promise<void> {
    const missing = names.filter((name) => !this.#exists("namespaces", "", name));
    await Promise.all(missing.map((name) => provisionNamespace(this.kinds, name)));
  }

  async provision(
    objects: readonly StartObject[],
    onError: (object: StartObject, error: unknown) => void,
  ): Promise<void> {
    const missing = objects.filter(({ resource, object: { metadata } }) => {
      return !this.#exists(resource, metadata.namespace ?? "", metadata.name ?? "");
    });
    const create = async (wanted: StartObject): Promise<void> => {
      const kind = this.kinds.stored(wanted.resource);
      if (kind) await createMissing(kind, wanted.object).catch((error: unknown) => onError(wanted, error));
    };
    await Promise.all(missing.map(create));
  }

  /** Whether an object is stored, even one that cannot be read. */
  #exists(resource: string, namespace: string, name: string): boolean {
    const kind = this.kinds.stored(resource);
    return kind?.cache.get(keyOf(kind, namespace, name)) !== undefined;
  }

  /** The kinds whose objects allocate addresses, ports or names. */
  #allocatingKinds(): AllocatingKind[] {
    return [...this.kinds.allStored()].flatMap(({ definition: { allocations }, stored }) =>
      allocations ? [{ allocations, collect: (read) => this.lookup.collect(stored.key, read) }] : [],
    );
  }
}

/** Creates a namespace for the create of an object in it (POL-5). */
export async function provisionNamespace(kinds: Kinds, name: string): Promise<void> {
  const kind = kinds.kind("", "v1", "namespaces");
  if (kind) await createMissing(kind, { kind: "Namespace", metadata: { name } });
}
