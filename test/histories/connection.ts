/**
 * Connections of one client to one server, over HTTP/2 with TLS: opened when there is something to say, given up when
 * nothing is heard.
 *
 * @module
 */
import http2 from "node:http2";
import { type Answer, readAnswer } from "../serve/keelson.ts";

/** The address of a server and the user. */
export interface Address {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

/** Nothing was sent: there is no connection. */
export class NotConnected extends Error {
  override readonly name = "NotConnected";
}

const CONNECT_MILLIS = 2000;

/** See the head of this file. */
export class Connection {
  readonly #address: () => Address | undefined;
  #session: http2.ClientHttp2Session | undefined;

  /** @param address of the server, which may be another one after each start; undefined while it has none */
  constructor(address: () => Address | undefined) {
    this.#address = address;
  }

  /** Opens a stream. @throws NotConnected */
  async open(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<http2.ClientHttp2Stream> {
    const session = await this.#connected();
    const all = {
      ":method": method,
      ":path": path,
      accept: "application/json",
      "content-type": "application/json",
      authorization: `Bearer ${this.#address()!.token}`,
      ...headers,
    };
    const stream = session.request(all, { endStream: body === undefined });
    stream.on("error", () => {});
    if (body !== undefined) stream.end(JSON.stringify(body));
    return stream;
  }

  /** Sends a request and reads its answer; rejects when it does not come whole or not in time. */
  async send(
    method: string,
    path: string,
    body: unknown,
    millis: number,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    const stream = await this.open(method, path, body, headers);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no response within ${millis} ms`)), millis);
    });
    const answer = readAnswer(stream);
    answer.catch(() => {});
    try {
      return await Promise.race([answer, late]);
    } catch (error) {
      // A server that does not respond to one request may not respond to the next: connect again.
      this.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }

  async #connected(): Promise<http2.ClientHttp2Session> {
    const old = this.#session;
    if (old && !old.closed && !old.destroyed) return old;
    const address = this.#address();
    if (!address) throw new NotConnected("the server has no address yet");
    const session = http2.connect(address.url, { ca: address.ca });
    session.on("error", () => {});
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => session.destroy(), CONNECT_MILLIS);
      const settle = (then: () => void) => () => {
        clearTimeout(timer);
        then();
      };
      session.once("connect", settle(resolve));
      session.once(
        "close",
        settle(() => reject(new NotConnected(`no connection to ${address.url}`))),
      );
    });
    this.#session = session;
    return session;
  }
}
