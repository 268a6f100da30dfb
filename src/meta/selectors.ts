/**
 * Selectors of lists and watches: label selectors and field selectors, read from their text and compiled (DEC-25).
 *
 * A selector has a canonical text, so that equal ones can be grouped, and the pairs that it asks to be equal, so that an
 * index can be used; `matches` decides. Reading a malformed selector throws a 400 `ApiError` that says what was expected.
 *
 * @module
 */
import { labelValue, qualifiedName } from "./names.ts";
import { badRequest } from "./status.ts";

/** Labels as objects carry them. */
export type Labels = Readonly<Record<string, string>>;

/** A key and the value that it must have. */
export type EqualityPair = readonly [key: string, value: string];

/** A compiled label selector. */
export interface LabelSelector {
  /** The requirements in order of their keys: the same text for selectors written differently. Empty selects all. */
  readonly text: string;
  readonly equalityPairs: readonly EqualityPair[];
  matches(labels: Labels | undefined): boolean;
}

/** What a label selector can ask of a key. `gt` and `lt` compare integers. */
export type LabelOperator = "in" | "notin" | "exists" | "!" | "gt" | "lt";

/** One requirement of a label selector. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** Compiles requirements that are known to be well formed; all of them must hold. */
export function labelSelectorOf(requirements: readonly LabelRequirement[]): LabelSelector {
  const sorted = requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const tests = sorted.map(compile);
  return {
    text: sorted.map(print).join(","),
    equalityPairs: sorted.flatMap(({ key, operator, values }) =>
      operator === "in" && values.length === 1 ? [[key, values[0]!] as const] : [],
    ),
    matches: (labels) => tests.every((holds) => holds(labels ?? NO_LABELS)),
  };
}

const NO_LABELS: Labels = Object.freeze({});

/** The label selector that selects everything. */
export const everyLabel: LabelSelector = labelSelectorOf([]);

function compile({ key, operator, values }: LabelRequirement): (labels: Labels) => boolean {
  const wanted = new Set(values);
  const only = values[0] ?? "";
  switch (operator) {
    case "in":
      if (values.length === 1) return (labels) => Object.hasOwn(labels, key) && labels[key] === only;
      return (labels) => Object.hasOwn(labels, key) && wanted.has(labels[key]!);
    case "notin":
      return (labels) => !Object.hasOwn(labels, key) || !wanted.has(labels[key]!);
    case "exists":
      return (labels) => Object.hasOwn(labels, key);
    case "!":
      return (labels) => !Object.hasOwn(labels, key);
    case "gt":
    case "lt": {
      const bound = integer(only) ?? 0n;
      return (labels) => {
        const value = Object.hasOwn(labels, key) ? integer(labels[key]!) : undefined;
        return value !== undefined && (operator === "gt" ? value > bound : value < bound);
      };
    }
  }
}

