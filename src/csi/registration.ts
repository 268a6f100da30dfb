/**
 * How a driver registers with the agent of a node: a socket in a directory that the agent watches. The agent requests name
 * and endpoint over it, and reports the result (CSIN-22 to CSIN-24). Both sides are here.
 *
 * @module
 */
import { join } from "node:path";
import type { Clock } from "../util/clock.ts";
import type { Calls, Implementation } from "./calls.ts";
import { Channel, type ChannelOptions } from "./channel.ts";
import type { Registration } from "./generated/pluginregistration_pb.js";
import { type SocketServer, serveServices } from "./serve.ts";

/** The type of storage drivers among plugins. */
export const CSI_PLUGIN = "CSIPlugin";

/** A registrar for the agent; every call rejects with DriverError. */
export interface RegistrationClient {
  readonly calls: Calls<typeof Registration>;
  close(): Promise<void>;
}

/** Opens the socket of a registrar. It connects with the first call. */
export function openRegistration(socket: string, options: ChannelOptions): RegistrationClient {
  const channel = new Channel(socket, options);
  return { calls: channel.calls(({ registration }) => registration.Registration), close: () => channel.close() };
}

/** What a registrar reports about its driver. */
export interface RegistrationInfo {
  readonly name: string;
  /** The path of the driver's own unix socket. */
  readonly endpoint: string;
  /** Versions of the protocol; `1.0.0` by default. */
  readonly versions?: readonly string[] | undefined;
}

/** Options of a registrar. */
export interface RegistrationOptions {
  readonly clock: Clock;
  /** Called for every result that an agent reports, also for later ones. */
  readonly onStatus?: ((status: RegistrationStatus) => void) | undefined;
}

/** The result that an agent reports: registered, or why not. */
export interface RegistrationStatus {
  readonly registered: boolean;
  readonly error: string;
}

/** A running registrar. */
export interface Registrar extends SocketServer {
  /** Resolves when an agent has registered the driver; rejects with RegistrationRefused when the first result is no. */
  readonly registered: Promise<void>;
}

/** The error of an agent that does not register the driver. */
export class RegistrationRefused extends Error {
  override readonly name = "RegistrationRefused";
}

/** The path of a driver's socket in the directory that the agent watches. */
export const registrationSocket = (directory: string, driver: string): string => join(directory, `${driver}-reg.sock`);

/** Serves a registrar on a socket; see {@link registrationSocket}. */
export async function serveRegistration(
  socket: string,
  { name, endpoint, versions = ["1.0.0"] }: RegistrationInfo,
  { clock, onStatus }: RegistrationOptions,
): Promise<Registrar> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // A caller that does not wait for it gets the rejection by `onStatus`.
  promise.catch(() => {});
  const registration: Implementation<typeof Registration> = {
    getInfo: async () => ({ type: CSI_PLUGIN, name, endpoint, supportedVersions: [...versions] }),
    notifyRegistrationStatus: async ({ pluginRegistered, error }) => {
      if (pluginRegistered) resolve();
      else reject(new RegistrationRefused(`the agent of the node did not register ${name}: ${error}`));
      onStatus?.({ registered: pluginRegistered, error });
      return {};
    },
  };
  const server = await serveServices(socket, [(protocol) => [protocol.registration.Registration, registration]], {
    clock,
  });
  return { ...server, registered: promise };
}
