/**
 * Go's text/template as Stages use it: actions, variables, `if`, `range`, `with`, pipelines and functions.
 *
 * A text is parsed once. It is linear in the size of the template and of the visited values: at most {@link MAX_STEPS} steps and
 * {@link MAX_OUTPUT} characters.
 */
import { type Value, isObject, setMember } from "../../value/value.ts";

/** A function of templates. */
export type TemplateFunction = (...args: readonly Value[]) => Value;

/** The functions of a template by name. */
export type Functions = Readonly<Record<string, TemplateFunction>>;

/** A parsed template. @throws Error that names the line */
export type Template = (data: Value, functions: Functions) => string;

const MAX_STEPS = 200_000;
const MAX_OUTPUT = 1 << 20;
const MAX_DEPTH = 100;

/** Parses a template. @param knows whether a function exists @throws SyntaxError that names the line */
export function parseTemplate(text: string, knows: (name: string) => boolean): Template {
  const nodes = new TemplateParser(piecesOf(text), knows).whole();
  return (data, functions) => {
    const run = new Run(functions);
    run.block(nodes, { data, variables: [{ name: "$", value: data }] });
    return run.output.join("");
  };
}

type Piece = { readonly text: string } | { readonly action: readonly Token[]; readonly line: number };

interface Token {
  readonly kind: "text" | "number" | "word" | "field" | "variable" | "sign";
  readonly text: string;
  /** Whether a blank is in front of it: `.a .b` are two arguments. */
  readonly isApart: boolean;
}

/** Texts and actions; `{{-` and `-}}` remove the blanks next to them. */
function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let line = 1;
  let at = 0;
  let trims = false;
  const add = (part: string): void => {
    if (part !== "") pieces.push({ text: part });
  };
  while (at <= text.length) {
    const open = text.indexOf("{{", at);
    const end = open < 0 ? text.length : open;
    const isLeft = open >= 0 && text[open + 2] === "-" && /\s/.test(text[open + 3] ?? "");
    let part = text.slice(at, end);
    line += countLines(part);
    if (trims) part = part.trimStart();
    if (isLeft) part = part.trimEnd();
    add(part);
    if (open < 0) break;
    const start = open + (isLeft ? 3 : 2);
    const close = endOfAction(text, start, line);
    const isRight = text[close - 1] === "-" && /\s/.test(text[close - 2] ?? "");
    const inside = text.slice(start, isRight ? close - 1 : close);
    if (!inside.trimStart().startsWith("/*")) pieces.push({ action: tokensOf(inside, line), line });
    line += countLines(inside);
    trims = isRight;
    at = close + 2;
  }
  return pieces;
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** The place of the `}}` that ends an action; those in quotes do not. */
function endOfAction(text: string, from: number, line: number): number {
  let quote = "";
  for (let at = from; at < text.length; at++) {
    const character = text[at]!;
    if (quote === "" && character === "}" && text[at + 1] === "}") return at;
    if (quote === "") {
      if (character === '"' || character === "`" || character === "'") quote = character;
    } else if (character === "\\" && quote !== "`") at++;
    else if (character === quote) quote = "";
  }
  throw new SyntaxError(`line ${line}: expected }} after {{`);
}

function tokensOf(text: string, line: number): readonly Token[] {
  const tokens: Token[] = [];
  let isApart = true;
  for (let at = 0; at < text.length;) {
    const character = text[at]!;
    if (/\s/.test(character)) {
      isApart = true;
      at++;
      continue;
    }
    const start = at;
    const add = (kind: Token["kind"], content: string): void => void tokens.push({ kind, text: content, isApart });
    if (character === '"' || character === "`" || character === "'") {
      at++;
      while (at < text.length && text[at] !== character) at += text[at] === "\\" && character !== "`" ? 2 : 1;
      at++;
      add("text", character === "`" ? text.slice(start + 1, at - 1) : unquoted(text.slice(start, at), line));
    } else if (/\d/.test(character) || ((character === "-" || character === "+") && /\d/.test(text[at + 1] ?? ""))) {
      at++;
      while (at < text.length && /[\w.]/.test(text[at]!)) at++;
      add("number", text.slice(start, at));
    } else if (character === "." && /[A-Za-z_]/.test(text[at + 1] ?? "")) {
      at = endOfWord(text, at + 1);
      add("field", text.slice(start + 1, at));
    } else if (character === "$") {
      at = endOfWord(text, at + 1);
      add("variable", text.slice(start, at));
    } else if (/[A-Za-z_]/.test(character)) {
      at = endOfWord(text, at + 1);
      add("word", text.slice(start, at));
    } else {
      const sign = text.startsWith(":=", at) ? ":=" : character;
      if (![":=", "=", "|", "(", ")", ",", "."].includes(sign)) {
        throw new SyntaxError(`line ${line}: expected an action, found ${JSON.stringify(text.slice(at, at + 20))}`);
      }
      at += sign.length;
      add("sign", sign);
    }
    isApart = false;
  }
  return tokens;
}

