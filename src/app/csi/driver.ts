/**
 * Starts the driver of `keelson driver`: serves it on its socket and registers it with the agent.
 *
 * @module
 */
import { CliError } from "../../cli/cli-error.ts";
import type { DriverRequest } from "../../cli/actions.ts";
import { socketPath } from "../../csi/channel.ts";
import { serveDriver } from "../../csi/serve.ts";
import { type Feature, defaultFeatures, directoryDriver } from "../../drivers/directory-driver.ts";
import { systemClock } from "../../util/clock.ts";
import { keepRegistered } from "./csi-registration.ts";
import { OptionError } from "../options/error.ts";
import { VERSION } from "../process/version.ts";
import { resolve } from "node:path";

const clock = systemClock;

/** Where a driver prints its state and its errors. */
export interface DriverOutput {
  readonly print: (text: string) => void;
  readonly warn: (text: string) => void;
}

/** Starts a driver; resolves to the function that stops it. */
export async function startDriver(request: DriverRequest, { print, warn }: DriverOutput): Promise<() => Promise<void>> {
  const { socket, dir, with: added, without, register, ...settings } = request;
  const known = defaultFeatures(settings.backing);
  const features = new Set([...known, ...(added as Feature[])].filter((name) => !without.includes(name)));
  try {
    const path = socketPath(socket);
    const services = await directoryDriver({
      ...settings,
      dir: resolve(dir),
      clock,
      version: VERSION,
      features,
      warn,
    });
    const failed = (method: string, error: unknown): void => warn(`${method} failed: ${String(error)}`);
    const driver = await serveDriver(path, services, { clock, onError: failed });
    const { name } = await services.identity.getPluginInfo!({} as never, { signal: new AbortController().signal });
    print(`driver ${name} listens on unix://${path}`);
    if (register === undefined) return () => driver.close();
    const registration = keepRegistered({
      name: name!,
      driver: path,
      registry: register,
      clock,
      onStatus: ({ registered, error }) =>
        registered ? print(`the agent has registered ${name}`) : warn(`the agent has not registered ${name}: ${error}`),
      onError: (error) => warn(`${name} could not be registered; retrying: ${String(error)}`),
    });
    return async () => {
      await registration[Symbol.asyncDispose]();
      await driver.close();
    };
  } catch (error) {
    if (error instanceof RangeError) throw new OptionError(error.message);
    throw error instanceof Error && !("syscall" in error) ? new CliError(error.message, { cause: error }) : error;
  }
}
