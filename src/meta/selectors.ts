/**
 * Selectors of lists and watches: label selectors and field selectors, parsed and compiled (DEC-25).
 *
 * A selector has a canonical text, so that equal ones can be grouped, and its equality pairs, for an index. The requirements
 * of one label or field are compiled to one test, so that the cost for an object depends on its labels, not on the number
 * of requirements. Parsing a malformed selector throws a 400 `ApiError`.
 *
 * @module
 */
import { labelValue, qualifiedName } from "./names.ts";
import { badRequest } from "./status.ts";

/** The labels of an object. */
export type Labels = Readonly<Record<string, string>>;

/** A key and its required value. */
export type EqualityPair = readonly [key: string, value: string];

/** A compiled label selector. */
export interface LabelSelector {
  /** The requirements in order of their keys: the same text for equal selectors. Empty selects all. */
  readonly text: string;
  readonly equalityPairs: readonly EqualityPair[];
  /** The requirements in order of their keys, those of one key in their original order. */
  readonly requirements: readonly LabelRequirement[];
  matches(labels: Labels | undefined): boolean;
}

/** An operator of a label selector. `gt` and `lt` compare integers. */
export type LabelOperator = "in" | "notin" | "exists" | "!" | "gt" | "lt";

/** One requirement of a label selector. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** All requirements of one label or field. */
class ValueTest {
  /** Whether it may be absent, and whether it must be. */
  mayLack = true;
  #mustLack = false;
  #allowed: ReadonlySet<string> | undefined;
  #refused: Set<string> | undefined;
  #above: bigint | undefined;
  #below: bigint | undefined;

  /** Adds a requirement. */
  add({ operator, values }: Omit<LabelRequirement, "key">): void {
    if (operator === "notin") {
      this.#refused ??= new Set();
      for (const value of values) this.#refused.add(value);
      return;
    }
    if (operator === "!") {
      this.#mustLack = true;
      return;
    }
    this.mayLack = false;
    if (operator === "in") this.#allowed = this.#allowed?.intersection(new Set(values)) ?? new Set(values);
    else if (operator !== "exists") this.#checkSize(operator, integer(values[0] ?? "") ?? 0n);
  }

  /** The only allowed value, if there is one. */
  get only(): string | undefined {
    return this.#allowed?.size === 1 ? this.#allowed.values().next().value : undefined;
  }

