import { Argument, Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { dataDirOption, withExamples } from "./help.ts";
import type { BackupFlags } from "./backup-run.ts";

/** Returns the command `backup`, which saves all objects of a running server. */
export function backupCommand(actions: Actions): Command {
  const command = new Command("backup")
    .description("Save everything that a running server has stored, as of one revision, while it serves.")
    .addArgument(new Argument("<file>", "The file to write; - is standard output."))
    .addOption(new Option("--force", "Overwrite an existing file."))
    .addOption(new Option("--compression <FORM>", "The compression.").choices(["zstd", "gzip"]).default("zstd"))
    .addOption(
      dataDirOption(actions.flags, "The data directory of the server; without it KUBECONFIG is used if it is set."),
    )
    .addOption(
      new Option("--kubeconfig <FILE>", "The kubeconfig of the server, instead of a data directory. [KUBECONFIG]"),
    )
    .addOption(new Option("--context <NAME>", "The context of the kubeconfig. (default: its current-context)"))
    .action(async (file: string, flags: BackupFlags) => {
      const { runBackup } = await import("./backup-run.ts");
      await runBackup(actions, file, flags);
    });
  return withExamples(command, "backup backup.zst", "backup - --compression gzip > backup.gz");
}
