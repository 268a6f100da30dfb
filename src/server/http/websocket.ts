/**
 * Watches over WebSocket, for consoles in browsers: an exchange whose stream is a WebSocket.
 *
 * As in the reference, each event is one message, text where the event is text. A sub-protocol is echoed, because a
 * browser insists on it, and changes nothing: `base64.binary.k8s.io` gets plain JSON too. Messages of the client are
 * ignored. Everything that is not the start of a watch is answered as an ordinary request.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { WebSocket, WebSocketServer } from "ws";
import { decodePath, requestInfo } from "../../meta/request-info.ts";
import { attempt } from "../../util/attempt.ts";
import type { Clock, Timer } from "../../util/clock.ts";
import { drained } from "../request/drained.ts";
import type { OutHeaders, OutStream, Transport } from "../request/exchange.ts";
import type { Peer } from "./guard.ts";
import { H1Exchange } from "./h1.ts";
import { nodeHttp } from "./node-http.ts";
import { hasOneHost, originForm } from "./target.ts";
import { Query } from "../request/query.ts";
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

/** The exchange of a request to upgrade to WebSocket; other requests on the connection are not read any more. */
export class WebSocketExchange extends H1Exchange {
  override readonly hasBody = false;
  readonly #upgrade: Upgrade;
  readonly #response: ServerResponse;
  readonly #server: WebSocketServer;
  readonly #clock: Clock;
  readonly #transport: Transport;
  /** The sub-protocols of the client. */
  readonly #offered: readonly string[];

  /** @param upgrade one whose socket has a listener for errors, and no response to an earlier request to send */
  constructor(upgrade: Upgrade, server: WebSocketServer, clock: Clock, transport: Transport) {
    const { request, peer } = upgrade;
    const response = new nodeHttp.ServerResponse(request);
    response.on("error", ignore);
    super(request, response, peer, transport);
    this.#upgrade = upgrade;
    this.#response = response;
    this.#server = server;
    this.#clock = clock;
    this.#transport = transport;
    const offered = request.headers["sec-websocket-protocol"] ?? "";
    this.#offered = offered === "" ? [] : offered.split(",").map((name) => name.trim());
  }

  override header(name: string): string {
    const sent = super.header(name);
    return sent === "" && name === "authorization" ? this.#bearer() : sent;
  }

  /** The token among the sub-protocols as an Authorization header; without other sub-protocols there is none to answer with. */
  #bearer(): string {
    const [token, ...others] = this.#offered.filter((name) => name.startsWith(BEARER));
    if (token === undefined || others.length > 0 || this.#offered.length < 2) return "";
    return `Bearer ${Buffer.from(token.slice(BEARER.length), "base64url").toString("utf8")}`;
  }

  override respond(code: number, headers: OutHeaders, body?: Uint8Array | readonly Uint8Array[]): void {
    const { socket } = this.#upgrade;
    if (!this.answered && !socket.destroyed) {
      this.#response.shouldKeepAlive = false;
      this.#response.assignSocket(socket);
      this.#response.once("finish", () => socket.destroySoon());
    }
    super.respond(code, headers, body);
  }

  override stream(_code: number, headers: OutHeaders): OutStream {
    let out: OutStream = broken();
    const { request, socket, head } = this.#upgrade;
    const isOver = this.answered || socket.destroyed;
    this.answered = true;
    if (isOver) return out;
    const binary = String(headers["content-type"]).includes("protobuf");
    const addAuditId = (added: string[], answered: IncomingMessage): void => {
      if (answered === request) added.push(`audit-id: ${String(headers["audit-id"])}`);
    };
    this.#server.on("headers", addAuditId);
    try {
      // A handshake is answered within the call: with 101, or, when it is malformed, with 400 by the library itself.
      this.#server.handleUpgrade(request, socket, head, (opened) => {
        out = new WebSocketOut(opened, socket, binary, this.#clock);
      });
    } catch (error) {
      this.#transport.onFault(error);
      this.destroy();
    }
    this.#server.off("headers", addAuditId);
    return out;
  }

  override onOver(listener: () => void): void {
    const { socket } = this.#upgrade;
    const notify = (): void => void attempt(listener, this.#transport.onFault);
    if (socket.closed) queueMicrotask(notify);
    else socket.once("close", notify);
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
