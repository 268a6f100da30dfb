/**
 * `keelson restore`: a new data directory from a backup.
 *
 * @module
 */
import { Argument, Command } from "commander";
import type { Actions } from "./actions.ts";
import { withExamples } from "./help.ts";
import { counted } from "./counted.ts";

/** The command `restore`. */
export function restoreCommand({ files, print }: Actions): Command {
  const command = new Command("restore")
    .description("Make a new data directory of a backup. No client takes what it knew before for what is there now.")
    .addArgument(new Argument("<file>", "The backup; - reads standard input."))
    .addArgument(new Argument("<dir>", "The data directory to make; an identity that lies there already is kept."))
    .action(async (file: string, directory: string) => {
      const { records, backupRevision, revision, time } = await files.restore(file, directory);
      print(`${counted(records, "record")} of revision ${backupRevision} (${time}) restored into ${directory}`);
      print(`the store goes on at revision ${revision}`);
    });
  return withExamples(command, "restore backup.zst /var/lib/keelson-restored");
}
