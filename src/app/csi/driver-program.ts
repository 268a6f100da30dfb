/**
 * `keelson driver` as a program of its own.
 *
 * @module
 */
import type { Command } from "commander";
import type { DriverRequest } from "../../cli/actions.ts";
import { driverCommand } from "../../cli/driver.ts";
import { FEATURES } from "../../drivers/directory/settings.ts";
import { systemClock } from "../../util/clock.ts";
import { startDriver } from "./driver.ts";
import { firstSignal } from "../process/first-signal.ts";
import { UnusedMemory } from "../../util/unused-memory.ts";

/** The command, with what it does. */
export const command = (): Command => driverCommand({ driver: runDriver, driverFeatures: FEATURES });

/** Runs a driver until a signal ends the process. @throws where it cannot be started */
export async function runDriver(request: DriverRequest): Promise<void> {
  const stopped = firstSignal();
  const end = await startDriver(request, {
    print: (text) => void process.stdout.write(`${text}\n`),
    say: (text) => void process.stderr.write(`keelson: ${text}\n`),
  });
  using _ = new UnusedMemory(systemClock, { trimsAtStart: false });
  await stopped;
  await end();
}
