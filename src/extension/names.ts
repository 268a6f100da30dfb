/**
 * Which names of a group are in use, and which requested names a definition gets (CRD-5, CRD-6).
 *
 * Plurals, singulars and short names share one namespace, kinds and list kinds another. An accepted name belongs to its
 * definition until that requests another.
 */
import type { Condition, Names } from "../kinds/apiextensions/v1/definition.ts";

/** The accepted names of the definitions of a group. */
export class GroupNames {
  readonly #accepted = new Map<string, Names>();
  readonly #resources = new NameCounts();
  readonly #kinds = new NameCounts();
  readonly #waiting = new Set<string>();

  /** Copies the names for a fork. */
  fork(): GroupNames {
    const fork = new GroupNames();
    for (const [definition, names] of this.#accepted) fork.set(definition, names);
    for (const definition of this.#waiting) fork.setWaiting(definition, true);
    return fork;
  }

  /** Sets the accepted names of a definition, and returns whether they have changed. */
  set(definition: string, names: Names | undefined): boolean {
    const before = this.#accepted.get(definition);
    if (before === names || (before && names && sameNames(before, names))) return false;
    if (before) this.#count(before, -1);
    if (names) this.#count(names, 1);
    if (names) this.#accepted.set(definition, names);
    else this.#accepted.delete(definition);
    return true;
  }

  /** The definitions without all requested names. */
  waiting(): readonly string[] {
    return [...this.#waiting];
  }

  /** Sets whether a definition lacks requested names. */
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

/** Whether two sets of names are equal. */
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

/** The accepted names and the condition. */
export interface Acceptance {
  readonly names: Names;
  readonly condition: Pick<Condition, "type" | "status" | "reason" | "message">;
}

/**
 * Decides which requested names are accepted. Names without a conflict are always accepted; the condition shows the
 * last conflict.
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
