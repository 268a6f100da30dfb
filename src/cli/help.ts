/**
 * What the help of several commands has in common.
 *
 * @module
 */
import { type Command, Option } from "commander";
import type { FlagSpec } from "./actions.ts";

/** Adds examples, without the name of the program, below the help of a command. */
export const withExamples = (command: Command, ...lines: readonly string[]): Command =>
  command.addHelpText("after", ["", "Examples:", ...lines.map((line) => `  $ keelson ${line}`)].join("\n"));

/** The flag that says how to print. */
export const outputOption = (): Option =>
  new Option("-o, --output <FORM>", "How to print.").choices(["text", "json"]).default("text");

/** The flag that names a data directory; what holds without it is as with `serve`. */
export function dataDirOption(flags: readonly FlagSpec[], about: string): Option {
  const { default: preset = "", env = "" } = flags.find(({ key }) => key === "data-dir") ?? {};
  return new Option("--data-dir <DIR>", `${about} (default: ${preset}) [${env}]`);
}