function endOfWord(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\w/.test(text[at]!)) at++;
  return at;
}

function unquoted(quoted: string, line: number): string {
  try {
    return JSON.parse(quoted.startsWith("'") ? `"${quoted.slice(1, -1)}"` : quoted) as string;
  } catch {
    throw new SyntaxError(`line ${line}: expected a text in quotes, found ${quoted.slice(0, 40)}`);
  }
}

interface Command {
  readonly line: number;
  readonly evaluate: (run: Run, scope: Scope) => Value;
}

interface Variable {
  readonly name: string;
  value: Value;
}

interface Scope {
  readonly data: Value;
  readonly variables: Variable[];
}

interface Pipeline {
  readonly declares: readonly string[];
  readonly isAssignment: boolean;
  readonly value: Command;
}

type Node =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "print"; readonly pipeline: Pipeline }
  | {
      readonly kind: "if" | "with" | "range";
      readonly pipeline: Pipeline;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    }
  | { readonly kind: "break" | "continue" };

/** A function that is called with the arguments that it needs: `and` and `or` stop early. */
type Argument = (run: Run, scope: Scope) => Value;

class TemplateParser {
  readonly #pieces: readonly Piece[];
  readonly #knows: (name: string) => boolean;
  #at = 0;
  #depth = 0;

  constructor(pieces: readonly Piece[], knows: (name: string) => boolean) {
    this.#pieces = pieces;
    this.#knows = knows;
  }

  whole(): readonly Node[] {
    const { nodes, end } = this.#nodes();
    if (end !== undefined) throw new SyntaxError(`expected ${end} to follow an if, a range or a with`);
    return nodes;
  }

