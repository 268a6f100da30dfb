/**
 * A lookup that shows objects as if planned writes were stored.
 *
 * @module
 */
import type { ApiObject } from "../../schema/definition.ts";
import type { Lookup, ObjectName } from "../../schema/lookup.ts";
import type { Write } from "../../storage/contract.ts";
import type { Kind } from "../kind/kind.ts";

/** A planned write. */
export interface PlannedWrite {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  /** The object in its stored form; undefined where it is deleted. */
  readonly object: ApiObject | undefined;
  readonly write: Write;
}

/** Planned objects by namespace and name; undefined for one that is deleted. */
type PlannedObjects = ReadonlyMap<string, ApiObject | undefined>;

const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

/** A lookup over another one, with planned writes. */
export class PlannedLookup implements Lookup {
  readonly #base: Lookup;
  /** By resource. */
  readonly #planned = new Map<string, Map<string, ApiObject | undefined>>();

  constructor(base: Lookup) {
    this.#base = base;
  }

  /** Adds more writes. */
  add(planned: readonly PlannedWrite[]): void {
    for (const { kind, namespace, name, object } of planned) {
      const resource = kind.stored.key;
      let objects = this.#planned.get(resource);
      if (!objects) this.#planned.set(resource, (objects = new Map()));
      objects.set(keyOf(namespace, name), object);
    }
  }

  get(resource: string, namespace: string, name: string): ApiObject | undefined {
    const objects = this.#of(resource);
    const key = keyOf(namespace, name);
    return objects?.has(key) ? objects.get(key) : this.#base.get(resource, namespace, name);
  }

  async collect<T>(
    resource: string,
    read: (object: ApiObject) => T | undefined,
    namespace?: string,
  ): Promise<readonly T[]> {
    const objects = this.#of(resource);
    if (!objects) return this.#base.collect(resource, read, namespace);
    const isReplaced = ({ metadata }: ApiObject): boolean =>
      objects.has(keyOf(metadata.namespace ?? "", metadata.name ?? ""));
    const stored = await this.#base.collect(resource, (one) => (isReplaced(one) ? undefined : read(one)), namespace);
    const planned = [...objects.values()]
      .filter((object) => object !== undefined)
      .filter(({ metadata }) => !namespace || metadata.namespace === namespace)
      .map(read);
    return [...stored, ...planned.filter((found) => found !== undefined)];
  }

  first(resource: string, limit: number): readonly ObjectName[] {
    const objects = this.#of(resource);
    if (!objects) return this.#base.first(resource, limit);
    const stored = this.#base
      .first(resource, limit + objects.size)
      .filter(({ namespace, name }) => !objects.has(keyOf(namespace, name)));
    return [...stored, ...namesOf(objects)].toSorted(byName).slice(0, limit);
  }

  /** Planned objects may change with each write that is judged, so a follower reads all of them each time. */
  follow(resource: string): ReturnType<Lookup["follow"]> {
    const followed = this.#base.follow(resource);
    return this.#of(resource) ? { mark: followed.mark, changedSince: () => undefined } : followed;
  }

  #of(resource: string): PlannedObjects | undefined {
    return this.#planned.get(resource.includes(".") ? resource : `${resource}.`);
  }
}

const namesOf = (objects: PlannedObjects): ObjectName[] =>
  [...objects.values()]
    .filter((object) => object !== undefined)
    .map(({ metadata: { namespace = "", name = "" } }) => ({ namespace, name }));

const byName = (a: ObjectName, b: ObjectName): number => {
  const [x, y] = [keyOf(a.namespace, a.name), keyOf(b.namespace, b.name)];
  return x < y ? -1 : x > y ? 1 : 0;
};
