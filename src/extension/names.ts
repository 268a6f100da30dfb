/**
 * Which names of a group are taken, and which of those that a definition wants it is given (CRD-5, CRD-6).
 *
 * Plurals, singulars and short names share one space, kinds and list kinds another. A name that was accepted stays with
 * its definition until that one wants another; so whoever comes later does not take it.
 *
 * @module
 */
import type { Condition, Names } from "../kinds/apiextensions/v1/definition.ts";

/** The names that the definitions of one group have accepted. */
export class GroupNames {
  readonly #accepted = new Map<string, Names>();
  readonly #resources = new NameCounts();
  readonly #kinds = new NameCounts();
  readonly #waiting = new Set<string>();

  /** The same names, to go on with elsewhere. */
  fork(): GroupNames {
    const fork = new GroupNames();
    for (const [definition, names] of this.#accepted) fork.set(definition, names);
    for (const definition of this.#waiting) fork.setWaiting(definition, true);
    return fork;
  }

  /** Notes what a definition has accepted, in place of what it had before, and says whether that was something else. */
  set(definition: string, names: Names | undefined): boolean {
    const before = this.#accepted.get(definition);
    if (before === names || (before && names && sameNames(before, names))) return false;
    if (before) this.#count(before, -1);
    if (names) this.#count(names, 1);
    if (names) this.#accepted.set(definition, names);
    else this.#accepted.delete(definition);
    return true;
  }

  /** The definitions that want what they have not been given: somebody may have given it up. */
  waiting(): readonly string[] {
    return [...this.#waiting];
  }

  /** Notes whether a definition was given all that it wants. */
  setWaiting(definition: string, waits: boolean): void {
    if (waits) this.#waiting.add(definition);
    else this.#waiting.delete(definition);
  }

  get size(): number {
    return this.#accepted.size + this.#waiting.size;
  }

  hasResource(name: string): boolean {
    return this.#resources.has(name);
  }

  hasKind(name: string): boolean {
    return this.#kinds.has(name);
  }

  #count({ plural, singular, shortNames = [], kind, listKind }: Names, by: number): void {
    for (const name of [plural, singular, ...shortNames]) this.#resources.add(name, by);
    for (const name of [kind, listKind]) this.#kinds.add(name, by);
  }
}

/** Whether two sets of names are the same, whatever the order of their members. */
export const sameNames = (a: Names | undefined, b: Names | undefined): boolean => textOf(a) === textOf(b);

const textOf = (names: Names | undefined): string =>
  JSON.stringify([
    names?.plural ?? "",
    names?.singular ?? "",
    names?.shortNames ?? [],
    names?.kind ?? "",
    names?.listKind ?? "",
    names?.categories ?? [],
  ]);

/** How often each name is there. */
class NameCounts {
  readonly #counts = new Map<string, number>();

  add(name: string | undefined, by: number): void {
    if (!name) return;
    const count = (this.#counts.get(name) ?? 0) + by;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
  }

  has(name: string): boolean {
    return this.#counts.has(name);
  }
}

/** What a definition is given. */
export interface Acceptance {
  readonly names: Names;
  readonly condition: Pick<Condition, "type" | "status" | "reason" | "message">;
}

/**
 * The names that a definition is given of those it wants, which are its `accepted` ones from now on. What does not clash
 * is given in any case; of several clashes the last one is told.
 */
export function acceptNames(wanted: Names, accepted: Names | undefined, group: GroupNames): Acceptance {
  const isFree = (name: string, own: string | undefined, isTaken: (name: string) => boolean): boolean =>
    name === (own ?? "") || !isTaken(name);
  const isTakenResource = (name: string): boolean => group.hasResource(name);
  const isTakenKind = (name: string): boolean => group.hasKind(name);
  const clashes: { readonly reason: string; readonly name: string }[] = [];
  const given = (reason: string, name: string, own: string | undefined, taken: (name: string) => boolean) => {
    if (isFree(name, own, taken)) return name;
    clashes.push({ reason, name });
    return own;
  };
  const plural = given("PluralConflict", wanted.plural, accepted?.plural, isTakenResource);
  const singular = given("SingularConflict", wanted.singular ?? "", accepted?.singular, isTakenResource);
  const own = accepted?.shortNames ?? [];
  const ownNames = new Set(own);
  const taken = (wanted.shortNames ?? []).filter((name) => !ownNames.has(name) && isTakenResource(name));
  for (const name of taken) clashes.push({ reason: "ShortNamesConflict", name });
  const shortNames = taken.length > 0 ? own : (wanted.shortNames ?? []);
  const kind = given("KindConflict", wanted.kind, accepted?.kind, isTakenKind);
  const listKind = given("ListKindConflict", wanted.listKind ?? "", accepted?.listKind, isTakenKind);
  const names: Names = {
    plural: plural ?? "",
    ...(singular ? { singular } : {}),
    ...(shortNames.length > 0 ? { shortNames } : {}),
    kind: kind ?? "",
    ...(listKind ? { listKind } : {}),
    ...(wanted.categories?.length ? { categories: wanted.categories } : {}),
  };
  return { names, condition: conditionOf(clashes) };
}

function conditionOf(clashes: readonly { readonly reason: string; readonly name: string }[]): Acceptance["condition"] {
  const last = clashes.at(-1);
  if (!last) return { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" };
  const those = clashes.filter(({ reason }) => reason === last.reason).map(({ name }) => JSON.stringify(name));
  return {
    type: "NamesAccepted",
    status: "False",
    reason: last.reason,
    message: `expected names that no other definition of the group has, ${those.join(", ")} is already in use`,
  };
}
