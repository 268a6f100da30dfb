/**
 * A gRPC proxy between the programs of a storage driver and the driver: unary calls of any service, over unix sockets.
 * Calls are passed on one by one. For the proxy they are bytes: requests, responses and metadata pass unchanged, including those of unknown
 * methods. It decodes requests and responses of CSI to identify their objects.
 *
 * @module
 */
import {
  type ClientHttp2Session,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
  connect,
  constants,
  createServer,
} from "node:http2";
import { type Socket, connect as connectSocket } from "node:net";
import type { DescMessage, DescMethod, fromBinary } from "@bufbuild/protobuf";
import { socketPath } from "../../../csi/channel.ts";
import { CODES } from "../../../csi/driver-error.ts";
import { type Protocol, loadProtocol } from "../../../csi/protocol.ts";
import { messageOf } from "../../../util/error.ts";
import { shortPath } from "../../../util/socket-path.ts";
import type { CallRequest } from "./call.ts";
import type { Outcome, Received } from "./call-player.ts";

/** A response in its original bytes. */
interface UnaryResponse {
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
}

/** A call that the proxy has received. */
export interface ProxiedCall {
  readonly service: string;
  readonly method: string;
  readonly request: CallRequest;
  readonly signal: AbortSignal;
  readonly send: () => Promise<Outcome<UnaryResponse>>;
}

/** The parts of a proxy. */
export interface ProxyOptions {
  /** The socket at which the programs call. */
  readonly socket: string;
  /** The endpoint of the driver. */
  readonly driver: string;
  /** Says what becomes of a call. */
  readonly play: (call: ProxiedCall) => Promise<Received<UnaryResponse>>;
}

/** A proxy that listens. */
export interface CsiProxy extends AsyncDisposable {
  readonly socket: string;
  /** Breaks the connections of the programs, as when they are killed. */
  breakConnections(): void;
}

/** The length of the prefix of a message: a flag for compression, and the length. */
const HEAD = 5;
/** Headers that belong to one connection. */
const OF_CONNECTION = new Set(["connection", "host", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]);
/** The largest message that passes, in bytes. */
const MAX_BODY = 64 << 20;

