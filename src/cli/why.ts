import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { withConnectFlags } from "./connect-flags.ts";
import { outputOption, withExamples } from "./help.ts";
import { withObjectArguments } from "./object-argument.ts";
import type { WhyRequest } from "./why-run.ts";

/** Returns the command `why`, which explains the state of an object. */
export function whyCommand(actions: Actions): Command {
  const command = new Command("why")
    .description("Explain the state of an object: what it waits for, what blocks it, and who has to act.")
    .addOption(
      new Option("--limit <N>", "Maximum number of volumes for a claim, or nodes for a Pod, the best ones.").default(
        "20",
      ),
    )
    .addOption(outputOption());
  withExamples(
    command,
    "why pod/web",
    "why pvc/disk",
    "why volumesnapshot/nightly",
    "why crd/widgets.example.com",
    "why namespace team-a",
  );
  return withConnectFlags(withObjectArguments(command)).action(
    async (kind: string, name: string | undefined, flags: Omit<WhyRequest, "words">) => {
      const { runWhy } = await import("./why-run.ts");
      await runWhy(actions, { words: [kind, name], ...flags });
    },
  );
}
