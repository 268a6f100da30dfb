/**
 * `keelson rebind`: a volume whose claim has gone, given to another claim.
 *
 * @module
 */
import { Argument, Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { outputOption, withExamples } from "./help.ts";
import { type ConnectFlags, withConnectFlags } from "./connect-flags.ts";

interface RebindFlags extends ConnectFlags {
  readonly dryRun?: boolean;
  readonly output: "text" | "json";
}

/** The command `rebind`. */
export function rebindCommand(actions: Actions): Command {
  const command = new Command("rebind")
    .description("Give a volume whose claim has gone to another claim, which may come later; what is on it stays.")
    .addArgument(new Argument("<volume>", "The PersistentVolume, which is Released, Available or Failed."))
    .addArgument(new Argument("<claim>", "The claim, as NAMESPACE/NAME, or its name alone."))
    .addOption(new Option("--dry-run", "Store nothing, and say what would be."))
    .addOption(outputOption());
  withExamples(command, "rebind pvc-0a1b team-a/data", "rebind pvc-0a1b data -n team-a --dry-run");
  return withConnectFlags(command).action(async (volume: string, claim: string, flags: RebindFlags) => {
    const { runRebind } = await import("./rebind-run.ts");
    await runRebind(actions, { volume, claim, ...flags });
  });
}
