/**
 * Finds the schema of a request: the first one that matches, by precedence and then by name (APF-9, APF-10).
 *
 * The schemas that match a user are cached; a request is only compared with those of its user.
 *
 * @module
 */
import type { Identity } from "../auth/contract.ts";
import { identityKey, identityLength } from "../auth/identity-key.ts";
import type { FlowPathRule, FlowResourceRule, FlowRule, FlowSubject } from "../kinds/flowcontrol/v1/flow-schema.ts";
import type { RequestInfo } from "../meta/request-info.ts";
import { BoundedCache } from "../util/bounded-cache.ts";

/** Whether a request matches. */
type Matches = (info: RequestInfo) => boolean;

/** A schema and its rules that match a user. */
interface Candidate<T> {
  readonly schema: T;
  readonly rules: readonly Matches[];
}

/** A schema with its rules. */
export interface Matched {
  readonly rules: readonly FlowRule[];
}

/** The bounds of the cache of users. */
const MAX_USERS = { entries: 10_000, bytes: 8 << 20 };
/** Users with more and longer groups are only cached for one connection. */
const MAX_IDENTITY_LENGTH = 2000;
const CANDIDATE_BYTES = 128;

/** Finds the schema of requests. */
export class Classifier<T extends Matched> {
  readonly #schemas: readonly { readonly schema: T; readonly rules: readonly CompiledRule[] }[];
  readonly #known = new WeakMap<Identity, readonly Candidate<T>[]>();
  readonly #named = new BoundedCache<readonly Candidate<T>[]>({
    ...MAX_USERS,
    weigh: ({ length }) => CANDIDATE_BYTES * length,
  });

  /** @param schemas in the order of precedence */
  constructor(schemas: readonly T[]) {
    this.#schemas = schemas.map((schema) => ({ schema, rules: schema.rules.map(compiledOnce) }));
  }

  /** Returns the first schema that matches; undefined where none does. */
  find(identity: Identity, info: RequestInfo): T | undefined {
    const candidates = this.#known.get(identity) ?? this.#candidatesOf(identity);
    for (const { schema, rules } of candidates) {
      for (const matches of rules) if (matches(info)) return schema;
    }
    return undefined;
  }

  #candidatesOf(identity: Identity): readonly Candidate<T>[] {
    const key = identityLength(identity) <= MAX_IDENTITY_LENGTH ? identityKey(identity) : undefined;
    let found = key === undefined ? undefined : this.#named.get(key);
    if (!found) {
      found = this.#candidatesFor(identity);
      if (key !== undefined) this.#named.set(key, found);
    }
    this.#known.set(identity, found);
    return found;
  }

  #candidatesFor(identity: Identity): readonly Candidate<T>[] {
    return this.#schemas.flatMap(({ schema, rules }) => {
      const matching = rules.filter(({ isFrom }) => isFrom(identity)).map(({ matches }) => matches);
      return matching.length > 0 ? [{ schema, rules: matching }] : [];
    });
  }
}

interface CompiledRule {
  readonly isFrom: (identity: Identity) => boolean;
  readonly matches: Matches;
}

/** Rules never change, and the clusters of a process often share them. */
const known = new WeakMap<FlowRule, CompiledRule>();

function compiledOnce(rule: FlowRule): CompiledRule {
  const compiled = known.get(rule) ?? compile(rule);
  known.set(rule, compiled);
  return compiled;
}

function compile({ subjects, resourceRules, nonResourceRules }: FlowRule): CompiledRule {
  const users = (subjects ?? []).map(subjectMatch);
  const resources = (resourceRules ?? []).map(resourceMatch);
  const paths = (nonResourceRules ?? []).map(pathMatch);
  return {
    isFrom: (identity) => users.some((isFrom) => isFrom(identity)),
    matches: (info) => {
      for (const matches of info.isResource ? resources : paths) if (matches(info)) return true;
      return false;
    },
  };
}

function subjectMatch({ kind, user, group, serviceAccount }: FlowSubject): (identity: Identity) => boolean {
  if (kind === "User") return ({ user: name }) => user?.name === "*" || user?.name === name;
  if (kind === "Group") return ({ groups }) => group?.name === "*" || groups.includes(group?.name ?? "");
  const { namespace = "", name = "" } = serviceAccount ?? {};
  const prefix = `system:serviceaccount:${namespace}:`;
  return ({ user: found }) => found.startsWith(prefix) && (name === "*" || found.slice(prefix.length) === name);
}

const anything: (text: string) => boolean = () => true;

/** Matches an item of a list, or anything where the list has a star. */
function oneOf(list: readonly string[] | null | undefined): (text: string) => boolean {
  if (list?.includes("*")) return anything;
  const set = new Set(list);
  return (text) => set.has(text);
}

function resourceMatch(rule: FlowResourceRule): Matches {
  const [verb, group, resource] = [oneOf(rule.verbs), oneOf(rule.apiGroups), oneOf(rule.resources)];
  const namespace = oneOf(rule.namespaces);
  const { clusterScope = false } = rule;
  return (info) =>
    (info.namespace === "" ? clusterScope : namespace(info.namespace)) &&
    verb(info.verb) &&
    group(info.group) &&
    (resource === anything ||
      resource(info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`));
}

function pathMatch(rule: FlowPathRule): Matches {
  const [verb, exact] = [oneOf(rule.verbs), oneOf(rule.nonResourceURLs)];
  const prefixes = (rule.nonResourceURLs ?? []).filter((path) => path.endsWith("*")).map((path) => path.slice(0, -1));
  return ({ verb: sent, path }) => verb(sent) && (exact(path) || prefixes.some((prefix) => path.startsWith(prefix)));
}
