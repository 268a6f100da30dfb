/**
 * `keelson run`: any command against a cluster of its own, for test suites in every language.
 *
 * @module
 */
import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { withExamples } from "./help.ts";

interface RunFlags {
  readonly fixtures: readonly string[];
  readonly neutral?: boolean;
  readonly keep?: boolean;
  readonly control?: boolean;
}

const each = (path: string, before: readonly string[]): string[] => [...before, path];

/** The command `run`. */
export function runCommand({ run: start, exit }: Actions): Command {
  const run = new Command("run")
    .summary("Run a command against a throw-away cluster, and end with its exit code.")
    .description(
      "Start a throw-away cluster, run a command with KUBECONFIG, KEELSON_URL, KEELSON_TOKEN and USE_EXISTING_CLUSTER set, and end with its exit code.",
    )
    .addOption(
      new Option("--fixtures <PATH>", "A file or folder with objects to begin with; may be given several times.")
        .argParser(each)
        .default([], "nothing"),
    )
    .option("--neutral", "Speak the neutral dialect, not that of Kubernetes.")
    .option("--keep", "Keep the cluster when the command has ended, until it is interrupted.")
    .option("--control", "Let the command mark, reset and disturb the cluster under /keelson/v1/testing.")
    .argument("<command...>", "What to run, after --.")
    .action(async (command: [string, ...string[]], flags: RunFlags) => {
      const { fixtures, neutral = false, keep = false, control = false } = flags;
      exit.done = await start({ command, fixtures, dialect: neutral ? "neutral" : "kubernetes", keep, control });
    });
  return withExamples(run, "run -- go test ./...", "run --fixtures crds/ --control -- pytest");
}
