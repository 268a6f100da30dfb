/**
 * `keelson repair`: what is whole of a damaged store, in a new data directory.
 *
 * @module
 */
import { Argument, Command } from "commander";
import type { Actions, StoreRepair } from "./actions.ts";
import { outputOption, withExamples } from "./help.ts";
import { type KeysFlag, censusLines, keysOption } from "./census-lines.ts";
import { counted } from "./counted.ts";

/** The command `repair`. */
export function repairCommand({ files, print }: Actions): Command {
  const command = new Command("repair")
    .description("Salvage what is whole of a damaged store into a new data directory, and list what is lost.")
    .addArgument(new Argument("<dir>", "The data directory with the damaged store; it is only read."))
    .addArgument(new Argument("<new-dir>", "The data directory to make."))
    .addOption(keysOption())
    .addOption(outputOption())
    .action(async (from: string, to: string, { output, encryptionProviderConfig }: KeysFlag & { output: string }) => {
      const report = await files.repair(from, to, encryptionProviderConfig);
      print(output === "json" ? JSON.stringify(report, undefined, 2) : asText(report, to));
    });
  return withExamples(command, "repair /var/lib/keelson /var/lib/keelson-repaired");
}

function asText({ revision, records, lost, warnings, ...census }: StoreRepair, to: string): string {
  const older = (revisionBefore: number | undefined): string =>
    revisionBefore === undefined ? "" : ` (whole before that: revision ${revisionBefore})`;
  return [
    `${counted(records, "record")} salvaged into ${to}, which goes on at revision ${revision}`,
    lost.length === 0 ? "no record is known to be lost" : `${counted(lost.length, "record")} lost:`,
    ...lost.map((record) => `  ${record.key} at revision ${record.revision}${older(record.older)}`),
    ...warnings.map((warning) => `warning: ${warning}`),
    ...censusLines(census),
  ].join("\n");
}
