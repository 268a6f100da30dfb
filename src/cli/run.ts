/**
 * `keelson run`: any command against a cluster of its own, for test suites in every language.
 *
 * @module
 */
import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";

interface RunFlags {
  readonly fixtures: readonly string[];
  readonly neutral?: boolean;
  readonly keep?: boolean;
  readonly control?: boolean;
}

const each = (path: string, before: readonly string[]): string[] => [...before, path];

/** The command `run`. */
export function runCommand({ run, exit }: Actions): Command {
  return new Command("run")
    .description(
      "start a throw-away cluster, run a command with KUBECONFIG, KEELSON_URL, KEELSON_TOKEN and USE_EXISTING_CLUSTER set, and end with its exit code",
    )
    .addOption(
      new Option("--fixtures <path>", "a file or folder with objects to begin with; may be given several times")
        .argParser(each)
        .default([], "nothing"),
    )
    .option("--neutral", "speak the neutral dialect, not that of Kubernetes")
    .option("--keep", "keep the cluster when the command has ended, until it is interrupted")
    .option("--control", "let the command mark, reset and disturb the cluster under /keelson/v1/testing")
    .argument("<command...>", "what to run, after --")
    .action(async (command: [string, ...string[]], flags: RunFlags) => {
      const { fixtures, neutral = false, keep = false, control = false } = flags;
      exit.done = await run({ command, fixtures, dialect: neutral ? "neutral" : "kubernetes", keep, control });
    });
}
