/**
 * What every verb needs of one served resource: its definition, compiled, and the house around it.
 *
 * A {@link StoredKind} is what is stored under one prefix; a {@link Kind} is one group and version through which it is
 * served. Most kinds have one of each; Events have one stored form and two served ones.
 *
 * @module
 */
import type { ApiContext, ApiObject, ResourceDefinition } from "../schema/definition.ts";
import type { Walker } from "../schema/walker.ts";
import type { Admission } from "../admission/contract.ts";
import type { StructType } from "../apply/schema/schema.ts";
import type { Cacher, Entry, ResourceCache } from "../cache/index.ts";
import type { ObjectRef } from "../meta/status.ts";
import type { Store } from "../storage/contract.ts";
import type { KeyedLock } from "../util/keyed-lock.ts";
import { type FieldReaders, decodeObject, headOf } from "./codec.ts";

/** The parts of a server that all kinds share. */
export interface House {
  readonly api: ApiContext;
  readonly store: Store;
  readonly cacher: Cacher;
  readonly admission: Admission;
  /** Writers of one key take turns. */
  readonly locks: KeyedLock;
  /** Every served kind, for conversions between versions: by `group/version/plural`. */
  readonly kinds: ReadonlyMap<string, Kind>;
}

/** What is stored under one prefix, in one form. */
export interface StoredKind {
  /** The prefix of its keys in the store: `/core/configmaps/`, `/storage.svc.io/csidrivers/`. */
  readonly prefix: string;
  readonly kind: string;
  readonly apiVersion: string;
  /** Bytes of the head of every stored object, see `codec.ts`. */
  readonly head: number;
  /** Selectable fields of all its served versions, read from the stored form. */
  readonly fields: FieldReaders;
}

/** One served resource. */
export interface Kind {
  readonly definition: ResourceDefinition;
  readonly ref: ObjectRef;
  /** `group/version`, or the version of the core group. */
  readonly apiVersion: string;
  readonly namespaced: boolean;
  readonly walker: Walker;
  readonly type: StructType;
  readonly stored: StoredKind;
  readonly cache: ResourceCache;
  readonly house: House;
}

/** The name of a definition in {@link House.kinds}. */
export const kindKey = (group: string, version: string, plural: string): string => `${group}/${version}/${plural}`;

/** `group/version`, or the version alone for the core group (META-1). */
export const apiVersionOf = (group: string, version: string): string => (group ? `${group}/${version}` : version);

/** The prefix under which a resource is stored. */
export const storePrefix = (group: string, plural: string): string => `/${group || "core"}/${plural}/`;

/** The stored kind of a definition that is its own stored form. */
export function storedKindOf(definition: ResourceDefinition): Omit<StoredKind, "fields"> {
  const apiVersion = apiVersionOf(definition.group, definition.version);
  return {
    prefix: storePrefix(definition.group, definition.plural),
    kind: definition.kind,
    apiVersion,
    head: Buffer.byteLength(headOf(definition.kind, apiVersion)),
  };
}

/** The key of an object inside its resource. */
export const keyOf = (kind: Kind, namespace: string, name: string): string =>
  kind.namespaced ? `${namespace}/${name}` : name;

/** Parsed objects that are asked for often: a bounded set, the one that was not used for longest goes first. */
export class HotObjects {
  readonly #most: number;
  readonly #objects = new Map<Entry, ApiObject>();

  constructor(most = 2048) {
    this.#most = most;
  }

  /** The object of `entry`; parsed when it is not hot. Read only: it is shared. */
  get(entry: Entry, parse: (entry: Entry) => ApiObject): ApiObject {
    let object = this.#objects.get(entry);
    if (object) {
      this.#objects.delete(entry);
    } else {
      object = parse(entry);
      if (this.#objects.size >= this.#most) this.#objects.delete(this.#objects.keys().next().value!);
    }
    this.#objects.set(entry, object);
    return object;
  }
}

const hot = new WeakMap<House, Map<Kind, HotObjects>>();

/** The object of an entry in the version of `kind`; read only, shared. */
export function objectOf(kind: Kind, entry: Entry): ApiObject {
  let byKind = hot.get(kind.house);
  if (!byKind) hot.set(kind.house, (byKind = new Map()));
  let objects = byKind.get(kind);
  if (!objects) byKind.set(kind, (objects = new HotObjects()));
  return objects.get(entry, (e) => parseEntry(kind, e));
}

/** The stored object of an entry, in its stored form; a copy. */
export const parseStored = (entry: Entry): ApiObject => decodeObject(entry.bytes);

/** An object in the form in which it is stored; `replaced` is the entry that it takes the place of. */
export function storedForm(kind: Kind, object: ApiObject, replaced: Entry | undefined): ApiObject {
  const { storedAs } = kind.definition;
  return storedAs ? storedAs.toStored(object, replaced && decodeObject(replaced.bytes)) : object;
}

/** A fresh copy of the object of an entry in the version of `kind`; the caller may change it. */
export function parseEntry(kind: Kind, entry: Entry): ApiObject {
  const object = decodeObject(entry.bytes);
  const { storedAs } = kind.definition;
  return storedAs ? storedAs.fromStored(object) : object;
}
