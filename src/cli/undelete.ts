/**
 * `keelson undelete`: a deleted object, made again from its last version.
 *
 * @module
 */
import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
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
    .description("make a deleted object again, from its last version or from name@VERSION; says what cannot come back")
    .addOption(new Option("--dry-run", "store nothing, and say what would be"))
    .addOption(new Option("--field-manager <name>", "who owns the fields afterwards").default("keelson"))
    .addOption(new Option("-o, --output <form>", "how to print").choices(["text", "json"]).default("text"));
  return withConnectFlags(withObjectArguments(command)).action(
    async (kind: string, name: string | undefined, flags: UndeleteFlags) => {
      const { runUndelete } = await import("./undelete-run.ts");
      await runUndelete(actions, { words: [kind, name], ...flags });
    },
  );
}