/** An integer of 64 bits, or undefined. */
function integer(text: string): bigint | undefined {
  if (text.length > 63 || !/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function print({ key, operator, values }: LabelRequirement): string {
  const sorted = [...new Set(values)].toSorted();
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "gt":
      return `${key}>${values[0]}`;
    case "lt":
      return `${key}<${values[0]}`;
    default:
      if (sorted.length === 1) return `${key}${operator === "in" ? "=" : "!="}${sorted[0]}`;
      return `${key} ${operator} (${sorted.join(",")})`;
  }
}

/**
 * Reads a label selector: `a=b`, `a==b`, `a!=b`, `a`, `!a`, `a in (b,c)`, `a notin (b)`, `a>1`, `a<1`, joined by commas.
 *
 * @throws ApiError BadRequest when it is malformed
 */
export function parseLabelSelector(text: string): LabelSelector {
  if (text === "") return everyLabel;
  const tokens = tokenize(text);
  const requirements: LabelRequirement[] = [];
  let at = 0;
  if (tokens.length === 0) return everyLabel;
  const fail = (expected: string): never => {
    throw malformed(text, `${expected}, got ${tokens[at] === undefined ? "the end" : `"${tokens[at]}"`}`);
  };
  const word = (expected: string): string => (isWord(tokens[at]) ? tokens[at++]! : fail(expected));

  // A value may be left out: `a=` asks for the empty value.
  const value = (): string => (tokens[at] === undefined || tokens[at] === "," ? "" : word("expected a value or ','"));

  const valueList = (): string[] => {
    if (tokens[at] !== "(") fail("expected '('");
    at++;
    const values: string[] = [];
    // `in ()` has one value, the empty one.
    for (;;) {
      values.push(isWord(tokens[at]) ? tokens[at++]! : "");
      if (tokens[at] === ")") break;
      if (tokens[at] !== ",") fail("expected ',' or ')'");
      at++;
    }
    at++;
    return values;
  };

  const requirement = (): LabelRequirement => {
    if (tokens[at] === "!") {
      at++;
      return { key: word("expected a key behind '!'"), operator: "!", values: [] };
    }
    const key = word("expected a key or '!'");
    const operator = tokens[at];
    if (operator === undefined || operator === ",") return { key, operator: "exists", values: [] };
    at++;
    switch (operator) {
      case "=":
      case "==":
        return { key, operator: "in", values: [value()] };
      case "!=":
        return { key, operator: "notin", values: [value()] };
      case "in":
      case "notin":
        return { key, operator, values: valueList() };
      case ">":
      case "<":
        return { key, operator: operator === ">" ? "gt" : "lt", values: [value()] };
      default:
        at--;
        return fail("expected '=', '==', '!=', 'in', 'notin', '<', '>' or ','");
    }
  };

  for (;;) {
    const found = requirement();
    check(text, found);
    requirements.push(found);
    if (at === tokens.length) return labelSelectorOf(requirements);
    if (tokens[at] !== ",") fail("expected ',' or the end");
    at++;
  }
}

const SYMBOL = /[=!(),<>]/;

const isWord = (token: string | undefined): boolean => token !== undefined && !SYMBOL.test(token[0]!);

/** Splits at blanks and symbols; `==` and `!=` are one token, every other symbol is one of its own. */
const tokenize = (text: string): string[] => text.match(/==|!=|[=!(),<>]|[^\s=!(),<>]+/g) ?? [];

const malformed = (text: string, why: string): Error => badRequest(`label selector "${text}": ${why}`);

function check(text: string, { key, operator, values }: LabelRequirement): void {
  const wrong = qualifiedName(key);
  if (wrong) throw malformed(text, `key "${key}": ${wrong}`);
  for (const value of values) {
    const wrongValue = labelValue(value);
    if (wrongValue) throw malformed(text, `value "${value}" of "${key}": ${wrongValue}`);
    if ((operator === "gt" || operator === "lt") && integer(value) === undefined) {
      throw malformed(
        text,
        `value "${value}" of "${key}": expected an integer behind '${operator === "gt" ? ">" : "<"}'`,
      );
    }
  }
}

/** One term of a field selector. */
export interface FieldTerm {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** A compiled field selector. Whether its fields exist is for the resource to say. */
export interface FieldSelector {
  /** The terms in order of their fields, values escaped; empty selects all. */
  readonly text: string;
  readonly terms: readonly FieldTerm[];
  readonly equalityPairs: readonly EqualityPair[];
  /** Whether an object fits whose fields `read` gives. */
  matches(read: (field: string) => string): boolean;
}

const escape = (value: string): string => value.replaceAll(/[\\,=]/g, (char) => `\\${char}`);

/** Compiles terms; all of them must hold. */
export function fieldSelectorOf(terms: readonly FieldTerm[]): FieldSelector {
  const sorted = terms.toSorted((a, b) => (a.field < b.field ? -1 : a.field > b.field ? 1 : 0));
  return {
    text: sorted.map(({ field, operator, value }) => `${field}${operator}${escape(value)}`).join(","),
    terms: sorted,
    equalityPairs: sorted.flatMap(({ field, operator, value }) => (operator === "=" ? [[field, value] as const] : [])),
    matches: (read) => sorted.every((term) => (read(term.field) === term.value) === (term.operator === "=")),
  };
}

/** The field selector that selects everything. */
export const everyField: FieldSelector = fieldSelectorOf([]);

/**
 * Reads a field selector: `a=b`, `a==b`, `a!=b`, joined by commas; `\\`, `\,` and `\=` stand for themselves in a value.
 *
 * @throws ApiError BadRequest when it is malformed
 */
export function parseFieldSelector(text: string): FieldSelector {
  if (text === "") return everyField;
  return fieldSelectorOf(
    splitTerms(text)
      .filter((term) => term !== "")
      .map((term) => parseTerm(text, term)),
  );
}

/** Splits at the commas that no backslash stands before. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === ",") {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function parseTerm(text: string, term: string): FieldTerm {
  const match = /^([^=!]*)(==|!=|=)(.*)$/su.exec(term);
  if (!match)
    throw badRequest(`field selector "${text}": expected "${term}" to be a field, '=', '==' or '!=' and a value`);
  const [, field, operator, value] = match;
  return { field: field!, operator: operator === "!=" ? "!=" : "=", value: unescape(text, value!) };
}

function unescape(text: string, value: string): string {
  return value.replaceAll(/\\(.?)|[,=]/gsu, (found, escaped: string | undefined) => {
    if (escaped === "\\" || escaped === "," || escaped === "=") return escaped;
    throw badRequest(`field selector "${text}": expected '\\\\', '\\,' or '\\=' in place of "${found}"`);
  });
}
