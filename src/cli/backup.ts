/**
 * `keelson backup`: everything that a running server has stored, as of one moment, in a file.
 *
 * @module
 */
import { Argument, Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import type { BackupFlags } from "./backup-run.ts";

/** The command `backup`. */
export function backupCommand(actions: Actions): Command {
  return new Command("backup")
    .description("save everything that a running server has stored, as of one revision, while it serves")
    .addArgument(new Argument("<file>", "where to write; - is standard output"))
    .addOption(new Option("--compression <form>", "how to compress").choices(["zstd", "gzip"]).default("zstd"))
    .addOption(
      new Option(
        "--data-dir <DIR>",
        "the data directory of the server (default: where serve would put it, without KUBECONFIG)",
      ),
    )
    .addOption(new Option("--kubeconfig <file>", "ask the server of this kubeconfig instead (default: KUBECONFIG)"))
    .addOption(new Option("--context <name>", "the context of the kubeconfig (default: its current-context)"))
    .action(async (file: string, flags: BackupFlags) => {
      const { runBackup } = await import("./backup-run.ts");
      await runBackup(actions, file, flags);
    });
}
