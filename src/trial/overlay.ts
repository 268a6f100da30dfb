/**
 * A lookup that shows documents on top of the stored objects.
 *
 * @module
 */
import type { ApiObject } from "../schema/definition.ts";
import type { Followed, Lookup, ObjectName } from "../schema/lookup.ts";

/** An object that is shown as if it were stored. */
export interface Shown {
  /** `plural.group`, or the plural of a core resource. */
  readonly resource: string;
  readonly object: ApiObject;
}

/** Resources of which only the documents are shown, and no stored objects. */
export type Hidden = ReadonlySet<string>;

const NOTHING: ReadonlyMap<string, ApiObject> = new Map();

/** See the head of this file. */
export class Overlay implements Lookup {
  readonly #base: Lookup;
  readonly #hidden: Hidden;
  readonly #shown = new Map<string, Map<string, ApiObject>>();

  constructor(base: Lookup, shown: readonly Shown[], hidden: Hidden = new Set()) {
    this.#base = base;
    this.#hidden = hidden;
    for (const { resource, object } of shown) this.#add(plain(resource), object);
  }

  get(resource: string, namespace: string, name: string): ApiObject | undefined {
    const found = this.#of(resource).get(keyOf({ namespace, name }));
    return found ?? (this.#isHidden(resource) ? undefined : this.#base.get(resource, namespace, name));
  }

  async collect<T>(
    resource: string,
    read: (object: ApiObject) => T | undefined,
    namespace?: string,
  ): Promise<readonly T[]> {
    const shown = this.#of(resource);
    const own = [...shown.values()].filter(({ metadata }) => !namespace || metadata.namespace === namespace);
    const stored = this.#isHidden(resource) ? [] : await this.#stored(resource, read, namespace);
    return [...own.map(read), ...stored].filter((one) => one !== undefined);
  }

  first(resource: string, limit: number): readonly ObjectName[] {
    const own = [...this.#of(resource).values()].map(({ metadata }) => nameOf(metadata));
    const stored = this.#isHidden(resource) ? [] : this.#base.first(resource, limit);
    const known = new Set(own.map(keyOf));
    return [...own, ...stored.filter((name) => !known.has(keyOf(name)))].slice(0, limit);
  }

  follow(resource: string): Followed {
    return this.#isHidden(resource) ? UNCHANGED : this.#base.follow(resource);
  }

  /** The stored objects, except for those that a document replaces. */
  #stored<T>(
    resource: string,
    read: (object: ApiObject) => T | undefined,
    namespace: string | undefined,
  ): Promise<readonly T[]> {
    const shown = this.#of(resource);
    if (shown.size === 0) return this.#base.collect(resource, read, namespace);
    const readOthers = (object: ApiObject): T | undefined =>
      shown.has(keyOf(nameOf(object.metadata))) ? undefined : read(object);
    return this.#base.collect(resource, readOthers, namespace);
  }

  #of(resource: string): ReadonlyMap<string, ApiObject> {
    return this.#shown.get(plain(resource)) ?? NOTHING;
  }

  #isHidden(resource: string): boolean {
    return this.#hidden.has(plain(resource));
  }

  #add(resource: string, object: ApiObject): void {
    const key = keyOf(nameOf(object.metadata));
    const objects = this.#shown.get(resource);
    if (objects) objects.set(key, object);
    else this.#shown.set(resource, new Map([[key, object]]));
  }
}

const UNCHANGED: Followed = { mark: 1, changedSince: () => [] };

/** A core resource has two names: with and without the dot before its empty group. */
const plain = (resource: string): string => (resource.endsWith(".") ? resource.slice(0, -1) : resource);

const keyOf = ({ namespace, name }: ObjectName): string => `${namespace}/${name}`;
const nameOf = ({ namespace = "", name = "" }: ApiObject["metadata"]): ObjectName => ({ namespace, name });
