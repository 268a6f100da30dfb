/**
 * Watches and sessions over WebSocket: an exchange whose stream is a WebSocket, or which is upgraded to messages.
 * As in the reference, each event is one message, text where the event is text. A sub-protocol is echoed, because browsers require it, and
 * has no effect: `base64.binary.k8s.io` gets plain JSON too. Messages of the client are ignored. Sessions (`exec`, `attach`) are messages
 * in both directions. Everything else is served as an ordinary request.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ServerOptions, WebSocket, WebSocketServer } from "ws";
import {
  CONSOLE_STREAM_PATH,
  CONSOLE_STREAM_PROTOCOL,
  MAX_CONSOLE_REQUEST_BYTES,
} from "../../meta/console-protocol.ts";
import { decodePath, requestInfo } from "../../meta/request-info.ts";
import { attempt } from "../../util/attempt.ts";
import type { Clock, Timer } from "../../util/clock.ts";
import { drained } from "../request/drained.ts";
import type { Messages, OutHeaders, OutStream, Transport } from "../request/exchange.ts";
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
/**
 * The memory of an incomplete message of a client. A short fragment keeps the whole buffer alive in which it was read: up to 64 KiB. A
 * buffered chunk is one read, which is small where the client sends byte by byte.
 */
type MessageLimits = Pick<ServerOptions, "maxPayload" | "maxFragments" | "maxBufferedChunks">;
/** Messages to a watch are ignored. */
const WATCH_LIMITS: MessageLimits = { maxPayload: 65_536, maxFragments: 16, maxBufferedChunks: 1024 };
/** Clients send a message of a session in one fragment; each is held whole. */
const SESSION_LIMITS: MessageLimits = { maxPayload: 1 << 20, maxFragments: 64, maxBufferedChunks: 8192 };
/** Requests of the console are short, and so are their windows on lists. */
const CONSOLE_LIMITS: MessageLimits = {
  maxPayload: MAX_CONSOLE_REQUEST_BYTES,
  maxFragments: 16,
  maxBufferedChunks: 1024,
};
/** Subresources that are sessions. */
const SESSIONS: ReadonlySet<string> = new Set(["attach", "exec"]);

/** Whether a request is for a watch or a session over WebSocket. */
export function wantsWebSocket({ method = "", url = "/", headers, rawHeaders }: IncomingMessage): boolean {
  if (method !== "GET" || !hasOneHost(rawHeaders) || headers.upgrade?.toLowerCase() !== "websocket") return false;
  const [path = "", query = ""] = originForm(url).split("?", 2);
  try {
    const info = requestInfo(method, decodePath(path), () => new Query(query).flag("watch"));
    return path === CONSOLE_STREAM_PATH || info.verb === "watch" || (info.isResource && SESSIONS.has(info.subresource));
  } catch {
    return false;
  }
}

/** The implementation of the protocol. */
export interface WebSockets {
  readonly watches: WebSocketServer;
  /** For one session, whose sub-protocol has been selected. */
  session(protocol: string): WebSocketServer;
}

/** Loads the implementation of the protocol for the first client that needs it. */
export const webSockets: () => Promise<WebSockets> = once(async (): Promise<WebSockets> => {
  const ws = await import("ws");
  const open = (limits: MessageLimits, choose: (offered: ReadonlySet<string>) => string | false): WebSocketServer =>
    new ws.WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      ...limits,
      handleProtocols: choose,
    });
  return {
    watches: open(WATCH_LIMITS, (offered) => [...offered].find((name) => !name.startsWith(BEARER)) ?? false),
    session: (protocol) => open(protocol === CONSOLE_STREAM_PROTOCOL ? CONSOLE_LIMITS : SESSION_LIMITS, () => protocol),
  };
});

/** The parts of an upgrade. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  /** Bytes that were received with the request. */
  readonly head: Buffer;
  readonly peer: Peer;
}

/** The exchange of a request to upgrade to WebSocket; no further request is read on the connection. */
export class WebSocketExchange extends H1Exchange {
  override readonly hasBody = false;
  readonly #upgrade: Upgrade;
  readonly #response: ServerResponse;
  readonly #protocol: WebSockets;
  readonly #clock: Clock;
  readonly #transport: Transport;
  /** The sub-protocols of the client. */
  readonly #offered: readonly string[];

  /** @param upgrade one whose socket has a listener for errors, and no unsent response to an earlier request */
  constructor(upgrade: Upgrade, protocol: WebSockets, clock: Clock, transport: Transport) {
    const { request, peer } = upgrade;
    const response = new nodeHttp.ServerResponse(request);
    response.on("error", ignore);
    super(request, response, peer, transport);
    this.#upgrade = upgrade;
    this.#response = response;
    this.#protocol = protocol;
    this.#clock = clock;
    this.#transport = transport;
    const offered = request.headers["sec-websocket-protocol"] ?? "";
    this.#offered = offered === "" ? [] : offered.split(",").map((name) => name.trim());
  }

  override header(name: string): string {
    const sent = super.header(name);
    return sent === "" && name === "authorization" ? this.#bearer() : sent;
  }

