import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { withExamples } from "./help.ts";
import { withManifestFlags } from "./plan-flags.ts";
import type { PlanCommand } from "./plan-run.ts";

/** Returns the command `plan`, which shows what manifests would change. */
export function planCommand(actions: Actions): Command {
  const command = new Command("plan")
    .description("Show what manifests would change. The server judges them together and stores nothing.")
    .addOption(new Option("-o, --output <FORM>", "How to print.").choices(["text", "json", "markdown"]).default("text"))
    .addHelpText(
      "after",
      "\nThe exit code is 0 if nothing would change, 2 if something would, 1 if a document is refused or after an error.",
    );
  withExamples(command, "plan -f deploy/", "plan -f deploy/ -o markdown", "plan -f deploy/ --prune --set web -n team");
  return withManifestFlags(command).action(async (flags: PlanCommand) => {
    const { runPlan } = await import("./plan-run.ts");
    await runPlan(actions, flags);
  });
}
