/**
 * Several authorizers in order: the first that allows or denies decides (RBAC-38).
 *
 * @module
 */
import type { RequestInfo } from "../meta/request-info.ts";
import type { Authorizer, Decision, Identity, PathRule, ResourceRule, Rights } from "./contract.ts";

/** Returns one authorizer of several. Where none decides, the result has the reasons and errors of all. */
export function union(authorizers: readonly Authorizer[]): Authorizer {
  const [only] = authorizers;
  if (only && authorizers.length === 1) return only;
  return {
    authorize: (identity, info) => ask(authorizers, identity, info, []),
    rightsOf: (identity, namespace) => list(authorizers, identity, namespace),
  };
}

/** Calls the first of the authorizers that are left; `undecided` are the decisions of those before. */
function ask(
  authorizers: readonly Authorizer[],
  identity: Identity,
  info: RequestInfo,
  undecided: readonly Decision[],
): Decision | Promise<Decision> {
  const [first, ...others] = authorizers;
  if (!first) return combined(undecided);
  const decision = first.authorize(identity, info);
  const next = (found: Decision): Decision | Promise<Decision> =>
    found.allowed || found.denied ? found : ask(others, identity, info, [...undecided, found]);
  return decision instanceof Promise ? decision.then(next) : next(decision);
}

function combined(undecided: readonly Decision[]): Decision {
  const joined = (texts: readonly (string | undefined)[]): string => texts.filter((text) => text).join("; ");
  const error = joined(undecided.map((decision) => decision.error));
  return {
    allowed: false,
    reason: joined(undecided.map(({ reason }) => reason)),
    ...(error === "" ? {} : { error }),
  };
}

/** The rules of all authorizers. */
async function list(authorizers: readonly Authorizer[], identity: Identity, namespace: string): Promise<Rights> {
  const all = await Promise.all(authorizers.map(async (authorizer) => authorizer.rightsOf(identity, namespace)));
  const error = all.flatMap((rights) => rights.error ?? []).join("; ");
  return {
    resourceRules: withoutRepeats(all.map(({ resourceRules }) => resourceRules)),
    pathRules: withoutRepeats(all.map(({ pathRules }) => pathRules)),
    incomplete: all.some(({ incomplete }) => incomplete),
    ...(error === "" ? {} : { error }),
  };
}

/** The rules of all lists, without those that a list before has, too. */
function withoutRepeats<T extends ResourceRule | PathRule>(lists: readonly (readonly T[])[]): readonly T[] {
  const known = new Set<string>();
  return lists.flatMap((rules) => {
    const entries = rules.map((rule) => ({ rule, text: JSON.stringify(rule) }));
    const others = entries.filter(({ text }) => !known.has(text));
    for (const { text } of entries) known.add(text);
    return others.map(({ rule }) => rule);
  });
}