/** Serves a proxy. */
export async function serveProxy({ socket, driver, play }: ProxyOptions): Promise<CsiProxy> {
  const protocol = await loadProtocol();
  const decoder: Decoder = (await import("@bufbuild/protobuf")).fromBinary;
  const upstream = new Upstream(driver);
  const server = createServer();
  const sockets = new Set<Socket>();
  server.on("connection", (one: Socket) => {
    sockets.add(one);
    one.once("close", () => sockets.delete(one));
  });
  server.on("session", (session) => session.on("error", () => {}));
  server.on("stream", (stream, headers) => {
    stream.on("error", () => {});
    void handle(stream, headers, { protocol, decoder, upstream, play });
  });
  const path = socketPath(socket);
  using short = shortPath(path);
  await listening(server, short.path);
  const breakConnections = (): void => sockets.forEach((one) => one.destroy());
  return {
    socket: path,
    breakConnections,
    async [Symbol.asyncDispose]() {
      breakConnections();
      upstream.close();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

type Decoder = typeof fromBinary;

interface Parts {
  readonly decoder: Decoder;
  readonly protocol: Protocol;
  readonly upstream: Upstream;
  readonly play: ProxyOptions["play"];
}

async function handle(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  { protocol, decoder, upstream, play }: Parts,
): Promise<void> {
  const body = await bodyOf(stream).catch(() => undefined);
  if (!body) return;
  const path = headers[":path"] ?? "";
  const [, fullName = "", method = ""] = path.split("/");
  const descriptor = methodOf(protocol, fullName, method);
  const gone = new AbortController();
  stream.once("close", () => gone.abort());
  const received = await play({
    service: fullName.slice(fullName.lastIndexOf(".") + 1),
    method,
    request: decoded(decoder, descriptor?.input, body),
    signal: gone.signal,
    send: async () =>
      outcomeOf(await upstream.send(headers, body, gone.signal), (response) =>
        decoded(decoder, descriptor?.output, response),
      ),
  });
  if (typeof received === "string") {
    // For the caller a lost response is a broken connection.
    stream.session?.destroy();
    return;
  }
  if (stream.closed || stream.destroyed) return;
  respond(stream, received);
}

function respond(stream: ServerHttp2Stream, received: Outcome<UnaryResponse>): void {
  if (!("value" in received)) {
    const failed = {
      ":status": 200,
      "content-type": "application/grpc",
      "grpc-status": String(received.code),
      "grpc-message": encodeURIComponent(received.message),
    };
    stream.respond(failed, { endStream: true });
    return;
  }
  const { body, headers, trailers } = received.value;
  stream.respond(passedOn(headers), { waitForTrailers: true });
  stream.once("wantTrailers", () => stream.sendTrailers(passedOn(trailers)));
  stream.end(body);
}

/** The outcome of a response. An error of the driver passes with its message; the details of errors are left out. */
function outcomeOf(response: UnaryResponse | Error, decode: (body: Buffer) => object): Outcome<UnaryResponse> {
  if (response instanceof Error) return { code: CODES.Unavailable, message: messageOf(response) };
  const status = response.trailers["grpc-status"] ?? response.headers["grpc-status"];
  const code = status === undefined ? CODES.Unknown : Number(status);
  if (code === 0) return { code: 0, value: response, response: decode(response.body) };
  const said = String(response.trailers["grpc-message"] ?? response.headers["grpc-message"] ?? "no message");
  return { code, message: decodedText(said) };
}

/** A connection to the driver, opened again when it was lost. */
class Upstream {
  readonly #path: string;
  #session: ClientHttp2Session | undefined;

  constructor(endpoint: string) {
    this.#path = socketPath(endpoint);
  }

  /**
   * Sends a call and resolves to its response; to an error where there is none.
   *
   * @param gone cancels the call where it is aborted meanwhile; the caller of a call that is sent later gets nothing
   */
  send(headers: IncomingHttpHeaders, body: Buffer, gone: AbortSignal): Promise<UnaryResponse | Error> {
    return new Promise((resolve) => {
      const stream = this.#connected().request(passedOn(headers));
      gone.addEventListener("abort", () => stream.close(constants.NGHTTP2_CANCEL), { once: true });
      let head: IncomingHttpHeaders = {};
      let trailers: IncomingHttpHeaders = {};
      const pieces: Buffer[] = [];
      stream.on("response", (found) => (head = found));
      stream.on("trailers", (found) => (trailers = found));
      stream.on("data", (piece: Buffer) => pieces.push(piece));
      stream.on("error", resolve);
      stream.on("close", () => {
        const hasGrpcStatus = head["grpc-status"] !== undefined || trailers["grpc-status"] !== undefined;
        resolve(
          hasGrpcStatus
            ? { body: Buffer.concat(pieces), headers: head, trailers }
            : new Error("the driver closed the connection before it responded"),
        );
      });
      stream.end(body);
    });
  }

  close(): void {
    this.#session?.destroy();
  }

  #connected(): ClientHttp2Session {
    if (this.#session && !this.#session.closed && !this.#session.destroyed) return this.#session;
    const session = connect("http://localhost", {
      createConnection: () => {
        using short = shortPath(this.#path);
        return connectSocket(short.path);
      },
    });
    session.on("error", () => {});
    session.on("goaway", () => session.close());
    this.#session = session;
    return session;
  }
}

/** Headers for the next connection. The authority is the one of gRPC over unix sockets. */
function passedOn(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const entries = Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name));
  const own = Object.fromEntries(entries) as OutgoingHttpHeaders;
  return ":authority" in own ? { ...own, ":authority": "localhost" } : own;
}

function bodyOf(stream: ServerHttp2Stream): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    stream.on("data", (piece: Buffer) => {
      length += piece.length;
      if (length > MAX_BODY) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
      else pieces.push(piece);
    });
    stream.once("end", () => resolve(Buffer.concat(pieces)));
    stream.once("close", () => reject(new Error("the request was broken off")));
  });
}

function methodOf({ csi }: Protocol, fullName: string, method: string): DescMethod | undefined {
  const service = csi.file_csi.services.find(({ typeName }) => typeName === fullName);
  return service?.methods.find(({ name }) => name === method);
}

/** The first message of a body; nothing where it is not known, compressed or broken. */
function decoded(decoder: Decoder, descriptor: DescMessage | undefined, body: Buffer): CallRequest {
  if (!descriptor || body.length < HEAD || body[0] !== 0) return {};
  try {
    return decoder(descriptor, body.subarray(HEAD, HEAD + body.readUInt32BE(1))) as unknown as CallRequest;
  } catch {
    return {};
  }
}

function decodedText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function listening(server: Http2Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      server.on("error", () => {});
      resolve();
    });
  });
}
