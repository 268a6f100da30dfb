/**
 * gRPC over one HTTP/2 connection to a unix socket: calls of any service, each with a deadline, and a bounded number at
 * once.
 *
 * The first call connects, and so does the first one after the connection was lost. A call is sent at most once. It always
 * fails with a {@link DriverError}: `Unavailable` when the connection was lost, since the work may or may not have been
 * done.
 *
 * @module
 */
import { type Socket, connect as connectSocket } from "node:net";
import type { ConnectError, Transport } from "@connectrpc/connect";
import type { Http2SessionManager } from "@connectrpc/connect-node";
import type { DescMessage, DescMethodUnary, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { backoff } from "../util/backoff.ts";
import { type Clock, sleep, systemRandom } from "../util/clock.ts";
import { Semaphore } from "../util/semaphore.ts";
import { shortPath } from "../util/socket-path.ts";
import type { CallOptions, Calls } from "./calls.ts";
import { type CodeName, DriverError, codeName } from "./driver-error.ts";
import { type Protocol, loadProtocol } from "./protocol.ts";
import { withoutSecrets } from "./secrets.ts";
import { messageOf } from "../util/error.ts";

/** Options of a channel. */
export interface ChannelOptions {
  readonly clock: Clock;
  /** The deadline of a call that has none of its own, in ms. Default 120 000. */
  readonly deadlineMs?: number | undefined;
  /** How many calls may run at once. Default 64. */
  readonly maxCalls?: number | undefined;
}

const DEADLINE_MS = 120_000;
/** Milliseconds between attempts to connect. */
const RECONNECT = { first: 20, most: 1000 };
const MAX_CALLS = 64;
/** The largest response that is read, in bytes: a list of some ten thousand volumes. */
export const MAX_MESSAGE = 16 << 20;

interface Connection {
  readonly protocol: Protocol;
  readonly transport: Transport;
  /** Whether there is neither a connection nor an attempt to make one. */
  readonly isDown: () => boolean;
  readonly end: (reason: Error) => void;
}

/** See the head of this file. */
export class Channel {
  readonly #path: string;
  readonly #options: ChannelOptions;
  readonly #permits: Semaphore;
  readonly #underWay = new Set<AbortController>();
  #connection: Promise<Connection> | undefined;
  #dialling: Promise<void> | undefined;
  /** A connected socket that no session uses yet. */
  #dialled: Socket | undefined;
  /** Attempts to connect that failed in a row. */
  #failures = 0;
  #closed = false;
  /** Called when a connection was lost: another driver may listen on the socket afterwards. */
  readonly #lost: () => void;

  /** @param endpoint the path of a unix socket, also as `unix:///path` or `unix:/path` */
  constructor(endpoint: string, options: ChannelOptions, lost: () => void = () => {}) {
    this.#path = socketPath(endpoint);
    this.#options = options;
    this.#permits = new Semaphore(options.maxCalls ?? MAX_CALLS);
    this.#lost = lost;
  }

  /** The calls of a service. */
  calls<S extends DescService>(choose: (protocol: Protocol) => S): Calls<S> {
    const call = (name: string) => (request: never, options?: CallOptions) =>
      this.#call(async (protocol) => methodOf(choose(protocol), name), request, options);
    return new Proxy({} as Calls<S>, {
      // A promise that resolves to a service asks for its "then".
      get: (_, name) => (typeof name === "string" && name !== "then" ? call(name) : undefined),
    });
  }

  /** Ends the connection. Running calls and all later ones fail with `Canceled`. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const call of this.#underWay) call.abort(new DriverError("Canceled", "the connection was closed"));
    const connection = await this.#connection?.catch(() => undefined);
    connection?.end(new Error("the connection was closed"));
    this.#dialled?.destroy();
  }

  async #call<I extends DescMessage, O extends DescMessage>(
    method: (protocol: Protocol) => Promise<DescMethodUnary<I, O>>,
    request: MessageInitShape<I>,
    { deadlineMs = this.#options.deadlineMs ?? DEADLINE_MS, signal }: CallOptions = {},
  ): Promise<MessageShape<O>> {
    const { clock } = this.#options;
    const ends = clock.steady() + deadlineMs;
    const controller = new AbortController();
    const timer = clock.after(
      deadlineMs,
      () => controller.abort(new DriverError("DeadlineExceeded", `no response within ${deadlineMs / 1000} s`)),
      { owner: "call of a driver" },
    );
    const cancel = (): void => controller.abort(new DriverError("Canceled", "the call was cancelled"));
    if (signal?.aborted || this.#closed) cancel();
    signal?.addEventListener("abort", cancel);
    this.#underWay.add(controller);
    let name = "";
    try {
      const { protocol, transport, isDown } = await this.#connected();
      const descriptor = await method(protocol);
      ({ name } = descriptor);
      if (isDown()) await this.#dial(controller.signal);
      return await this.#permits.run(async () => {
        const left = Math.max(1, Math.ceil(ends - clock.steady()));
        return (await transport.unary(descriptor, controller.signal, left, undefined, request)).message;
      }, controller.signal);
    } catch (error) {
      const failed: unknown = controller.signal.aborted ? controller.signal.reason : error;
      throw failure(failed, name, request);
    } finally {
      this.#underWay.delete(controller);
      signal?.removeEventListener("abort", cancel);
      timer.cancel();
    }
  }

  #connected(): Promise<Connection> {
    this.#connection ??= this.#open();
    return this.#connection;
  }

  async #open(): Promise<Connection> {
    const protocol = await loadProtocol();
    const { Http2SessionManager, createGrpcTransport } = protocol.connectNode;
    // gRPC clients send this host over a unix socket.
    const baseUrl = "http://localhost";
    const sessionManager = new Http2SessionManager(baseUrl, {}, { createConnection: () => this.#socket() });
    ignoreErrorsOfOldSessions(sessionManager);
    const transport = createGrpcTransport({
      baseUrl,
      sessionManager,
      acceptCompression: [],
      readMaxBytes: MAX_MESSAGE,
    });
    return {
      protocol,
      transport,
      isDown: () => ["closed", "error"].includes(sessionManager.state()),
      end: (reason) => sessionManager.abort(reason),
    };
  }

  /**
   * Connects before the session manager asks for a socket: the manager takes a failed socket for a connected one and asks
   * for the next one at once, endlessly. Rejects where nothing listens.
   */
  async #dial(signal: AbortSignal): Promise<void> {
    if (this.#dialled && !this.#dialled.destroyed) return;
    const { clock } = this.#options;
    if (this.#failures > 0) await sleep(clock, backoff(this.#failures - 1, RECONNECT, systemRandom), signal);
    signal.throwIfAborted();
    this.#dialling ??= this.#connect().finally(() => (this.#dialling = undefined));
    await this.#dialling;
  }

  async #connect(): Promise<void> {
    try {
      this.#dialled = await connected(this.#path);
      this.#failures = 0;
    } catch (error) {
      this.#failures++;
      throw error;
    }
    this.#dialled.once("close", () => this.#lost());
    if (this.#closed) this.#dialled.destroy();
  }

  #socket(): Socket {
    const dialled = this.#dialled;
    this.#dialled = undefined;
    if (dialled && !dialled.destroyed) return dialled;
    // The session manager lost its connection in the middle of a call.
    using short = shortPath(this.#path);
    const socket = connectSocket(short.path);
    socket.once("close", () => this.#lost());
    return socket;
  }
}

/**
 * Handles errors of sessions that the manager has dropped. It drops a session when a driver sends GOAWAY, and an error
 * event without a listener would end the process.
 */
function ignoreErrorsOfOldSessions(manager: Http2SessionManager): void {
  const request = manager.request.bind(manager);
  const handled = new WeakSet<object>();
  manager.request = async (...args) => {
    const stream = await request(...args);
    const { session } = stream;
    if (session && !handled.has(session)) {
      handled.add(session);
      session.on("error", () => {});
    }
    return stream;
  };
}

/** A socket that is connected to a path. */
async function connected(path: string): Promise<Socket> {
  using short = shortPath(path);
  const socket = connectSocket(short.path);
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  return socket;
}

/** The path of the socket of an endpoint. Throws RangeError where it is not absolute. */
export function socketPath(endpoint: string): string {
  const path = /^unix:(?:\/\/)?(.*)$/s.exec(endpoint)?.[1] ?? endpoint;
  if (path.startsWith("/")) return path;
  throw new RangeError(`expected the endpoint of a driver to be unix:///path/of/a/socket, got ${endpoint}`);
}

function methodOf<I extends DescMessage, O extends DescMessage>(
  service: DescService,
  name: string,
): DescMethodUnary<I, O> {
  const method = service.method[name];
  if (method?.methodKind === "unary") return method as DescMethodUnary<I, O>;
  throw new DriverError("Unimplemented", `${service.typeName} has no unary method ${name}`);
}

/** The error of a call as a {@link DriverError}, without secrets of its request. */
function failure(error: unknown, method: string, request: object): DriverError {
  const code: CodeName = error instanceof DriverError ? error.code : codeOf(error);
  const reason = error instanceof DriverError ? error.reason : reasonOf(error);
  return new DriverError(code, withoutSecrets(reason, request), method);
}

/** An error that the driver did not send comes from the connection, except for a response that is too large. */
function codeOf(error: unknown): CodeName {
  const { code, isWireError } = error as Partial<ConnectError>;
  const name = typeof code === "number" ? codeName(code) : "Unavailable";
  return isWireError || name === "ResourceExhausted" ? name : "Unavailable";
}

function reasonOf(error: unknown): string {
  const { rawMessage } = error as Partial<ConnectError>;
  return rawMessage ?? messageOf(error);
}
