/**
 * Several authorizers, asked in their order: the first that allows or denies decides (RBAC-38).
 *
 * @module
 */
import type { RequestInfo } from "../meta/request-info.ts";
import type { Authorizer, Decision, Identity, PathRule, ResourceRule, Rights } from "./contract.ts";

/** Asks authorizers in their order. Where none decides, the reasons and errors of all are told. */
export function union(authorizers: readonly Authorizer[]): Authorizer {
  if (authorizers.length === 1) return authorizers[0]!;
  return {
    authorize: (identity, info) => ask(authorizers, identity, info, []),
    rightsOf: (identity, namespace) => list(authorizers, identity, namespace),
  };
}

/** Asks those who are left, the first of `authorizers` next; `undecided` is what the others said. */
function ask(
  authorizers: readonly Authorizer[],
  identity: Identity,
  info: RequestInfo,
  undecided: readonly Decision[],
): Decision | Promise<Decision> {
  const [first, ...others] = authorizers;
  if (!first) return together(undecided);
  const decision = first.authorize(identity, info);
  const next = (found: Decision): Decision | Promise<Decision> =>
    found.allowed || found.denied ? found : ask(others, identity, info, [...undecided, found]);
  return decision instanceof Promise ? decision.then(next) : next(decision);
}

function together(undecided: readonly Decision[]): Decision {
  const said = (texts: readonly (string | undefined)[]): string => texts.filter((text) => text).join("; ");
  const error = said(undecided.map((decision) => decision.error));
  return {
    allowed: false,
    reason: said(undecided.map(({ reason }) => reason)),
    ...(error === "" ? {} : { error }),
  };
}

/** What all of them list; what two of them list in the same words is there once. */
async function list(authorizers: readonly Authorizer[], identity: Identity, namespace: string): Promise<Rights> {
  const all = await Promise.all(authorizers.map(async (authorizer) => authorizer.rightsOf(identity, namespace)));
  const error = all.flatMap((rights) => rights.error ?? []).join("; ");
  return {
    resourceRules: unknownBefore(all.map(({ resourceRules }) => resourceRules)),
    pathRules: unknownBefore(all.map(({ pathRules }) => pathRules)),
    incomplete: all.some(({ incomplete }) => incomplete),
    ...(error === "" ? {} : { error }),
  };
}

/** The rules of each list that none before it has. */
function unknownBefore<T extends ResourceRule | PathRule>(lists: readonly (readonly T[])[]): readonly T[] {
  const known = new Set<string>();
  return lists.flatMap((rules) => {
    const texts = rules.map((rule) => JSON.stringify(rule));
    const fresh = rules.filter((_, i) => !known.has(texts[i]!));
    for (const text of texts) known.add(text);
    return fresh;
  });
}
