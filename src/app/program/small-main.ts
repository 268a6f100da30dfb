import { systemClock } from "../../util/clock.ts";
import { CompilerSwitch } from "../memory/compiler-switch.ts";

const COMMANDS = {
  node: async () => (await import("../node/node-program.ts")).command(),
  csi: async () => (await import("../csi/csi-program.ts")).command(),
  driver: async () => (await import("../csi/driver-program.ts")).command(),
};

/** Runs `node`, `csi` or `driver` in a small process: each command loads only its own modules. */
export async function main(args: readonly string[]): Promise<void> {
  // Before further modules are loaded.
  using _ = new CompilerSwitch(systemClock);
  await run(args);
}

async function run(args: readonly string[]): Promise<void> {
  const command = COMMANDS[args[0] as keyof typeof COMMANDS];
  const { runSmallProgram } = await import("./small-program.ts");
  await runSmallProgram(await command(), args);
}
