/**
 * What a server of HTTP/1.1 may answer on one connection (RFC 9112): answers in the order of the requests, each complete and
 * well-formed, with a code that is right for what was asked; nothing behind the last one.
 *
 * @module
 */
import { gunzipSync } from "node:zlib";
import { Violation } from "../../src/http2/testing/model.ts";
import { judge } from "../fuzz/judge.ts";
import { SECRET } from "./catalog.ts";
import { type Expected, type SendStep, sentBy } from "./h1-steps.ts";
import { ACCEPT, WebSocketModel } from "./websocket.ts";

/** An expectation, and the bytes of the client between which it begins and ends. */
interface Pending extends Expected {
  readonly from: number;
  readonly to: number;
}

type Headers = ReadonlyMap<string, string>;

/** An answer of which the head has come. */
interface Answer {
  readonly to: Pending;
  readonly status: number;
  readonly headers: Headers;
  readonly pieces: Buffer[];
  /** Bytes that are missing: of all of it, of a chunk, or unknown until the end of the connection. */
  left: number;
  readonly isChunked: boolean;
}

const HEAD_END = "\r\n\r\n";
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const MOST_HEAD = 65_536;

/** See the head of this file. */
export class H1Model {
  /** What has taken the connection over. */
  webSocket: WebSocketModel | undefined = undefined;
  /** What the client takes for a WebSocket. */
  #asked: WebSocketModel | undefined = undefined;
  /** Whether the server has said that it ends, or has to without a word. */
  mustEnd = false;
  /** Whether it is not known what the client has sent last. */
  isUnknown = false;
  /** Whether the client has left: what is under way may break off. */
  hasLeft = false;
  /** Requests of a connection that had shown no credential before. */
  strangers = 0;
  #pending: Pending[] = [];
  #isDeaf = false;
  #isOpen = false;
  #hasWatch = false;
  /** Bytes that were made, and that have left. */
  #made = 0;
  #left = 0;
  #rest: Buffer = Buffer.alloc(0);
  #answer: Answer | undefined = undefined;
  #isTrusted = false;

