import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { withConnectFlags } from "./connect-flags.ts";
import { collect, outputOption, withExamples } from "./help.ts";
import { type RightsArguments, withRightsArguments } from "./rights-request.ts";
import type { WhyDeniedRequest } from "./rights-run.ts";

/** Returns the command `why-denied`, which explains why a user may not do something. */
export function whyDeniedCommand(actions: Actions): Command {
  const command = new Command("why-denied")
    .description(
      "Explain why a user may not do something: the nearest rules of the user's roles, and roles that would allow it.",
    )
    .addOption(
      new Option("--as <USER>", "The user; system:serviceaccount:NAMESPACE:NAME for an account. (default: you)"),
    )
    .addOption(
      new Option("--as-group <GROUP>", "A group of the user; may be repeated.").argParser(collect).default([], "none"),
    )
    .addOption(outputOption());
  withExamples(
    command,
    "why-denied --as jane delete pods -n team-a",
    "why-denied --as jane --as-group devs get /metrics",
  );
  return withConnectFlags(withRightsArguments(command)).action(
    async (
      verb: string,
      what: string,
      name: string | undefined,
      flags: Omit<WhyDeniedRequest, keyof RightsArguments>,
    ) => {
      const { runWhyDenied } = await import("./rights-run.ts");
      await runWhyDenied(actions, { verb, what, name, ...flags });
    },
  );
}
