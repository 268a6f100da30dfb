import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import type { HealthFlags } from "./health-run.ts";
import { dataDirOption, withExamples } from "./help.ts";

/** Returns the command `health`, which asks a server whether it works: for health checks of containers, without curl. */
export function healthCommand(actions: Actions): Command {
  const command = new Command("health")
    .description("Ask the server of a data directory whether it is ready. The exit code is 1 if it is not.")
    .addOption(dataDirOption(actions.flags, "The directory."))
    .option("--server <URL>", "The address of the server. (default: that in the data directory)")
    .addOption(
      new Option("--check <NAME>", "What to ask: whether it is ready, or only whether it responds.")
        .choices(["livez", "readyz"])
        .default("readyz"),
    )
    .option("--timeout <DURATION>", "How long to wait for the response.", "5s")
    .option("--wait <DURATION>", "Ask again for so long, until it is ready.", "0s")
    .action(async (flags: HealthFlags) => {
      const { runHealth } = await import("./health-run.ts");
      await runHealth(actions, flags);
    });
  return withExamples(command, "health", "health --check livez", "health --server https://10.0.0.7:6443 --wait 30s");
}
