/**
 * How a driver makes itself known to the agent of a node: a socket in a directory that the agent watches, over which the
 * agent asks for name and endpoint and tells what came of it (CSIN-22 to CSIN-24). Both sides are here.
 *
 * @module
 */
import { join } from "node:path";
import type { Clock } from "../util/clock.ts";
import type { Calls, Implementation } from "./calls.ts";
import { Channel, type ChannelOptions } from "./channel.ts";
import type { Registration } from "./generated/pluginregistration_pb.js";
import { type SocketServer, serveServices } from "./serve.ts";

/** The type of plugins that are storage drivers. */
export const CSI_PLUGIN = "CSIPlugin";

/** A registrar as the agent sees it; every call rejects with DriverError. */
export interface RegistrationClient {
  readonly calls: Calls<typeof Registration>;
  close(): Promise<void>;
}

/** Opens a registrar's socket. Nothing is connected before the first call. */
export function openRegistration(socket: string, options: ChannelOptions): RegistrationClient {
  const channel = new Channel(socket, options);
  return { calls: channel.calls(({ registration }) => registration.Registration), close: () => channel.close() };
}

/** What a registrar says. */
export interface RegistrationInfo {
  /** The name of the driver. */
  readonly name: string;
  /** Where the driver itself listens: the path of a unix socket. */
  readonly endpoint: string;
  /** Versions of the protocol; `1.0.0` by default. */
  readonly versions?: readonly string[] | undefined;
}

/** How a registrar is served. */
export interface RegistrationOptions {
  readonly clock: Clock;
  /** Told of every answer of an agent, also of one that asks again later. */
  readonly answered?: ((answer: RegistrationAnswer) => void) | undefined;
}

/** What an agent tells: registered, or why not. */
export interface RegistrationAnswer {
  readonly registered: boolean;
  readonly error: string;
}

/** A registrar that waits for agents. */
export interface Registrar extends SocketServer {
  /** Resolves when an agent has registered the driver; rejects with RegistrationRefused when the first answer is no. */
  readonly registered: Promise<void>;
}

/** An agent does not want the driver. */
export class RegistrationRefused extends Error {
  override readonly name = "RegistrationRefused";
}

/** The name of the socket of a driver in the directory that the agent watches. */
export const registrationSocket = (directory: string, driver: string): string => join(directory, `${driver}-reg.sock`);

/** Serves the registrar's side on a socket; see {@link registrationSocket}. */
export async function serveRegistration(
  socket: string,
  { name, endpoint, versions = ["1.0.0"] }: RegistrationInfo,
  { clock, answered }: RegistrationOptions,
): Promise<Registrar> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Who does not ask for it is told by `answered`.
  promise.catch(() => {});
  const registration: Implementation<typeof Registration> = {
    getInfo: async () => ({ type: CSI_PLUGIN, name, endpoint, supportedVersions: [...versions] }),
    notifyRegistrationStatus: async ({ pluginRegistered, error }) => {
      if (pluginRegistered) resolve();
      else reject(new RegistrationRefused(`the agent of the node did not register ${name}: ${error}`));
      answered?.({ registered: pluginRegistered, error });
      return {};
    },
  };
  const server = await serveServices(socket, [(protocol) => [protocol.registration.Registration, registration]], {
    clock,
  });
  return { ...server, registered: promise };
}
