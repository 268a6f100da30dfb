import type { Command } from "commander";
import type { DriverRequest } from "../../cli/actions.ts";
import { driverCommand } from "../../cli/driver.ts";
import { FEATURES } from "../../drivers/directory/settings.ts";
import { systemClock } from "../../util/clock.ts";
import { startDriver } from "./driver.ts";
import { firstSignal } from "../process/first-signal.ts";
import { UnusedMemory } from "../../util/unused-memory.ts";

/** Returns the command `keelson driver`, as a program of its own. */
export const command = (): Command => driverCommand({ driver: runDriver, driverFeatures: FEATURES });

/** Runs a driver until a signal stops the process. Rejects if it cannot be started. */
export async function runDriver(request: DriverRequest): Promise<void> {
  const stopped = firstSignal();
  const close = await startDriver(request, {
    print: (text) => void process.stdout.write(`${text}\n`),
    warn: (text) => void process.stderr.write(`keelson: ${text}\n`),
  });
  using _ = new UnusedMemory(systemClock, { trimsAtStart: false });
  await stopped;
  await close();
}
