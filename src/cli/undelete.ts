import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { outputOption, withExamples } from "./help.ts";
import type { UndeleteRequest } from "./undelete-run.ts";
import { withConnectFlags } from "./connect-flags.ts";
import { withObjectArguments } from "./object-argument.ts";

/** Returns the command `undelete`, which restores a deleted object from its history. */
export function undeleteCommand(actions: Actions): Command {
  const command = new Command("undelete")
    .description(
      "Create a deleted object again, from its last version or from NAME@VERSION, and list what cannot be restored.",
    )
    .addOption(new Option("--dry-run", "Store nothing, and print the result."))
    .addOption(new Option("--field-manager <NAME>", "The manager of fields without a known owner.").default("keelson"))
    .addOption(outputOption());
  withExamples(command, "undelete configmap web --dry-run", "undelete cm/web@1234");
  return withConnectFlags(withObjectArguments(command)).action(
    async (kind: string, name: string | undefined, flags: Omit<UndeleteRequest, "words">) => {
      const { runUndelete } = await import("./undelete-run.ts");
      await runUndelete(actions, { words: [kind, name], ...flags });
    },
  );
}
