import { Command } from "commander";
import type { Actions } from "./actions.ts";
import { outputOption, withExamples } from "./help.ts";
import type { DiffRequest } from "./diff-run.ts";
import { withConnectFlags } from "./connect-flags.ts";
import { withObjectArguments } from "./object-argument.ts";

/** Returns the command `diff`, which compares versions of an object. */
export function diffCommand(actions: Actions): Command {
  const command = new Command("diff")
    .description("Compare a version of an object (NAME@VERSION) with the current one, or with another (@VERSION).")
    .addOption(outputOption())
    .addHelpText("after", "\nThe exit code is 0 if both are equal, 1 if they differ, 2 after an error.");
  withExamples(command, "diff configmap web@1234", "diff cm/web@1234 @1300");
  return withConnectFlags(withObjectArguments(command, "...")).action(
    async (kind: string, names: readonly string[], flags: Omit<DiffRequest, "words">) => {
      const { runDiff } = await import("./diff-run.ts");
      await runDiff(actions, { words: [kind, ...names], ...flags });
    },
  );
}
