import { Argument, Command } from "commander";
import type { Actions, StoreCheck } from "./actions.ts";
import { outputOption, withExamples } from "./help.ts";
import { CliError } from "./cli-error.ts";
import { printReport } from "./print-report.ts";
import { withProgress } from "./progress-line.ts";
import { alignedLines } from "./table.ts";
import { counted } from "../util/counted.ts";
import { type KeysFlag, encryptedText, keysOption } from "./census-lines.ts";

/** Returns the command `check`, which verifies a store; it fails with any finding. */
export function checkCommand(actions: Actions): Command {
  const command = new Command("check")
    .description("Verify every checksum and every index of a store that no server has open. Nothing is changed.")
    .addArgument(new Argument("<dir>", "The data directory."))
    .addOption(keysOption())
    .addOption(outputOption())
    .action(async (directory: string, { output, encryptionProviderConfig }: KeysFlag & { output: string }) => {
      const report = await withProgress(actions, (progress) =>
        actions.files.check(directory, encryptionProviderConfig, progress),
      );
      printReport(actions, output, report, () => linesOf(report));
      if (report.findings.length > 0) throw new CliError(`the store in ${report.directory} ${resultOf(report)}`);
    });
  return withExamples(
    command,
    "check /var/lib/keelson",
    "check /var/lib/keelson --encryption-provider-config /etc/keelson/encryption.yaml",
  );
}

/** Records that only cannot be decrypted are not damaged. */
const resultOf = ({ findings }: StoreCheck): string =>
  findings.every(({ what }) => what === "encryption")
    ? "is not damaged, but cannot be decrypted with that file"
    : "is damaged";

function linesOf({ findings, ...report }: StoreCheck): string[] {
  const lines: [string, string][] = [
    ["store", report.directory],
    ["format", String(report.format ?? "-")],
    ["revision", String(report.revision ?? "-")],
    ["history from", String(report.compactedRevision ?? "-")],
    ["records", `${report.records} valid, and ${report.history} of the history`],
    ["bytes", String(report.bytes)],
    ...encryptedText(report).map((text): [string, string] => ["encrypted", text]),
    ...unchecked(report),
    ["result", findings.length === 0 ? "valid" : counted(findings.length, "finding")],
  ];
  return [...alignedLines(lines), ...findings.map(({ what, message }) => `${what}: ${message}`)];
}

const unchecked = ({ structureUnchecked: why }: Pick<StoreCheck, "structureUnchecked">): [string, string][] =>
  why === undefined ? [] : [["structure", `not checked by SQLite itself, only read: ${why}`]];
