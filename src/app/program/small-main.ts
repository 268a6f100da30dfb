/**
 * The programs that run beside a server or a driver, each of which is to be small: no command loads what another one needs.
 *
 * @module
 */
import { systemClock } from "../../util/clock.ts";
import { CalmEngine } from "../memory/calm-engine.ts";

const COMMANDS = {
  node: async () => (await import("../node/node-program.ts")).command(),
  csi: async () => (await import("../csi/csi-program.ts")).command(),
  driver: async () => (await import("../csi/driver-program.ts")).command(),
};

/** Runs the command that the first of the arguments names: `node`, `csi` or `driver`. */
export async function main(args: readonly string[]): Promise<void> {
  // What is loaded from here on is loaded calmly, too.
  using _ = new CalmEngine(systemClock);
  await run(args);
}

async function run(args: readonly string[]): Promise<void> {
  const command = COMMANDS[args[0] as keyof typeof COMMANDS];
  const { runSmallProgram } = await import("./small-program.ts");
  await runSmallProgram(await command(), args);
}
