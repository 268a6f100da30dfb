/**
 * `keelson why-denied`: why somebody may not do something, what comes nearest, and which roles would help.
 *
 * @module
 */
import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { type ConnectFlags, withConnectFlags } from "./connect-flags.ts";
import { outputOption, withExamples } from "./help.ts";
import { withRightsArguments } from "./rights-question.ts";

interface WhyDeniedFlags extends ConnectFlags {
  readonly as?: string;
  readonly asGroup: readonly string[];
  readonly output: "text" | "json";
}

/** The command `why-denied`. */
export function whyDeniedCommand(actions: Actions): Command {
  const command = new Command("why-denied")
    .description(
      "Tell why somebody may not do something: which of their roles come nearest, and which roles would help.",
    )
    .addOption(new Option("--as <USER>", "Who; system:serviceaccount:NAMESPACE:NAME for an account. (default: you)"))
    .addOption(
      new Option("--as-group <GROUP>", "A group of theirs; may be said several times.")
        .argParser((group: string, before: readonly string[]) => [...before, group])
        .default([] as readonly string[], "none"),
    )
    .addOption(outputOption());
  withExamples(
    command,
    "why-denied --as jane delete pods -n team-a",
    "why-denied --as jane --as-group devs get /metrics",
  );
  return withConnectFlags(withRightsArguments(command)).action(
    async (verb: string, what: string, name: string | undefined, flags: WhyDeniedFlags) => {
      const { runWhyDenied } = await import("./rights-run.ts");
      await runWhyDenied(actions, { verb, what, name, ...flags });
    },
  );
}
