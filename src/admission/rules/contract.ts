/**
 * Matches requests with configurations of webhooks or policies: their rules and selectors, compiled once for each state of a configuration,
 * and an index over all of them.
 *
 *     RuleIndex.of(request)       the candidates, cached by resource, operation and subresource
 *       -> Matcher.decide         resourceNames, excluded rules, selectors of the namespace and of the object
 *       -> MatchConditions        expressions (CEL)
 *
 * Nothing here refuses a request or calls anything: webhooks and policies do that with the result.
 *
 * @module
 */
import type { SelectorValue } from "../../meta/label-selector.ts";

/** One rule of a configuration: operations on resources. */
export interface Rule {
  /** `CREATE`, `UPDATE`, `DELETE`, `CONNECT` or `*`. */
  readonly operations?: readonly string[] | undefined;
  readonly apiGroups?: readonly string[] | undefined;
  readonly apiVersions?: readonly string[] | undefined;
  /** `pods`, `pods/status`, all subresources of `pods`, all resources, one subresource of all of them, or everything. */
  readonly resources?: readonly string[] | undefined;
  /** `Cluster`, `Namespaced` or `*`, which is the default. */
  readonly scope?: string | undefined;
  /** The names of the objects; all by default. */
  readonly resourceNames?: readonly string[] | undefined;
}

/** The match criteria of a configuration. */
export interface Matching {
  /** A request must match one of them; without the list all requests match, and with an empty one none does. */
  readonly resourceRules?: readonly Rule[] | undefined;
  /** A request that matches one of them does not match. */
  readonly excludeResourceRules?: readonly Rule[] | undefined;
  /** `Exact`, or `Equivalent`: a rule for one version of a resource matches all of its versions. */
  readonly matchPolicy?: string | undefined;
  readonly namespaceSelector?: SelectorValue | undefined;
  readonly objectSelector?: SelectorValue | undefined;
}

/** The resource and the kind that the rule of a matching request names. */
export interface MatchedResource {
  /** The version for `request.as`; that of the request itself where the rule names it, or where its objects have no versions. */
  readonly apiVersion: string;
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
}

/** The part of a {@link Matching} that a request does not match. */
export type Mismatch = "resourceRules" | "excludeResourceRules" | "namespaceSelector" | "objectSelector";

/** The result of a match: what the rule names, or why the request does not match. */
export type MatchDecision =
  | { readonly matched: MatchedResource; readonly mismatch?: undefined }
  | { readonly matched?: undefined; readonly mismatch: Mismatch };
