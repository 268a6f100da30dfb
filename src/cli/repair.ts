import { Argument, Command } from "commander";
import type { Actions, StoreRepair } from "./actions.ts";
import { outputOption, withExamples } from "./help.ts";
import { type KeysFlag, censusLines, keysOption } from "./census-lines.ts";
import { counted } from "../util/counted.ts";
import { printReport } from "./print-report.ts";
import { withProgress } from "./progress-line.ts";

/** Returns the command `repair`, which copies the valid records of a damaged store. */
export function repairCommand(actions: Actions): Command {
  const command = new Command("repair")
    .description("Copy the valid records of a damaged store into a new data directory, and list the lost ones.")
    .addArgument(new Argument("<dir>", "The data directory with the damaged store; it is only read."))
    .addArgument(new Argument("<new-dir>", "The data directory to create."))
    .addOption(keysOption())
    .addOption(outputOption())
    .action(async (from: string, to: string, { output, encryptionProviderConfig }: KeysFlag & { output: string }) => {
      const report = await withProgress(actions, (progress) =>
        actions.files.repair(from, to, encryptionProviderConfig, progress),
      );
      printReport(actions, output, report, () => linesOf(report, to));
    });
  return withExamples(command, "repair /var/lib/keelson /var/lib/keelson-repaired");
}

function linesOf({ revision, records, lost, warnings, ...census }: StoreRepair, to: string): string[] {
  const older = (revisionBefore: number | undefined): string =>
    revisionBefore === undefined ? "" : ` (valid before that: revision ${revisionBefore})`;
  return [
    `${counted(records, "record")} copied into ${to}, which continues at revision ${revision}`,
    lost.length === 0 ? "no record is known to be lost" : `${counted(lost.length, "record")} lost:`,
    ...lost.map((record) => `  ${record.key} at revision ${record.revision}${older(record.older)}`),
    ...warnings.map((warning) => `warning: ${warning}`),
    ...censusLines(census),
  ];
}
