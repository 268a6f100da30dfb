/**
 * A parser of YAML tokens, which calls a builder for each node of one document, in the order of the text.
 *
 * The grammar is that of YAML 1.1, as in libyaml. A stack has the open containers, so that depth costs no recursion and the
 * parser can pause between any two nodes.
 *
 * @module
 */
import type { Steps } from "../util/steps.ts";
import { yamlError } from "./yaml-error.ts";
import { type ScanOptions, type Token, TOKEN, YamlScanner } from "./yaml-scan.ts";

/** The properties of a node, and its index in the text. */
export interface NodeHead {
  readonly at: number;
  readonly anchor: string | undefined;
  /** The whole tag, as `tag:yaml.org,2002:int`. */
  readonly tag: string | undefined;
}

/** Receives the nodes of a document. */
export interface NodeBuilder {
  /** Adds a scalar; `isImplicit` where its text determines its type, since it has neither quotes nor a tag. */
  scalar(text: string, isImplicit: boolean, head: NodeHead): void;
  map(head: NodeHead): void;
  list(head: NodeHead): void;
  /** Ends the innermost map or list. */
  end(): void;
  alias(name: string, at: number): void;
  /** Returns what is left to do for the last node before the next one is added: copies of aliases and merges are long. */
  takeRest(): Steps<void> | undefined;
}

/** What the parser expects next in a map, a list or a pair. */
const STATE = {
  BLOCK_ITEM: 0,
  /** An item of a list whose dashes are in the column of its key. */
  LEVEL_ITEM: 1,
  BLOCK_KEY: 2,
  BLOCK_VALUE: 3,
  FIRST_FLOW_ITEM: 4,
  FLOW_ITEM: 5,
  /** The key of a pair that is an item of a list in brackets. */
  PAIR_KEY: 6,
  PAIR_VALUE: 7,
  PAIR_END: 8,
  FIRST_FLOW_KEY: 9,
  FLOW_KEY: 10,
  FLOW_VALUE: 11,
  /** The value of a member in braces without a colon. */
  NO_FLOW_VALUE: 12,
} as const;

type State = (typeof STATE)[keyof typeof STATE];

/** How many nodes are parsed in one step. */
const NODES_A_STEP = 1000;

const OWN_HANDLES: ReadonlyMap<string, string> = new Map([
  ["!", "!"],
  ["!!", "tag:yaml.org,2002:"],
]);

/** Parses the first document of a text; see {@link parseYaml}. */
class Parser {
  readonly #text: string;
  readonly #scanner: YamlScanner;
  readonly #builder: NodeBuilder;
  readonly #states: State[] = [];
  readonly #handles = new Map<string, string>();

  constructor(text: string, builder: NodeBuilder, options: ScanOptions) {
    this.#text = text;
    this.#scanner = new YamlScanner(text, options);
    this.#builder = builder;
  }

  *document(): Steps<void> {
    const first = this.#scanner.peek().kind;
    if (first === TOKEN.END) return;
    const isExplicit = first === TOKEN.DOCUMENT_START || isDirective(first);
    this.#directives();
    if (isExplicit) this.#take(TOKEN.DOCUMENT_START, "did not find expected <document start>");
    const next = this.#scanner.peek();
    if (isExplicit && (next.kind <= TOKEN.DOCUMENT_END || isDirective(next.kind))) this.#empty(next.at);
    else this.#node(true, false);
    let left = NODES_A_STEP;
    while (this.#states.length > 0) {
      this.#step();
      const rest = this.#builder.takeRest();
      if (rest) yield* rest;
      if (--left > 0) continue;
      left = NODES_A_STEP;
      yield;
    }
    // Another document may follow, or anything else that is a valid token.
    this.#scanner.peek();
  }

  #fail(problem: string, at: number): never {
    throw yamlError(this.#text, at, problem);
  }

