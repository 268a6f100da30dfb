/**
 * The served kinds, live: a resource with all its versions may be added, changed or removed while requests run.
 *
 * A change is prepared first (records loaded, versions compiled) and then made in one step, so that no request sees a part of it.
 * Everything that is derived from a kind belongs to its {@link Kind}; documents and metrics are kept by group and version and
 * dropped by {@link Kinds.onChange}.
 *
 * @module
 */
import type { ResourceDefinition } from "../schema/definition.ts";
import type { ResourceCache } from "../cache/index.ts";
import { apiVersionOf, inVersionOrder } from "../meta/versions.ts";
import { type Steps, atOnce, inSlices } from "../util/steps.ts";
import { cacheResource } from "./versions/codec.ts";
import type { GroupResources, KindsChange, Registry, Resource, VersionResources } from "./contract.ts";
import { type SharedParts, type Kind, type StoredResource, type Views, VersionKind, storePrefix } from "./kind/kind.ts";
import { KindResource } from "./resource.ts";
import { type UncheckedConverter, checkedConverter, hubConverter } from "./kind/converter.ts";
import { actionResource } from "./unstored/act.ts";
import { shownResource } from "./unstored/shown.ts";

/** One resource in all its versions: the unit that is added, changed and removed. */
export interface ResourceSpec {
  /** Its versions: at least one; those with `served: false` are known for records that were stored in them. */
  readonly versions: readonly ResourceDefinition[];
  /** The version in which objects are written, one of {@link ResourceSpec.versions}; by default the version that `storedAs` names. */
  readonly storage?: ResourceDefinition;
  /** The default converts through the form that `storedAs` names. */
  readonly converter?: UncheckedConverter;
}

/** The parts from which a resource is compiled, independent of the server; made again by each change. */
interface Blueprint extends ResourceSpec {
  /** The views of its versions; those of unused versions are missing. */
  readonly views: Map<ResourceDefinition, Views>;
}

/** A served resource. */
interface Live {
  readonly spec: Blueprint;
  /** Undefined for kinds that are not stored. */
  readonly stored: StoredResource | undefined;
  /** Why no objects may be created; undefined when they may. */
  readonly closed: string | undefined;
  readonly served: readonly Served[];
}

/** A resource in one version. */
interface Served {
  /** The definition of its resource. */
  readonly key: string;
  readonly definition: ResourceDefinition;
  readonly resource: Resource;
  /** Undefined for kinds that are not stored. */
  readonly kind: Kind | undefined;
}

/** A snapshot of the kinds. */
export interface KeptKinds {
  /** The same kinds over the parts of another server; the time for it does not depend on the number of objects. */
  fork(shared: SharedParts): Kinds;
}

/** The kinds that a server serves. */
export class Kinds implements Registry {
  readonly #shared: SharedParts;
  /** By `plural.group` of the storage version. */
  readonly #live = new Map<string, Live>();
  readonly #groups = new Map<string, Map<string, GroupVersion>>();
  /** The results of {@link Kinds.group}, made on first use. */
  readonly #groupResources = new Map<string, GroupResources>();
  readonly #observers = new Set<(change: KindsChange) => void>();
  /** The results of {@link Kinds.stored}: each write looks up the resources that its steps of admission follow. */
  readonly #stored = new Map<string, Kind>();
  /** Changes of one resource run one after another. */
  readonly #changing = new Map<string, Promise<void>>();
  #sorted: readonly Resource[] | undefined;
  #generation = 0;

  constructor(shared: SharedParts) {
    this.#shared = shared;
  }

  /** A snapshot of the current kinds. Forks put it over the parts of another server. */
  keep(): KeptKinds {
    const kept = [...this.#live].map(([key, { spec, closed }]) => ({ key, spec, closed }));
    return {
      fork(shared) {
        const fork = new Kinds(shared);
        for (const { key, spec, closed } of kept) {
          const cache = isUnstored(spec) ? undefined : shared.cacher.resource(prefixOf(storageOf(spec)));
          fork.#swap(key, new Later(key, spec, closed, () => atOnce(fork.#compile(spec, cache))));
        }
        return fork;
      },
    };
  }

  /**
   * Serves a resource in these versions. Resolves when every request sees it; watches of its former versions end, and can be
   * resumed. Rejects with CacheError when its records cannot be loaded, and with an error when its versions are inconsistent or
   * another resource is served under their name; then nothing has changed.
   */
  set(spec: ResourceSpec): Promise<void> {
    const key = keyOfSpec(spec);
    return this.#inOrder(key, async () => {
      const { cacher } = this.#shared;
      this.#check(key, spec);
      const before = this.#live.get(key)?.stored;
      const prefix = prefixOf(storageOf(spec));
      const isKept = before !== undefined && isLoaded(before);
      if (!isKept && !isUnstored(spec)) await cacher.addResource(cacheResource(prefix));
      try {
        const next = await inSlices(this.#compile(blueprintOf(spec)), this.#shared.api.clock.loop.slice());
        // Another resource may have been set while the records were loaded.
        this.#check(key, spec);
        this.#swap(key, next);
      } catch (error) {
        if (!isKept) cacher.removeResource(prefix);
        throw error;
      }
      if (!isKept) return;
      if (isUnstored(spec)) cacher.removeResource(prefix);
      else cacher.resource(prefix).endWatches();
    });
  }

