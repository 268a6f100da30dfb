/**
 * Parses the JSONPath of kubectl and definitions (CRD-33): `.spec.list[-1].name`, `.m['a.b']`, `.list[?(@.x=="y")].z`, `..name`.
 *
 * @module
 */

/** One step of a path. */
export type Step =
  | { readonly kind: "member"; readonly name: string }
  | { readonly kind: "all" }
  | { readonly kind: "below" }
  | { readonly kind: "slice"; readonly from?: number; readonly to?: number; readonly by: number; readonly one: boolean }
  | { readonly kind: "filter"; readonly left: Operand; readonly operator: Operator; readonly right?: Operand }
  | { readonly kind: "union"; readonly paths: readonly Path[] };

/** The steps of a path. */
export type Path = readonly Step[];

/** The operator of a filter. */
export type Operator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "exists";

/** An operand of a filter: a value, or a path below an element. */
export type Operand = { readonly value: string | number | boolean } | { readonly path: Path };

/** A malformed path. */
export class JsonPathError extends Error {}

/** The limit of nested paths. */
const MAX_DEPTH = 20;

/**
 * The steps of a path.
 *
 * @throws JsonPathError
 */
export const parseJsonPath = (text: string): Path => new Parser(text).whole();

class Parser {
  readonly #text: string;
  #at = 0;
  readonly #depth: number;

  constructor(text: string, depth = 0) {
    if (depth > MAX_DEPTH) throw new JsonPathError(`expected paths nested at most ${MAX_DEPTH} deep`);
    this.#text = text;
    this.#depth = depth;
  }

  whole(): Path {
    const steps: Step[] = [];
    if (this.#peek() === "$" || this.#peek() === "@") this.#at++;
    while (this.#at < this.#text.length) steps.push(...this.#step());
    return steps;
  }

  #peek(): string {
    return this.#text[this.#at] ?? "";
  }

  #fail(expected: string): never {
    throw new JsonPathError(`expected ${expected} at ${this.#at} of ${JSON.stringify(this.#text)}`);
  }

  #step(): Step[] {
    const char = this.#peek();
    if (char === "[") return [this.#brackets()];
    if (char !== ".") this.#fail('"." or "["');
    this.#at++;
    if (this.#peek() === ".") {
      this.#at++;
      const next = this.#peek();
      return next === "[" ? [{ kind: "below" }] : [{ kind: "below" }, this.#name()];
    }
    if (this.#peek() === "[" || this.#at >= this.#text.length) return [];
    return [this.#name()];
  }

  #name(): Step {
    let name = "";
    let escaped = false;
    for (; this.#at < this.#text.length; this.#at++) {
      const char = this.#peek();
      if (char === "\\") {
        this.#at++;
        name += this.#peek();
        escaped = true;
      } else if (/[\s.[\]{}()@$]/.test(char)) break;
      else name += char;
    }
    if (name === "") this.#fail("the name of a member");
    return name === "*" && !escaped ? { kind: "all" } : { kind: "member", name };
  }

  /** The step in brackets. */
  #brackets(): Step {
    const inner = this.#balanced();
    if (inner.startsWith("?(") && inner.endsWith(")")) return filterOf(inner.slice(2, -1), this.#depth);
    const parts = splitOutside(inner, ",");
    if (parts.length > 1) return { kind: "union", paths: parts.map((part) => [this.#single(part.trim())]) };
    return this.#single(inner.trim());
  }

  #single(inner: string): Step {
    if (inner === "*") return { kind: "all" };
    // A quoted name is parsed like one behind a dot: a dot in it is escaped, too.
    const quoted = /^'([^']*)'$/s.exec(inner);
    if (quoted) return { kind: "union", paths: [new Parser(`.${quoted[1]}`, this.#depth + 1).whole()] };
    const slice = /^(-?\d+)?(?:(:)(-?\d+)?(?::(\d+)?)?)?$/.exec(inner);
    if (inner === "" || !slice) {
      return /^[^\s'"()?:[\]]+$/.test(inner)
        ? { kind: "member", name: inner }
        : this.#fail("an index, a slice or a quoted name");
    }
    const [, from, colon, to, by] = slice;
    return {
      kind: "slice",
      ...(from === undefined ? {} : { from: Number(from) }),
      ...(to === undefined ? {} : { to: Number(to) }),
      by: by === undefined ? 1 : Number(by),
      one: colon === undefined,
    };
  }

  /** The text up to the closing bracket. */
  #balanced(): string {
    const start = ++this.#at;
    let depth = 1;
    let quote = "";
    for (; this.#at < this.#text.length; this.#at++) {
      const char = this.#peek();
      if (char === "\\") this.#at++;
      else if (quote !== "") quote = char === quote ? "" : quote;
      else if (char === "'" || char === '"') quote = char;
      else if (char === "[") depth++;
      else if (char === "]" && --depth === 0) return this.#text.slice(start, this.#at++);
    }
    return this.#fail('"]"');
  }
}

const OPERATORS: readonly Operator[] = ["==", "!=", "<=", ">=", "<", ">"];

function filterOf(text: string, depth: number): Step {
  for (const operator of OPERATORS) {
    const parts = splitOutside(text, operator);
    if (parts.length === 2) {
      const [left, right] = parts.map((part) => operandOf(part.trim(), depth)) as [Operand, Operand];
      return { kind: "filter", left, operator, right };
    }
  }
  return { kind: "filter", left: operandOf(text.trim(), depth), operator: "exists" };
}

function operandOf(text: string, depth: number): Operand {
  const quoted = /^'((?:[^'\\]|\\.)*)'$|^"((?:[^"\\]|\\.)*)"$/s.exec(text);
  if (quoted) return { value: (quoted[1] ?? quoted[2]!).replaceAll(/\\(.)/gs, "$1") };
  if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return { value: Number(text) };
  if (text === "true" || text === "false") return { value: text === "true" };
  if (text.startsWith("@") || text.startsWith("$")) return { path: new Parser(text, depth + 1).whole() };
  throw new JsonPathError(`expected a value or a path that begins with @, got ${JSON.stringify(text)}`);
}

/** The parts of a text between separators outside of quotes and brackets. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let [start, depth, quote] = [0, 0, ""];
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === "\\") i++;
    else if (quote !== "") quote = char === quote ? "" : quote;
    else if (char === "'" || char === '"') quote = char;
    else if (char === "[" || char === "(") depth++;
    else if (char === "]" || char === ")") depth--;
    else if (depth === 0 && text.startsWith(separator, i)) {
      parts.push(text.slice(start, i));
      start = i + separator.length;
      i = start - 1;
    }
  }
  return [...parts, text.slice(start)];
}
