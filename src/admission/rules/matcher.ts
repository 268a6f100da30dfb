/**
 * A {@link Matching}, compiled.
 *
 * @module
 */
import { type SelectorValue, requirementsOf } from "../../meta/label-selector.ts";
import { type LabelSelector, type Labels, labelSelectorOf } from "../../meta/selectors.ts";
import { notFound } from "../../meta/status.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { type AdmissionRequest, type ResourceVersion, concerns } from "../contract.ts";
import type { MatchDecision, MatchedResource, Matching, Mismatch, Rule } from "./contract.ts";
import { NAMESPACES, equivalentResource, requestedResource, resourceOf } from "./request.ts";
import { CompiledRule } from "./rule.ts";

/** Compiles the match criteria of a configuration. */
export const compileMatching = (matching: Matching): Matcher => new Matcher(matching);

/** A compiled {@link Matching}. */
export class Matcher {
  readonly #rules: readonly CompiledRule[] | undefined;
  readonly #excluded: readonly CompiledRule[];
  readonly #isEquivalent: boolean;
  readonly #namespaces: LabelSelector | undefined;
  readonly #objects: LabelSelector | undefined;

  constructor({ resourceRules, excludeResourceRules, matchPolicy, namespaceSelector, objectSelector }: Matching) {
    this.#rules = resourceRules && compile(resourceRules);
    this.#excluded = compile(excludeResourceRules ?? []);
    this.#isEquivalent = matchPolicy !== "Exact";
    this.#namespaces = selecting(namespaceSelector);
    this.#objects = selecting(objectSelector);
  }

  /** Whether the rules match this resource, operation and subresource, for any object. */
  mayMatch(request: AdmissionRequest): boolean {
    if (!this.#rules) return true;
    const own = resourceOf(request);
    const others = this.#others(request);
    return this.#rules.some(
      (rule) => rule.isAbout(request, own) || others.some((other) => rule.isAbout(request, other)),
    );
  }

  /** The names in the first matching rule; undefined where the request does not match. */
  match(request: AdmissionRequest): MatchedResource | undefined {
    return this.decide(request).matched;
  }

  /** Whether a request matches, and why not. Throws 404 where its namespace is needed for that and does not exist. */
  decide(request: AdmissionRequest): MatchDecision {
    if (this.#excluded.length > 0 && this.#first(this.#excluded, request)) return MISMATCHES.excludeResourceRules;
    const matched = this.#rules ? this.#first(this.#rules, request) : requestedResource(request);
    if (!matched) return MISMATCHES.resourceRules;
    if (this.#objects && !isSelected(this.#objects, request)) return MISMATCHES.objectSelector;
    if (this.#namespaces && !isInSelected(this.#namespaces, request)) return MISMATCHES.namespaceSelector;
    return { matched };
  }

  /** The other versions of the resource that the rules match, too. */
  #others(request: AdmissionRequest): readonly ResourceVersion[] {
    return this.#isEquivalent ? request.equivalents : [];
  }

  /** The names in the first matching rule: rules for the version of the request come first (HOOK-14). */
  #first(rules: readonly CompiledRule[], request: AdmissionRequest): MatchedResource | undefined {
    const own = resourceOf(request);
    const { name } = request;
    const named = rules.filter((rule) => rule.isAboutName(name));
    if (named.some((rule) => rule.isAbout(request, own))) return requestedResource(request);
    const others = this.#others(request);
    if (others.length === 0) return undefined;
    for (const rule of named) {
      const other = others.find((one) => rule.isAbout(request, one));
      if (other) return equivalentResource(request, other);
    }
    return undefined;
  }
}

const MISMATCHES: { readonly [M in Mismatch]: MatchDecision } = {
  resourceRules: { mismatch: "resourceRules" },
  excludeResourceRules: { mismatch: "excludeResourceRules" },
  namespaceSelector: { mismatch: "namespaceSelector" },
  objectSelector: { mismatch: "objectSelector" },
};

const compile = (rules: readonly Rule[]): readonly CompiledRule[] => rules.map((rule) => new CompiledRule(rule));

/** The selector of a configuration; undefined for one that selects all. */
function selecting(selector: SelectorValue | undefined): LabelSelector | undefined {
  const requirements = selector ? requirementsOf(selector) : [];
  return requirements.length === 0 ? undefined : labelSelectorOf(requirements);
}

/** Whether the new or the old object is selected. */
const isSelected = (selector: LabelSelector, { object, old }: AdmissionRequest): boolean =>
  (object !== undefined && selector.matches(labelsOf(object))) ||
  (old !== undefined && selector.matches(labelsOf(old)));

const labelsOf = ({ metadata }: ApiObject): Labels | undefined => metadata?.labels;

/** Whether the namespace of a request is selected; objects of the cluster but Namespaces are in none and always match. */
function isInSelected(selector: LabelSelector, request: AdmissionRequest): boolean {
  const isNamespace = concerns(request, NAMESPACES);
  if (!isNamespace && request.namespace === "") return true;
  return selector.matches(isNamespace ? ownLabels(request) : labelsOf(namespaceOfRequest(request, request.namespace)));
}

/** The labels of a Namespace itself: new ones where it is written, else those that are stored. */
function ownLabels(request: AdmissionRequest): Labels | undefined {
  const { subresource, object, old, name } = request;
  const shown = subresource === "" ? (object ?? old) : undefined;
  return labelsOf(shown ?? namespaceOfRequest(request, name));
}

/** The Namespace of a request as it is stored. */
function namespaceOfRequest({ lookup }: AdmissionRequest, name: string): ApiObject {
  const found = lookup.get("namespaces", "", name);
  if (!found) throw notFound({ ...NAMESPACES, kind: "Namespace" }, name);
  return found;
}
