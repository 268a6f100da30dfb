import { Command } from "commander";
import type { Actions } from "./actions.ts";
import { withConnectFlags } from "./connect-flags.ts";
import { outputOption, withExamples } from "./help.ts";
import { type RightsArguments, withRightsArguments } from "./rights-request.ts";
import type { RightsRequest } from "./rights-run.ts";

/** Returns the command `who-can`, which lists who may do something, with the roles that allow it. */
export function whoCanCommand(actions: Actions): Command {
  const command = new Command("who-can")
    .description("List who may do something, with binding, role and rule.")
    .addOption(outputOption());
  withExamples(command, "who-can delete pods -n team-a", "who-can get secrets db-password", "who-can get /metrics");
  return withConnectFlags(withRightsArguments(command)).action(
    async (verb: string, what: string, name: string | undefined, flags: Omit<RightsRequest, keyof RightsArguments>) => {
      const { runWhoCan } = await import("./rights-run.ts");
      await runWhoCan(actions, { verb, what, name, ...flags });
    },
  );
}
