/**
 * The part of jq that keys of Stages are written in: paths, iteration, pipes, `select`, comparisons, alternatives and a few functions.
 *
 * It is linear in the size of the expression and of the visited values, and stops at {@link MAX_RESULTS} results.
 */
import { type Value, isObject } from "../../value/value.ts";

/** A compiled expression: the results for a value; undefined where it fails, as with a member of a text. */
export type Query = (value: Value) => readonly Value[] | undefined;

type Filter = (value: Value) => readonly Value[];

/** The most results of an expression. */
const MAX_RESULTS = 100_000;
const MAX_DEPTH = 100;
const MAX_LENGTH = 4096;

class QueryError extends Error {}

/** The budget of an evaluation, one for each value or sixteen characters: two paths into long lists are compared pairwise. */
const MAX_STEPS = 250_000;
const CHARACTERS_A_STEP = 16;

/** The evaluation exceeds its budget; the whole expression ends. */
class Exhausted extends Error {}

/** The remaining budget of an evaluation. */
class Effort {
  #left = 0;

  begin(): void {
    this.#left = MAX_STEPS;
  }

  /** @throws Exhausted */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new Exhausted();
  }

  /** @throws Exhausted */
  text(characters: number): void {
    this.spend(characters / CHARACTERS_A_STEP);
  }
}

/** Compiles an expression. @throws SyntaxError with the position and the fault */
export function compileQuery(text: string): Query {
  if (text.length > MAX_LENGTH) throw new SyntaxError(`expected at most ${MAX_LENGTH} characters, got ${text.length}`);
  const parser = new Parser(tokensOf(text), text);
  const filter = parser.whole();
  return (value) => {
    parser.effort.begin();
    try {
      return filter(value);
    } catch (error) {
      if (error instanceof QueryError || error instanceof Exhausted) return undefined;
      throw error;
    }
  };
}

interface Token {
  readonly kind: "field" | "text" | "number" | "name" | "sign" | "end";
  readonly text: string;
  readonly at: number;
}

const SIGNS = ["==", "!=", "<=", ">=", "//", "|", ",", "(", ")", "[", "]", ".", "<", ">", "?", "-", "+"];

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    const character = text[at]!;
    if (/\s/.test(character)) {
      at++;
      continue;
    }
    const start = at;
    if (character === '"') {
      at++;
      while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
      if (at >= text.length) throw fault(text, start, "the end of a text in quotes");
      at++;
      tokens.push({ kind: "text", text: textIn(text.slice(start, at), text, start), at: start });
    } else if (/\d/.test(character)) {
      while (at < text.length && /[\d.]/.test(text[at]!)) at++;
      tokens.push({ kind: "number", text: text.slice(start, at), at: start });
    } else if (character === "." && /[A-Za-z_]/.test(text[at + 1] ?? "")) {
      at = endOfName(text, at + 1);
      tokens.push({ kind: "field", text: text.slice(start + 1, at), at: start });
    } else if (/[A-Za-z_$]/.test(character)) {
      at = endOfName(text, at + 1);
      tokens.push({ kind: "name", text: text.slice(start, at), at: start });
    } else {
      const sign = SIGNS.find((one) => text.startsWith(one, at));
      if (sign === undefined) throw fault(text, at, "an expression of jq");
      at += sign.length;
      tokens.push({ kind: "sign", text: sign, at: start });
    }
  }
  return [...tokens, { kind: "end", text: "", at: text.length }];
}

function endOfName(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\w/.test(text[at]!)) at++;
  return at;
}

function textIn(quoted: string, text: string, at: number): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw fault(text, at, "a text in quotes");
  }
}

function fault(text: string, at: number, expected: string): SyntaxError {
  const found = at < text.length ? JSON.stringify(text.slice(at, at + 20)) : "the end";
  return new SyntaxError(`expected ${expected} at character ${at + 1}, found ${found}`);
}

