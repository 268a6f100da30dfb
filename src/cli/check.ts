/**
 * `keelson check`: whether a store is whole, without starting anything.
 *
 * @module
 */
import { Argument, Command, Option } from "commander";
import type { Actions, StoreCheck } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { counted } from "./counted.ts";

/** The command `check`. It fails when anything is found. */
export function checkCommand({ files, print }: Actions): Command {
  return new Command("check")
    .description("verify every checksum and every index of a store that no server has open; nothing is changed")
    .addArgument(new Argument("<dir>", "the data directory"))
    .addOption(new Option("-o, --output <form>", "how to print").choices(["text", "json"]).default("text"))
    .action(async (directory: string, { output }: { output: string }) => {
      const report = await files.check(directory);
      print(output === "json" ? JSON.stringify(report, undefined, 2) : asText(report));
      if (report.findings.length > 0) throw new CliError(`the store in ${report.directory} is damaged`);
    });
}

function asText({ findings, ...report }: StoreCheck): string {
  const lines: [string, string][] = [
    ["store", report.directory],
    ["format", String(report.format ?? "-")],
    ["revision", String(report.revision ?? "-")],
    ["history from", String(report.compactedRevision ?? "-")],
    ["records", `${report.records} whole, and ${report.history} of the history`],
    ["bytes", String(report.bytes)],
    ["result", findings.length === 0 ? "whole" : counted(findings.length, "finding")],
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  const head = lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
  return [...head, ...findings.map(({ what, message }) => `${what}: ${message}`)].join("\n");
}
