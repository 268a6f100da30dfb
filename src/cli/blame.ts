import { Command } from "commander";
import type { Actions } from "./actions.ts";
import { outputOption, withExamples } from "./help.ts";
import type { BlameRequest } from "./blame-run.ts";
import { withConnectFlags } from "./connect-flags.ts";
import { withObjectArguments } from "./object-argument.ts";

/** Returns the command `blame`, which shows the owner of each line of an object. */
export function blameCommand(actions: Actions): Command {
  const command = new Command("blame")
    .description("Show who owns each line of an object, by which operation and since when.")
    .addOption(outputOption());
  withExamples(command, "blame configmap web", "blame csidriver/csi.example.com -o json");
  return withConnectFlags(withObjectArguments(command)).action(
    async (kind: string, name: string | undefined, flags: Omit<BlameRequest, "kind" | "name">) => {
      const { runBlame } = await import("./blame-run.ts");
      await runBlame(actions, { kind, name, ...flags });
    },
  );
}
