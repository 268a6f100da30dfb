/**
 * Parses the Common Expression Language (cel-spec, langdef) and expands macros.
 *
 * @module
 */
import type { Constant, Entry, Expr, Field, Comprehension, Issue, ExprFactory } from "./ast.ts";
import { SyntaxFault, type Token, tokenize } from "./lexer.ts";
import { type Macros, expandMacro } from "./macros.ts";

/** The longest expression, in code points. */
const MAX_LENGTH = 100_000;
/** The deepest nesting of an expression. */
const MAX_DEPTH = 250;

const RESERVED = new Set(
  "as break const continue else for function if import let loop package namespace return var void while".split(" "),
);

/** The result of a parse: an expression, or its errors. */
export type Parsed = { readonly expr: Expr; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/** Parses an expression, with `macros` in addition to the standard ones. */
export function parse(source: string, macros?: Macros): Parsed {
  if (source.length > MAX_LENGTH * 2)
    return { issues: [{ at: 0, message: `expected at most ${MAX_LENGTH} code points` }] };
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

class Parser implements ExprFactory {
  readonly issues: Issue[];
  readonly #tokens: readonly Token[];
  #at = 0;
  #id = 0;
  #depth = 0;
  readonly #macros: Macros | undefined;
  /** The nesting of operators and selections in each expression that has any. */
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
  comprehension = (at: number, comprehension: Comprehension): Expr => ({
    id: ++this.#id,
    at,
    kind: "comprehension",
    comprehension,
  });
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

  /** Records the nesting of an expression; `more` is 1 where the expression itself counts. */
  #withDepth(expr: Expr, parts: readonly Expr[], more: 0 | 1): Expr {
    let height = 0;
    for (const part of parts) height = Math.max(height, this.#heights.get(part) ?? 0);
    height += more;
    if (height > MAX_DEPTH) throw new SyntaxFault(expr.at, `max recursion depth exceeded: ${MAX_DEPTH}`);
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

  #accept(text: string): Token | undefined {
    if (!this.#is(text)) return undefined;
    return this.#tokens[this.#at++]!;
  }

  #expect(text: string): Token {
    const token = this.#accept(text);
    if (token) return token;
    return this.#unexpected(`'${text}'`);
  }

  #unexpected(expected: string): never {
    const { at, text } = this.#peek();
    throw new SyntaxFault(at, `Syntax error: mismatched input '${text}' expecting ${expected}`);
  }

  #expr(): Expr {
    if (++this.#depth > MAX_DEPTH) {
      throw new SyntaxFault(this.#peek().at, `expression recursion limit exceeded: ${MAX_DEPTH}`);
    }
    const condition = this.#chain("||", "_||_", () => this.#chain("&&", "_&&_", () => this.#relation()));
    const op = this.#accept("?");
    if (op) {
      const yes = this.#chain("||", "_||_", () => this.#chain("&&", "_&&_", () => this.#relation()));
      this.#expect(":");
      const no = this.#expr();
      this.#depth--;
      return this.#withDepth(this.call(op.at, "_?_:_", [condition, yes, no]), [condition, yes, no], 1);
    }
    this.#depth--;
    return condition;
  }

  /** A chain of one logical operator as a balanced tree, so that a long chain is not deep. */
  #chain(text: string, name: string, term: () => Expr): Expr {
    const terms = [term()];
    const positions: number[] = [];
    for (let op = this.#accept(text); op; op = this.#accept(text)) {
      positions.push(op.at);
      terms.push(term());
    }
    const balanced = (low: number, high: number): Expr => {
      const middle = Math.floor((low + high + 1) / 2);
      const left = middle === low ? terms[middle]! : balanced(low, middle - 1);
      const right = middle === high ? terms[middle + 1]! : balanced(middle + 1, high);
      return this.call(positions[middle]!, name, [left, right]);
    };
    return positions.length === 0 ? terms[0]! : this.#withDepth(balanced(0, positions.length - 1), terms, 0);
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
      left = this.#withDepth(this.call(token.at, name, [left, right]), [left, right], 1);
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
      left = this.#withDepth(this.call(token.at, name, [left, right]), [left, right], 1);
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
      // One minus is a part of a number literal; several are operators.
      if (count === 1 && token.text === "-" && this.#isNumber()) return this.#member(this.#negative(token));
      const operand = this.#member(this.#primary());
      if (count % 2 === 0) return operand;
      return this.#withDepth(this.call(token.at, token.text === "!" ? "!_" : "-_", [operand]), [operand], 0);
    }
    return this.#member(this.#primary());
  }

  #isNumber(): boolean {
    const { type, value } = this.#peek();
    return type === "literal" && (typeof value === "bigint" || typeof value === "number");
  }

  /** The negated number literal after a minus. */
  #negative(minus: Token): Expr {
    const { value } = this.#tokens[this.#at++]!;
    return this.constant(minus.at, typeof value === "bigint" ? -value : -(value as number));
  }

  #member(from: Expr): Expr {
    let expr = from;
    for (;;) {
      const dot = this.#accept(".");
      if (dot) {
        expr = this.#afterDot(expr, dot);
        continue;
      }
      const open = this.#accept("[");
      if (!open) return expr;
      const optional = this.#accept("?") !== undefined;
      const index = this.#expr();
      this.#expect("]");
      expr = this.#withDepth(this.call(open.at, optional ? "_[?_]" : "_[_]", [expr, index]), [expr, index], 1);
    }
  }

  #afterDot(target: Expr, dot: Token): Expr {
    if (this.#accept("?")) {
      const { name, at } = this.#fieldName();
      return this.#withDepth(this.call(dot.at, "_?._", [target, this.constant(at, name)]), [target], 1);
    }
    const { name } = this.#fieldName();
    const open = this.#accept("(");
    if (!open) return this.#withDepth(this.select(dot.at, target, name, false), [target], 1);
    const args = this.#args(")");
    const expanded = expandMacro(this, open.at, name, target, args, this.#macros);
    return this.#withDepth(expanded ?? this.call(open.at, name, args, target), [target, ...args], 1);
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
    if (this.#accept(close)) return args;
    do args.push(this.#expr());
    while (this.#accept(","));
    this.#expect(close);
    return args;
  }

  #primary(): Expr {
    const token = this.#peek();
    if (token.type === "literal") return this.#literal(token);
    const open = this.#accept("(");
    if (open) {
      const inner = this.#expr();
      this.#expect(")");
      return inner;
    }
    const list = this.#accept("[");
    if (list) return this.#listLiteral(list);
    const map = this.#accept("{");
    if (map) return this.#mapLiteral(map);
    return this.#identOrCall();
  }

  #literal({ at, value }: Token): Expr {
    this.#at++;
    if (typeof value === "bigint" && value > 2n ** 63n - 1n) throw new SyntaxFault(at, "invalid int literal");
    return this.constant(at, value!);
  }

  #identOrCall(): Expr {
    const lead = this.#accept(".");
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
    const open = this.#accept("(");
    // A reserved identifier is not a name for macros either.
    if (isReserved && !open) return this.constant(token.at, null);
    if (!open) return this.ident(token.at, name);
    const args = this.#args(")");
    const expanded = expandMacro(this, open.at, name, undefined, args, this.#macros);
    return this.#withDepth(expanded ?? this.call(open.at, name, args), args, 0);
  }

  /** A message literal; undefined where there is no name followed by a brace. */
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
    while (!this.#accept("}")) {
      if (fields.length === 0 && this.#accept(",")) {
        this.#expect("}");
        break;
      }
      const optional = this.#accept("?") !== undefined;
      const field = this.#messageField();
      const colon = this.#expect(":");
      fields.push({ id: ++this.#id, at: colon.at, name: field, value: this.#expr(), optional });
      if (!this.#accept(",") && !this.#is("}")) this.#unexpected("'}'");
    }
    const expr: Expr = { id: ++this.#id, at, kind: "message", name, fields };
    return this.#withDepth(
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
    while (!this.#accept("]")) {
      if (this.#accept("?")) optional.add(elements.length);
      elements.push(this.#expr());
      if (!this.#accept(",") && !this.#is("]")) this.#unexpected("']'");
    }
    return this.#withDepth(this.list(at, elements, optional), elements, 0);
  }

  #mapLiteral({ at }: Token): Expr {
    const entries: Entry[] = [];
    const parts: Expr[] = [];
    while (!this.#accept("}")) {
      const optional = this.#accept("?") !== undefined;
      const key = this.#expr();
      const colon = this.#expect(":");
      const value = this.#expr();
      entries.push({ id: ++this.#id, at: colon.at, key, value, optional });
      parts.push(key, value);
      if (!this.#accept(",") && !this.#is("}")) this.#unexpected("'}'");
    }
    return this.#withDepth(this.map(at, entries), parts, 0);
  }
}

const NO_OPTIONALS: ReadonlySet<number> = new Set();