/** The order of JSON values in jq: null, false, true, numbers, texts, lists, objects. */
const rankOf = (value: Value): number =>
  value === null
    ? 0
    : value === false
      ? 1
      : value === true
        ? 2
        : typeof value === "number"
          ? 3
          : typeof value === "string"
            ? 4
            : Array.isArray(value)
              ? 5
              : 6;

function compare(a: Value, b: Value, effort: Effort): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  const [left, right] = [rankOf(a), rankOf(b)];
  if (left !== right) return left - right;
  const [one, other] = [JSON.stringify(a), JSON.stringify(b)];
  effort.text(one.length + other.length);
  return one < other ? -1 : one > other ? 1 : 0;
}

const isTrue = (value: Value): boolean => value !== null && value !== false;

const COMPARISONS: Readonly<Record<string, (order: number) => boolean>> = {
  "==": (order) => order === 0,
  "!=": (order) => order !== 0,
  "<": (order) => order < 0,
  ">": (order) => order > 0,
  "<=": (order) => order <= 0,
  ">=": (order) => order >= 0,
};

/** Functions without arguments. */
const CONSTANTS: Readonly<Record<string, (value: Value, effort: Effort) => readonly Value[]>> = {
  null: () => [null],
  true: () => [true],
  false: () => [false],
  empty: () => [],
  not: (value) => [!isTrue(value)],
  length: (value) => [lengthOf(value)],
  keys: (value) => [keysOf(value)],
  values: (value) => (value === null ? [] : [value]),
  first: (value) => [listOf(value)[0] ?? null],
  last: (value) => [listOf(value).at(-1) ?? null],
  any: (value) => [listOf(value).some(isTrue)],
  all: (value) => [listOf(value).every(isTrue)],
  tostring: (value, effort) => {
    if (typeof value === "string") return [value];
    const text = JSON.stringify(value);
    effort.text(text.length);
    return [text];
  },
  tonumber: (value) => [numberOf(value)],
  type: (value) => [
    value === null ? "null" : Array.isArray(value) ? "array" : typeof value === "object" ? "object" : typeof value,
  ],
  ascii_downcase: (value) => [wordOf(value).toLowerCase()],
  ascii_upcase: (value) => [wordOf(value).toUpperCase()],
};

/** Functions of one argument. */
const FUNCTIONS: Readonly<Record<string, (argument: Filter, effort: Effort) => Filter>> = {
  select: (argument) => (value) => argument(value).flatMap((one) => (isTrue(one) ? [value] : [])),
  map: (argument) => (value) => [listOf(value).flatMap(argument)],
  any: (argument) => (value) => [listOf(value).some((one) => argument(one).some(isTrue))],
  all: (argument) => (value) => [listOf(value).every((one) => argument(one).every(isTrue))],
  first: (argument) => (value) => argument(value).slice(0, 1),
  has: (argument) => (value) =>
    argument(value).map((key) =>
      typeof key === "number" ? key < listOf(value).length : isObject(value) && Object.hasOwn(value, wordOf(key)),
    ),
  startswith: (argument) => (value) => argument(value).map((one) => wordOf(value).startsWith(wordOf(one))),
  endswith: (argument) => (value) => argument(value).map((one) => wordOf(value).endsWith(wordOf(one))),
  contains: (argument, effort) => (value) => argument(value).map((one) => contains(value, one, effort)),
};

function contains(value: Value, part: Value, effort: Effort): boolean {
  if (typeof value === "string") {
    effort.text(value.length);
    return value.includes(wordOf(part));
  }
  if (!Array.isArray(value)) return compare(value, part, effort) === 0;
  return listOf(part).every((one) => {
    effort.spend(value.length);
    return value.some((other) => compare(one, other, effort) === 0);
  });
}

function lengthOf(value: Value): number {
  if (value === null) return 0;
  if (typeof value === "number") return Math.abs(value);
  if (typeof value === "boolean") throw new QueryError();
  return typeof value === "string" || Array.isArray(value) ? value.length : Object.keys(value).length;
}

