/**
 * Sends requests that no client library would send: any number of headers, over HTTP/1.1 and HTTP/2.
 *
 * @module
 */
import { once } from "node:events";
import http2 from "node:http2";
import tls from "node:tls";
import { askBare } from "./bare-h2.ts";
import type { Target } from "../target.ts";
import type { HeaderList, LimitRequest, Who } from "./request.ts";

/** A response that takes longer is abandoned. */
const MOST_MILLIS = 60_000;
/** The same for a watch that is not one of those that go on beside: its beginning is what matters. */
const MOST_WATCH_MILLIS = 1500;

/** One client for each of those who send. */
export class LimitSender {
  readonly #target: Target;
  readonly #tokens: Readonly<Record<Who, string>>;
  readonly #sessions = new Map<Who, http2.ClientHttp2Session>();
  readonly #sockets = new Set<tls.TLSSocket>();

  /** @param tokens by whom they are; empty for none */
  constructor(target: Target, tokens: Readonly<Record<Who, string>>) {
    this.#target = target;
    this.#tokens = tokens;
  }

  /**
   * Sends a request and reads its answer to the end; its code, 0 where the connection ended without one.
   *
   * @param most what takes longer is let go, in ms
   */
  send(request: LimitRequest, most: number = mostMillis(request)): Promise<number> {
    return request.over === "h1" ? this.#overH1(request, most) : this.#overH2(request, most);
  }

  /** Begins a watch that runs until {@link close}. */
  watch(request: LimitRequest): Promise<number> {
    return this.send(request, MOST_MILLIS);
  }

  /** Ends all connections, and the requests that still run on them. */
  close(): void {
    for (const session of this.#sessions.values()) session.destroy();
    this.#sessions.clear();
    for (const socket of this.#sockets) socket.destroy();
  }

  #headersOf({ who, headers = [] }: LimitRequest): HeaderList {
    const token = this.#tokens[who];
    return token === "" ? headers : [["authorization", `Bearer ${token}`], ...headers];
  }

  async #overH2(request: LimitRequest, most: number): Promise<number> {
    if (isLarge(request)) return this.#bare(request, most);
    const session = await this.#session(request.who);
    const head = headOf(request, this.#headersOf(request));
    let stream: http2.ClientHttp2Stream;
    try {
      stream = session.request(head, { endStream: request.body === undefined });
    } catch {
      // The library does not send some headers more than once.
      return 0;
    }
    if (request.body !== undefined) stream.end(request.body);
    return codeOf(stream, most);
  }

  /** A request whose headers no library sends, on a connection of its own. */
  async #bare(request: LimitRequest, most: number): Promise<number> {
    const socket = await this.#socket("h2", most);
    return askBare(socket, request.method, request.path, this.#headersOf(request));
  }

  async #socket(protocol: "h2" | "http/1.1", most: number): Promise<tls.TLSSocket> {
    const { port, ca } = this.#target;
    const socket = tls.connect({ host: "127.0.0.1", port, ca, ALPNProtocols: [protocol] });
    socket.on("error", () => {});
    await once(socket, "secureConnect");
    this.#sockets.add(socket);
    const limit = setTimeout(() => socket.destroy(), most);
    socket.on("close", () => {
      clearTimeout(limit);
      this.#sockets.delete(socket);
    });
    return socket;
  }

  async #session(who: Who): Promise<http2.ClientHttp2Session> {
    const known = this.#sessions.get(who);
    // A client without a credential is told to connect again.
    if (known && !known.closed && !known.destroyed && who !== "stranger") return known;
    known?.destroy();
    const { port, ca } = this.#target;
    const session = http2.connect(`https://127.0.0.1:${port}`, {
      ca,
      maxSessionMemory: 1000,
      maxSendHeaderBlockLength: 8 << 20,
      settings: { initialWindowSize: 16 << 20 },
    });
    session.on("error", () => {});
    await once(session, "connect");
    session.setLocalWindowSize(64 << 20);
    this.#sessions.set(who, session);
    return session;
  }

  async #overH1(request: LimitRequest, most: number): Promise<number> {
    const socket = await this.#socket("http/1.1", most);
    const { method, path, body } = request;
    const lines = this.#headersOf(request).map(([name, value]) => `${name}: ${value}\r\n`);
    const length = body === undefined ? "" : `content-length: ${Buffer.byteLength(body)}\r\n`;
    socket.write(
      `${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${length}${lines.join("")}\r\n`,
      "latin1",
    );
    if (body !== undefined) socket.write(body);
    return codeOfH1(socket);
  }
}

const mostMillis = ({ path }: LimitRequest): number => (path.includes("watch=1") ? MOST_WATCH_MILLIS : MOST_MILLIS);

/** A client library sends headers in frames of 16 kB, and the server takes nine of them. */
const LIBRARY_BYTES = 100_000;

function isLarge({ path, headers = [], body }: LimitRequest): boolean {
  if (body !== undefined) return false;
  return (
    headers.reduce((sum, [name, value]) => sum + name.length + value.length, path.length) > LIBRARY_BYTES ||
    headers.length > 1000
  );
}

/** Headers as Node takes them: a list where a name comes several times. */
function headOf({ method, path }: LimitRequest, headers: HeaderList): http2.OutgoingHttpHeaders {
  const head: Record<string, string | string[]> = { ":method": method, ":path": path };
  for (const [name, value] of headers) {
    const known = head[name];
    if (known === undefined) head[name] = value;
    else if (typeof known === "string") head[name] = [known, value];
    else known.push(value);
  }
  return head;
}

function codeOf(stream: http2.ClientHttp2Stream, most: number): Promise<number> {
  return new Promise((resolve) => {
    let code = 0;
    const over = (): void => {
      clearTimeout(limit);
      resolve(code);
    };
    const limit = setTimeout(() => {
      stream.close(http2.constants.NGHTTP2_CANCEL);
      over();
    }, most);
    stream.on("response", ({ ":status": status }) => (code = status ?? 0));
    stream.on("error", () => {});
    // A response may arrive before all of the body has been sent; the rest of the body is then discarded.
    stream.on("end", over);
    stream.on("close", over);
    stream.resume();
  });
}

function codeOfH1(socket: tls.TLSSocket): Promise<number> {
  return new Promise((resolve) => {
    let head = "";
    socket.on("data", (piece: Buffer) => {
      if (head.length < 20) head += piece.toString("latin1", 0, 20);
    });
    socket.on("close", () => {
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0));
    });
  });
}
