/**
 * `keelson who-can`: who may do something, by which rule of which role.
 *
 * @module
 */
import { Command } from "commander";
import type { Actions } from "./actions.ts";
import { type ConnectFlags, withConnectFlags } from "./connect-flags.ts";
import { outputOption, withExamples } from "./help.ts";
import { withRightsArguments } from "./rights-question.ts";

interface WhoCanFlags extends ConnectFlags {
  readonly output: "text" | "json";
}

/** The command `who-can`. */
export function whoCanCommand(actions: Actions): Command {
  const command = new Command("who-can")
    .description("Tell who may do something: by which binding, and which rule of which role.")
    .addOption(outputOption());
  withExamples(command, "who-can delete pods -n team-a", "who-can get secrets db-password", "who-can get /metrics");
  return withConnectFlags(withRightsArguments(command)).action(
    async (verb: string, what: string, name: string | undefined, flags: WhoCanFlags) => {
      const { runWhoCan } = await import("./rights-run.ts");
      await runWhoCan(actions, { verb, what, name, ...flags });
    },
  );
}
