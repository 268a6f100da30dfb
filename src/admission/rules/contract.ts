/**
 * Which requests a configuration of webhooks or policies is about: its rules and selectors, compiled once for each state of the
 * configuration, and an index over all of them.
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

/** One rule of a configuration: the operations on resources that it is about. */
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

/** What a configuration says of the requests that it is about. */
export interface Matching {
  /** A request has to match one of them; without the list all requests match, and with an empty one none does. */
  readonly resourceRules?: readonly Rule[] | undefined;
  /** A request that matches one of them does not match. */
  readonly excludeResourceRules?: readonly Rule[] | undefined;
  /** `Exact`, or `Equivalent`: a rule about one version of a resource is about all of them. */
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

/** Which part of a {@link Matching} a request does not match. */
export type Mismatch = "resourceRules" | "excludeResourceRules" | "namespaceSelector" | "objectSelector";

/** Whether a request matches: what the rule names, or why it does not match. */
export type MatchDecision =
  | { readonly matched: MatchedResource; readonly mismatch?: undefined }
  | { readonly matched?: undefined; readonly mismatch: Mismatch };
