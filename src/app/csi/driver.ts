/**
 * `keelson driver`, once it is asked to: the driver of directories, served on its socket and made known to the agent.
 *
 * @module
 */
import { CliError } from "../../cli/cli-error.ts";
import type { DriverRequest } from "../../cli/actions.ts";
import { socketPath } from "../../csi/channel.ts";
import { serveDriver } from "../../csi/serve.ts";
import { type Feature, defaultFeatures, directoryDriver } from "../../drivers/directory-driver.ts";
import { systemClock } from "../../util/clock.ts";
import { registered } from "./csi-registration.ts";
import { OptionError } from "../options/error.ts";
import { VERSION } from "../process/version.ts";
import { resolve } from "node:path";

const clock = systemClock;

/** What is told of a driver that runs. */
export interface DriverTelling {
  /** What a person waits for: it listens. */
  readonly print: (text: string) => void;
  /** What has gone wrong. */
  readonly say: (text: string) => void;
}

/** Starts a driver; resolves to how it is ended. */
export async function startDriver(request: DriverRequest, { print, say }: DriverTelling): Promise<() => Promise<void>> {
  const { socket, dir, with: more, without: less, register, ...settings } = request;
  const known = defaultFeatures(settings.backing);
  const features = new Set([...known, ...(more as Feature[])].filter((name) => !less.includes(name)));
  try {
    const path = socketPath(socket);
    const services = await directoryDriver({
      ...settings,
      dir: resolve(dir),
      clock,
      version: VERSION,
      features,
      warn: say,
    });
    const failed = (method: string, error: unknown): void => say(`${method} failed: ${String(error)}`);
    const driver = await serveDriver(path, services, { clock, onError: failed });
    const { name } = await services.identity.getPluginInfo!({} as never, { signal: new AbortController().signal });
    print(`driver ${name} listens on unix://${path}`);
    if (register === undefined) return () => driver.close();
    const registration = registered({
      name: name!,
      driver: path,
      registry: register,
      clock,
      answered: ({ registered: isDone, error }) =>
        isDone ? print(`the agent has registered ${name}`) : say(`the agent has not registered ${name}: ${error}`),
      failed: (error) => say(`${name} cannot be registered, which is tried again: ${String(error)}`),
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
