/**
 * From definitions to a registry: which forms are stored, what the cache must keep, what each version serves.
 *
 * @module
 */
import { Chain } from "../admission/chain.ts";
import type { Admission } from "../admission/contract.ts";
import type { ResourceOfKind } from "../admission/owner-references.ts";
import type { AdmissionParts } from "../admission/steps.ts";
import type { ApiContext, ApiObject, NewObject, ResourceDefinition } from "../schema/definition.ts";
import type { Followed, Lookup, ObjectName } from "../schema/lookup.ts";
import type { Authenticator, Authorizer, TrustGround } from "../auth/contract.ts";
import type { TokenSigner } from "../auth/service-account-tokens.ts";
import { type CacherOptions, Cacher, type Entry } from "../cache/index.ts";
import { hasReason } from "../meta/status.ts";
import type { Bytes, Store } from "../storage/contract.ts";
import type { Clock } from "../util/clock.ts";
import type { Value } from "../value/value.ts";
import { amendStatus } from "./amend.ts";
import { storedBytes } from "./codec.ts";
import { HotObjects } from "./hot-objects.ts";
import { type Kind, type SharedParts, type Shown, keyOf } from "./kind.ts";
import { type KeptKinds, Kinds, resourceSpecs } from "./kinds.ts";
import { SYSTEM, systemWrite } from "./system.ts";
import { objectLocks } from "./object-locks.ts";
import { type AllocatingKind, startRepairs } from "./allocation/repair.ts";
import { type Shows, StoredPools } from "./allocation/pools.ts";
import { create } from "./verbs/create.ts";
import { deleteObject } from "./verbs/delete.ts";
import { objectOf } from "./versions/view.ts";
import type { Actions } from "./virtual/asked.ts";
import { bindingAction } from "./virtual/binding.ts";
import { evictionAction } from "./virtual/eviction.ts";
import { reviewActions } from "./virtual/reviews.ts";
import { tokenAction } from "./virtual/token.ts";
import { tokenReviewAction } from "./virtual/token-review.ts";

/** What a registry is built from. */
export interface RegistryOptions {
  readonly definitions: readonly ResourceDefinition[];
  readonly api: ApiContext;
  readonly store: Store;
  /** Decides what somebody may do, by what is stored where it needs to. */
  readonly authorizer: (ground: TrustGround) => Authorizer;
  /** Recognises credentials, by what is stored where it needs to. */
  readonly authenticator: (ground: TrustGround) => Authenticator;
  /** Made when the first token is asked for. */
  readonly signer: () => TokenSigner;
  /** The steps of admission, in their order. */
  readonly admission: (parts: AdmissionParts) => Admission;
  readonly cache?: Partial<CacherOptions>;
  /** What makes the objects of kinds that are shown and not stored; without it they have none. */
  readonly shown?: (lookup: Lookup) => Shown;
}

/** A registry with the cache under it. */
export interface BuiltRegistry {
  readonly kinds: Kinds;
  readonly cacher: Cacher;
  /** Reads objects in their stored version, as admission does. */
  readonly lookup: Lookup;
  readonly authorizer: Authorizer;
  readonly authenticator: Authenticator;
  /** Puts right what is taken and what is not, from time to time, until closed. */
  startRepairs(onError: (error: unknown) => void): { close(): void };
  /** The records that cannot be read, as they are stored. */
  unreadable(): readonly UnreadableRecord[];
  /** Makes the namespaces that are there from the start. */
  provisionNamespaces(names: readonly string[]): Promise<void>;
  /** Makes objects that are there from the start, side by side; those that cannot be made are told, and are made next time. */
  provision(objects: readonly StartObject[], onError: (object: StartObject, error: unknown) => void): Promise<void>;
}

/** A record that cannot be read: its key in the store, and what is stored. */
export interface UnreadableRecord {
  readonly key: string;
  readonly stored: Bytes;
}

/** An object that is there from the start. */
export interface StartObject {
  /** `plural.group`. */
  readonly resource: string;
  readonly object: NewObject;
}

/** Opens the cache over the store and serves the definitions. */
export async function buildRegistry(options: RegistryOptions): Promise<BuiltRegistry> {
  const { api, store } = options;
  const cacher = await Cacher.open(store, [], { clock: api.clock, ...options.cache });
  const built = over(options, cacher, (shared, actions) => new Kinds(shared, actions));
  await built.kinds.setAll(resourceSpecs(options.definitions));
  return built;
}

/** What registries over forks of a store begin with. */
export interface KeptRegistry {
  readonly cacher: Cacher;
  readonly kinds: KeptKinds;
}