  /** Several at once: their records are loaded at the same time. */
  async setAll(specs: readonly ResourceSpec[]): Promise<void> {
    await Promise.all(specs.map((spec) => this.set(spec)));
  }

  /** Stops serving a resource; its watches end. Its objects stay stored. */
  remove(key: string): Promise<void> {
    return this.#inOrder(key, async () => {
      const gone = this.#live.get(key);
      if (!gone) return;
      this.#swap(key, undefined);
      if (gone.stored) this.#shared.cacher.removeResource(gone.stored.prefix);
    });
  }

  /** Refuses creates of a resource from now on, with a reason; existing objects may still change. */
  close(key: string, why: string): void {
    const stored = this.#live.get(key)?.stored;
    if (stored) stored.closed = why;
  }

  /** The kind of a served resource. */
  kind(group: string, version: string, plural: string): Kind | undefined {
    return this.#served(group, version, plural)?.kind;
  }

  /** A resource in its storage version, by `plural.group` (or the plural of a core resource). */
  stored(resource: string): Kind | undefined {
    return this.#stored.get(resource) ?? this.#findStored(resource);
  }

  #findStored(resource: string): Kind | undefined {
    const stored = this.#live.get(resource.includes(".") ? resource : `${resource}.`)?.stored;
    const kind = stored?.versions.get(stored.storageVersion);
    if (kind) this.#stored.set(resource, kind);
    return kind;
  }

  /** Every resource that is stored, in its storage version. */
  *allStored(): Generator<Kind> {
    for (const { stored } of this.#live.values()) {
      const kind = stored?.versions.get(stored.storageVersion);
      if (kind) yield kind;
    }
  }

  /** The verbs of a resource in its storage version, served or not; undefined for a resource that is not stored here. */
  storedResource(key: string): Resource | undefined {
    const kind = this.stored(key);
    return kind && new KindResource(kind);
  }

  /** The number of stored resources. */
  get storedResources(): number {
    let count = 0;
    for (const { spec } of this.#live.values()) if (!isUnstored(spec)) count++;
    return count;
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#served(group, version, plural)?.resource;
  }

  hasGroup(group: string, version?: string): boolean {
    const versions = this.#groups.get(group);
    return versions !== undefined && (version === undefined || versions.has(version));
  }

  /** In the order of discovery: core first, then by group, version (stable first) and plural. */
  get resources(): readonly Resource[] {
    return (this.#sorted ??= this.groups().flatMap(({ versions }) => versions.flatMap(({ resources }) => resources)));
  }

  groups(): readonly GroupResources[] {
    return [...this.#groups.keys()].toSorted(compare).flatMap((name) => this.group(name) ?? []);
  }

  group(name: string): GroupResources | undefined {
    const known = this.#groupResources.get(name);
    if (known) return known;
    const versions = this.#groups.get(name);
    if (!versions) return undefined;
    const resources = { group: name, versions: inVersionOrder([...versions.values()]) };
    this.#groupResources.set(name, resources);
    return resources;
  }

  version(group: string, version: string): VersionResources | undefined {
    return this.#groups.get(group)?.get(version);
  }

  get generation(): number {
    return this.#generation;
  }

  get revision(): number {
    return this.#shared.cacher.revision;
  }

  onChange(observer: (change: KindsChange) => void): Disposable {
    this.#observers.add(observer);
    return { [Symbol.dispose]: () => void this.#observers.delete(observer) };
  }

  #served(group: string, version: string, plural: string): Served | undefined {
    return this.#groups.get(group)?.get(version)?.byPlural.get(plural);
  }

  async #inOrder(key: string, change: () => Promise<void>): Promise<void> {
    const before = this.#changing.get(key);
    const done = (before ?? Promise.resolve()).catch(() => {}).then(change);
    this.#changing.set(key, done);
    try {
      await done;
    } finally {
      if (this.#changing.get(key) === done) this.#changing.delete(key);
    }
  }

  /** Refuses versions that are inconsistent, or that would replace another resource. */
  #check(key: string, spec: ResourceSpec): void {
    const storage = storageOf(spec);
    const seen = new Set<string>();
    for (const { group, version, plural, scope, served } of spec.versions) {
      const apiVersion = apiVersionOf(group, version);
      if (seen.has(apiVersion)) throw new Error(`expected one definition of ${key} in ${apiVersion}`);
      seen.add(apiVersion);
      if (scope !== storage.scope) throw new Error(`expected all versions of ${key} to be ${storage.scope}`);
      const other = served === false ? undefined : this.#served(group, version, plural);
      if (other && other.key !== key) {
        throw new Error(`expected nothing at ${plural} of ${apiVersion}, there is ${other.key} already`);
      }
    }
    if (!seen.has(apiVersionOf(storage.group, storage.version))) {
      throw new Error(`expected the storage version of ${key} to be one of its own`);
    }
    const before = this.#live.get(key)?.spec.versions[0]?.scope;
    if (before !== undefined && before !== storage.scope) {
      throw new Error(`expected ${key} to stay ${before}: its objects have their names so`);
    }
  }

  /** In steps: a definition may have ten thousand versions. */
  *#compile(spec: Blueprint, known?: ResourceCache): Steps<Compiled> {
    if (isUnstored(spec)) return this.#compileUnstored(spec);
    const storage = storageOf(spec);
    const prefix = prefixOf(storage);
    const versions = new Map<string, Kind>();
    const stored: StoredResource = {
      key: keyOfSpec(spec),
      prefix,
      storageVersion: apiVersionOf(storage.group, storage.version),
      versions,
      converter: spec.converter
        ? checkedConverter(spec.converter, (apiVersion) => versions.has(apiVersion))
        : hubConverter((apiVersion) => versions.get(apiVersion)?.definition),
      closed: undefined,
      successor: undefined,
    };
    const cache = known ?? this.#shared.cacher.resource(prefix);
    for (const definition of spec.versions) {
      const kind = new VersionKind(definition, stored, cache, this.#shared, () => viewsIn(spec, definition));
      versions.set(kind.apiVersion, kind);
      yield;
    }
    const served: Served[] = [];
    const { key } = stored;
    for (const kind of versions.values()) {
      if (kind.definition.served === false) continue;
      served.push({ key, definition: kind.definition, kind, resource: new KindResource(kind) });
      yield;
    }
    return new Compiled(spec, stored, served);
  }

  #compileUnstored(spec: Blueprint): Compiled {
    const definitions = spec.versions.filter((definition) => definition.served !== false);
    const key = keyOfSpec(spec);
    const served = definitions.map((d) => ({
      key,
      definition: d,
      kind: undefined,
      resource: d.shown ? shownResource(d, this.#shared) : actionResource(d, this.#shared),
    }));
    return new Compiled(spec, undefined, served);
  }

  /** The one step of a change: from here on every request finds the new resource. */
  #swap(key: string, next: Live | undefined): void {
    const gone = this.#live.get(key);
    const before = gone?.served ?? [];
    const after = next?.served ?? [];
    if (gone?.stored) gone.stored.successor = next?.stored ?? null;
    this.#generation++;
    for (const { definition } of before) this.#take(definition);
    for (const served of after) this.#put(served);
    if (next) this.#live.set(key, next);
    else this.#live.delete(key);
    this.#sorted = undefined;
    this.#stored.clear();
    if (this.#observers.size === 0) return;
    const change = { before: resourcesOf(before), after: resourcesOf(after) };
    for (const observer of this.#observers) observer(change);
  }

  #put(served: Served): void {
    const { group, version, plural } = served.definition;
    let versions = this.#groups.get(group);
    if (!versions) this.#groups.set(group, (versions = new Map<string, GroupVersion>()));
    let found = versions.get(version);
    if (!found) versions.set(version, (found = new GroupVersion(version)));
    found.put(plural, served, this.#generation);
    this.#groupResources.delete(group);
  }

  #take({ group, version, plural }: ResourceDefinition): void {
    const versions = this.#groups.get(group);
    const found = versions?.get(version);
    found?.remove(plural, this.#generation);
    this.#groupResources.delete(group);
    if (found?.byPlural.size === 0) versions?.delete(version);
    if (versions?.size === 0) this.#groups.delete(group);
  }
}

/** A compiled resource. */
class Compiled implements Live {
  readonly spec: Blueprint;
  readonly stored: StoredResource | undefined;
  readonly served: readonly Served[];

  constructor(spec: Blueprint, stored: StoredResource | undefined, served: readonly Served[]) {
    this.spec = spec;
    this.stored = stored;
    this.served = served;
  }

  get closed(): string | undefined {
    return this.stored?.closed;
  }
}

/** A resource that is compiled on first use: a fork has more of them than its test uses. */
class Later implements Live {
  readonly spec: Blueprint;
  readonly served: readonly Served[];
  readonly #closed: string | undefined;
  readonly #compile: () => Compiled;
  #compiled: Compiled | undefined = undefined;

  constructor(key: string, spec: Blueprint, closed: string | undefined, compile: () => Compiled) {
    this.spec = spec;
    this.#closed = closed;
    this.#compile = compile;
    const versions = spec.versions.filter(({ served }) => served !== false);
    this.served = versions.map((definition, at) => new ServedLater(key, definition, () => this.#now().served[at]!));
  }

  get stored(): StoredResource | undefined {
    return this.#now().stored;
  }

  get closed(): string | undefined {
    return this.#compiled ? this.#compiled.closed : this.#closed;
  }

  #now(): Compiled {
    if (this.#compiled) return this.#compiled;
    const compiled = this.#compile();
    if (compiled.stored) compiled.stored.closed = this.#closed;
    return (this.#compiled = compiled);
  }
}

/** A version of a resource that is compiled on first use. */
class ServedLater implements Served {
  readonly key: string;
  readonly definition: ResourceDefinition;
  readonly #compiled: () => Served;

  constructor(key: string, definition: ResourceDefinition, compiled: () => Served) {
    this.key = key;
    this.definition = definition;
    this.#compiled = compiled;
  }

  get resource(): Resource {
    return this.#compiled().resource;
  }

  get kind(): Kind | undefined {
    return this.#compiled().kind;
  }
}

/** The resources of one group and version. */
class GroupVersion {
  readonly version: string;
  readonly byPlural = new Map<string, Served>();
  generation = 0;
  #sorted: readonly Resource[] | undefined;

  constructor(version: string) {
    this.version = version;
  }

  get resources(): readonly Resource[] {
    return (this.#sorted ??= resourcesOf([...this.byPlural].toSorted(([a], [b]) => compare(a, b)).map(([, s]) => s)));
  }

  put(plural: string, served: Served, generation: number): void {
    this.byPlural.set(plural, served);
    this.#touch(generation);
  }

  remove(plural: string, generation: number): void {
    this.byPlural.delete(plural);
    this.#touch(generation);
  }

  #touch(generation: number): void {
    this.generation = generation;
    this.#sorted = undefined;
  }
}

const resourcesOf = (served: readonly Served[]): readonly Resource[] => served.map(({ resource }) => resource);

const isUnstored = ({ versions }: ResourceSpec): boolean => versions.every(({ asked, shown }) => asked || shown);

/** Whether the records of a resource are still in memory: a record that could not be read removes it. */
const isLoaded = ({ versions }: StoredResource): boolean =>
  [...versions.values()].every(({ cache }) => cache.closed === undefined);

const blueprintOf = (spec: ResourceSpec): Blueprint => ({ ...spec, views: new Map<ResourceDefinition, Views>() });

/** The views of entries in one version. */
function viewsIn({ views }: Blueprint, definition: ResourceDefinition): Views {
  let found = views.get(definition);
  if (!found) views.set(definition, (found = new WeakMap()));
  return found;
}

/** The version in which objects are written. */
const storageOf = ({ storage, versions }: ResourceSpec): ResourceDefinition =>
  storage ?? versions.find((definition) => !definition.storedAs) ?? versions[0]!;

const prefixOf = ({ group, plural }: ResourceDefinition): string => storePrefix(group, plural);

const keyOfSpec = (spec: ResourceSpec): string => {
  const { plural, group } = storageOf(spec);
  return `${plural}.${group}`;
};

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Definitions by the form in which they are stored: one resource for each. */
export function resourceSpecs(definitions: readonly ResourceDefinition[]): ResourceSpec[] {
  const versions = new Map<string, ResourceDefinition[]>();
  for (const definition of definitions) {
    const form = definition.storedAs?.definition ?? formOf(definition);
    versions.set(form, [...(versions.get(form) ?? []), definition]);
  }
  return [...versions]
    .filter(([, all]) => all.some(({ served }) => served !== false))
    .map(([form, all]) => {
      const storage = all.find((definition) => formOf(definition) === form);
      if (!storage) throw new Error(`expected ${form} to be defined, because ${all[0]!.kind} is stored so`);
      return { versions: all, storage };
    });
}

/** `plural.group/version`. */
const formOf = (d: ResourceDefinition): string => `${d.plural}.${apiVersionOf(d.group, d.version)}`;
