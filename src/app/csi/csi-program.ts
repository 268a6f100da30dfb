import type { Command } from "commander";
import type { CsiRequest } from "../../cli/actions.ts";
import { csiCommand } from "../../cli/csi.ts";
import { systemClock } from "../../util/clock.ts";
import { keepAlive } from "../process/keep-alive.ts";
import { firstSignal } from "../process/first-signal.ts";
import { stderrLog } from "../logs/log.ts";
import { UnusedMemory } from "../../util/unused-memory.ts";
import { VERSION } from "../process/version.ts";

/** Returns the command `keelson csi`, as a program of its own. */
export const command = (): Command => csiCommand({ version: VERSION, csi: runCsi, terminal: { env: process.env } });

/** Runs the sidecars of a driver until a signal stops the process. Rejects if they fail. */
export async function runCsi(request: CsiRequest): Promise<void> {
  const stopped = firstSignal();
  const { runSidecars } = await import("./csi.ts");
  const log = stderrLog({ logFormat: "text", logLevel: request.verbose ? "debug" : "info" }, systemClock);
  const print = (text: string): void => void process.stdout.write(`${text}\n`);
  const memory = new UnusedMemory(systemClock, { trimsAtStart: false });
  // No `using`: in such a function the compiler does not rewrite the path of an import().
  try {
    await keepAlive(runSidecars({ ...request, log, print, clock: systemClock, stopped }));
  } finally {
    memory[Symbol.dispose]();
  }
}
