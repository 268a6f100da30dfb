/**
 * From a text to a tree: the grammar of the Common Expression Language (cel-spec, langdef), macros expanded.
 *
 * @module
 */
import type { Constant, Entry, Expr, Field, Fold, Issue, Maker } from "./ast.ts";
import { SyntaxFault, type Token, tokenize } from "./lexer.ts";
import { type Macros, expandMacro } from "./macros.ts";

/** Longer expressions are not read (code points). */
const LONGEST = 100_000;
/** Deeper ones neither. */
const DEEPEST = 250;

const RESERVED = new Set(
  "as break const continue else for function if import let loop package namespace return var void while".split(" "),
);

/** What came of a text: a tree, or what is wrong with it. */
export type Parsed = { readonly expr: Expr; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/** Reads an expression, one that may have `macros` besides those that all have. */
export function parse(source: string, macros?: Macros): Parsed {
  if (source.length > LONGEST * 2) return { issues: [{ at: 0, message: `expected at most ${LONGEST} code points` }] };
  const issues: Issue[] = [];
  try {
    const expr = new Parser(tokenize(source), issues, macros).whole();
    return issues.length > 0 ? { issues } : { expr };
  } catch (error) {
    if (error instanceof SyntaxFault) return { issues: [...issues, { at: error.at, message: error.message }] };
    throw error;
  }
}

const RELATIONS: Readonly<Record<string, string>> = {
  "<": "_<_",
  "<=": "_<=_",
  ">": "_>_",
  ">=": "_>=_",
  "==": "_==_",
  "!=": "_!=_",
};
const SUMS: Readonly<Record<string, string>> = { "+": "_+_", "-": "_-_" };
const PRODUCTS: Readonly<Record<string, string>> = { "*": "_*_", "/": "_/_", "%": "_%_" };

class Parser implements Maker {
  readonly issues: Issue[];
  readonly #tokens: readonly Token[];
  #at = 0;
  #id = 0;
  #depth = 0;
  readonly #macros: Macros | undefined;
  /** How many operators and selections stand in one another, of those expressions in which there are any. */
  readonly #heights = new Map<Expr, number>();

  constructor(tokens: readonly Token[], issues: Issue[], macros: Macros | undefined) {
    this.#tokens = tokens;
    this.issues = issues;
    this.#macros = macros;
  }

  constant = (at: number, value: Constant): Expr => ({ id: ++this.#id, at, kind: "const", value });
  ident = (at: number, name: string): Expr => ({ id: ++this.#id, at, kind: "ident", name });
  list = (at: number, elements: readonly Expr[], optional: ReadonlySet<number> = NO_OPTIONALS): Expr => ({
    id: ++this.#id,
    at,
    kind: "list",
    elements,
    optional,
  });
  map = (at: number, entries: readonly Entry[]): Expr => ({ id: ++this.#id, at, kind: "map", entries });
  fold = (at: number, fold: Fold): Expr => ({ id: ++this.#id, at, kind: "fold", fold });
  select = (at: number, of: Expr, field: string, test: boolean): Expr => ({
    id: ++this.#id,
    at,
    kind: "select",
    of,
    field,
    test,
  });

  call = (at: number, name: string, args: readonly Expr[], target?: Expr): Expr => ({
    id: ++this.#id,
    at,
    kind: "call",
    name,
    args,
    ...(target ? { target } : {}),
  });

  fail = (at: number, message: string): Expr => {
    this.issues.push({ at, message });
    return this.constant(at, null);
  };

  /** An expression around others; `more` where it counts: of what counts only so many stand in one another. */
  #around(expr: Expr, parts: readonly Expr[], more: 0 | 1): Expr {
    let height = 0;
    for (const part of parts) height = Math.max(height, this.#heights.get(part) ?? 0);
    height += more;
    if (height > DEEPEST) throw new SyntaxFault(expr.at, `max recursion depth exceeded: ${DEEPEST}`);
    if (height > 0) this.#heights.set(expr, height);
    return expr;
  }

  whole(): Expr {
    const expr = this.#expr();
    const token = this.#peek();
    if (token.type !== "end") {
      throw new SyntaxFault(token.at, `Syntax error: extraneous input '${token.text}' expecting <EOF>`);
    }
    return expr;
  }

  #peek(): Token {
    return this.#tokens[this.#at]!;
  }

  #is(text: string): boolean {
    const token = this.#peek();
    return token.type === "punct" && token.text === text;
  }

  #take(text: string): Token | undefined {
    if (!this.#is(text)) return undefined;
    return this.#tokens[this.#at++]!;
  }

  #expect(text: string): Token {
    const token = this.#take(text);
    if (token) return token;
    return this.#unexpected(`'${text}'`);
  }

  #unexpected(expected: string): never {
    const { at, text } = this.#peek();
    throw new SyntaxFault(at, `Syntax error: mismatched input '${text}' expecting ${expected}`);
  }

  #expr(): Expr {
    if (++this.#depth > DEEPEST) {
      throw new SyntaxFault(this.#peek().at, `expression recursion limit exceeded: ${DEEPEST}`);
    }
    const condition = this.#chain("||", "_||_", () => this.#chain("&&", "_&&_", () => this.#relation()));
    const op = this.#take("?");
    if (op) {
      const yes = this.#chain("||", "_||_", () => this.#chain("&&", "_&&_", () => this.#relation()));
      this.#expect(":");
      const no = this.#expr();
      this.#depth--;
      return this.#around(this.call(op.at, "_?_:_", [condition, yes, no]), [condition, yes, no], 1);
    }
    this.#depth--;
    return condition;
  }

  /** A chain of one logical operator, as a balanced tree: no chain is too long to be walked. */
  #chain(text: string, name: string, term: () => Expr): Expr {
    const terms = [term()];
    const places: number[] = [];
    for (let op = this.#take(text); op; op = this.#take(text)) {
      places.push(op.at);
      terms.push(term());
    }
    const balanced = (low: number, high: number): Expr => {
      const middle = Math.floor((low + high + 1) / 2);
      const left = middle === low ? terms[middle]! : balanced(low, middle - 1);
      const right = middle === high ? terms[middle + 1]! : balanced(middle + 1, high);
      return this.call(places[middle]!, name, [left, right]);
    };
    return places.length === 0 ? terms[0]! : this.#around(balanced(0, places.length - 1), terms, 0);
  }

  #relation(): Expr {
    let left = this.#binary(SUMS, () => this.#binary(PRODUCTS, () => this.#unary()));
    for (;;) {
      const token = this.#peek();
      const name =
        token.type === "punct"
          ? RELATIONS[token.text]
          : token.text === "in" && token.type === "ident"
            ? "@in"
            : undefined;
      if (name === undefined) return left;
      this.#at++;
      const right = this.#binary(SUMS, () => this.#binary(PRODUCTS, () => this.#unary()));
      left = this.#around(this.call(token.at, name, [left, right]), [left, right], 1);
    }
  }

  #binary(names: Readonly<Record<string, string>>, operand: () => Expr): Expr {
    let left = operand();
    for (;;) {
      const token = this.#peek();
      const name = token.type === "punct" ? names[token.text] : undefined;
      if (name === undefined) return left;
      this.#at++;
      const right = operand();
      left = this.#around(this.call(token.at, name, [left, right]), [left, right], 1);
    }
  }

  #unary(): Expr {
    const token = this.#peek();
    if (this.#is("!") || this.#is("-")) {
      let count = 0;
      while (this.#is(token.text)) {
        this.#at++;
        count++;
      }
      // One minus is a part of the number behind it; of more all are operators.
      if (count === 1 && token.text === "-" && this.#isNumber()) return this.#member(this.#negative(token));
      const operand = this.#member(this.#primary());
      if (count % 2 === 0) return operand;
      return this.#around(this.call(token.at, token.text === "!" ? "!_" : "-_", [operand]), [operand], 0);
    }
    return this.#member(this.#primary());
  }

  #isNumber(): boolean {
    const { type, value } = this.#peek();
    return type === "literal" && (typeof value === "bigint" || typeof value === "number");
  }

  /** The number behind a minus, negated. */
  #negative(minus: Token): Expr {
    const { value } = this.#tokens[this.#at++]!;
    return this.constant(minus.at, typeof value === "bigint" ? -value : -(value as number));
  }

  #member(from: Expr): Expr {
    let expr = from;
    for (;;) {
      const dot = this.#take(".");
      if (dot) {
        expr = this.#afterDot(expr, dot);
        continue;
      }
      const open = this.#take("[");
      if (!open) return expr;
      const optional = this.#take("?") !== undefined;
      const index = this.#expr();
      this.#expect("]");
      expr = this.#around(this.call(open.at, optional ? "_[?_]" : "_[_]", [expr, index]), [expr, index], 1);
    }
  }

  #afterDot(target: Expr, dot: Token): Expr {
    if (this.#take("?")) {
      const { name, at } = this.#fieldName();
      return this.#around(this.call(dot.at, "_?._", [target, this.constant(at, name)]), [target], 1);
    }
    const { name } = this.#fieldName();
    const open = this.#take("(");
    if (!open) return this.#around(this.select(dot.at, target, name, false), [target], 1);
    const args = this.#args(")");
    const expanded = expandMacro(this, open.at, name, target, args, this.#macros);
    return this.#around(expanded ?? this.call(open.at, name, args, target), [target, ...args], 1);
  }

  #fieldName(): { readonly name: string; readonly at: number } {
    const token = this.#peek();
    if (token.type === "quoted") throw new SyntaxFault(token.at, "unsupported syntax: '`'");
    if (token.type !== "ident" || token.text === "in") {
      const what = token.type === "end" ? "" : token.text;
      throw new SyntaxFault(token.at, `Syntax error: no viable alternative at input '.${what}'`);
    }
    this.#at++;
    return { name: token.text, at: token.at };
  }

  #args(close: string): Expr[] {
    const args: Expr[] = [];
    if (this.#take(close)) return args;
    do args.push(this.#expr());
    while (this.#take(","));
    this.#expect(close);
    return args;
  }

  #primary(): Expr {
    const token = this.#peek();
    if (token.type === "literal") return this.#literal(token);
    const open = this.#take("(");
    if (open) {
      const inner = this.#expr();
      this.#expect(")");
      return inner;
    }
    const list = this.#take("[");
    if (list) return this.#listLiteral(list);
    const map = this.#take("{");
    if (map) return this.#mapLiteral(map);
    return this.#identOrCall();
  }

  #literal({ at, value }: Token): Expr {
    this.#at++;
    if (typeof value === "bigint" && value > 2n ** 63n - 1n) throw new SyntaxFault(at, "invalid int literal");
    return this.constant(at, value!);
  }

  #identOrCall(): Expr {
    const lead = this.#take(".");
    const token = this.#peek();
    if (token.type !== "ident" || token.text === "in") {
      return this.#unexpected(
        "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
      );
    }
    this.#at++;
    const name = `${lead ? "." : ""}${token.text}`;
    const isReserved = RESERVED.has(token.text);
    if (isReserved) this.issues.push({ at: token.at, message: `reserved identifier: ${token.text}` });
    const message = isReserved ? undefined : this.#messageLiteral(name);
    if (message) return message;
    const open = this.#take("(");
    // What stands where no name may stand is no name to macros either.
    if (isReserved && !open) return this.constant(token.at, null);
    if (!open) return this.ident(token.at, name);
    const args = this.#args(")");
    const expanded = expandMacro(this, open.at, name, undefined, args, this.#macros);
    return this.#around(expanded ?? this.call(open.at, name, args), args, 0);
  }

  /** A message, where names with dots between them and a brace stand here. */
  #messageLiteral(first: string): Expr | undefined {
    let end = this.#at;
    let name = first;
    const isDot = ({ type, text }: Token): boolean => type === "punct" && text === ".";
    while (isDot(this.#tokens[end]!) && this.#tokens[end + 1]!.type === "ident") {
      name += `.${this.#tokens[end + 1]!.text}`;
      end += 2;
    }
    const { at, type, text } = this.#tokens[end]!;
    if (type !== "punct" || text !== "{") return undefined;
    this.#at = end + 1;
    const fields: Field[] = [];
    while (!this.#take("}")) {
      if (fields.length === 0 && this.#take(",")) {
        this.#expect("}");
        break;
      }
      const optional = this.#take("?") !== undefined;
      const field = this.#messageField();
      const colon = this.#expect(":");
      fields.push({ id: ++this.#id, at: colon.at, name: field, value: this.#expr(), optional });
      if (!this.#take(",") && !this.#is("}")) this.#unexpected("'}'");
    }
    const expr: Expr = { id: ++this.#id, at, kind: "message", name, fields };
    return this.#around(
      expr,
      fields.map(({ value }) => value),
      0,
    );
  }

  #messageField(): string {
    const { type, text, at } = this.#peek();
    if (type === "quoted") throw new SyntaxFault(at, "unsupported syntax: '`'");
    if (type !== "ident" || text === "in") return this.#unexpected("{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}");
    this.#at++;
    return text;
  }

  #listLiteral({ at }: Token): Expr {
    const elements: Expr[] = [];
    const optional = new Set<number>();
    while (!this.#take("]")) {
      if (this.#take("?")) optional.add(elements.length);
      elements.push(this.#expr());
      if (!this.#take(",") && !this.#is("]")) this.#unexpected("']'");
    }
    return this.#around(this.list(at, elements, optional), elements, 0);
  }

  #mapLiteral({ at }: Token): Expr {
    const entries: Entry[] = [];
    const parts: Expr[] = [];
    while (!this.#take("}")) {
      const optional = this.#take("?") !== undefined;
      const key = this.#expr();
      const colon = this.#expect(":");
      const value = this.#expr();
      entries.push({ id: ++this.#id, at: colon.at, key, value, optional });
      parts.push(key, value);
      if (!this.#take(",") && !this.#is("}")) this.#unexpected("'}'");
    }
    return this.#around(this.map(at, entries), parts, 0);
  }
}

const NO_OPTIONALS: ReadonlySet<number> = new Set();
