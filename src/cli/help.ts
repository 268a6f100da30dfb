import { type Command, Option } from "commander";
import type { FlagSpec } from "./actions.ts";

/** Adds examples, without the name of the program, to the help of a command. */
export const withExamples = (command: Command, ...lines: readonly string[]): Command =>
  command.addHelpText("after", ["", "Examples:", ...lines.map((line) => `  $ keelson ${line}`)].join("\n"));

/** Returns the flag for the output format. */
export const outputOption = (): Option =>
  new Option("-o, --output <FORM>", "How to print.").choices(["text", "json"]).default("text");

/** Parses a flag that may be repeated into a list. */
export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** The flags of `serve` that name a data directory; none without one. */
export const dataDirFlag = (dataDir: string | undefined): Readonly<Record<string, string>> =>
  dataDir === undefined ? {} : { "data-dir": dataDir };

/** Returns the flag for a data directory, with the default of `serve`. */
export function dataDirOption(flags: readonly FlagSpec[], about: string): Option {
  const { default: preset = "", env = "" } = flags.find(({ key }) => key === "data-dir") ?? {};
  return new Option("--data-dir <DIR>", `${about} (default: ${preset}) [${env}]`);
}
