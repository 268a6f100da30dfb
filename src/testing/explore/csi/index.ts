/**
 * Exploring storage drivers: a laboratory of a driver at a socket, for `keelson explore --csi`.
 *
 * @module
 */
import { systemClock } from "../../../util/clock.ts";
import type { ProgramCommand } from "../programs-process.ts";
import type { Scenario } from "../scenario.ts";
import { CsiLaboratory } from "./laboratory.ts";
import { checkCommands } from "./proxied-programs.ts";
import { StartedDriver } from "./started-driver.ts";
import { externalSource } from "./subject.ts";

/** Which driver is explored, and with what. */
export interface DriverAt {
  /** `unix:///path`. */
  readonly endpoint: string;
  /** Starts the driver, where it is ours to start: only then a plan may kill it. */
  readonly driver?: readonly [string, ...string[]];
  /** The scenario; by default a life of volumes and snapshots with all capabilities of the driver. */
  readonly scenario?: Scenario;
  /** Sidecars in other processes, with `{csi}` in the place of the socket; by default ours, in this process. */
  readonly programs?: readonly ProgramCommand[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly restartMillis?: number;
}

/**
 * Opens the laboratory of a driver.
 *
 * @throws DriverError where the driver does not respond
 * @throws RangeError for programs that do not name the socket of the driver
 */
export async function openDriverLaboratory(options: DriverAt): Promise<CsiLaboratory> {
  const { endpoint, driver: command, scenario, programs = [], env, restartMillis } = options;
  const clock = systemClock;
  if (programs.length > 0) checkCommands(programs);
  await using stack = new AsyncDisposableStack();
  const started = command && stack.use(await StartedDriver.start({ command, endpoint, env, clock }));
  const source = await externalSource({ endpoint, clock, ...(started && { restart: started.restart }) });
  const commands = { programs, env, ...(restartMillis !== undefined && { restartMillis }) };
  const laboratory = await CsiLaboratory.of({
    source,
    ...(scenario && { scenario }),
    ...(programs.length > 0 && { commands }),
    ...(started && { held: started }),
  });
  stack.move();
  return laboratory;
}
