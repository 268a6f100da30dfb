import { Argument, Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { outputOption, withExamples } from "./help.ts";
import type { RebindRequest } from "./rebind-run.ts";
import { withConnectFlags } from "./connect-flags.ts";

/** Returns the command `rebind`, which gives a volume without a claim to another claim. */
export function rebindCommand(actions: Actions): Command {
  const command = new Command("rebind")
    .description("Give a volume whose claim was deleted to another claim, which may be created later. Its data stays.")
    .addArgument(new Argument("<volume>", "The PersistentVolume, which is Released, Available or Failed."))
    .addArgument(new Argument("<claim>", "The claim, as NAMESPACE/NAME, or its name alone."))
    .addOption(new Option("--dry-run", "Store nothing, and print the result."))
    .addOption(outputOption());
  withExamples(command, "rebind pvc-0a1b team-a/data", "rebind pvc-0a1b data -n team-a --dry-run");
  return withConnectFlags(command).action(
    async (volume: string, claim: string, flags: Omit<RebindRequest, "volume" | "claim">) => {
      const { runRebind } = await import("./rebind-run.ts");
      await runRebind(actions, { volume, claim, ...flags });
    },
  );
}
