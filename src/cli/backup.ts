/**
 * `keelson backup`: everything that a running server has stored, as of one moment, in a file.
 *
 * @module
 */
import { Argument, Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { dataDirOption, withExamples } from "./help.ts";
import type { BackupFlags } from "./backup-run.ts";

/** The command `backup`. */
export function backupCommand(actions: Actions): Command {
  const command = new Command("backup")
    .description("Save everything that a running server has stored, as of one revision, while it serves.")
    .addArgument(new Argument("<file>", "Where to write; - is standard output."))
    .addOption(new Option("--force", "Write over a file that is there."))
    .addOption(new Option("--compression <FORM>", "How to compress.").choices(["zstd", "gzip"]).default("zstd"))
    .addOption(
      dataDirOption(
        actions.flags,
        "The data directory of the server; without it and with KUBECONFIG, that one counts.",
      ),
    )
    .addOption(new Option("--kubeconfig <FILE>", "Ask the server of this kubeconfig instead. [KUBECONFIG]"))
    .addOption(new Option("--context <NAME>", "The context of the kubeconfig. (default: its current-context)"))
    .action(async (file: string, flags: BackupFlags) => {
      const { runBackup } = await import("./backup-run.ts");
      await runBackup(actions, file, flags);
    });
  return withExamples(command, "backup backup.zst", "backup - --compression gzip > backup.gz");
}
