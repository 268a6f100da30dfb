/**
 * What a list, watch or deletecollection selects, as authorizers are told of it: requirements, in the words of reviews.
 *
 * Requirements are joined by "and", so that leaving out one that cannot be read asks for more, never for less.
 *
 * @module
 */
import { type LabelOperator, type LabelRequirement, parseFieldSelector, parseLabelSelector } from "./selectors.ts";

/** One thing that is asked of a label or field. */
export interface SelectorRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt";
  /** One for each value of In and NotIn, the bound of Gt and Lt. */
  readonly values: readonly string[];
}

/** A selector as far as it could be read. */
export interface AskedSelector {
  readonly requirements: readonly SelectorRequirement[];
  /** Why some of it, or all, could not be read. */
  readonly error?: string | undefined;
}

/** A selector of fields as it was written; read when somebody asks. */
export const writtenFields = (text: string): AskedSelector => new Written(text, parseFieldSelector);

/** A selector of labels as it was written; read when somebody asks. */
export const writtenLabels = (text: string): AskedSelector => new Written(text, parseLabelSelector);

type Parse = (text: string) => { readonly requirements: readonly LabelRequirement[] };

class Written implements AskedSelector {
  readonly #text: string;
  readonly #parse: Parse;
  #read: AskedSelector | undefined;

  constructor(text: string, parse: Parse) {
    this.#text = text;
    this.#parse = parse;
  }

  get requirements(): readonly SelectorRequirement[] {
    return (this.#read ??= read(this.#text, this.#parse)).requirements;
  }

  get error(): string | undefined {
    return (this.#read ??= read(this.#text, this.#parse)).error;
  }
}

function read(text: string, parse: Parse): AskedSelector {
  try {
    return { requirements: requirementsOf(parse(text).requirements) };
  } catch (error) {
    return { requirements: [], error: error instanceof Error ? error.message : String(error) };
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

/** Requirements of a parsed selector in the words of reviews. */
const requirementsOf = (requirements: readonly LabelRequirement[]): SelectorRequirement[] =>
  requirements.map(({ key, operator, values }) => ({ key, operator: OPERATORS[operator], values }));