  /** Whether a value satisfies all requirements. */
  accepts(value: string): boolean {
    if (this.#mustLack || this.#refused?.has(value) || this.#allowed?.has(value) === false) return false;
    if (this.#above === undefined && this.#below === undefined) return true;
    const number = integer(value);
    if (number === undefined) return false;
    return (this.#above === undefined || number > this.#above) && (this.#below === undefined || number < this.#below);
  }

  #checkSize(operator: "gt" | "lt", to: bigint): void {
    if (operator === "gt") this.#above = this.#above !== undefined && this.#above > to ? this.#above : to;
    else this.#below = this.#below !== undefined && this.#below < to ? this.#below : to;
  }
}

type Tests = ReadonlyMap<string, ValueTest>;

/** The tests of requirements, by key. */
function testsOf(requirements: readonly LabelRequirement[]): Tests {
  const tests = new Map<string, ValueTest>();
  for (const requirement of requirements) {
    let test = tests.get(requirement.key);
    if (!test) tests.set(requirement.key, (test = new ValueTest()));
    test.add(requirement);
  }
  return tests;
}

/** Compiles well-formed requirements; all of them must hold. */
export function labelSelectorOf(requirements: readonly LabelRequirement[]): LabelSelector {
  const sorted = sortedUnique(requirements, byKey);
  const tests = testsOf(sorted);
  const needed = new Map([...tests].filter(([, test]) => !test.mayLack));
  const others = new Map([...tests].filter(([, test]) => test.mayLack));
  let text: string | undefined;
  return {
    // Selectors in objects may have tens of thousands of requirements, and their texts are not used.
    get text() {
      return (text ??= joined(sorted.map(print)));
    },
    requirements: sorted,
    get equalityPairs() {
      return [...needed].flatMap(([key, { only }]) => (only === undefined ? [] : [[key, only] as const]));
    },
    matches: (labels = NO_LABELS) => hasAll(labels, needed) && hasNothingElse(labels, others),
  };
}

const byKey = (a: LabelRequirement, b: LabelRequirement): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/** Longer lists keep their original order: equal ones in another order are unlikely. */
const MAX_SORTED = 1000;

const sortedUnique = <T>(items: readonly T[], compare?: (a: T, b: T) => number): readonly T[] =>
  items.length > MAX_SORTED ? items : [...new Set(items)].toSorted(compare);

const joined = (texts: readonly string[]): string => [...new Set(texts)].join(",");

const NO_LABELS: Labels = Object.freeze({});

/** Stops at the first absent label, so it never looks up more keys than there are labels. */
function hasAll(labels: Labels, needed: Tests): boolean {
  for (const [key, test] of needed) if (!Object.hasOwn(labels, key) || !test.accepts(labels[key]!)) return false;
  return true;
}

/** So few tests are run one by one; with more, each label is looked up in the tests. */
const FEW = 4;

/** Whether the present labels pass the tests of optional ones. */
function hasNothingElse(labels: Labels, tests: Tests): boolean {
  if (tests.size <= FEW) {
    for (const [key, test] of tests) if (Object.hasOwn(labels, key) && !test.accepts(labels[key]!)) return false;
    return true;
  }
  for (const key of Object.keys(labels)) if (tests.get(key)?.accepts(labels[key]!) === false) return false;
  return true;
}

/** The label selector that selects everything. */
const everyLabel: LabelSelector = labelSelectorOf([]);

/** The int64 of a text, or undefined. */
function integer(text: string): bigint | undefined {
  if (text.length > 63 || !/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function print({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "gt":
      return `${key}>${values[0]}`;
    case "lt":
      return `${key}<${values[0]}`;
    default: {
      const sorted = sortedUnique(values);
      if (sorted.length === 1) return `${key}${operator === "in" ? "=" : "!="}${sorted[0]}`;
      return `${key} ${operator} (${sorted.join(",")})`;
    }
  }
}

/** Limits of one selector, so that it is parsed in a few milliseconds; parts are requirements and values. */
const MAX_REQUIREMENTS = 10_000;
const MAX_PARTS = 65_536;

/** Refuses a selector that is larger than the limits. */
function checkSize(what: string, requirements: number, parts: number): void {
  if (requirements <= MAX_REQUIREMENTS && parts <= MAX_PARTS) return;
  throw badRequest(
    `${what}: expected at most ${MAX_REQUIREMENTS} requirements and ${MAX_PARTS} requirements and values together, got more`,
  );
}

/**
 * Parses a label selector: `a=b`, `a==b`, `a!=b`, `a`, `!a`, `a in (b,c)`, `a notin (b)`, `a>1`, `a<1`, joined by commas.
 *
 * @throws ApiError BadRequest when it is malformed
 */
export const parseLabelSelector = cacheLast((text: string): LabelSelector => {
  const tokens = tokenize(text);
  return tokens.length === 0 ? everyLabel : labelSelectorOf(new Requirements(text, tokens).read());
});

/** A function that caches its last result: the options of a request and its list parse the same selector. */
function cacheLast<T>(read: (text: string) => T): (text: string) => T {
  let last = { text: "", result: read("") };
  return (text) => {
    if (text !== last.text) last = { text, result: read(text) };
    return last.result;
  };
}

/** The requirements of a text, token by token. */
class Requirements {
  readonly #text: string;
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string, tokens: readonly string[]) {
    this.#text = text;
    this.#tokens = tokens;
  }

  read(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const found = this.#requirement();
      check(this.#text, found);
      requirements.push(found);
      checkSize("label selector", requirements.length, 0);
      if (this.#at === this.#tokens.length) return requirements;
      if (this.#peek() !== ",") this.#fail("expected ',' or the end");
      this.#at++;
    }
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  #requirement(): LabelRequirement {
    if (this.#peek() === "!") {
      this.#at++;
      return { key: this.#word("expected a key behind '!'"), operator: "!", values: [] };
    }
    const key = this.#word("expected a key or '!'");
    const operator = this.#peek();
    if (operator === undefined || operator === ",") return { key, operator: "exists", values: [] };
    this.#at++;
    switch (operator) {
      case "=":
      case "==":
        return { key, operator: "in", values: [this.#value()] };
      case "!=":
        return { key, operator: "notin", values: [this.#value()] };
      case "in":
      case "notin":
        return { key, operator, values: this.#valueList() };
      case ">":
      case "<":
        return { key, operator: operator === ">" ? "gt" : "lt", values: [this.#value()] };
      default:
        this.#at--;
        return this.#fail("expected '=', '==', '!=', 'in', 'notin', '<', '>' or ','");
    }
  }

  #word(expected: string): string {
    const token = this.#peek();
    if (!isWord(token)) return this.#fail(expected);
    this.#at++;
    return token;
  }

  /** A value may be left out: `a=` requires the empty value. */
  #value(): string {
    return this.#peek() === undefined || this.#peek() === "," ? "" : this.#word("expected a value or ','");
  }

  /** `in ()` has one value, the empty one. */
  #valueList(): string[] {
    if (this.#peek() !== "(") this.#fail("expected '('");
    this.#at++;
    const values: string[] = [];
    for (;;) {
      values.push(isWord(this.#peek()) ? this.#word("") : "");
      if (this.#peek() === ")") break;
      if (this.#peek() !== ",") this.#fail("expected ',' or ')'");
      this.#at++;
    }
    this.#at++;
    return values;
  }

  #fail(expected: string): never {
    const got = this.#peek() === undefined ? "the end" : `"${shown(this.#peek()!)}"`;
    throw malformedLabels(this.#text, `${expected}, got ${got}`);
  }
}

const SYMBOL = /[=!(),<>]/;

const isWord = (token: string | undefined): token is string => token !== undefined && !SYMBOL.test(token[0]!);

/** Splits at blanks and symbols; `==` and `!=` are one token, every other symbol is a token. */
function tokenize(text: string): readonly string[] {
  checkSize("label selector", 0, partsOf(text));
  return text.match(/==|!=|[=!(),<>]|[^\s=!(),<>]+/g) ?? [];
}

/** The largest number of parts of a text: one more than its commas and escapes. */
function partsOf(text: string): number {
  let parts = 1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === COMMA || code === BACKSLASH) parts++;
  }
  return parts;
}

const COMMA = 44;
const BACKSLASH = 92;

/** The beginning of a text, for messages. */
const shown = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}...` : text);

const malformedLabels = (text: string, why: string): Error => badRequest(`label selector "${shown(text)}": ${why}`);

function check(text: string, { key, operator, values }: LabelRequirement): void {
  const wrong = qualifiedName(key);
  if (wrong) throw malformedLabels(text, `key "${shown(key)}": ${wrong}`);
  for (const value of values) {
    const wrongValue = labelValue(value);
    if (wrongValue) throw malformedLabels(text, `value "${shown(value)}" of "${key}": ${wrongValue}`);
    if ((operator === "gt" || operator === "lt") && integer(value) === undefined) {
      throw malformedLabels(
        text,
        `value "${value}" of "${key}": expected an integer behind '${operator === "gt" ? ">" : "<"}'`,
      );
    }
  }
}

/** The requirements of a field selector for one field. */
export interface FieldTest {
  /** The only allowed value, if there is one. */
  readonly only: string | undefined;
  accepts(value: string): boolean;
}

/** A compiled field selector. The resource checks whether its fields exist. */
export interface FieldSelector {
  /** The terms in order of their fields, values escaped; empty selects all. */
  readonly text: string;
  /** The terms in order of their fields, those of one field in their original order. */
  readonly requirements: readonly LabelRequirement[];
  /** The requirements by field. */
  readonly fields: ReadonlyMap<string, FieldTest>;
  /** Whether an object matches whose fields `read` returns. */
  matches(read: (field: string) => string): boolean;
}

/** One term of a field selector: its key is a field. */
interface FieldTerm extends LabelRequirement {
  readonly operator: "in" | "notin";
}

const escape = (value: string): string => value.replaceAll(/[\\,=]/g, (char) => `\\${char}`);

/** Compiles terms; all of them must hold. */
function fieldSelectorOf(terms: readonly FieldTerm[]): FieldSelector {
  const sorted = sortedUnique<FieldTerm>(terms, byKey);
  const fields = testsOf(sorted);
  const texts = sorted.map(
    ({ key, operator, values }) => `${key}${operator === "in" ? "=" : "!="}${escape(values[0]!)}`,
  );
  return {
    text: joined(texts),
    requirements: sorted,
    fields,
    matches(read) {
      for (const [field, test] of fields) if (!test.accepts(read(field))) return false;
      return true;
    },
  };
}

/**
 * Parses a field selector: `a=b`, `a==b`, `a!=b`, joined by commas; `\\`, `\,` and `\=` are escapes in a value.
 *
 * @throws ApiError BadRequest when it is malformed
 */
export const parseFieldSelector = cacheLast((text: string): FieldSelector =>
  fieldSelectorOf(
    splitTerms(text)
      .filter((term) => term !== "")
      .map((term) => parseTerm(text, term)),
  ),
);

/** Splits at the commas without a backslash before them. */
function splitTerms(text: string): readonly string[] {
  const parts = partsOf(text);
  checkSize("field selector", parts, parts);
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i++;
    else if (code === COMMA) {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function parseTerm(text: string, term: string): FieldTerm {
  const match = /^([^=!]*)(==|!=|=)(.*)$/su.exec(term);
  if (!match) {
    throw malformedFields(text, `expected "${shown(term)}" to be a field, '=', '==' or '!=' and a value`);
  }
  const [, field, operator, value] = match;
  return { key: field!, operator: operator === "!=" ? "notin" : "in", values: [unescape(text, value!)] };
}

const malformedFields = (text: string, why: string): Error => badRequest(`field selector "${shown(text)}": ${why}`);

function unescape(text: string, value: string): string {
  return value.replaceAll(/\\(.?)|[,=]/gsu, (found, escaped: string | undefined) => {
    if (escaped === "\\" || escaped === "," || escaped === "=") return escaped;
    throw malformedFields(text, `expected '\\\\', '\\,' or '\\=' in place of "${found}"`);
  });
}
