/**
 * Reads stored objects by `plural.group`, in the version in which they are stored, for code that decides about requests.
 *
 * @module
 */
import type { Entry, ListPart } from "../cache/index.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { Followed, Lookup, ObjectName } from "../schema/lookup.ts";
import { type Kind, keyOf } from "./kind/kind.ts";
import type { Kinds } from "./kinds.ts";
import { objectOf } from "./versions/view.ts";

type Read<T> = (object: ApiObject) => T | undefined;

/** The result of a reader for all objects of a resource; valid as long as none of them has changed. */
interface Collected {
  readonly cache: Kind["cache"];
  readonly since: number;
  readonly found: readonly unknown[];
}

/** The results of readers for entries, which never change: forks of a cluster share them. */
const made = new WeakMap<Read<unknown>, WeakMap<Entry, unknown>>();

/** The result of a reader for an entry; it reads each entry once. */
function readOnce<T>(read: Read<T>, kind: Kind, entry: Entry): T | undefined {
  let known = made.get(read);
  if (!known) made.set(read, (known = new WeakMap()));
  if (!known.has(entry)) known.set(entry, read(objectOf(kind, entry)));
  return known.get(entry) as T | undefined;
}

/** Selects all objects of a resource. */
export const EVERYTHING = { id: "", prefix: "", matches: () => true };

/** A lookup in the served kinds; `kinds` is called for each read. */
export function lookupIn(kinds: () => Kinds): Lookup {
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
      const prefix = namespace ? `${namespace}/` : "";
      const selection = { id: prefix, prefix, matches: (entry: Entry) => readOnce(read, kind, entry) !== undefined };
      const found: T[] = [];
      let part: ListPart | undefined = await cache.snapshot().parts(selection);
      for (; part; part = await part.next?.()) {
        for (const entry of part.entries) found.push(readOnce(read, kind, entry)!);
      }
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
    follow: (resource) => new FollowedKind(kinds, resource),
  };
}

/** The changes of one kind. When the kind is set and loaded again, its history begins again. */
class FollowedKind implements Followed {
  readonly #kinds: () => Kinds;
  readonly #resource: string;

  constructor(kinds: () => Kinds, resource: string) {
    this.#kinds = kinds;
    this.#resource = resource;
  }

  get mark(): number {
    return this.#kind()?.cache.since ?? 0;
  }

  changedSince(mark: number): readonly ObjectName[] | undefined {
    const kind = this.#kind();
    return kind?.cache.keysSince(mark)?.map((key) => nameIn(kind, key));
  }

  #kind(): Kind | undefined {
    return this.#kinds().stored(this.#resource);
  }
}

/** The namespace and name in a key of a resource. */
function nameIn(kind: Kind, key: string): ObjectName {
  const slash = kind.namespaced ? key.indexOf("/") : -1;
  return { namespace: key.slice(0, Math.max(slash, 0)), name: key.slice(slash + 1) };
}
