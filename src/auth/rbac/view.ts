/**
 * The view of one user: the rules that bindings give the user in one namespace, or in the cluster.
 *
 * A view is made for a request, and is current as long as its binding lists and roles are. For each verb, group and resource of
 * requests it caches the rules that match, up to the first one without resourceNames.
 *
 * @module
 */
import type { RequestInfo } from "../../meta/request-info.ts";
import { flatCopy } from "../../util/flat-copy.ts";
import type { Decision } from "../contract.ts";
import { type BindingIndex, type BindingMatch, type BindingMatches, byName } from "./binding-index.ts";
import type { CachedRole, RoleCache } from "./role-cache.ts";
import { type Rule, wholeResource } from "./rule.ts";

/** A rule with its binding. */
interface Grant {
  readonly rule: Rule;
  readonly match: BindingMatch;
}

/** A binding with its role. */
interface MatchedRole {
  readonly match: BindingMatch;
  readonly cached: CachedRole;
}

const MAX_CACHED_GRANTS = 4096;
/** The bytes of a cached list without its names, and of each rule in it. */
const LIST_BYTES = 512;
const GRANT_BYTES = 64;
/** Longer names of verbs, groups and resources cannot exist; nothing is cached for them. */
const MAX_VERB_LENGTH = 63;
const MAX_NAME_LENGTH = 253;

/** Decides requests by the bindings of one user in one namespace, or in the cluster. */
export class View {
  readonly #namespace: string;
  readonly #subjectKeys: readonly string[];
  /** The list of each subject key. */
  readonly #lists: readonly BindingMatches[];
  /** The bindings in their order. */
  readonly matches: readonly BindingMatch[];
  /** The first binding of each role; further ones allow the same. */
  readonly #roles: readonly MatchedRole[];
  /** The roles that do not exist. */
  readonly missing: readonly CachedRole[];
  /** By verb, then resource, then group: the texts of requests, so that a lookup makes no new text. */
  readonly #grants = new Map<string, Map<string, Map<string, readonly Grant[]>>>();
  #grantCount = 0;
  #bytes = 0;
  readonly #weigh: ((bytes: number) => void) | undefined;
  #pathGrants: readonly Grant[] | undefined;

  /** @param weigh called with the bytes that the view adds, or frees where they are negative; without it nothing is cached */
  constructor(
    namespace: string,
    subjectKeys: readonly string[],
    bindings: BindingIndex,
    roles: RoleCache,
    weigh?: (bytes: number) => void,
  ) {
    this.#weigh = weigh;
    this.#namespace = namespace;
    this.#subjectKeys = subjectKeys;
    this.#lists = subjectKeys.map((key) => bindings.of(namespace, key));
    this.matches = merged(this.#lists);
    this.#roles = rolesOf(this.matches, roles);
    this.missing = this.#roles.filter(({ cached }) => !cached.role).map(({ cached }) => cached);
  }

  /** Whether no binding or role of the view has changed. */
  isCurrent(bindings: BindingIndex): boolean {
    const keys = this.#subjectKeys;
    for (let i = 0; i < keys.length; i++) {
      if (bindings.of(this.#namespace, keys[i]!) !== this.#lists[i]) return false;
    }
    for (const { cached } of this.#roles) if (cached.isStale) return false;
    return true;
  }

  /** The decision that allows a request; undefined where no rule allows it. */
  allows(info: RequestInfo): Decision | undefined {
    const allowing = info.isResource
      ? this.#grantsFor(info).find(({ rule }) => rule.isForName(info.name))
      : this.#grantsForPaths().find(({ rule }) => rule.allowsPath(info));
    return allowing?.match.decision;
  }

  #grantsFor(info: RequestInfo): readonly Grant[] {
    const { verb, group } = info;
    const resource = wholeResource(info);
    const weigh = isCacheable(info, resource) ? this.#weigh : undefined;
    const cached = weigh && this.#grants.get(verb)?.get(resource)?.get(group);
    if (cached) return cached;
    const grants = this.#findGrants(info, resource);
    if (weigh) this.#cache(info, resource, grants, weigh);
    return grants;
  }

  #findGrants(info: RequestInfo, resource: string): readonly Grant[] {
    const grants: Grant[] = [];
    for (const { match, cached } of this.#roles) {
      for (const rule of cached.role?.rules ?? []) {
        if (!rule.allowsSome(info, resource)) continue;
        grants.push({ rule, match });
        if (rule.isForAll) return grants;
      }
    }
    return grants;
  }

  #cache(
    { verb, group }: RequestInfo,
    resource: string,
    grants: readonly Grant[],
    weigh: (bytes: number) => void,
  ): void {
    this.#grantCount += grants.length + 1;
    if (this.#grantCount > MAX_CACHED_GRANTS) {
      this.#grants.clear();
      weigh(-this.#bytes);
      this.#bytes = 0;
      this.#grantCount = grants.length + 1;
    }
    const bytes = LIST_BYTES + GRANT_BYTES * grants.length + 2 * (verb.length + resource.length + group.length);
    this.#bytes += bytes;
    const ofVerb = this.#grants.get(verb) ?? new Map<string, Map<string, readonly Grant[]>>();
    const ofResource = ofVerb.get(resource) ?? new Map<string, readonly Grant[]>();
    ofResource.set(flatCopy(group), grants);
    this.#grants.set(flatCopy(verb), ofVerb.set(flatCopy(resource), ofResource));
    weigh(bytes);
  }

  #grantsForPaths(): readonly Grant[] {
    return (this.#pathGrants ??= this.#findPathGrants());
  }

  #findPathGrants(): readonly Grant[] {
    const grants = this.#roles.flatMap(({ match, cached }) =>
      (cached.role?.rules ?? []).filter((rule) => rule.hasPaths).map((rule) => ({ rule, match })),
    );
    this.#weigh?.(GRANT_BYTES * grants.length);
    return grants;
  }
}

/** Whether a resource of these names may exist. No resource name has a slash, except before its subresource. */
const isCacheable = ({ verb, group, resource: own }: RequestInfo, resource: string): boolean =>
  verb.length <= MAX_VERB_LENGTH &&
  group.length <= MAX_NAME_LENGTH &&
  resource.length <= MAX_NAME_LENGTH &&
  !own.includes("/");

/** The bindings of several lists in their order, each once, with its first matching subject. */
function merged(lists: readonly BindingMatches[]): readonly BindingMatch[] {
  const filled = lists.filter((list) => list.length > 0);
  if (filled.length <= 1) return filled[0] ?? [];
  const all = filled.flat().toSorted(byName);
  return all.filter((match, i) => match.binding !== all[i - 1]?.binding);
}

function rolesOf(matches: readonly BindingMatch[], roles: RoleCache): readonly MatchedRole[] {
  const found = new Map<CachedRole, MatchedRole>();
  for (const match of matches) {
    const cached = roles.get(match.binding.role);
    if (!found.has(cached)) found.set(cached, { match, cached });
  }
  return [...found.values()];
}
