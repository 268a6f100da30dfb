/**
 * `keelson check`: whether a store is whole, without starting anything.
 *
 * @module
 */
import { Argument, Command } from "commander";
import type { Actions, StoreCheck } from "./actions.ts";
import { outputOption, withExamples } from "./help.ts";
import { CliError } from "./cli-error.ts";
import { counted } from "./counted.ts";
import { type KeysFlag, encryptedText, keysOption } from "./census-lines.ts";

/** The command `check`. It fails when anything is found. */
export function checkCommand({ files, print }: Actions): Command {
  const command = new Command("check")
    .description("Verify every checksum and every index of a store that no server has open. Nothing is changed.")
    .addArgument(new Argument("<dir>", "The data directory."))
    .addOption(keysOption())
    .addOption(outputOption())
    .action(async (directory: string, { output, encryptionProviderConfig }: KeysFlag & { output: string }) => {
      const report = await files.check(directory, encryptionProviderConfig);
      print(output === "json" ? JSON.stringify(report, undefined, 2) : asText(report));
      if (report.findings.length > 0) throw new CliError(`the store in ${report.directory} ${verdict(report)}`);
    });
  return withExamples(
    command,
    "check /var/lib/keelson",
    "check /var/lib/keelson --encryption-provider-config /etc/keelson/encryption.yaml",
  );
}

/** Records without a key are as they were written. */
const verdict = ({ findings }: StoreCheck): string =>
  findings.every(({ what }) => what === "encryption") ? "is whole, but cannot be decrypted by that file" : "is damaged";

function asText({ findings, ...report }: StoreCheck): string {
  const lines: [string, string][] = [
    ["store", report.directory],
    ["format", String(report.format ?? "-")],
    ["revision", String(report.revision ?? "-")],
    ["history from", String(report.compactedRevision ?? "-")],
    ["records", `${report.records} whole, and ${report.history} of the history`],
    ["bytes", String(report.bytes)],
    ...encryptedText(report).map((text): [string, string] => ["encrypted", text]),
    ...unchecked(report),
    ["result", findings.length === 0 ? "whole" : counted(findings.length, "finding")],
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  const head = lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
  return [...head, ...findings.map(({ what, message }) => `${what}: ${message}`)].join("\n");
}

/** Says that something was left out, and why. */
const unchecked = ({ structureUnchecked: why }: Pick<StoreCheck, "structureUnchecked">): [string, string][] =>
  why === undefined ? [] : [["structure", `not checked by SQLite itself, only read: ${why}`]];
