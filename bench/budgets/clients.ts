import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { type Ask, ask } from "../floods/load.ts";

/** Connections, and requests that are under way on all of them together. */
const CONNECTIONS = 4;
const DEEP = 32;
const NEWLINE = 10;

/** Clients of a server, all of the same user. */
export class Clients {
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
        const code = await ask(this.#of(i), this.#token, what);
        if (code < 200 || code > 299)
          throw new Error(`${what.method ?? "GET"} ${what.path}: expected success, got ${code || "no answer"}`);
      }
    };
    await Promise.all(Array.from({ length: DEEP }, (_, i) => one(i)));
  }

  /** Opens watches of a collection that is still empty. They stay open: who breaks off many is taken for an attacker. */
  watch(collection: string, count: number): Watches {
    const headers = { ":path": `${collection}?watch=1`, authorization: `Bearer ${this.#token}` };
    return new Watches(Array.from({ length: count }, (_, i) => this.#of(i).request(headers)));
  }

  #of(i: number): ClientHttp2Session {
    return this.#sessions[i % CONNECTIONS]!;
  }
}

/** Watches that are open. */
class Watches {
  #events = 0;
  #expected = 0;
  #reached = (): void => {};
  readonly #broken: Promise<never>;

  constructor(streams: readonly ClientHttp2Stream[]) {
    this.#broken = new Promise((_, reject) => {
      for (const stream of streams) {
        stream.on("data", (piece: Buffer) => this.#count(piece)).on("error", reject);
        stream.on("close", () => reject(new Error("expected watches to stay open, one was ended")));
      }
    });
  }

  /** Resolves when all of them together have seen so many events since they were opened; rejects when one has ended. */
  async seen(events: number): Promise<void> {
    this.#expected = events;
    const reached = new Promise<void>((resolve) => (this.#reached = resolve));
    if (this.#events < events) await Promise.race([reached, this.#broken]);
  }

  /** Each event is a line. */
  #count(piece: Buffer): void {
    for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, at + 1)) this.#events++;
    if (this.#events >= this.#expected) this.#reached();
  }
}