  #take(kind: number, problem: string): void {
    const token = this.#scanner.peek();
    if (token.kind !== kind) this.#fail(problem, token.at);
    this.#scanner.skip();
  }

  #directives(): void {
    let version: string | undefined;
    for (let token = this.#scanner.peek(); isDirective(token.kind); token = this.#scanner.peek()) {
      if (token.kind === TOKEN.DIRECTIVE_YAML) {
        if (version !== undefined) this.#fail("found duplicate %YAML directive", token.at);
        if (token.text !== "1.1") this.#fail("found incompatible YAML document", token.at);
        version = token.text;
      } else {
        if (this.#handles.has(token.handle)) this.#fail("found duplicate %TAG directive", token.at);
        this.#handles.set(token.handle, token.text);
      }
      this.#scanner.skip();
    }
  }

  #step(): void {
    const state = this.#states.at(-1);
    switch (state) {
      case STATE.BLOCK_ITEM:
        return this.#blockItem();
      case STATE.LEVEL_ITEM:
        return this.#levelItem();
      case STATE.BLOCK_KEY:
        return this.#blockKey();
      case STATE.BLOCK_VALUE:
        return this.#blockValue();
      case STATE.FIRST_FLOW_ITEM:
      case STATE.FLOW_ITEM:
        return this.#flowItem(state === STATE.FIRST_FLOW_ITEM);
      case STATE.PAIR_KEY:
        return this.#pairKey();
      case STATE.PAIR_VALUE:
        this.#become(STATE.PAIR_END);
        return this.#flowValue(TOKEN.FLOW_LIST_END);
      case STATE.PAIR_END:
        return this.#close();
      case STATE.FIRST_FLOW_KEY:
      case STATE.FLOW_KEY:
        return this.#flowKey(state === STATE.FIRST_FLOW_KEY);
      case STATE.FLOW_VALUE:
        this.#become(STATE.FLOW_KEY);
        return this.#flowValue(TOKEN.FLOW_MAP_END);
      case STATE.NO_FLOW_VALUE:
        this.#become(STATE.FLOW_KEY);
        return this.#empty(this.#scanner.peek().at);
      case undefined:
        return;
    }
  }

  #become(state: State): void {
    this.#states[this.#states.length - 1] = state;
  }

  #close(): void {
    this.#states.pop();
    this.#builder.end();
  }

  #empty(at: number): void {
    this.#builder.scalar("", true, { at, anchor: undefined, tag: undefined });
  }

  /** Parses a node with its properties: an alias, a scalar, or the beginning of a map or a list. */
  #node(isBlock: boolean, mayBeLevel: boolean): void {
    const scanner = this.#scanner;
    let token = scanner.peek();
    const { at } = token;
    if (token.kind === TOKEN.ALIAS) {
      scanner.skip();
      this.#builder.alias(token.text, at);
      return;
    }
    let anchor: string | undefined;
    let tag: string | undefined;
    while ((token.kind === TOKEN.ANCHOR && anchor === undefined) || (token.kind === TOKEN.TAG && tag === undefined)) {
      if (token.kind === TOKEN.ANCHOR) anchor = token.text;
      else tag = this.#tag(token);
      scanner.skip();
      token = scanner.peek();
    }
    this.#content(token, { at, anchor, tag }, isBlock, mayBeLevel);
  }

  #content(token: Token, head: NodeHead, isBlock: boolean, mayBeLevel: boolean): void {
    const { anchor, tag } = head;
    switch (token.kind) {
      case TOKEN.SCALAR:
        this.#scanner.skip();
        return this.#builder.scalar(token.text, tag === undefined ? token.isPlain : tag === "!", head);
      case TOKEN.FLOW_LIST:
        return this.#open(STATE.FIRST_FLOW_ITEM, head);
      case TOKEN.FLOW_MAP:
        return this.#open(STATE.FIRST_FLOW_KEY, head);
      case TOKEN.LIST:
        if (isBlock) return this.#open(STATE.BLOCK_ITEM, head);
        break;
      case TOKEN.MAP:
        if (isBlock) return this.#open(STATE.BLOCK_KEY, head);
        break;
      case TOKEN.ITEM:
        if (!mayBeLevel) break;
        this.#states.push(STATE.LEVEL_ITEM);
        return this.#builder.list(head);
      default:
    }
    if (anchor === undefined && tag === undefined) this.#fail("did not find expected node content", token.at);
    this.#builder.scalar("", tag === undefined, head);
  }

  #open(state: State, head: NodeHead): void {
    this.#scanner.skip();
    this.#states.push(state);
    if (state === STATE.BLOCK_KEY || state === STATE.FIRST_FLOW_KEY) this.#builder.map(head);
    else this.#builder.list(head);
  }

  #tag({ handle, text, at }: Token): string {
    if (handle === "") return text;
    const prefix = this.#handles.get(handle) ?? OWN_HANDLES.get(handle);
    if (prefix === undefined) this.#fail("found undefined tag handle", at);
    return prefix + text;
  }

  #blockItem(): void {
    const token = this.#scanner.peek();
    if (token.kind === TOKEN.BLOCK_END) {
      this.#scanner.skip();
      return this.#close();
    }
    this.#take(TOKEN.ITEM, "did not find expected '-' indicator");
    const { kind } = this.#scanner.peek();
    if (kind === TOKEN.ITEM || kind === TOKEN.BLOCK_END) this.#empty(token.at);
    else this.#node(true, false);
  }

  #levelItem(): void {
    const token = this.#scanner.peek();
    if (token.kind !== TOKEN.ITEM) return this.#close();
    this.#scanner.skip();
    const { kind } = this.#scanner.peek();
    if (kind === TOKEN.ITEM || endsMember(kind)) this.#empty(token.at);
    else this.#node(true, false);
  }

  #blockKey(): void {
    const token = this.#scanner.peek();
    if (token.kind === TOKEN.BLOCK_END) {
      this.#scanner.skip();
      return this.#close();
    }
    this.#take(TOKEN.KEY, "did not find expected key");
    this.#become(STATE.BLOCK_VALUE);
    if (endsMember(this.#scanner.peek().kind)) this.#empty(token.at);
    else this.#node(true, true);
  }

  #blockValue(): void {
    this.#become(STATE.BLOCK_KEY);
    const token = this.#scanner.peek();
    if (token.kind !== TOKEN.VALUE) return this.#empty(token.at);
    this.#scanner.skip();
    if (endsMember(this.#scanner.peek().kind)) this.#empty(token.at);
    else this.#node(true, true);
  }

  /** Skips the comma between two items or members; returns whether the brackets end here, and closes them. */
  #endsFlow(end: number, isFirst: boolean, problem: string): boolean {
    let { kind } = this.#scanner.peek();
    if (kind !== end && !isFirst) {
      this.#take(TOKEN.COMMA, problem);
      ({ kind } = this.#scanner.peek());
    }
    if (kind !== end) return false;
    this.#scanner.skip();
    this.#close();
    return true;
  }

  #flowItem(isFirst: boolean): void {
    if (this.#endsFlow(TOKEN.FLOW_LIST_END, isFirst, "did not find expected ',' or ']'")) return;
    this.#become(STATE.FLOW_ITEM);
    const token = this.#scanner.peek();
    if (token.kind !== TOKEN.KEY) return this.#node(false, false);
    this.#scanner.skip();
    this.#states.push(STATE.PAIR_KEY);
    this.#builder.map({ at: token.at, anchor: undefined, tag: undefined });
  }

  #pairKey(): void {
    this.#become(STATE.PAIR_VALUE);
    const token = this.#scanner.peek();
    if (token.kind !== TOKEN.VALUE && token.kind !== TOKEN.COMMA && token.kind !== TOKEN.FLOW_LIST_END)
      return this.#node(false, false);
    // The reference skips this token, so that the value has no colon.
    this.#scanner.skip();
    this.#empty(token.at);
  }

  #flowKey(isFirst: boolean): void {
    if (this.#endsFlow(TOKEN.FLOW_MAP_END, isFirst, "did not find expected ',' or '}'")) return;
    if (this.#scanner.peek().kind !== TOKEN.KEY) {
      this.#become(STATE.NO_FLOW_VALUE);
      return this.#node(false, false);
    }
    this.#scanner.skip();
    this.#become(STATE.FLOW_VALUE);
    const { kind, at } = this.#scanner.peek();
    if (kind === TOKEN.VALUE || kind === TOKEN.COMMA || kind === TOKEN.FLOW_MAP_END) this.#empty(at);
    else this.#node(false, false);
  }

  /** Parses the value of a member or a pair in brackets, which is optional, with or without its colon. */
  #flowValue(end: number): void {
    let token = this.#scanner.peek();
    if (token.kind === TOKEN.VALUE) {
      this.#scanner.skip();
      token = this.#scanner.peek();
      if (token.kind !== TOKEN.COMMA && token.kind !== end) return this.#node(false, false);
    }
    this.#empty(token.at);
  }
}

const isDirective = (kind: number): boolean => kind === TOKEN.DIRECTIVE_YAML || kind === TOKEN.DIRECTIVE_TAG;
/** Whether a key or a value in a block is empty before such a token. */
const endsMember = (kind: number): boolean => kind === TOKEN.KEY || kind === TOKEN.VALUE || kind === TOKEN.BLOCK_END;

/**
 * Calls a builder for the nodes of the first document of a text, in steps.
 *
 * @param text ends with its only NUL
 * @throws DecodeError with the position of the error
 */
export const parseYaml = (text: string, builder: NodeBuilder, options: ScanOptions = {}): Steps<void> =>
  new Parser(text, builder, options).document();
