/**
 * `keelson diff`: what is different between a version of an object and the present one, or between two versions.
 *
 * @module
 */
import { Command } from "commander";
import type { Actions } from "./actions.ts";
import { outputOption, withExamples } from "./help.ts";
import { type ConnectFlags, withConnectFlags } from "./connect-flags.ts";
import { withObjectArguments } from "./object-argument.ts";

interface DiffFlags extends ConnectFlags {
  readonly output: "text" | "json";
}

/** The command `diff`. */
export function diffCommand(actions: Actions): Command {
  const command = new Command("diff")
    .description("Compare a version of an object (NAME@VERSION) with the present one, or with another (@VERSION).")
    .addOption(outputOption())
    .addHelpText(
      "after",
      "\nThe exit code is 0 when both are the same, 1 when they differ, 2 when that cannot be told.",
    );
  withExamples(command, "diff configmap web@1234", "diff cm/web@1234 @1300");
  return withConnectFlags(withObjectArguments(command, "...")).action(
    async (kind: string, names: readonly string[], flags: DiffFlags) => {
      const { runDiff } = await import("./diff-run.ts");
      await runDiff(actions, { words: [kind, ...names], ...flags });
    },
  );
}
