/**
 * An index of all bindings, by namespace ("" for the cluster) and subject.
 *
 * Its lists are immutable, so that a view sees by the identity of a list whether it is current. A changed binding replaces the
 * lists of its subjects, and no others.
 *
 * @module
 */
import type { Decision } from "../contract.ts";
import { type Binding, describe } from "./binding.ts";
import type { Slice } from "../../util/loop.ts";

/** A binding with the index of the subject that matches. */
export class BindingMatch {
  readonly binding: Binding;
  /** The index of the first subject that matches. */
  readonly subject: number;
  #decision: Decision | undefined;

  constructor(binding: Binding, subject: number) {
    this.binding = binding;
    this.subject = subject;
  }

  /** The decision for all requests that it allows. */
  get decision(): Decision {
    return (this.#decision ??= { allowed: true, reason: `RBAC: allowed by ${describe(this.binding, this.subject)}` });
  }
}

/** The bindings of a subject, ordered by name. */
export type BindingMatches = readonly BindingMatch[];

const NONE: BindingMatches = [];

/** Finds bindings by namespace and subject. */
export class BindingIndex {
  readonly #bindings = new Map<string, Binding>();
  /** By namespace, then by subject key. */
  readonly #namespaces = new Map<string, Map<string, BindingMatch[]>>();
  #nameLength = 0;

  /** The number of bindings. */
  get size(): number {
    return this.#bindings.size;
  }

  /** The number of characters of the names of their roles. */
  get nameLength(): number {
    return this.#nameLength;
  }

  /** Adds all bindings of a cluster to an empty index, in slices; the index is not used before that is done. */
  async fill(bindings: readonly Binding[], slice: Slice): Promise<void> {
    const lists = new Set<BindingMatch[]>();
    for (const binding of bindings) {
      if (slice.isOver) await slice.pause();
      this.#add(keyOf(binding), binding);
      const bySubject = this.#bySubject(binding.namespace);
      for (const [key, subject] of firstSubjects(binding)) {
        let list = bySubject.get(key);
        if (!list) bySubject.set(key, (list = []));
        list.push(new BindingMatch(binding, subject));
        lists.add(list);
      }
    }
    for (const list of lists) list.sort(byName);
  }

  /** Replaces the binding of a name; undefined where it is deleted. */
  set(namespace: string, name: string, binding: Binding | undefined): void {
    const key = keyOf({ namespace, name });
    const before = this.#bindings.get(key);
    if (before) this.#remove(key, before);
    if (!binding) return;
    this.#add(key, binding);
    const bySubject = this.#bySubject(namespace);
    for (const [subjectKey, subject] of firstSubjects(binding)) {
      bySubject.set(subjectKey, inserted(bySubject.get(subjectKey) ?? NONE, new BindingMatch(binding, subject)));
    }
  }

  /** The bindings of a subject in a namespace, or in the cluster. */
  of(namespace: string, subjectKey: string): BindingMatches {
    return this.#namespaces.get(namespace)?.get(subjectKey) ?? NONE;
  }

  #add(key: string, binding: Binding): void {
    this.#bindings.set(key, binding);
    this.#nameLength += binding.role.key.length;
  }

  #remove(key: string, binding: Binding): void {
    const { namespace } = binding;
    this.#bindings.delete(key);
    this.#nameLength -= binding.role.key.length;
    const bySubject = this.#bySubject(namespace);
    for (const subjectKey of new Set(binding.subjectKeys)) {
      const left = (bySubject.get(subjectKey) ?? NONE).filter((match) => match.binding !== binding);
      if (left.length > 0) bySubject.set(subjectKey, left);
      else bySubject.delete(subjectKey);
    }
    if (bySubject.size === 0) this.#namespaces.delete(namespace);
  }

  #bySubject(namespace: string): Map<string, BindingMatch[]> {
    let bySubject = this.#namespaces.get(namespace);
    if (!bySubject) this.#namespaces.set(namespace, (bySubject = new Map()));
    return bySubject;
  }
}

// No namespace has a slash.
const keyOf = ({ namespace, name }: Pick<Binding, "namespace" | "name">): string => `${namespace}/${name}`;

/** Each subject key of a binding with the index of its first subject. */
function firstSubjects({ subjectKeys }: Binding): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const [i, key] of subjectKeys.entries()) if (key !== "" && !first.has(key)) first.set(key, i);
  return first;
}

/** Orders the bindings of a namespace by name, and the matches of one binding by subject. */
export function byName(a: BindingMatch, b: BindingMatch): number {
  if (a.binding === b.binding) return a.subject - b.subject;
  return a.binding.name < b.binding.name ? -1 : 1;
}

function inserted(list: BindingMatches, match: BindingMatch): BindingMatch[] {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (byName(list[middle]!, match) < 0) low = middle + 1;
    else high = middle;
  }
  return list.toSpliced(low, 0, match);
}
