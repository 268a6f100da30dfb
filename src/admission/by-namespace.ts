/**
 * The objects of a resource by namespace, as a step reads them for each request.
 * A read applies the changes since the last one, and returns at once. Only the first read waits, and a read after more changes than the
 * history of the resource has.
 *
 * @module
 */
import type { ApiObject } from "../schema/definition.ts";
import type { Followed, Lookup, ObjectName } from "../schema/lookup.ts";
import type { Loop } from "../util/loop.ts";
import { type Steps, inSlices } from "../util/steps.ts";
import { whenDone } from "../util/when-done.ts";

/** With more changes, everything is read again. */
const MAX_CHANGES = 5000;

/** The value of an object, with the name of the object. */
interface Named<T> extends ObjectName {
  readonly value: T;
}

/** The values of the objects of one namespace; undefined where there are none. */
type InNamespace<T> = Iterable<T> | undefined;

/** Values of the objects of a resource, by namespace. */
export class ByNamespace<T> {
  readonly #lookup: Lookup;
  readonly #loop: Loop;
  readonly #resource: string;
  readonly #read: (object: ApiObject) => T | undefined;
  readonly #readNamed: (object: ApiObject) => Named<T> | undefined;
  readonly #followed: Followed;
  #namespaces = new Map<string, Map<string, T>>();
  #mark = -1;
  #isLoaded = false;
  #loading: Promise<void> | undefined;

  /** @param read what is kept of an object; undefined for an object without interest */
  constructor(
    { lookup, loop }: { readonly lookup: Lookup; readonly loop: Loop },
    resource: string,
    read: (object: ApiObject) => T | undefined,
  ) {
    this.#lookup = lookup;
    this.#loop = loop;
    this.#resource = resource;
    this.#read = read;
    this.#readNamed = (object) => namedOf(object, read(object));
    this.#followed = lookup.follow(resource);
  }

  /**
   * The objects of a namespace; undefined where there are none.
   *
   * @param lookup the lookup of the request: one that shows planned objects is read itself
   */
  in(namespace: string, lookup: Lookup): InNamespace<T> | Promise<InNamespace<T>> {
    if (lookup !== this.#lookup) return lookup.collect(this.#resource, this.#read, namespace);
    return whenDone(this.#catchUp(), () => this.#namespaces.get(namespace)?.values());
  }

  /** Applies the changes; a promise where that takes several slices. */
  #catchUp(): Promise<void> | undefined {
    if (this.#loading) return this.#loading;
    const changes = this.#isLoaded ? this.#changes() : undefined;
    if (!changes || changes.length > MAX_CHANGES) return this.#wait(this.#loadAll());
    if (changes.length === 0) return undefined;
    const done = inSlices(this.#apply(changes), this.#loop.slice());
    return done instanceof Promise ? this.#wait(done) : undefined;
  }

  #changes(): readonly ObjectName[] | undefined {
    return this.#followed.mark === this.#mark ? [] : this.#followed.changedSince(this.#mark);
  }

  /** Requests wait for `done`, and then for the changes since it began. */
  #wait(done: Promise<void>): Promise<void> {
    const ended = done.finally(() => {
      this.#loading = undefined;
    });
    this.#loading = ended.then(() => this.#catchUp());
    return this.#loading;
  }

  *#apply(changes: readonly ObjectName[]): Steps<void> {
    // After a failure everything is read again.
    this.#isLoaded = false;
    this.#mark = this.#followed.mark;
    for (const { namespace, name } of changes) {
      const object = this.#lookup.get(this.#resource, namespace, name);
      this.#put(namespace, name, object && this.#read(object));
      yield;
    }
    this.#isLoaded = true;
  }

  async #loadAll(): Promise<void> {
    this.#isLoaded = false;
    this.#mark = this.#followed.mark;
    const found = await this.#lookup.collect(this.#resource, this.#readNamed);
    this.#namespaces = new Map();
    const slice = this.#loop.slice();
    for (const { namespace, name, value } of found) {
      if (slice.isOver) await slice.pause();
      this.#put(namespace, name, value);
    }
    this.#isLoaded = true;
  }

  #put(namespace: string, name: string, value: T | undefined): void {
    const before = this.#namespaces.get(namespace);
    if (value === undefined) {
      if (before?.delete(name) && before.size === 0) this.#namespaces.delete(namespace);
    } else if (before) before.set(name, value);
    else this.#namespaces.set(namespace, new Map([[name, value]]));
  }
}

function namedOf<T>({ metadata }: ApiObject, value: T | undefined): Named<T> | undefined {
  const { namespace = "", name = "" } = metadata;
  return value === undefined ? undefined : { namespace, name, value };
}
