import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { collect, withExamples } from "./help.ts";

interface RunFlags {
  readonly fixtures: readonly string[];
  readonly neutral?: boolean;
  readonly keep?: boolean;
  readonly control?: boolean;
}

/** Returns the command `run`, which runs another command with a throw-away cluster. */
export function runCommand({ run: start, exit }: Actions): Command {
  const run = new Command("run")
    .summary("Run a command against a throw-away cluster, and end with its exit code.")
    .description(
      "Start a throw-away cluster, run a command with KUBECONFIG, KEELSON_URL, KEELSON_TOKEN and USE_EXISTING_CLUSTER set, and end with its exit code.",
    )
    .addOption(
      new Option("--fixtures <PATH>", "A file or folder with objects to create first; may be repeated.")
        .argParser(collect)
        .default([], "none"),
    )
    .option("--neutral", "Use the neutral dialect instead of that of Kubernetes.")
    .option("--keep", "Keep the cluster after the command until interrupted.")
    .option("--control", "Allow the command to mark, reset and disturb the cluster under /keelson/v1/testing.")
    .argument("<command...>", "The command to run, after --.")
    .action(async (command: [string, ...string[]], flags: RunFlags) => {
      const { fixtures, neutral = false, keep = false, control = false } = flags;
      exit.done = await start({ command, fixtures, dialect: neutral ? "neutral" : "kubernetes", keep, control });
    });
  return withExamples(run, "run -- go test ./...", "run --fixtures crds/ --control -- pytest");
}
