/**
 * The compiled state of all objects of a resource, kept until one of them changes.
 * Where an object has changed, the next request builds the state again, and concurrent requests wait for the same result. Each state of an
 * object is read once.
 *
 * @module
 */
import type { ApiObject } from "../../schema/definition.ts";
import type { Followed, Lookup } from "../../schema/lookup.ts";

/** How a state is built from the objects of a resource. */
export interface StateOptions<T, S> {
  /** `plural.group`. */
  readonly resource: string;
  /** Reads one object, which it must not change; undefined for an object that does not count. */
  readonly read: (object: ApiObject) => T | undefined;
  /** Builds the state; the results of `read` come in any order. */
  readonly build: (items: readonly T[]) => S;
}

/** The compiled state of a resource. */
export class FollowedState<T, S> {
  readonly #lookup: Lookup;
  readonly #options: StateOptions<T, S>;
  readonly #followed: Followed;
  #mark: number | undefined = undefined;
  #state: S;
  #building: { readonly mark: number; readonly done: Promise<S> } | undefined = undefined;

  /** @param lookup reads stored objects; planned requests have lookups of their own */
  constructor(lookup: Lookup, options: StateOptions<T, S>) {
    this.#lookup = lookup;
    this.#options = options;
    this.#followed = lookup.follow(options.resource);
    this.#state = options.build([]);
  }

  /** The state that a request must see, including planned objects. */
  of(lookup: Lookup): S | Promise<S> {
    if (lookup !== this.#lookup && this.#isPlanned(lookup)) return this.#read(lookup);
    const { mark } = this.#followed;
    return mark === this.#mark ? this.#state : this.#rebuild(mark);
  }

  /** Whether objects of the resource are planned. */
  #isPlanned(lookup: Lookup): boolean {
    const followed = lookup.follow(this.#options.resource);
    return followed.changedSince(followed.mark) === undefined;
  }

  #rebuild(mark: number): S | Promise<S> {
    const { resource, build } = this.#options;
    if (this.#building?.mark === mark) return this.#building.done;
    // Without objects there is nothing to read, and the request does not wait.
    if (this.#lookup.first(resource, 1).length === 0) return this.#keep(mark, build([]));
    const done = this.#read(this.#lookup).then((state) => {
      if (this.#building?.done === done) this.#keep(mark, state);
      return state;
    });
    this.#building = { mark, done };
    done.catch(() => {
      if (this.#building?.done === done) this.#building = undefined;
    });
    return done;
  }

  #keep(mark: number, state: S): S {
    this.#building = undefined;
    this.#mark = mark;
    return (this.#state = state);
  }

  async #read(lookup: Lookup): Promise<S> {
    const { resource, read, build } = this.#options;
    return build(await lookup.collect(resource, read));
  }
}