function keysOf(value: Value): Value[] {
  if (Array.isArray(value)) return [...value.keys()];
  if (!isObject(value)) throw new QueryError();
  return Object.keys(value).toSorted();
}

function listOf(value: Value): readonly Value[] {
  if (!Array.isArray(value)) throw new QueryError();
  return value;
}

function wordOf(value: Value): string {
  if (typeof value !== "string") throw new QueryError();
  return value;
}

function numberOf(value: Value): number {
  const number = typeof value === "number" ? value : Number(wordOf(value));
  if (Number.isNaN(number)) throw new QueryError();
  return number;
}

const memberOf =
  (name: string): Filter =>
  (value) => {
    if (value === null) return [null];
    if (!isObject(value)) throw new QueryError();
    return [Object.hasOwn(value, name) ? value[name]! : null];
  };

const elementAt =
  (index: number): Filter =>
  (value) =>
    value === null ? [null] : [listOf(value).at(index) ?? null];

const iterate: Filter = (value) => {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) throw new QueryError();
  return Object.values(value);
};

/** Filters one after the other, each on all results of the one before. */
const piped =
  (filters: readonly Filter[]): Filter =>
  (value) => {
    let results: readonly Value[] = [value];
    for (const filter of filters) {
      results = results.length === 1 ? filter(results[0]!) : results.flatMap(filter);
      if (results.length > MAX_RESULTS) throw new QueryError();
    }
    return results;
  };

const attempted =
  (filter: Filter): Filter =>
  (value) => {
    try {
      return filter(value);
    } catch (error) {
      if (error instanceof QueryError) return [];
      throw error;
    }
  };

