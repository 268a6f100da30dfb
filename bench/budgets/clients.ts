import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { type Ask, ask } from "../floods/load.ts";

/** Connections, and requests that are under way on all of them together. */
const CONNECTIONS = 4;
const DEEP = 32;
const NEWLINE = 10;

/** Clients of a server that ask for the same user. */
export class Clients implements Disposable {
  readonly #sessions: readonly ClientHttp2Session[];
  readonly #token: string;

  constructor(url: string, ca: string, token: string) {
    this.#token = token;
    this.#sessions = Array.from({ length: CONNECTIONS }, () => connect(url, { ca }));
  }

  /** Asks `count` times, many at a time, for what `next` says. @throws Error where an answer is no success */
  async many(count: number, next: () => Ask): Promise<void> {
    let left = count;
    const one = async (i: number): Promise<void> => {
      while (left-- > 0) {
        const what = next();
        const code = await ask(this.#sessions[i % CONNECTIONS]!, this.#token, what);
        if (code < 200 || code > 299)
          throw new Error(`${what.method ?? "GET"} ${what.path}: expected success, got ${code}`);
      }
    };
    await Promise.all(Array.from({ length: DEEP }, (_, i) => one(i)));
  }

  /** The text of an answer. */
  async text(path: string): Promise<string> {
    const stream = this.#open(path);
    let text = "";
    for await (const piece of stream) text += String(piece);
    return text;
  }

  /** Opens watches from now on; they have begun when it resolves. */
  async watch(path: string, count: number): Promise<Watches> {
    const { metadata } = JSON.parse(await this.text(`${path}?limit=1`)) as { metadata: { resourceVersion: string } };
    const from = `${path}?watch=1&resourceVersion=${metadata.resourceVersion}`;
    const streams = Array.from({ length: count }, () => this.#open(from));
    const watches = new Watches(streams);
    await Promise.all(streams.map((stream) => new Promise((resolve) => stream.once("response", resolve))));
    return watches;
  }

  [Symbol.dispose](): void {
    for (const session of this.#sessions) session.destroy();
  }

  #open(path: string): ClientHttp2Stream {
    return this.#sessions[0]!.request({ ":path": path, authorization: `Bearer ${this.#token}` });
  }
}

/** Watches that are open. */
class Watches implements Disposable {
  readonly #streams: readonly ClientHttp2Stream[];
  #events = 0;
  #expected = Infinity;
  #reached = (): void => {};

  constructor(streams: readonly ClientHttp2Stream[]) {
    this.#streams = streams;
    for (const stream of streams) stream.on("data", (piece: Buffer) => this.#count(piece)).on("error", () => {});
  }

  /** Resolves when each of them has seen so many events. */
  seen(each: number): Promise<void> {
    this.#expected = each * this.#streams.length;
    return new Promise((resolve) => {
      this.#reached = resolve;
      if (this.#events >= this.#expected) resolve();
    });
  }

  [Symbol.dispose](): void {
    for (const stream of this.#streams) stream.close();
  }

  /** Each event is a line. */
  #count(piece: Buffer): void {
    for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, at + 1)) this.#events++;
    if (this.#events >= this.#expected) this.#reached();
  }
}
