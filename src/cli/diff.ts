/**
 * `keelson diff`: what is different between a version of an object and the present one, or between two versions.
 *
 * @module
 */
import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { type ConnectFlags, withConnectFlags } from "./connect-flags.ts";
import { withObjectArguments } from "./object-argument.ts";

interface DiffFlags extends ConnectFlags {
  readonly output: "text" | "json";
}

/** The command `diff`. */
export function diffCommand(actions: Actions): Command {
  const command = new Command("diff")
    .description("compare a version of an object (name@VERSION) with the present one, or with another (@VERSION)")
    .addOption(new Option("-o, --output <form>", "how to print").choices(["text", "json"]).default("text"))
    .addHelpText(
      "after",
      "\nThe exit code is 0 when both are the same, 1 when they differ, 2 when that cannot be told.",
    );
  return withConnectFlags(withObjectArguments(command, "...")).action(
    async (kind: string, names: readonly string[], flags: DiffFlags) => {
      const { runDiff } = await import("./diff-run.ts");
      await runDiff(actions, { words: [kind, ...names], ...flags });
    },
  );
}
