/**
 * `keelson blame`: who owns each line of an object.
 *
 * @module
 */
import { Command } from "commander";
import type { Actions } from "./actions.ts";
import { outputOption, withExamples } from "./help.ts";
import { type ConnectFlags, withConnectFlags } from "./connect-flags.ts";
import { withObjectArguments } from "./object-argument.ts";

interface BlameFlags extends ConnectFlags {
  readonly output: "text" | "json";
}

/** The command `blame`. */
export function blameCommand(actions: Actions): Command {
  const command = new Command("blame")
    .description("Show who owns each line of an object, by which operation and since when.")
    .addOption(outputOption());
  withExamples(command, "blame configmap web", "blame csidriver/csi.example.com -o json");
  return withConnectFlags(withObjectArguments(command)).action(
    async (kind: string, name: string | undefined, flags: BlameFlags) => {
      const { runBlame } = await import("./blame-run.ts");
      await runBlame(actions, { kind, name, ...flags });
    },
  );
}
