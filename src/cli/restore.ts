import { Argument, Command } from "commander";
import type { Actions } from "./actions.ts";
import { withExamples } from "./help.ts";
import { type KeysFlag, censusLines, keysOption } from "./census-lines.ts";
import { CliError } from "./cli-error.ts";
import { counted } from "../util/counted.ts";
import { withProgress } from "./progress-line.ts";

/** Returns the command `restore`, which creates a data directory from a backup. */
export function restoreCommand(actions: Actions): Command {
  const { files, print } = actions;
  const command = new Command("restore")
    .description(
      "Create a data directory from a backup. Its revisions are new, so clients with older state list again.",
    )
    .addArgument(new Argument("<file>", "The backup; - reads standard input."))
    .addArgument(new Argument("<dir>", "The data directory to create; existing certificates and tokens are kept."))
    .addOption(keysOption())
    .action(async (file: string, directory: string, { encryptionProviderConfig }: KeysFlag) => {
      const { records, backupRevision, revision, time, ...census } = await withProgress(actions, (progress) =>
        files.restore(file, directory, encryptionProviderConfig, progress),
      );
      print(`${counted(records, "record")} of revision ${backupRevision} (${time}) restored into ${directory}`);
      print([`the store continues at revision ${revision}`, ...censusLines(census)].join("\n"));
      if (census.unread.length > 0) {
        throw new CliError(
          `expected the keys of all records in ${encryptionProviderConfig}; ${directory} has them all`,
        );
      }
    });
  return withExamples(command, "restore backup.zst /var/lib/keelson-restored");
}