class Parser {
  readonly effort = new Effort();
  readonly #tokens: readonly Token[];
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], text: string) {
    this.#tokens = tokens;
    this.#text = text;
  }

  whole(): Filter {
    const filter = this.#pipe();
    if (this.#next.kind !== "end") throw this.#fault("the end of the expression");
    return filter;
  }

  get #next(): Token {
    return this.#tokens[this.#at]!;
  }

  #takes(sign: string): boolean {
    const { kind, text } = this.#next;
    if ((kind !== "sign" && kind !== "name") || text !== sign) return false;
    this.#at++;
    return true;
  }

  #expect(sign: string): void {
    if (!this.#takes(sign)) throw this.#fault(JSON.stringify(sign));
  }

  #fault(expected: string): SyntaxError {
    return fault(this.#text, this.#next.at, expected);
  }

  #pipe(): Filter {
    if (++this.#depth > MAX_DEPTH) throw this.#fault(`at most ${MAX_DEPTH} levels`);
    const filters = [this.#list()];
    while (this.#takes("|")) filters.push(this.#list());
    this.#depth--;
    return filters.length === 1 ? filters[0]! : piped(filters);
  }

  #list(): Filter {
    const all = [this.#alternative()];
    while (this.#takes(",")) all.push(this.#alternative());
    return all.length === 1 ? all[0]! : this.#paid((value) => all.flatMap((one) => one(value)));
  }

  #alternative(): Filter {
    const first = this.#or();
    if (!this.#takes("//")) return first;
    const second = this.#alternative();
    return (value) => {
      const found = attempted(first)(value).filter(isTrue);
      return found.length > 0 ? found : second(value);
    };
  }

  #or(): Filter {
    let filter = this.#and();
    while (this.#takes("or")) {
      const [left, right] = [filter, this.#and()];
      filter = this.#paid((value) => left(value).flatMap((one) => (isTrue(one) ? [true] : right(value).map(isTrue))));
    }
    return filter;
  }

  #and(): Filter {
    let filter = this.#comparison();
    while (this.#takes("and")) {
      const [left, right] = [filter, this.#comparison()];
      filter = this.#paid((value) => left(value).flatMap((one) => (isTrue(one) ? right(value).map(isTrue) : [false])));
    }
    return filter;
  }

  #comparison(): Filter {
    const left = this.#postfix();
    const { kind, text } = this.#next;
    const holds = kind === "sign" && Object.hasOwn(COMPARISONS, text) ? COMPARISONS[text] : undefined;
    if (!holds) return left;
    this.#at++;
    const right = this.#postfix();
    const { effort } = this;
    return (value) => {
      const [ones, others] = [right(value), left(value)];
      effort.spend(ones.length * others.length);
      return ones.flatMap((one) => others.map((other) => holds(compare(other, one, effort))));
    };
  }

  /** A filter that pays for each call and each result. */
  #paid(filter: Filter): Filter {
    const { effort } = this;
    return (value) => {
      effort.spend(1);
      const results = filter(value);
      effort.spend(results.length);
      return results;
    };
  }

  #postfix(): Filter {
    return this.#paid(this.#path());
  }

  #path(): Filter {
    const steps = [this.#term()];
    for (;;) {
      const step = this.#step();
      if (step) steps.push(step);
      else if (this.#takes("?")) steps.splice(0, steps.length, attempted(piped([...steps])));
      else return steps.length === 1 ? steps[0]! : piped(steps);
    }
  }

  /** A field, an index or an iteration after a term; `.[` is as `[`. */
  #step(): Filter | undefined {
    const { kind, text } = this.#next;
    if (kind === "field") {
      this.#at++;
      return memberOf(text);
    }
    const after = this.#tokens[this.#at + 1];
    if (kind === "sign" && text === "." && after?.text === "[") this.#at++;
    if (kind === "sign" && text === "." && after?.kind === "text") {
      this.#at += 2;
      return memberOf(after.text);
    }
    return this.#takes("[") ? this.#bracket() : undefined;
  }

  #bracket(): Filter {
    if (this.#takes("]")) return iterate;
    const sign = this.#takes("-") ? -1 : 1;
    const { kind, text } = this.#next;
    if (kind !== "text" && kind !== "number") throw this.#fault("a text, a number or ]");
    this.#at++;
    this.#expect("]");
    return kind === "text" ? memberOf(text) : elementAt(sign * Number(text));
  }

  #term(): Filter {
    const { kind, text } = this.#next;
    if (kind === "field") return this.#step()!;
    if (kind === "text" || kind === "number") {
      this.#at++;
      const constant = kind === "text" ? text : Number(text);
      return () => [constant];
    }
    if (this.#takes("(")) {
      const filter = this.#pipe();
      this.#expect(")");
      return filter;
    }
    if (this.#takes("-")) {
      const { text: digits } = this.#next;
      if (this.#next.kind !== "number") throw this.#fault("a number");
      this.#at++;
      return () => [-Number(digits)];
    }
    if (kind === "sign" && text === ".") {
      const step = this.#step();
      if (step) return step;
      this.#at++;
      return (value) => [value];
    }
    if (kind === "sign" && text === "[") throw this.#fault("a path that begins with a dot");
    if (kind !== "name") throw this.#fault("a path such as .status.phase");
    this.#at++;
    return this.#call(text);
  }

  #call(name: string): Filter {
    if (this.#takes("(")) {
      const argument = this.#pipe();
      this.#expect(")");
      if (!Object.hasOwn(FUNCTIONS, name))
        throw new SyntaxError(`expected one of ${knownNames(FUNCTIONS)}, found ${name}(...)`);
      return this.#paid(FUNCTIONS[name]!(argument, this.effort));
    }
    if (!Object.hasOwn(CONSTANTS, name))
      throw new SyntaxError(`expected one of ${knownNames(CONSTANTS)}, found ${name}`);
    const constant = CONSTANTS[name]!;
    return (value) => constant(value, this.effort);
  }
}

const knownNames = (of: object): string => Object.keys(of).join(", ");
