/**
 * `keelson why`: what an object waits for, what holds it, and who would have to act.
 *
 * @module
 */
import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { type ConnectFlags, withConnectFlags } from "./connect-flags.ts";
import { outputOption, withExamples } from "./help.ts";
import { withObjectArguments } from "./object-argument.ts";

interface WhyFlags extends ConnectFlags {
  readonly limit: string;
  readonly output: "text" | "json";
}

/** The command `why`. */
export function whyCommand(actions: Actions): Command {
  const command = new Command("why")
    .description("Tell why an object is as it is: what it waits for, what holds it, and who would have to act.")
    .addOption(
      new Option("--limit <N>", "At most this many volumes for a claim, or nodes for a Pod, the nearest ones.").default(
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
    async (kind: string, name: string | undefined, flags: WhyFlags) => {
      const { runWhy } = await import("./why-run.ts");
      await runWhy(actions, { words: [kind, name], ...flags });
    },
  );
}
