/**
 * Revisions that objects mention: a program may store the resourceVersion of an object that it has seen, which differs between runs.
 *
 * @module
 */
import type { Trace } from "../contract/trace.ts";
import type { Leaf } from "./flat.ts";
import type { RunNames } from "./names.ts";

/** The objects of the revisions of a run. */
export class Revisions {
  readonly #trace: Trace;
  readonly #names: RunNames;
  #owners: ReadonlyMap<number, string> | undefined;

  constructor(trace: Trace, names: RunNames) {
    this.#trace = trace;
    this.#names = names;
  }

  /**
   * `Secret default/a, created`, `Secret default/a, latest`: the object and the role of a revision; undefined for a number that is no
   * revision.
   */
  #of(leaf: Leaf | undefined): string | undefined {
    const revision = typeof leaf === "number" ? leaf : typeof leaf === "string" && isDigits(leaf) ? Number(leaf) : NaN;
    if (Number.isNaN(revision)) return undefined;
    this.#owners ??= this.#find();
    return this.#owners.get(revision);
  }

  #find(): ReadonlyMap<number, string> {
    const owners = new Map<number, string>();
    const latest = new Map<string, number>();
    for (const entry of this.#trace) {
      if (entry.type !== "change") continue;
      const { key } = this.#names.identity(entry.object);
      const before = latest.get(`${key}|${entry.uid}`);
      if (before !== undefined) owners.set(before, `${key}|before`);
      owners.set(entry.revision, `${key}|latest`);
      latest.set(`${key}|${entry.uid}`, entry.revision);
    }
    return owners;
  }

  /** Whether two leaves of two runs are the same revision of the same object: its latest one. */
  isSame(own: Leaf | undefined, others: Revisions, leaf: Leaf | undefined): boolean {
    const owner = this.#of(own);
    return owner !== undefined && owner.endsWith("|latest") && owner === others.#of(leaf);
  }
}

function isDigits(text: string): boolean {
  if (text.length === 0 || text.length > 15) return false;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i);
    if (digit < 48 || digit > 57) return false;
  }
  return true;
}