  /** What the client is about to send. */
  sends(step: SendStep): void {
    const { bytes, expected, isLast, isOpen = false } = sentBy(step);
    this.#hasWatch ||= bytes.includes("watch=1");
    const from = this.#made;
    this.#made += bytes.length;
    if (this.#asked) this.#onWebSocket(this.#asked, step);
    this.isUnknown ||= this.#isOpen;
    if (this.#isDeaf) return;
    this.#isOpen = isOpen;
    if (expected.some(({ codes }) => codes.includes(101))) this.#asked = new WebSocketModel();
    const each = bytes.length / Math.max(1, expected.length);
    expected.forEach((one, i) => this.#pending.push({ ...one, from: from + Math.floor(i * each), to: this.#made }));
    for (const { hasToken } of expected) this.#count(hasToken);
    this.isUnknown ||= expected.length === 0;
    this.#isDeaf = isLast;
  }

  #onWebSocket(webSocket: WebSocketModel, step: SendStep): void {
    if (step.do === "frame") webSocket.client(step);
    else if (!webSocket.mustEnd) this.isUnknown = true;
  }

  #count(hasToken: boolean): void {
    if (hasToken) this.#isTrusted = true;
    else if (!this.#isTrusted) this.strangers++;
  }

  /** So many bytes more have left. */
  leaves(bytes: number): void {
    this.#left += bytes;
  }

  /** The first request that is to be answered and is not, by its name. */
  get waitedFor(): string | undefined {
    if (this.mustEnd || this.webSocket) return undefined;
    const first = this.#pending[0];
    if (this.#answer) return this.#answer.to.isEndless ? undefined : this.#answer.to.name;
    return first && first.isDue && first.to <= this.#left ? first.name : undefined;
  }

  /** Whether the server reads nothing more: an answer without an end keeps others waiting. */
  get isHeldUp(): boolean {
    if (this.isUnknown && this.#hasWatch) return true;
    const open = this.#answer ? [this.#answer.to, ...this.#pending] : this.#pending;
    return open.slice(0, -1).some(({ isEndless }) => isEndless);
  }

  /** Whether the server has to end without being asked. */
  get isBroken(): boolean {
    return this.mustEnd || (this.webSocket?.mustEnd ?? false);
  }

  // What the server sends.

  server(bytes: Buffer): void {
    if (this.webSocket) {
      this.webSocket.server(bytes);
      return;
    }
    this.#rest = Buffer.concat([this.#rest, bytes]);
    while (this.#rest.length > 0 && this.#step());
  }

  /** It is not known to which requests these responses belong. */
  #lookAtUnknown(): false {
    const wrong = /^HTTP\/1\.1 5(?!05)\d\d .*/m.exec(this.#rest.toString("latin1"));
    if (wrong) throw new Violation(wrong[0]);
    return false;
  }

  /** Takes the next part of an answer; false where it has not come. */
  #step(): boolean {
    if (this.webSocket) {
      const rest = this.#rest;
      this.#rest = Buffer.alloc(0);
      this.webSocket.server(rest);
      return false;
    }
    if (!this.#answer && this.isUnknown && this.#pending.length === 0) return this.#lookAtUnknown();
    if (!this.#answer) return this.#head();
    return this.#answer.isChunked ? this.#chunk(this.#answer) : this.#body(this.#answer);
  }

  #head(): boolean {
    if (this.mustEnd) throw new Violation(`bytes behind the last answer: ${this.#shown()}`);
    const end = this.#rest.indexOf(HEAD_END);
    if (end < 0) {
      if (!"HTTP/1.1 ".startsWith(this.#rest.toString("latin1", 0, 9)))
        throw new Violation(`no answer: ${this.#shown()}`);
      if (this.#rest.length > MOST_HEAD) throw new Violation("a head without an end");
      return false;
    }
    const [line = "", ...lines] = this.#rest.toString("latin1", 0, end).split("\r\n");
    const [, code] = /^HTTP\/1\.1 ([1-5]\d\d) [ -~]*$/.exec(line) ?? [];
    if (code === undefined) throw new Violation(`no status line: ${line.slice(0, 100)}`);
    this.#rest = this.#rest.subarray(end + HEAD_END.length);
    this.#begin(Number(code), headersOf(lines));
    return true;
  }

  #begin(status: number, headers: Headers): void {
    const to = this.#pending[0];
    if (!to) throw new Violation(`${status} to nothing`);
    if (status === 100) {
      if (!to.mayContinue) throw new Violation(`100 to ${to.name}, which has not asked for it`);
      return;
    }
    this.#pending.shift();
    this.#judgeCode(status, to);
    if (status === 101) this.#upgrade(headers);
    else this.#open(status, headers, to);
  }

  #judgeCode(status: number, to: Pending): void {
    const isWhole = to.to <= this.#left && to.isDue;
    // A request that is cut off gets an error; the server may have read only its head.
    const isCut = !isWhole && (status === 400 || status === 408);
    if (to.from > this.#left) throw new Violation(`${status} to ${to.name}, of which nothing was sent`);
    if (!to.codes.includes(status) && !isCut) throw new Violation(`${status} to ${to.name}`);
  }

  #upgrade(headers: Headers): void {
    if (headers.get("sec-websocket-accept") !== ACCEPT) throw new Violation("101 that is none");
    this.webSocket = this.#asked;
  }

  #open(status: number, headers: Headers, to: Pending): void {
    const length = headers.get("content-length");
    const coding = headers.get("transfer-encoding");
    if (length !== undefined && coding !== undefined) throw new Violation(`a length and a coding, to ${to.name}`);
    if (coding !== undefined && coding !== "chunked") throw new Violation(`the coding ${coding}`);
    if (length !== undefined && !/^\d+$/.test(length)) throw new Violation(`the length ${length}`);
    // It is not known whether a request that was cut off was to be HEAD.
    const isHead = to.method === "HEAD" && !(status === 400 && to.to > this.#left);
    const hasBody = !isHead && status !== 204 && status !== 304;
    const isOpen = hasBody && length === undefined && coding === undefined;
    if (isOpen && !to.isOld) throw new Violation(`an answer without an end, to ${to.name}`);
    const left = !hasBody ? 0 : isOpen ? Infinity : Number(length ?? 0);
    this.#answer = { to, status, headers, pieces: [], left, isChunked: hasBody && coding !== undefined };
    if (left === 0 && !this.#answer.isChunked) this.#done(this.#answer);
  }

  #body(answer: Answer): boolean {
    const piece = this.#rest.subarray(0, Math.min(answer.left, this.#rest.length));
    this.#rest = this.#rest.subarray(piece.length);
    answer.pieces.push(piece);
    answer.left -= piece.length;
    if (answer.left === 0) this.#done(answer);
    return true;
  }

  #chunk(answer: Answer): boolean {
    if (answer.left > 0) {
      const piece = this.#rest.subarray(0, Math.min(answer.left, this.#rest.length));
      this.#rest = this.#rest.subarray(piece.length);
      answer.left -= piece.length;
      // The line end is no part of it.
      answer.pieces.push(answer.left >= 2 ? piece : piece.subarray(0, Math.max(0, piece.length - (2 - answer.left))));
      return true;
    }
    const end = this.#rest.indexOf("\r\n");
    if (end < 0) {
      if (this.#rest.length > 20) throw new Violation(`no chunk: ${this.#shown()}`);
      return false;
    }
    const size = this.#rest.toString("latin1", 0, end);
    if (!/^[0-9a-fA-F]{1,8}$/.test(size)) throw new Violation(`no chunk: ${this.#shown()}`);
    const length = Number.parseInt(size, 16);
    if (length === 0) {
      if (this.#rest.length < end + 4) return false;
      if (this.#rest.toString("latin1", end, end + 4) !== HEAD_END) throw new Violation(`no end: ${this.#shown()}`);
      this.#rest = this.#rest.subarray(end + 4);
      this.#done(answer);
      return true;
    }
    this.#rest = this.#rest.subarray(end + 2);
    answer.left = length + 2;
    return true;
  }

  #done({ to, status, headers, pieces }: Answer): void {
    this.#answer = undefined;
    const isLast = /(?:^|,)\s*close\s*(?:,|$)/i.test(headers.get("connection") ?? "");
    this.#judgeBody(to, status, headers, Buffer.concat(pieces));
    const isWhole = to.to <= this.#left && to.isDue;
    if (isLast && to.end === "stays" && isWhole && !this.isStranger)
      throw new Violation(`the connection ends with ${to.name}`);
    if (!isLast && to.end === "must") throw new Violation(`the connection does not end with ${to.name}`);
    this.mustEnd ||= isLast;
  }

  #judgeBody({ name, method, path, hasToken }: Pending, status: number, headers: Headers, bytes: Buffer): void {
    const isZipped = headers.get("content-encoding") === "gzip";
    const body = isZipped && bytes.length > 0 ? gunzipSync(bytes) : bytes;
    if (!hasToken && body.includes(SECRET)) throw new Violation(`a secret in the answer to ${name}`);
    const sent = { as: "request", method, path, headers: {} } as const;
    const wrong = judge(sent, { status, type: headers.get("content-type") ?? "", body, whole: true });
    if (wrong !== "") throw new Violation(`${wrong}, to ${name}`);
  }

  /** Whether it may be broken off for what it has asked without a credential. */
  get isStranger(): boolean {
    return this.strangers > MOST_UNTAKEN;
  }

  /** The server has ended its side. */
  ended(): void {
    const answer = this.#answer;
    if (answer?.left === Infinity) {
      this.mustEnd = true;
      this.#done(answer);
    }
    if (this.hasLeft || this.isUnknown) return;
    if (this.webSocket) {
      if (!this.webSocket.mustEnd) throw new Violation("a WebSocket that ends without a reason");
      return;
    }
    if (this.isStranger) return;
    if (this.#answer) throw new Violation(`an end in the middle of the answer to ${this.#answer.to.name}`);
    if (this.#rest.length > 0) throw new Violation(`an end in the middle of a head: ${this.#shown()}`);
    if (!this.mustEnd) throw new Violation(`an end before the answer to ${this.#pending[0]?.name ?? "anything"}`);
  }

  #shown(): string {
    return JSON.stringify(this.#rest.toString("latin1", 0, 100));
  }
}

/** Responses that a client without a credential need not have read when its connection is closed. */
const MOST_UNTAKEN = 8;

function headersOf(lines: readonly string[]): Headers {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (colon < 1 || !TOKEN.test(name) || /[^\t -~\x80-\xff]/.test(value))
      throw new Violation(`a header that is none: ${line.slice(0, 100)}`);
    if (headers.has(name) && (name === "content-length" || name === "transfer-encoding"))
      throw new Violation(`${name} twice`);
    headers.set(name, value);
  }
  return headers;
}
