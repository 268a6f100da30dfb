/**
 * Selects the policies of one sort for a request, with their bindings and params.
 *
 * @module
 */
import { GROUP } from "../../kinds/admissionregistration/group.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { AdmissionRequest } from "../contract.ts";
import { BoundPolicies, type BoundPolicy } from "./bound-policies.ts";
import { unconcerned } from "./excluded.ts";
import { Params } from "./params.ts";
import type { PolicyParts } from "./parts.ts";
import { type PolicySort, mismatchOf } from "./report.ts";
import { type SelectablePolicy, type Selected, select } from "./selection.ts";

/** The selection for a request; undefined where no policy concerns it. */
type SelectedPolicies<P> = readonly Selected<P>[] | undefined;

/** Selects the policies of one sort for requests. */
export class PolicySelector<P extends SelectablePolicy> {
  readonly #sort: PolicySort;
  readonly #policies: BoundPolicies<P>;
  readonly #params: Params;
  readonly #isUnconcerned: (request: AdmissionRequest) => boolean;

  /** @param read compiles a policy of this sort */
  constructor(
    { lookup, dialect, policyKinds }: Pick<PolicyParts, "lookup" | "dialect" | "policyKinds">,
    sort: PolicySort,
    read: (object: ApiObject) => P,
  ) {
    const name = `${sort.toLowerCase()}admissionpolic`;
    this.#sort = sort;
    this.#params = new Params(lookup, policyKinds);
    this.#isUnconcerned = unconcerned(dialect);
    this.#policies = new BoundPolicies(lookup, {
      policies: `${name}ies.${GROUP.group}`,
      bindings: `${name}ybindings.${GROUP.group}`,
      read,
    });
  }

  /** A promise only where policies have changed, or where params or another version must be read. */
  select(request: AdmissionRequest): SelectedPolicies<P> | Promise<SelectedPolicies<P>> {
    const index = this.#policies.of(request.lookup);
    return index instanceof Promise
      ? index.then((built) => this.#selectFrom(built.of(request), request))
      : this.#selectFrom(index.of(request), request);
  }

  #selectFrom(
    candidates: readonly BoundPolicy<P>[],
    request: AdmissionRequest,
  ): SelectedPolicies<P> | Promise<SelectedPolicies<P>> {
    if (candidates.length === 0 || this.#isUnconcerned(request)) return undefined;
    return select(request, candidates, this.#params, mismatchOf(this.#sort, request));
  }
}
