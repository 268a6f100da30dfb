/**
 * One served resource, as every verb needs it: its compiled definition, and the parts that all resources share.
 * A {@link StoredResource} has the objects under one prefix, in any version in which they were written; a {@link Kind} is one group and
 * version in which it is read and written. Most have one of each; Events have two groups over one prefix. Everything that is derived from a
 * kind is a member of its Kind and is dropped with it.
 *
 * @module
 */
import { apiVersionOf } from "../../meta/versions.ts";
import type { ApiContext, NewObject, Owner, ResourceDefinition, Pool, WriteContext } from "../../schema/definition.ts";
import type { Lookup } from "../../schema/lookup.ts";
import { type Walker, walkerOf } from "../../schema/walker.ts";
import type { Chain } from "../../admission/chain.ts";
import { type StructType, structOf } from "../../apply/schema/schema.ts";
import type { Cacher, Entry, ResourceCache } from "../../cache/index.ts";
import type { ObjectRef } from "../../meta/status.ts";
import type { Store } from "../../storage/contract.ts";
import type { KeyedLock } from "../../util/keyed-lock.ts";
import type { Actions } from "./action.ts";
import type { HotObjects } from "./hot-objects.ts";
import type { Converter } from "./converter.ts";

/** The parts of an entry in one version that are made on first use. */
export interface View {
  /** The JSON bytes, where they differ from the stored ones. */
  bytes?: Uint8Array;
  /** Whether it was stored in another form than the current schema gives it. */
  altered?: boolean;
  /** Resolves when another server has sent the bytes. */
  making?: Promise<void> | undefined;
  /** The selectable fields. */
  fields?: Readonly<Record<string, string>>;
}

/** The views of one version; they live as long as their entries and the kind. */
export type Views = WeakMap<Entry, View>;

/** The objects to read: of a namespace (empty for all, and for objects of the cluster), of a name (undefined for all). */
export interface AskedObjects {
  readonly namespace: string;
  readonly name: string | undefined;
}

/** Makes the objects of kinds that can be read and are not stored, by `group/kind`: the requested ones, or more; in any order. */
export type Shown = ReadonlyMap<string, (asked: AskedObjects) => readonly NewObject[] | Promise<readonly NewObject[]>>;

/** The parts of a server that all kinds share. */
export interface SharedParts {
  readonly api: ApiContext;
  readonly store: Store;
  readonly cacher: Cacher;
  readonly admission: Chain;
  /** The actions that carry out the creates of kinds that are not stored. */
  readonly actions: Actions;
  readonly locks: KeyedLock;
  readonly hot: HotObjects;
  /** Reads stored objects in the version in which they are stored. */
  readonly lookup: Lookup;
  /** Allocates addresses and ports. */
  readonly pools: Pools;
  /** The labels of a namespace that exists. */
  readonly namespaceLabels: NonNullable<WriteContext["namespaceLabels"]>;
  readonly shown?: Shown | undefined;
}

/** Pools of names, each of which belongs to one object at a time. */
export interface Pools {
  /** Allocates a name; resolves to the reason where that is not possible. */
  allocate(pool: Pool, name: string, owner: Owner): Promise<string | undefined>;
  /** Allocates any free name; resolves to undefined where none is left. */
  allocateAny(pool: Pool, owner: Owner): Promise<string | undefined>;
  /** Releases a name, where it still belongs to this owner. */
  release(pool: Pool, name: string, owner: Owner): Promise<void>;
  /** All allocations, with their owners. */
  allocated(pool: Pool): Promise<ReadonlyMap<string, Owner>>;
}

/** One resource in all its versions: the objects under one prefix. */
export interface StoredResource {
  /** `plural.group` of its storage version: `configmaps.`, `events.events.k8s.io`. */
  readonly key: string;
  /** The prefix of its keys in the store: `/core/configmaps/`, `/storage.svc.io/csidrivers/`. */
  readonly prefix: string;
  /** The apiVersion in which objects are written now. */
  readonly storageVersion: string;
  /** All versions that are known, served or not, by apiVersion. */
  readonly versions: ReadonlyMap<string, Kind>;
  readonly converter: Converter;
  /** Why creates are refused; undefined when they are allowed. */
  closed: string | undefined;
  /** The resource that replaced it: null for none, undefined as long as it is served itself. */
  successor: StoredResource | null | undefined;
}

/** The resource that is served now under the name of another one; undefined when none is. */
export function servedNow(stored: StoredResource): StoredResource | undefined {
  let now: StoredResource | null = stored;
  while (now?.successor !== undefined) now = now.successor;
  return now ?? undefined;
}

/** One resource in one group and version. */
export interface Kind {
  readonly definition: ResourceDefinition;
  readonly ref: ObjectRef;
  /** `group/version`, or the version of the core group. */
  readonly apiVersion: string;
  readonly namespaced: boolean;
  readonly walker: Walker;
  readonly type: StructType;
  readonly stored: StoredResource;
  readonly cache: ResourceCache;
  readonly shared: SharedParts;
  /** The cache of parsed objects, shared with other kinds. */
  readonly hot: HotObjects;
  /** Forks share the views: they have the same entries and the same versions. */
  readonly views: Views;
}

/** A definition and its derived values; a class, because a write reads its members a hundred times. */
export class VersionKind implements Kind {
  readonly definition: ResourceDefinition;
  readonly ref: ObjectRef;
  readonly apiVersion: string;
  readonly namespaced: boolean;
  readonly stored: StoredResource;
  readonly cache: ResourceCache;
  readonly shared: SharedParts;
  readonly hot: HotObjects;
  // Compiled on first use: an unused kind costs only its names.
  readonly #viewsOf: () => Views;
  #views: Views | undefined = undefined;
  #walker: Walker | undefined = undefined;
  #type: StructType | undefined = undefined;

  /** @param views called on first use */
  constructor(
    definition: ResourceDefinition,
    stored: StoredResource,
    cache: ResourceCache,
    shared: SharedParts,
    views: () => Views,
  ) {
    this.definition = definition;
    this.ref = { group: definition.group, plural: definition.plural, kind: definition.kind };
    this.apiVersion = apiVersionOf(definition.group, definition.version);
    this.namespaced = definition.scope === "Namespaced";
    this.stored = stored;
    this.cache = cache;
    this.shared = shared;
    this.hot = shared.hot;
    this.#viewsOf = views;
  }

  get views(): Views {
    return (this.#views ??= this.#viewsOf());
  }

  get walker(): Walker {
    return (this.#walker ??=
      this.definition.walker?.() ?? walkerOf(this.definition.schema, { dialect: this.shared.api.dialect }));
  }

  get type(): StructType {
    return (this.#type ??= structOf(this.definition.schema));
  }
}

/** The prefix under which a resource is stored. */
export const storePrefix = (group: string, plural: string): string => `/${group || "core"}/${plural}/`;

/** The key of an object inside its resource. */
export const keyOf = (kind: Pick<Kind, "namespaced">, namespace: string, name: string): string =>
  kind.namespaced ? `${namespace}/${name}` : name;
