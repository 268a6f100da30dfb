/**
 * What one identity is given in one place, a namespace or the cluster, by the bindings there.
 *
 * It is made when it is asked for, good as long as the lists and the roles that it was made of are those of today, and keeps
 * for each verb, group and resource that was asked about the rules that speak of them, up to the first that allows it
 * whatever the name.
 *
 * @module
 */
import type { RequestInfo } from "../../meta/request-info.ts";
import { flatCopy } from "../../util/flat-copy.ts";
import type { Decision } from "../contract.ts";
import { type BindingIndex, type Held, type HeldList, byName } from "./binding-index.ts";
import type { RoleCell, RoleCells } from "./role-cells.ts";
import { type Rule, wholeResource } from "./rule.ts";

/** A rule, and by which binding it holds. */
interface Grant {
  readonly rule: Rule;
  readonly by: Held;
}

/** A binding with its role. */
interface HeldRole {
  readonly held: Held;
  readonly cell: RoleCell;
}

/** How many rules a view keeps by what it was asked about. */
const MOST_GRANTS = 4096;
/** What an answer that is kept costs beside its words, and for each rule in it. */
const ANSWER_BYTES = 512;
const GRANT_BYTES = 64;
/** Names of verbs and of kinds, with subresource or group, are not longer: nothing is kept of what cannot be there. */
const LONGEST_VERB = 63;
const LONGEST_NAME = 253;

/** See the head of this file. */
export class View {
  readonly #namespace: string;
  readonly #holders: readonly string[];
  /** What it was made of: the list of each holder. */
  readonly #lists: readonly HeldList[];
  /** The bindings in their order. */
  readonly held: readonly Held[];
  /** The first binding of each role: another one says the same. */
  readonly #roles: readonly HeldRole[];
  /** Those of the roles that are not there. */
  readonly missing: readonly RoleCell[];
  /** By verb, then resource, then group: texts of requests, of which none is made anew. */
  readonly #asked = new Map<string, Map<string, Map<string, readonly Grant[]>>>();
  #kept = 0;
  #bytes = 0;
  readonly #weigh: ((bytes: number) => void) | undefined;
  #paths: readonly Grant[] | undefined;

  /** @param weigh is told of bytes that the view keeps, and gives up again; without it, it keeps no answers */
  constructor(
    namespace: string,
    holders: readonly string[],
    bindings: BindingIndex,
    roles: RoleCells,
    weigh?: (bytes: number) => void,
  ) {
    this.#weigh = weigh;
    this.#namespace = namespace;
    this.#holders = holders;
    this.#lists = holders.map((holder) => bindings.of(namespace, holder));
    this.held = merged(this.#lists);
    this.#roles = rolesOf(this.held, roles);
    this.missing = this.#roles.filter(({ cell }) => !cell.role).map(({ cell }) => cell);
  }

  /** Whether it still says what is so. */
  isOfToday(bindings: BindingIndex): boolean {
    const holders = this.#holders;
    for (let i = 0; i < holders.length; i++) {
      if (bindings.of(this.#namespace, holders[i]!) !== this.#lists[i]) return false;
    }
    for (const { cell } of this.#roles) if (cell.isOld) return false;
    return true;
  }

  /** What allows a request, with the binding; undefined where nothing does. */
  allows(info: RequestInfo): Decision | undefined {
    const allowing = info.isResource
      ? this.#about(info).find(({ rule }) => rule.isForName(info.name))
      : this.#aboutPaths().find(({ rule }) => rule.allowsPath(info));
    return allowing?.by.decision;
  }

  #about(info: RequestInfo): readonly Grant[] {
    const { verb, group } = info;
    const resource = wholeResource(info);
    const isKept = this.#weigh !== undefined && isUsual(info, resource);
    const known = isKept ? this.#asked.get(verb)?.get(resource)?.get(group) : undefined;
    if (known) return known;
    const grants = this.#grantsFor(info, resource);
    if (isKept) this.#keep(info, resource, grants);
    return grants;
  }

  #grantsFor(info: RequestInfo, resource: string): readonly Grant[] {
    const grants: Grant[] = [];
    for (const { held, cell } of this.#roles) {
      for (const rule of cell.role?.rules ?? []) {
        if (!rule.allowsSome(info, resource)) continue;
        grants.push({ rule, by: held });
        if (rule.isForAll) return grants;
      }
    }
    return grants;
  }

  #keep({ verb, group }: RequestInfo, resource: string, grants: readonly Grant[]): void {
    this.#kept += grants.length + 1;
    if (this.#kept > MOST_GRANTS) {
      this.#asked.clear();
      this.#weigh!(-this.#bytes);
      this.#bytes = 0;
      this.#kept = grants.length + 1;
    }
    const bytes = ANSWER_BYTES + GRANT_BYTES * grants.length + 2 * (verb.length + resource.length + group.length);
    this.#bytes += bytes;
    const ofVerb = this.#asked.get(verb) ?? new Map<string, Map<string, readonly Grant[]>>();
    const ofResource = ofVerb.get(resource) ?? new Map<string, readonly Grant[]>();
    ofResource.set(flatCopy(group), grants);
    this.#asked.set(flatCopy(verb), ofVerb.set(flatCopy(resource), ofResource));
    this.#weigh!(bytes);
  }

  #aboutPaths(): readonly Grant[] {
    return (this.#paths ??= this.#findPaths());
  }

  #findPaths(): readonly Grant[] {
    const grants = this.#roles.flatMap(({ held, cell }) =>
      (cell.role?.rules ?? []).filter((rule) => rule.hasPaths).map((rule) => ({ rule, by: held })),
    );
    this.#weigh?.(GRANT_BYTES * grants.length);
    return grants;
  }
}

/** Whether there may be a kind of these names. None has a slash: who asks for one does not ask for a subresource. */
const isUsual = ({ verb, group, resource: own }: RequestInfo, resource: string): boolean =>
  verb.length <= LONGEST_VERB && group.length <= LONGEST_NAME && resource.length <= LONGEST_NAME && !own.includes("/");

/** The bindings of several lists in their order, each once, by the first subject that names the identity. */
function merged(lists: readonly HeldList[]): readonly Held[] {
  const filled = lists.filter((list) => list.length > 0);
  if (filled.length <= 1) return filled[0] ?? [];
  const all = filled.flat().toSorted(byName);
  return all.filter((held, i) => held.binding !== all[i - 1]?.binding);
}

function rolesOf(bindings: readonly Held[], roles: RoleCells): readonly HeldRole[] {
  const seen = new Set<RoleCell>();
  const found: HeldRole[] = [];
  for (const held of bindings) {
    const cell = roles.get(held.binding.role);
    if (seen.has(cell)) continue;
    seen.add(cell);
    found.push({ held, cell });
  }
  return found;
}