/** A registry as it is now, over a fork of its store that nobody writes to; nobody asks it. */
export const keepRegistry = ({ cacher, kinds }: BuiltRegistry, store: Store, clock: Clock): KeptRegistry => ({
  cacher: cacher.fork(store, { clock }),
  kinds: kinds.keep(),
});

/** A registry over a fork of the store of another one, in a time that does not depend on how much is stored. */
export function forkRegistry(kept: KeptRegistry, options: RegistryOptions): BuiltRegistry {
  const cacher = kept.cacher.fork(options.store, { clock: options.api.clock, ...options.cache });
  return over(options, cacher, (shared, actions) => kept.kinds.fork(shared, actions));
}

/** Puts the room together around a cache. */
function over(
  options: RegistryOptions,
  cacher: Cacher,
  kindsOf: (shared: SharedParts, actions: Actions) => Kinds,
): BuiltRegistry {
  const { api, store, signer } = options;
  const lookup = lookupIn(() => kinds);
  const authorizer = options.authorizer({ lookup, api });
  const authenticator = options.authenticator({ lookup, api });
  const admission = options.admission({
    lookup,
    dialect: api.dialect,
    clock: api.clock,
    random: api.random,
    authorizer,
    provision: (name) => provisionNamespace(kinds, name),
    resourcesOf: (apiVersion, kind) => resourcesOf(kinds, apiVersion, kind),
    amend: (resource, key, change) => amendStatus(kinds.stored(resource)!, key, change),
  });
  const pools = new StoredPools({ api, store, shows, find: (resource) => kinds.stored(resource) });
  const actions = new Map([
    ...reviewActions(authorizer),
    ...tokenAction(lookup, signer),
    ...tokenReviewAction(authenticator),
    ...bindingAction(() => kinds),
    ...evictionAction(() => kinds, lookup),
  ]);
  const shared: SharedParts = {
    api,
    store,
    cacher,
    admission: new Chain(admission),
    locks: objectLocks(api.clock),
    hot: new HotObjects(),
    lookup,
    pools,
    namespaceLabels: (name) => lookup.get("namespaces", "", name)?.metadata.labels,
    shown: options.shown?.(lookup),
  };
  const kinds = kindsOf(shared, actions);
  // Also what cannot be read is there.
  const isThere = (resource: string, namespace: string, name: string): boolean => {
    const kind = kinds.stored(resource);
    return kind?.cache.get(keyOf(kind, namespace, name)) !== undefined;
  };
  return {
    kinds,
    cacher,
    lookup,
    authorizer,
    authenticator,
    startRepairs: (onError) =>
      startRepairs({
        clock: api.clock,
        random: api.random,
        pools,
        kinds: () => allocatingKinds(kinds, lookup),
        onError,
      }),
    unreadable: () =>
      cacher.unreadable().flatMap(({ prefix, entry }) => {
        const stored = storedBytes(entry);
        return stored ? [{ key: prefix + entry.key, stored }] : [];
      }),
    async provisionNamespaces(names) {
      const missing = names.filter((name) => !isThere("namespaces", "", name));
      await Promise.all(missing.map((name) => provisionNamespace(kinds, name)));
    },
    async provision(objects, onError) {
      const missing = objects.filter(({ resource, object: { metadata } }) => {
        return !isThere(resource, metadata.namespace ?? "", metadata.name!);
      });
      const make = async (wanted: StartObject): Promise<void> => {
        const kind = kinds.stored(wanted.resource);
        if (kind) await provisionObject(kind, wanted.object).catch((error: unknown) => onError(wanted, error));
      };
      await Promise.all(missing.map(make));
    },
  };
}

/** Writes and reads the objects that show what is allocated of a pool. */
const shows: Shows = {
  create: (kind, object) => createOwn(kind, object),
  async remove(kind, { metadata }) {
    const target = { namespace: "", name: metadata.name!, subresource: "" };
    try {
      await deleteObject(kind, target, { dryRun: false, preconditions: { uid: metadata.uid! } }, SYSTEM);
    } catch (error) {
      if (!hasReason(error, "NotFound") && !hasReason(error, "Conflict")) throw error;
    }
  },
  get(kind, name) {
    const entry = kind.cache.get(name);
    return entry && objectOf(kind, entry);
  },
  async all(kind) {
    const { entries } = await kind.cache.snapshot().listInTurns({ id: "", prefix: "", matches: () => true });
    return entries.map((entry) => objectOf(kind, entry));
  },
};

type Read<T> = (object: ApiObject) => T | undefined;

/** What a reader has made of all objects of a resource: it is good as long as none of them has changed. */
interface Collected {
  readonly cache: Kind["cache"];
  readonly since: number;
  readonly found: readonly unknown[];
}

/** What readers have made of entries, which never change. */
const made = new WeakMap<Read<unknown>, WeakMap<Entry, unknown>>();

