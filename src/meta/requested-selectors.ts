/**
 * The selectors of a list, watch or deletecollection for authorizers: requirements as in SubjectAccessReviews.
 *
 * All requirements must hold, so without one that cannot be parsed the request selects more, never less.
 *
 * @module
 */
import { type LabelOperator, type LabelRequirement, parseFieldSelector, parseLabelSelector } from "./selectors.ts";
import { messageOf } from "../util/error.ts";

/** One requirement of a label or field. */
export interface SelectorRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt";
  /** The values of In and NotIn, or the bound of Gt and Lt. */
  readonly values: readonly string[];
}

/** A selector as far as it could be parsed. */
export interface RequestedSelector {
  readonly requirements: readonly SelectorRequirement[];
  /** Why some of it, or all, could not be parsed. */
  readonly error?: string | undefined;
}

/** The field selector of a text, which is parsed at its first use. */
export const requestedFields = (text: string): RequestedSelector => new LazySelector(text, parseFieldSelector);

/** The label selector of a text, which is parsed at its first use. */
export const requestedLabels = (text: string): RequestedSelector => new LazySelector(text, parseLabelSelector);

type Parse = (text: string) => { readonly requirements: readonly LabelRequirement[] };

class LazySelector implements RequestedSelector {
  readonly #text: string;
  readonly #parse: Parse;
  #parsed: RequestedSelector | undefined;

  constructor(text: string, parse: Parse) {
    this.#text = text;
    this.#parse = parse;
  }

  get requirements(): readonly SelectorRequirement[] {
    return (this.#parsed ??= parsed(this.#text, this.#parse)).requirements;
  }

  get error(): string | undefined {
    return (this.#parsed ??= parsed(this.#text, this.#parse)).error;
  }
}

function parsed(text: string, parse: Parse): RequestedSelector {
  try {
    return { requirements: requirementsOf(parse(text).requirements) };
  } catch (error) {
    return { requirements: [], error: messageOf(error) };
  }
}

const OPERATORS: Readonly<Record<LabelOperator, SelectorRequirement["operator"]>> = {
  in: "In",
  notin: "NotIn",
  exists: "Exists",
  "!": "DoesNotExist",
  gt: "Gt",
  lt: "Lt",
};

/** The requirements of a parsed selector, as in SubjectAccessReviews. */
const requirementsOf = (requirements: readonly LabelRequirement[]): SelectorRequirement[] =>
  requirements.map(({ key, operator, values }) => ({ key, operator: OPERATORS[operator], values }));
