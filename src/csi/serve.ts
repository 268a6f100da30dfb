/**
 * A gRPC server over a unix socket, for drivers and registrars.
 *
 * @module
 */
import { access, constants, lstat, stat, unlink } from "node:fs/promises";
import { type Http2Server, type ServerHttp2Session, createServer } from "node:http2";
import { connect } from "node:net";
import { dirname } from "node:path";
import type { DescService } from "@bufbuild/protobuf";
import type { ConnectRouter, HandlerContext } from "@connectrpc/connect";
import type { Clock } from "../util/clock.ts";
import { shortPath } from "../util/socket-path.ts";
import type { Implementation } from "./calls.ts";
import { MAX_MESSAGE, socketPath } from "./channel.ts";
import { CODES, DriverError } from "./driver-error.ts";
import type { Controller, GroupController, Identity, Node } from "./generated/csi_pb.js";
import { type Protocol, loadProtocol } from "./protocol.ts";
import { messageOf } from "../util/error.ts";

/** The services of a driver; one that is left out responds `Unimplemented`. */
export interface DriverServices {
  readonly identity: Implementation<typeof Identity>;
  readonly controller?: Implementation<typeof Controller> | undefined;
  readonly groupController?: Implementation<typeof GroupController> | undefined;
  readonly node?: Implementation<typeof Node> | undefined;
}

/** Options of a server. */
export interface ServeOptions {
  readonly clock: Clock;
  /** How long running calls may take when the server ends, in ms. Default 5000. */
  readonly graceMs?: number | undefined;
  /** Called for errors that are no DriverError: bugs of a service. */
  readonly onError?: ((method: string, error: unknown) => void) | undefined;
}

/** A server that listens. */
export interface SocketServer {
  /** The path of its socket. */
  readonly socket: string;
  /** Accepts no more calls, waits for running ones up to `graceMs`, and removes the socket. */
  close(): Promise<void>;
}

/** A service with its implementation, once the protocol is loaded. */
export type Served = (protocol: Protocol) => readonly [DescService, Implementation<DescService>];

const GRACE_MS = 5000;

/** Serves a driver. Replaces the socket of a process that has ended; rejects where another process listens. */
export function serveDriver(endpoint: string, services: DriverServices, options: ServeOptions): Promise<SocketServer> {
  const { identity, controller, groupController, node } = services;
  const served: Served[] = [({ csi }) => [csi.Identity, identity]];
  if (controller) served.push(({ csi }) => [csi.Controller, controller]);
  if (groupController) served.push(({ csi }) => [csi.GroupController, groupController]);
  if (node) served.push(({ csi }) => [csi.Node, node]);
  return serveServices(endpoint, served, options);
}

/** Serves any services; see {@link serveDriver}. */
export async function serveServices(
  endpoint: string,
  services: readonly Served[],
  options: ServeOptions,
): Promise<SocketServer> {
  const socket = socketPath(endpoint);
  const protocol = await loadProtocol();
  const handler = protocol.connectNode.connectNodeAdapter({
    grpc: true,
    grpcWeb: false,
    connect: false,
    readMaxBytes: MAX_MESSAGE,
    acceptCompression: [],
    fallback: ({ url }, response) => {
      response.writeHead(200, unknownMethod(url));
      response.end();
    },
    routes: (router) => {
      for (const served of services) {
        const [service, implementation] = served(protocol);
        addService(router, service, implementation, protocol, options);
      }
    },
  });
  await checkDirectory(socket);
  const short = shortPath(socket);
  const server = createServer();
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    // A client that is killed is no error of the server.
    session.on("error", () => {});
  });
  server.on("request", (request, response) => {
    // Some clients send the path of the socket, which is no valid authority.
    request.headers[":authority"] = "localhost";
    handler(request, response);
  });
  try {
    await removeStale(socket, short.path);
    await listen(server, short.path);
  } catch (error) {
    short[Symbol.dispose]();
    throw error;
  }
  return {
    socket,
    async close() {
      await close(server, sessions, options);
      short[Symbol.dispose]();
    },
  };
}

function addService(
  router: ConnectRouter,
  service: DescService,
  implementation: Implementation<DescService>,
  { connect: { ConnectError } }: Protocol,
  { onError }: ServeOptions,
): void {
  type Handler = (request: object, context: HandlerContext) => Promise<object>;
  const methods = Object.entries(implementation as Record<string, Handler | undefined>).flatMap(([name, method]) => {
    if (!method) return [];
    const handle: Handler = async (request, context) => {
      try {
        return await method(request, context);
      } catch (error) {
        if (error instanceof DriverError) throw new ConnectError(error.reason, CODES[error.code]);
        onError?.(context.method.name, error);
        throw new ConnectError(messageOf(error), CODES.Internal);
      }
    };
    return [[name, handle] as const];
  });
  router.service(service, Object.fromEntries(methods) as object);
}

/** The response of gRPC for an unknown service or method: headers only. */
const unknownMethod = (path = ""): Record<string, string> => ({
  "content-type": "application/grpc",
  "grpc-status": String(CODES.Unimplemented),
  "grpc-message": encodeURIComponent(`there is no ${path}`),
});

/** Rejects where no socket can be created; the error of the system (`listen EACCES`) does not name the directory. */
async function checkDirectory(socket: string): Promise<void> {
  const directory = dirname(socket);
  const found = await stat(directory).catch(() => undefined);
  if (!found?.isDirectory()) throw new Error(`expected the directory ${directory} of the socket ${socket} to be there`);
  await access(directory, constants.W_OK).catch((cause: unknown) => {
    throw new Error(`expected to be allowed to make the socket ${socket}: ${directory} is not writable`, { cause });
  });
}

/** Removes the socket of a process that has ended; rejects where a process listens, or where there is another file. */
async function removeStale(socket: string, short: string): Promise<void> {
  const found = await lstat(socket).catch(() => undefined);
  if (!found) return;
  if (!found.isSocket()) throw new Error(`expected ${socket} to be a socket or not to exist, found another file`);
  if (await isListening(short)) throw new Error(`expected no process to listen on ${socket}, found one`);
  await unlink(socket);
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

function listen(server: Http2Server, socket: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, () => {
      server.off("error", reject);
      // An error while one connection is accepted must not end the driver.
      server.on("error", () => {});
      resolve();
    });
  });
}

async function close(server: Http2Server, sessions: Set<ServerHttp2Session>, options: ServeOptions): Promise<void> {
  const { clock, graceMs = GRACE_MS } = options;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const session of sessions) session.close();
  const destroy = (): void => sessions.forEach((session) => session.destroy());
  const timer = clock.after(graceMs, destroy, { owner: "end of a driver's socket" });
  await closed;
  timer.cancel();
}
