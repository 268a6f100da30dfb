import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { outputOption, withExamples } from "./help.ts";
import type { HistoryRequest } from "./history-run.ts";
import { withConnectFlags } from "./connect-flags.ts";
import { withObjectArguments } from "./object-argument.ts";

/** Returns the command `history`, which lists the versions of an object and their changes. */
export function historyCommand(actions: Actions): Command {
  const command = new Command("history")
    .description("List the versions of an object, also of a deleted one: when, by whom, and what changed.")
    .addOption(new Option("--limit <N>", "Maximum number of versions, the newest ones.").default("20"))
    .addOption(outputOption());
  withExamples(command, "history configmap web", "history cm/web -n team-a --limit 5");
  return withConnectFlags(withObjectArguments(command)).action(
    async (kind: string, name: string | undefined, flags: Omit<HistoryRequest, "words">) => {
      const { runHistory } = await import("./history-run.ts");
      await runHistory(actions, { words: [kind, name], ...flags });
    },
  );
}
