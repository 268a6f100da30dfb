/**
 * All bindings, found by whom they give something to: for each namespace, and for the cluster, a list for each holder.
 *
 * A list never changes: who holds one sees by its identity whether it is still the one of today. A binding that changes
 * makes the lists of its holders anew, and no other.
 *
 * @module
 */
import type { Decision } from "../contract.ts";
import { type Binding, describe } from "./binding.ts";
import type { Slice } from "../../util/loop.ts";

/** A binding that somebody is named in, and as which of its subjects. */
export class Held {
  readonly binding: Binding;
  /** The first of the subjects that names them. */
  readonly subject: number;
  #decision: Decision | undefined;

  constructor(binding: Binding, subject: number) {
    this.binding = binding;
    this.subject = subject;
  }

  /** What is decided by it; told of each request that it allows, and made once. */
  get decision(): Decision {
    const reason = (): string => `RBAC: allowed by ${describe(this.binding, this.subject)}`;
    return (this.#decision ??= { allowed: true, reason: reason() });
  }
}

/** The bindings of a holder, by name. */
export type HeldList = readonly Held[];

const NONE: HeldList = [];

/** See the head of this file. */
export class BindingIndex {
  readonly #bindings = new Map<string, Binding>();
  /** By namespace, "" for the cluster; then by holder. */
  readonly #places = new Map<string, Map<string, HeldList>>();
  #nameLength = 0;

  /** How many there are. */
  get size(): number {
    return this.#bindings.size;
  }

  /** How many characters the names of their roles have together. */
  get nameLength(): number {
    return this.#nameLength;
  }

  /** Takes all bindings of a cluster, in slices; there were none before, and nobody asks before it is done. */
  async fill(bindings: readonly Binding[], limit: Slice): Promise<void> {
    const lists = new Set<Held[]>();
    for (const binding of bindings) {
      if (limit.isOver) await limit.pause();
      this.#add(keyOf(binding), binding);
      const place = this.#place(binding.namespace);
      for (const [holder, subject] of firstOf(binding)) {
        let list = place.get(holder) as Held[] | undefined;
        if (!list) place.set(holder, (list = []));
        list.push(new Held(binding, subject));
        lists.add(list);
      }
    }
    for (const list of lists) list.sort(byName);
  }

  /** Puts a binding in the place of what there was of its name; undefined where there is none any more. */
  set(namespace: string, name: string, binding: Binding | undefined): void {
    const key = keyOf({ namespace, name });
    const before = this.#bindings.get(key);
    if (before) this.#leave(key, before);
    if (!binding) return;
    this.#add(key, binding);
    const place = this.#place(namespace);
    for (const [holder, subject] of firstOf(binding)) {
      place.set(holder, inserted(place.get(holder) ?? NONE, new Held(binding, subject)));
    }
  }

  /** The bindings of a holder in a namespace, or in the cluster. */
  of(namespace: string, holder: string): HeldList {
    return this.#places.get(namespace)?.get(holder) ?? NONE;
  }

  #add(key: string, binding: Binding): void {
    this.#bindings.set(key, binding);
    this.#nameLength += binding.role.key.length;
  }

  #leave(key: string, binding: Binding): void {
    const { namespace } = binding;
    this.#bindings.delete(key);
    this.#nameLength -= binding.role.key.length;
    const place = this.#place(namespace);
    for (const holder of new Set(binding.holders)) {
      const left = (place.get(holder) ?? NONE).filter((held) => held.binding !== binding);
      if (left.length > 0) place.set(holder, left);
      else place.delete(holder);
    }
    if (place.size === 0) this.#places.delete(namespace);
  }

  #place(namespace: string): Map<string, HeldList> {
    let place = this.#places.get(namespace);
    if (!place) this.#places.set(namespace, (place = new Map()));
    return place;
  }
}

// No namespace has a slash.
const keyOf = ({ namespace, name }: Pick<Binding, "namespace" | "name">): string => `${namespace}/${name}`;

/** Each holder of a binding with the first subject that names it. */
function firstOf({ holders }: Binding): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  holders.forEach((holder, i) => {
    if (holder !== "" && !first.has(holder)) first.set(holder, i);
  });
  return first;
}

/** Orders bindings of one place by name, and the subjects of one in theirs. */
export function byName(a: Held, b: Held): number {
  if (a.binding === b.binding) return a.subject - b.subject;
  return a.binding.name < b.binding.name ? -1 : 1;
}

function inserted(list: HeldList, held: Held): HeldList {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (byName(list[middle]!, held) < 0) low = middle + 1;
    else high = middle;
  }
  return list.toSpliced(low, 0, held);
}