  /** The token among the sub-protocols as an Authorization header; without other sub-protocols there is none to respond with. */
  #bearer(): string {
    const [token, ...others] = this.#offered.filter((name) => name.startsWith(BEARER));
    if (token === undefined || others.length > 0 || this.#offered.length < 2) return "";
    return `Bearer ${Buffer.from(token.slice(BEARER.length), "base64url").toString("utf8")}`;
  }

  override respond(code: number, headers: OutHeaders, body?: Uint8Array | readonly Uint8Array[]): void {
    const { socket } = this.#upgrade;
    if (!this.responded && !socket.destroyed) {
      this.#response.shouldKeepAlive = false;
      this.#response.assignSocket(socket);
      this.#response.once("finish", () => socket.destroySoon());
    }
    super.respond(code, headers, body);
  }

  override stream(_code: number, headers: OutHeaders): OutStream {
    const opened = this.#open(this.#protocol.watches, headers);
    if (!opened) return broken();
    const binary = String(headers["content-type"]).includes("protobuf");
    return new WebSocketOut(opened, this.#upgrade.socket, binary, this.#clock);
  }

  upgrade(protocols: readonly string[], headers: OutHeaders): Messages | undefined {
    const protocol = this.#offered.find((name) => protocols.includes(name));
    if (protocol === undefined) return undefined;
    const opened = this.#open(this.#protocol.session(protocol), headers);
    return opened && new WebSocketMessages(opened, this.#upgrade.socket, this.#clock);
  }

  /** Does the handshake; undefined where that has failed and has its response, or the response is over. */
  #open(server: WebSocketServer, headers: OutHeaders): WebSocket | undefined {
    const { request, socket, head } = this.#upgrade;
    const isOver = this.responded || socket.destroyed;
    this.responded = true;
    if (isOver) return undefined;
    let opened: WebSocket | undefined;
    const addAuditId = (added: string[], upgraded: IncomingMessage): void => {
      if (upgraded === request) added.push(`audit-id: ${String(headers["audit-id"])}`);
    };
    server.on("headers", addAuditId);
    try {
      // The handshake gets its response within the call: 101, or, when it is malformed, 400 by the library.
      server.handleUpgrade(request, socket, head, (webSocket) => {
        opened = webSocket;
      });
    } catch (error) {
      this.#transport.onFault(error);
      this.destroy();
    }
    server.off("headers", addAuditId);
    return opened;
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

/** Pings the peer at intervals: a peer that left without closing would hold its resources for ever. */
class Beat {
  readonly #webSocket: WebSocket;
  readonly #clock: Clock;
  #timer: Timer;
  #alive = true;

  constructor(webSocket: WebSocket, clock: Clock) {
    this.#webSocket = webSocket;
    this.#clock = clock;
    this.#timer = this.#next();
    webSocket.on("error", ignore);
    webSocket.on("pong", () => {
      this.#alive = true;
    });
    webSocket.once("close", () => this.#timer.cancel());
  }

  #next(): Timer {
    return this.#clock.after(BEAT_MILLIS, () => this.#beat(), BEAT);
  }

  #beat(): void {
    const webSocket = this.#webSocket;
    // A peer whose messages are not read cannot reply.
    if (!this.#alive && !webSocket.isPaused) {
      webSocket.terminate();
      return;
    }
    this.#alive = false;
    webSocket.ping();
    this.#timer = this.#next();
  }
}

class WebSocketOut implements OutStream {
  onClose: (() => void) | undefined = undefined;
  readonly #webSocket: WebSocket;
  readonly #socket: Socket;
  readonly #binary: boolean;

  constructor(webSocket: WebSocket, socket: Socket, binary: boolean, clock: Clock) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#binary = binary;
    void new Beat(webSocket, clock);
    webSocket.once("close", () => this.onClose?.());
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

class WebSocketMessages implements Messages {
  onMessage: ((message: Uint8Array) => void) | undefined = undefined;
  onClose: (() => void) | undefined = undefined;
  readonly #webSocket: WebSocket;
  readonly #socket: Socket;

  constructor(webSocket: WebSocket, socket: Socket, clock: Clock) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    webSocket.binaryType = "nodebuffer";
    void new Beat(webSocket, clock);
    webSocket.on("message", (data) => this.onMessage?.(data as Buffer));
    webSocket.once("close", () => this.onClose?.());
  }

  get protocol(): string {
    return this.#webSocket.protocol;
  }

  get closed(): boolean {
    return this.#webSocket.readyState !== this.#webSocket.OPEN;
  }

  send(message: Uint8Array | string): Promise<void> {
    if (this.closed) return Promise.resolve();
    this.#webSocket.send(message, { binary: typeof message !== "string" });
    return drained(this.#socket);
  }

  pause(): void {
    this.#webSocket.pause();
  }

  resume(): void {
    this.#webSocket.resume();
  }

  end(code: number = NORMAL): void {
    this.onMessage = undefined;
    this.#webSocket.resume();
    this.#webSocket.close(code);
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
