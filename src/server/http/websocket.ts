/**
 * Watches over WebSocket, for consoles in browsers: an {@link Exchange} whose stream is a WebSocket.
 *
 * As in the reference, each event is one message, text where the event is text. A sub-protocol is echoed, because a
 * browser insists on it, and changes nothing: `base64.binary.k8s.io` gets plain JSON too. Messages of the client are
 * ignored. Everything that is not the start of a watch is answered as an ordinary request.
 *
 * @module
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { WebSocket, WebSocketServer } from "ws";
import type { Connection, Identity } from "../../auth/contract.ts";
import { decodePath, requestInfo } from "../../meta/request-info.ts";
import { attempt } from "../../util/attempt.ts";
import type { Clock, Timer } from "../../util/clock.ts";
import { drained } from "./drained.ts";
import type { Exchange, OutHeaders, OutStream, Transport } from "./exchange.ts";
import type { Peer } from "./guard.ts";
import { H1Exchange } from "./h1.ts";
import { linesOf } from "./header-lines.ts";
import { nodeHttp } from "./node-http.ts";
import { hasOneHost, originForm } from "./target.ts";
import { Query } from "../query.ts";
import { once } from "../../util/once.ts";

/** Where browsers, which cannot set headers, put their token; it must not be the only sub-protocol. */
const BEARER = "base64url.bearer.authorization.k8s.io.";
const BEAT_MILLIS = 30_000;
const BEAT = { owner: "WebSocket beat", upkeep: true };
const MOST_MESSAGE_BYTES = 65_536;

/** Whether a request asks for a watch over WebSocket. */
export function wantsWebSocket({ method = "", url = "/", headers, rawHeaders }: IncomingMessage): boolean {
  if (method !== "GET" || !hasOneHost(rawHeaders) || headers.upgrade?.toLowerCase() !== "websocket") return false;
  const [path = "", query = ""] = originForm(url).split("?", 2);
  try {
    return requestInfo(method, decodePath(path), () => new Query(query).flag("watch")).verb === "watch";
  } catch {
    return false;
  }
}

/** Loads the implementation of the protocol, for the first client that needs it. */
export const webSockets: () => Promise<WebSocketServer> = once(async () => {
  const ws = await import("ws");
  return new ws.WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MOST_MESSAGE_BYTES,
    handleProtocols: (offered) => [...offered].find((name) => !name.startsWith(BEARER)) ?? false,
  });
});

/** What an upgrade comes with. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  /** Bytes that came with the request. */
  readonly head: Buffer;
  readonly peer: Peer;
}

/** An {@link Exchange} on a request to upgrade to WebSocket. */
export class WebSocketExchange implements Exchange {
  readonly method = "GET";
  readonly url: string;
  readonly connection: Connection;
  readonly hasBody = false;
  readonly #upgrade: Upgrade;
  readonly #server: WebSocketServer;
  readonly #clock: Clock;
  readonly #transport: Transport;
  /** The sub-protocols of the client. */
  readonly #offered: readonly string[];
  answered = false;

  /** @param upgrade one whose socket has a listener for errors, and no answer of an earlier request to send */
  constructor(upgrade: Upgrade, server: WebSocketServer, clock: Clock, transport: Transport) {
    const { request, peer } = upgrade;
    this.#upgrade = upgrade;
    this.#server = server;
    this.#clock = clock;
    this.#transport = transport;
    this.url = originForm(request.url ?? "/");
    this.connection = peer.connection;
    const offered = request.headers["sec-websocket-protocol"] ?? "";
    this.#offered = offered === "" ? [] : offered.split(",").map((name) => name.trim());
  }

  header(name: string): string {
    const value = this.#upgrade.request.headers[name];
    if (value !== undefined) return typeof value === "string" ? value : value.join(", ");
    return name === "authorization" ? this.#bearer() : "";
  }

  /** The token among the sub-protocols as an Authorization header; without others there is none to answer with. */
  #bearer(): string {
    const tokens = this.#offered.filter((name) => name.startsWith(BEARER));
    if (tokens.length !== 1 || this.#offered.length < 2) return "";
    return `Bearer ${Buffer.from(tokens[0]!.slice(BEARER.length), "base64url").toString("utf8")}`;
  }

