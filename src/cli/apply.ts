import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import type { ApplyCommand } from "./apply-run.ts";
import { withExamples } from "./help.ts";
import { withManifestFlags } from "./plan-flags.ts";

/** Returns the command `apply`, which applies manifests. */
export function applyCommand(actions: Actions): Command {
  const command = new Command("apply")
    .description("Apply manifests; with --atomic all of them or none.")
    .addOption(new Option("--atomic", "Store all objects at one revision, or none.").default(false))
    .addOption(
      new Option("-o, --output <FORM>", "How to print.").choices(["text", "json", "markdown"]).default("text"),
    );
  withExamples(
    command,
    "apply -f deploy/ --atomic",
    "apply -f deploy/ --atomic --prune --selector app=web",
    "apply -f deploy/ --atomic --prune --set web -n team",
  );
  return withManifestFlags(command).action(async (flags: ApplyCommand) => {
    const { runApply } = await import("./apply-run.ts");
    await runApply(actions, flags);
  });
}