/** What a reader makes of the object of an entry, which is looked at once. */
function readOnce<T>(read: Read<T>, kind: Kind, entry: Entry): T | undefined {
  let known = made.get(read);
  if (!known) made.set(read, (known = new WeakMap()));
  if (!known.has(entry)) known.set(entry, read(objectOf(kind, entry)));
  return known.get(entry) as T | undefined;
}

/** Reads objects by `plural.group`, in the version in which they are stored. */
const EVERYTHING = { id: "", prefix: "", matches: () => true };

function lookupIn(kinds: () => Kinds): Lookup {
  const collected = new WeakMap<Read<unknown>, Collected>();
  return {
    get(resource, namespace, name) {
      const kind = kinds().stored(resource);
      const entry = kind?.cache.get(keyOf(kind, namespace, name));
      return kind && entry && objectOf(kind, entry);
    },
    async collect<T>(resource: string, read: Read<T>, namespace?: string) {
      const kind = kinds().stored(resource);
      if (!kind) return [];
      const { cache } = kind;
      const { since } = cache;
      const last = namespace === undefined ? collected.get(read) : undefined;
      if (last?.cache === cache && last.since === since) return last.found as readonly T[];
      const readEntry = (entry: Entry) => readOnce(read, kind, entry);
      const prefix = namespace ? `${namespace}/` : "";
      const selection = { id: prefix, prefix, matches: (entry: Entry) => readEntry(entry) !== undefined };
      const { entries } = await cache.snapshot().listInTurns(selection);
      const found = entries.map((entry) => readEntry(entry)!);
      if (namespace === undefined) collected.set(read, { cache, since, found });
      return found;
    },
    first(resource, limit) {
      const kind = kinds().stored(resource);
      return (
        kind?.cache
          .snapshot()
          .list(EVERYTHING, { limit })
          .entries.map(({ key }) => nameIn(kind, key)) ?? []
      );
    },
    follow: (resource) => new FollowedKind(() => kinds().stored(resource)),
  };
}

/** Follows a resource, also where its kind is set anew: what is loaded again begins its history again. */
class FollowedKind implements Followed {
  readonly #kind: () => Kind | undefined;

  constructor(kind: () => Kind | undefined) {
    this.#kind = kind;
  }

  get mark(): number {
    return this.#kind()?.cache.since ?? 0;
  }

  changedSince(mark: number): readonly ObjectName[] | undefined {
    const kind = this.#kind();
    return kind ? kind.cache.keysSince(mark)?.map((key) => nameIn(kind, key)) : undefined;
  }
}

/** The object of a key inside its resource. */
function nameIn(kind: Kind, key: string): ObjectName {
  const slash = kind.namespaced ? key.indexOf("/") : -1;
  return { namespace: key.slice(0, Math.max(slash, 0)), name: key.slice(slash + 1) };
}

/** What is served of a kind in a version, `apps/v1`. */
function resourcesOf(kinds: Kinds, apiVersion: string, kind: string): ResourceOfKind[] {
  const slash = apiVersion.indexOf("/");
  const [group, version] = [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)];
  const served = kinds.group(group)?.versions.find((one) => one.version === version)?.resources ?? [];
  return served
    .filter(({ definition }) => definition.kind === kind)
    .map(({ definition: { plural, scope } }) => ({ group, version, plural, namespaced: scope === "Namespaced" }));
}

/** The kinds whose objects allocate something. */
const allocatingKinds = (kinds: Kinds, lookup: Lookup): AllocatingKind[] =>
  [...kinds.allStored()].flatMap(({ definition: { allocations }, stored }) =>
    allocations ? [{ allocations, collect: (read) => lookup.collect(stored.key, read) }] : [],
  );

/** Makes a namespace that a create needs (POL-5). */
const provisionNamespace = (kinds: Kinds, name: string): Promise<void> =>
  provisionObject(kinds.kind("", "v1", "namespaces")!, { kind: "Namespace", metadata: { name } });

/** Makes an object that the server needs; somebody else may be faster, which is as good. */
async function provisionObject(kind: Kind, object: NewObject): Promise<void> {
  try {
    await createOwn(kind, object);
  } catch (error) {
    if (!hasReason(error, "AlreadyExists")) throw error;
  }
}

/** Creates an object in the name of the server. */
async function createOwn(kind: Kind, object: NewObject): Promise<void> {
  const value = { apiVersion: kind.apiVersion, ...object } as unknown as Value;
  const target = { namespace: object.metadata.namespace ?? "", name: "", subresource: "" };
  await create(kind, target, { value, duplicates: [] }, systemWrite(kind.shared.api), SYSTEM);
}