  lines(name: string): readonly string[] {
    return linesOf(this.#upgrade.request.rawHeaders, name);
  }

  hasHeaders(prefix: string): boolean {
    for (const name in this.#upgrade.request.headers) if (name.startsWith(prefix)) return true;
    return false;
  }

  headerNames(): readonly string[] {
    return Object.keys(this.#upgrade.request.headers);
  }

  readBody(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(0));
  }

  respond(code: number, headers: OutHeaders, body?: Uint8Array | readonly Uint8Array[]): void {
    if (this.answered) return;
    this.answered = true;
    this.#deliver(() => {
      const { request, socket, peer } = this.#upgrade;
      const response = new nodeHttp.ServerResponse(request);
      response.on("error", ignore);
      // Nobody reads requests from this connection any more.
      response.shouldKeepAlive = false;
      response.assignSocket(socket);
      response.once("finish", () => socket.destroySoon());
      new H1Exchange(request, response, peer, this.#transport).respond(code, headers, body);
    });
  }

  stream(_code: number, headers: OutHeaders): OutStream {
    let out: OutStream = broken();
    if (this.answered) return out;
    this.answered = true;
    const { request, socket, head } = this.#upgrade;
    const binary = String(headers["content-type"]).includes("protobuf");
    const tell = (answer: string[], told: IncomingMessage): void => {
      if (told === request) answer.push(`audit-id: ${String(headers["audit-id"])}`);
    };
    this.#server.on("headers", tell);
    // A handshake is answered within the call: with 101, or, when it is malformed, with 400 by the library itself.
    this.#deliver(() =>
      this.#server.handleUpgrade(request, socket, head, (opened) => {
        out = new WebSocketOut(opened, socket, binary, this.#clock);
      }),
    );
    this.#server.off("headers", tell);
    return out;
  }

  /** Sends an answer; one that cannot be sent ends the connection. */
  #deliver(send: () => void): void {
    if (this.#upgrade.socket.destroyed) return;
    try {
      send();
    } catch (error) {
      this.#transport.onFault(error);
      this.destroy();
    }
  }

  destroy(): void {
    this.answered = true;
    this.#upgrade.socket.destroy();
  }

  onOver(listener: () => void): void {
    const { socket } = this.#upgrade;
    const tell = (): void => void attempt(listener, this.#transport.onFault);
    if (socket.closed) queueMicrotask(tell);
    else socket.once("close", tell);
  }

  closeAfterAnswer(): void {}

  trust(owner: Identity): void {
    this.#upgrade.peer.guarded.trust(owner);
  }
}

const ignore = (): void => {};

/** The stream of a handshake that has failed. */
const broken = (): OutStream => ({
  write: () => false,
  buffered: 0,
  drained: () => Promise.resolve(),
  end: ignore,
  destroy: ignore,
  closed: true,
  onClose: undefined,
});

const NORMAL = 1000;
const NEWLINE = 10;

class WebSocketOut implements OutStream {
  onClose: (() => void) | undefined = undefined;
  readonly #webSocket: WebSocket;
  readonly #socket: Socket;
  readonly #binary: boolean;
  readonly #clock: Clock;
  #timer: Timer;
  #alive = true;

  constructor(webSocket: WebSocket, socket: Socket, binary: boolean, clock: Clock) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#binary = binary;
    this.#clock = clock;
    this.#timer = clock.after(BEAT_MILLIS, () => this.#beat(), BEAT);
    webSocket.on("error", ignore);
    webSocket.on("pong", () => {
      this.#alive = true;
    });
    webSocket.once("close", () => {
      this.#timer.cancel();
      this.onClose?.();
    });
  }

  /** A peer that has gone without a word would hold its watch for good. */
  #beat(): void {
    if (!this.#alive) {
      this.#webSocket.terminate();
      return;
    }
    this.#alive = false;
    this.#webSocket.ping();
    this.#timer = this.#clock.after(BEAT_MILLIS, () => this.#beat(), BEAT);
  }

  write(bytes: Uint8Array): boolean {
    if (this.closed) return false;
    this.#socket.cork();
    for (const event of this.#binary ? messages(bytes) : lines(bytes)) {
      this.#webSocket.send(event, { binary: this.#binary });
    }
    this.#socket.uncork();
    return !this.#socket.writableNeedDrain;
  }

  get buffered(): number {
    return this.#webSocket.bufferedAmount;
  }

  get closed(): boolean {
    return this.#webSocket.readyState !== this.#webSocket.OPEN;
  }

  drained(): Promise<void> {
    return this.closed ? Promise.resolve() : drained(this.#socket);
  }

  end(): void {
    this.#webSocket.close(NORMAL);
  }

  destroy(): void {
    this.#webSocket.terminate();
  }
}

/** The events of a batch of JSON: one on each line. */
function* lines(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, at) + 1;
    if (end === 0) throw new Error("expected a batch of events to end with a line");
    yield bytes.subarray(at, end);
    at = end;
  }
}

/** The events of a batch of protobuf: each behind its length in four bytes, which a message does not need. */
function* messages(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length;) {
    const end = at + 4 + view.getUint32(at);
    yield bytes.subarray(at + 4, end);
    at = end;
  }
}
