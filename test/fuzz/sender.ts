/**
 * Sends cases to a server, and says what is wrong with what came back.
 *
 * @module
 */
import { once } from "node:events";
import http2 from "node:http2";
import type { Target } from "../attacks/target.ts";
import type { RequestCase } from "./case.ts";
import { type Got, judge } from "./judge.ts";

const MOST_MILLIS = 20_000;
/** A watch is abandoned when nothing more has arrived for so long. */
const QUIET_MILLIS = 100;
/** And after so long when there is always more: the healthy client writes all the time. */
const WATCHED_MILLIS = 1000;

/** One client, that sends one case after the other. */
export class Sender {
  /** How many answers had which code. */
  readonly codes = new Map<number, number>();
  readonly #target: Target;
  #session: http2.ClientHttp2Session | undefined;

  constructor(target: Target) {
    this.#target = target;
  }

  close(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }

  /** Sends a request; why the answer is wrong, empty when it is right. */
  async send(sent: RequestCase): Promise<string> {
    const session = await this.#connected();
    let stream: http2.ClientHttp2Stream;
    try {
      const head = { ":method": sent.method, ":path": sent.path, ...sent.headers };
      stream = session.request(head, { endStream: sent.body === undefined });
    } catch {
      // The library does not let it out: `test/wire/` does.
      return "";
    }
    if (sent.body !== undefined) stream.end(Buffer.from(sent.body, "base64"));
    const got = await answerOf(stream);
    if (typeof got !== "string") {
      this.codes.set(got.status, (this.codes.get(got.status) ?? 0) + 1);
      return judge(sent, got);
    }
    // Without a credential the connection ends with the answer.
    return /GOAWAY|closed/i.test(got) && session.closed ? "" : got;
  }

  async #connected(): Promise<http2.ClientHttp2Session> {
    if (this.#session && !this.#session.closed && !this.#session.destroyed) return this.#session;
    // The library refuses streams of its own while it holds more than this: unread bodies.
    const session = http2.connect(this.#target.keelson.url, { ca: this.#target.ca, maxSessionMemory: 1000 });
    session.on("error", () => {});
    await once(session, "connect");
    this.#session = session;
    return session;
  }
}

/** The answer on a stream, or why there is none. */
function answerOf(stream: http2.ClientHttp2Stream): Promise<Got | string> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let headers: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader = {};
    let ended = false;
    let quiet: NodeJS.Timeout | undefined;
    const letGo = (): void => stream.close(http2.constants.NGHTTP2_CANCEL);
    let limit = setTimeout(() => {
      letGo();
      resolve(`no response within ${MOST_MILLIS} ms`);
    }, MOST_MILLIS);
    const wait = (): void => {
      clearTimeout(quiet);
      quiet = setTimeout(letGo, QUIET_MILLIS);
    };
    let trouble = "";
    stream.on("response", (got) => {
      headers = got;
      clearTimeout(limit);
      limit = setTimeout(letGo, WATCHED_MILLIS);
      wait();
    });
    stream.on("data", (piece: Buffer) => {
      pieces.push(piece);
      wait();
    });
    stream.on("end", () => (ended = true));
    stream.on("error", (error) => (trouble = String(error)));
    stream.on("close", () => {
      clearTimeout(limit);
      clearTimeout(quiet);
      const status = headers[":status"];
      if (status === undefined) resolve(`no answer: ${trouble}, code ${stream.rstCode}`);
      else
        resolve({
          status,
          type: headers["content-type"] ?? "",
          body: Buffer.concat(pieces),
          whole: ended && trouble === "" && stream.rstCode === 0,
        });
    });
  });
}
