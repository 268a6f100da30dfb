/**
 * An index over configurations: those that may concern a request, in their order.
 * They are found once for each resource, operation and subresource; from then on a request that none concerns costs one lookup. A kind that
 * is set again has a new resource reference, so cached results for the old one are dropped with it.
 *
 * @module
 */
import type { ObjectRef } from "../../meta/status.ts";
import type { AdmissionRequest } from "../contract.ts";
import type { Matcher } from "./matcher.ts";

/** An index over configurations. */
export class RuleIndex<T extends { readonly matcher: Pick<Matcher, "mayMatch"> }> {
  readonly items: readonly T[];
  readonly #found = new WeakMap<ObjectRef, Map<string, readonly T[]>>();

  constructor(items: readonly T[]) {
    this.items = items;
  }

  /** The items that may concern a request; selectors and names are evaluated by their matchers. */
  of(request: AdmissionRequest): readonly T[] {
    if (this.items.length === 0) return this.items;
    const { ref, operation, subresource } = request;
    let found = this.#found.get(ref);
    if (!found) this.#found.set(ref, (found = new Map<string, readonly T[]>()));
    const key = subresource === "" ? operation : `${operation}/${subresource}`;
    let items = found.get(key);
    if (!items) found.set(key, (items = this.items.filter(({ matcher }) => matcher.mayMatch(request))));
    return items;
  }
}