  /** Nodes up to `end`, `else` or the end of the text. */
  #nodes(): {
    readonly nodes: readonly Node[];
    readonly end?: "end" | "else";
    readonly rest?: readonly Token[];
    readonly line?: number;
  } {
    if (++this.#depth > MAX_DEPTH) throw new SyntaxError(`expected at most ${MAX_DEPTH} levels of blocks`);
    const nodes: Node[] = [];
    while (this.#at < this.#pieces.length) {
      const piece = this.#pieces[this.#at++]!;
      if ("text" in piece) {
        nodes.push({ kind: "text", text: piece.text });
        continue;
      }
      const { action, line } = piece;
      const [first] = action;
      const word = first?.kind === "word" ? first.text : "";
      if (word === "end" || word === "else") {
        this.#depth--;
        return { nodes, end: word, rest: action.slice(1), line };
      }
      if (word === "if" || word === "with" || word === "range") nodes.push(this.#block(word, action.slice(1), line));
      else if (word === "break" || word === "continue") nodes.push({ kind: word });
      else if (["define", "template", "block"].includes(word)) {
        throw new SyntaxError(`line ${line}: expected an action of Stages, found ${word}, which is not supported`);
      } else nodes.push({ kind: "print", pipeline: this.#pipeline(action, line, word === "range") });
    }
    this.#depth--;
    return { nodes };
  }

  #block(kind: "if" | "with" | "range", tokens: readonly Token[], line: number): Node {
    const pipeline = this.#pipeline(tokens, line, kind === "range");
    const { nodes: body, end, rest = [], line: next = line } = this.#nodes();
    if (end === undefined) throw new SyntaxError(`line ${line}: expected {{end}} for ${kind}`);
    if (end === "end") return { kind, pipeline, body, otherwise: [] };
    const [word] = rest;
    if (word?.kind === "word" && (word.text === "if" || word.text === "with")) {
      return { kind, pipeline, body, otherwise: [this.#block(word.text, rest.slice(1), next)] };
    }
    const other = this.#nodes();
    if (other.end !== "end") throw new SyntaxError(`line ${next}: expected {{end}} for ${kind}`);
    return { kind, pipeline, body, otherwise: other.nodes };
  }

  #pipeline(tokens: readonly Token[], line: number, isRange: boolean): Pipeline {
    const [first, second, third, fourth] = tokens;
    if (first?.kind === "variable" && (second?.text === ":=" || second?.text === "=")) {
      const value = new ActionParser(tokens.slice(2), line, this.#knows).whole();
      return { declares: [first.text], isAssignment: second.text === "=", value };
    }
    if (isRange && first?.kind === "variable" && second?.text === "," && third?.kind === "variable") {
      if (fourth?.text !== ":=") throw new SyntaxError(`line ${line}: expected := after two variables`);
      const value = new ActionParser(tokens.slice(4), line, this.#knows).whole();
      return { declares: [first.text, third.text], isAssignment: false, value };
    }
    return { declares: [], isAssignment: false, value: new ActionParser(tokens, line, this.#knows).whole() };
  }
}

class ActionParser {
  readonly #tokens: readonly Token[];
  readonly #line: number;
  readonly #knows: (name: string) => boolean;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], line: number, knows: (name: string) => boolean) {
    this.#tokens = tokens;
    this.#line = line;
    this.#knows = knows;
  }

  whole(): Command {
    const evaluate = this.#pipe();
    if (this.#at < this.#tokens.length) throw this.#fault("the end of the action");
    return { line: this.#line, evaluate };
  }

  #fault(expected: string): SyntaxError {
    const found = this.#tokens[this.#at];
    return new SyntaxError(
      `line ${this.#line}: expected ${expected}, found ${found ? JSON.stringify(found.text) : "the end"}`,
    );
  }

  #takes(sign: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== "sign" || token.text !== sign) return false;
    this.#at++;
    return true;
  }

  #pipe(): Argument {
    if (++this.#depth > MAX_DEPTH) throw this.#fault(`at most ${MAX_DEPTH} levels`);
    let command = this.#command(undefined);
    while (this.#takes("|")) command = this.#command(command);
    this.#depth--;
    return command;
  }

  /** A function with its arguments, or a value. @param last the value of the command in front, the last argument */
  #command(last: Argument | undefined): Argument {
    const token = this.#tokens[this.#at];
    if (!token) throw this.#fault("a value or a function");
    if (token.kind !== "word" || ["true", "false", "nil"].includes(token.text)) {
      const operand = this.#operand();
      if (last) throw this.#fault("a function after |");
      return operand;
    }
    this.#at++;
    const name = token.text;
    if (!SPECIAL.has(name) && !this.#knows(name)) {
      throw new SyntaxError(`line ${this.#line}: expected a function that is known, found ${name}`);
    }
    const args: Argument[] = [];
    for (
      let next = this.#tokens[this.#at];
      next && !(next.kind === "sign" && (next.text === "|" || next.text === ")"));
    ) {
      args.push(this.#operand());
      next = this.#tokens[this.#at];
    }
    if (last) args.push(last);
    return callOf(name, args);
  }

  #operand(): Argument {
    const token = this.#tokens[this.#at];
    if (!token) throw this.#fault("a value");
    let operand: Argument;
    if (token.kind === "sign" && token.text === "(") {
      this.#at++;
      operand = this.#pipe();
      if (!this.#takes(")")) throw this.#fault(")");
    } else {
      this.#at++;
      operand = this.#simple(token);
    }
    for (let next = this.#tokens[this.#at]; next?.kind === "field" && !next.isApart; next = this.#tokens[this.#at]) {
      const inner = operand;
      const { text } = next;
      operand = (run, scope) => fieldOf(inner(run, scope), text);
      this.#at++;
    }
    return operand;
  }

  #simple({ kind, text }: Token): Argument {
    switch (kind) {
      case "text":
        return () => text;
      case "number": {
        const number = Number(text);
        if (Number.isNaN(number)) throw new SyntaxError(`line ${this.#line}: expected a number, found ${text}`);
        return () => number;
      }
      case "field":
        return (_, { data }) => fieldOf(data, text);
      case "variable":
        return (_, { variables }) => variableOf(variables, text).value;
      case "word":
        if (text === "true" || text === "false") return () => text === "true";
        if (text === "nil") return () => null;
        if (!SPECIAL.has(text) && !this.#knows(text)) {
          throw new SyntaxError(`line ${this.#line}: expected a function that is known, found ${text}`);
        }
        return callOf(text, []);
      case "sign":
        if (text === ".") return (_, { data }) => data;
        throw this.#fault("a value");
    }
  }
}

/** Functions that look at their arguments one after the other. */
const SPECIAL = new Set(["and", "or"]);

const callOf =
  (name: string, args: readonly Argument[]): Argument =>
  (run, scope) => {
    run.step();
    if (SPECIAL.has(name)) {
      let value: Value = null;
      for (const arg of args) {
        value = arg(run, scope);
        if (isTruth(value) === (name === "or")) return value;
      }
      return value;
    }
    return run.call(
      name,
      args.map((arg) => arg(run, scope)),
    );
  };

function variableOf(variables: readonly Variable[], name: string): Variable {
  const found = variables.findLast((one) => one.name === name);
  if (!found) throw new Error(`expected a variable that is set, found ${name}`);
  return found;
}

/** A value in an error: a list may be infinite. */
const kindOf = (value: Value): string =>
  typeof value === "object" ? (Array.isArray(value) ? "a list" : "an object") : JSON.stringify(value).slice(0, 100);

/** A member of an object; nil of nil. */
function fieldOf(value: Value, name: string): Value {
  if (value === null) return null;
  if (!isObject(value)) throw new Error(`expected an object with the field ${name}, got ${kindOf(value)}`);
  return Object.hasOwn(value, name) ? value[name]! : null;
}

/** Functions that take the same time for any argument. */
const LOOKS_AT_NOTHING: ReadonlySet<string> = new Set([
  "not",
  "default",
  "empty",
  "coalesce",
  "ternary",
  "list",
  "first",
  "last",
]);

/** Functions that look a key up in their first argument, whatever else is in it. */
const LOOKS_UP: ReadonlySet<string> = new Set(["index", "get", "hasKey"]);

const CHARACTERS_A_STEP = 8;

/** The number of values in a value, with one for each {@link CHARACTERS_A_STEP} characters; it does not count beyond `most`. */
function weightOf(value: Value, most: number): number {
  if (typeof value === "string") return value.length / CHARACTERS_A_STEP;
  if (typeof value !== "object" || value === null) return 1;
  let weight = 1;
  for (const one of Array.isArray(value) ? value : Object.values(value)) {
    weight += weightOf(one, most - weight);
    if (weight > most) break;
  }
  return weight;
}

/** Whether immutable objects have members: keys of a large one are listed once. */
const filled = new WeakMap<object, boolean>();

function hasMembers(value: object): boolean {
  let has = filled.get(value);
  if (has === undefined) filled.set(value, (has = Object.keys(value).length > 0));
  return has;
}

/** Whether a value is not the empty one of its type. */
export const isTruth = (value: Value): boolean => {
  if (value === null || value === false || value === 0 || value === "") return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === "object" ? hasMembers(value) : true;
};

/** A value as Go prints it. */
export function printed(value: Value): string {
  if (value === null) return "<no value>";
  if (Array.isArray(value)) return `[${value.map((one) => printed(one)).join(" ")}]`;
  if (isObject(value)) {
    return `map[${Object.keys(value)
      .toSorted()
      .map((key) => `${key}:${printed(value[key]!)}`)
      .join(" ")}]`;
  }
  return String(value);
}

class Break extends Error {}
class Continue extends Error {}

/** One rendering. */
class Run {
  readonly output: string[] = [];
  readonly #functions: Functions;
  #steps = 0;
  #length = 0;

  constructor(functions: Functions) {
    this.#functions = functions;
  }

  step(): void {
    this.#pay(1);
  }

  /** Calls a function, which pays for the values that it reads and writes. */
  call(name: string, args: readonly Value[]): Value {
    if (!LOOKS_AT_NOTHING.has(name)) {
      for (const arg of LOOKS_UP.has(name) ? args.slice(1) : args) this.#payFor(arg);
    }
    const result = this.#functions[name]!(...args);
    if (typeof result === "string") {
      if (result.length > MAX_OUTPUT) throw new Error("expected at most 1 MiB of text");
      this.#pay(result.length / CHARACTERS_A_STEP);
    }
    return result;
  }

  #payFor(value: Value): void {
    this.#pay(weightOf(value, MAX_STEPS - this.#steps));
  }

  #pay(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw new Error(`expected at most ${MAX_STEPS} steps`);
  }

  block(nodes: readonly Node[], scope: Scope): void {
    for (const node of nodes) this.#node(node, scope);
  }

  #write(text: string): void {
    this.#length += text.length;
    if (this.#length > MAX_OUTPUT) throw new Error("expected at most 1 MiB of text");
    this.output.push(text);
  }

  #node(node: Node, scope: Scope): void {
    this.step();
    switch (node.kind) {
      case "text":
        this.#write(node.text);
        return;
      case "break":
        throw new Break();
      case "continue":
        throw new Continue();
      case "print": {
        const { pipeline } = node;
        const value = this.#value(pipeline, scope);
        if (pipeline.declares.length > 0) this.#declare(pipeline, value, scope);
        else {
          this.#payFor(value);
          this.#write(printed(value));
        }
        return;
      }
      case "if":
      case "with": {
        const inner: Scope = { data: scope.data, variables: [...scope.variables] };
        const value = this.#value(node.pipeline, inner);
        if (node.pipeline.declares.length > 0) this.#declare(node.pipeline, value, inner);
        if (!isTruth(value)) this.block(node.otherwise, inner);
        else this.block(node.body, node.kind === "with" ? { ...inner, data: value } : inner);
        return;
      }
      case "range":
        this.#range(node.pipeline, node.body, node.otherwise, scope);
    }
  }

  #range(pipeline: Pipeline, body: readonly Node[], otherwise: readonly Node[], scope: Scope): void {
    const value = this.#value(pipeline, scope);
    const entries = entriesOf(value);
    this.#pay(entries.length);
    if (entries.length === 0) return this.block(otherwise, { data: scope.data, variables: [...scope.variables] });
    for (const [key, one] of entries) {
      this.step();
      const names = pipeline.declares;
      const own: Variable[] =
        names.length === 2
          ? [
              { name: names[0]!, value: key },
              { name: names[1]!, value: one },
            ]
          : names.map((name) => ({ name, value: one }));
      try {
        this.block(body, { data: one, variables: [...scope.variables, ...own] });
      } catch (error) {
        if (error instanceof Break) return;
        if (!(error instanceof Continue)) throw error;
      }
    }
  }

  #declare({ declares, isAssignment }: Pipeline, value: Value, { variables }: Scope): void {
    const [name = ""] = declares;
    if (isAssignment) variableOf(variables, name).value = value;
    else variables.push({ name, value });
  }

  #value({ value: { evaluate, line } }: Pipeline, scope: Scope): Value {
    try {
      return evaluate(this, scope);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new Error(message.startsWith("line ") ? message : `line ${line}: ${message}`, { cause: error });
    }
  }
}

/** Keys and values in the order of Go: the members of an object by name. */
function entriesOf(value: Value): readonly (readonly [Value, Value])[] {
  if (value === null) return [];
  if (Array.isArray(value)) return [...value.entries()];
  if (typeof value === "number") return Array.from({ length: Math.min(value, MAX_STEPS) }, (_, i) => [i, i] as const);
  if (!isObject(value)) throw new Error(`expected a list or an object to range over, got ${kindOf(value)}`);
  return Object.keys(value)
    .toSorted()
    .map((key) => [key, value[key]!] as const);
}

/** Makes an object from alternating keys and values. */
export function dictOf(args: readonly Value[]): Value {
  const dict = {};
  for (let at = 0; at < args.length; at += 2) setMember(dict, printed(args[at] ?? null), args[at + 1] ?? null);
  return dict;
}
