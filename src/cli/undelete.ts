/**
 * `keelson undelete`: a deleted object, made again from its last version.
 *
 * @module
 */
import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { outputOption, withExamples } from "./help.ts";
import { type ConnectFlags, withConnectFlags } from "./connect-flags.ts";
import { withObjectArguments } from "./object-argument.ts";

interface UndeleteFlags extends ConnectFlags {
  readonly fieldManager: string;
  readonly dryRun?: boolean;
  readonly output: "text" | "json";
}

/** The command `undelete`. */
export function undeleteCommand(actions: Actions): Command {
  const command = new Command("undelete")
    .description(
      "Make a deleted object again, from its last version or from NAME@VERSION, and say what cannot come back.",
    )
    .addOption(new Option("--dry-run", "Store nothing, and say what would be."))
    .addOption(
      new Option("--field-manager <NAME>", "Who owns the fields of which no owner is known.").default("keelson"),
    )
    .addOption(outputOption());
  withExamples(command, "undelete configmap web --dry-run", "undelete cm/web@1234");
  return withConnectFlags(withObjectArguments(command)).action(
    async (kind: string, name: string | undefined, flags: UndeleteFlags) => {
      const { runUndelete } = await import("./undelete-run.ts");
      await runUndelete(actions, { words: [kind, name], ...flags });
    },
  );
}
