/**
 * Flags as programs written in Go take them: `--name=value`, `--name value`, `-name=value`, and `--name` alone for a switch.
 *
 * Neither of the programs that are played here takes an argument that is no flag, so a word after a flag is its value, also
 * where nobody here knows the flag.
 *
 * @module
 */
import { OptionError } from "../options/types.ts";

/** The values that each flag was given, in order. */
export type GoFlags = ReadonlyMap<string, readonly string[]>;

/** Reads a command line. @throws OptionError for an argument that belongs to no flag */
export function readFlags(args: readonly string[]): GoFlags {
  const flags = new Map<string, string[]>();
  for (let at = 0; at < args.length; at++) {
    const [, name, given] = /^--?([A-Za-z][\w.-]*)(?:=([^]*))?$/.exec(args[at]!) ?? [];
    if (name === undefined)
      throw new OptionError(`expected a flag such as --name=value, got ${JSON.stringify(args[at])}`);
    const next = args[at + 1];
    const takesNext = given === undefined && next !== undefined && !next.startsWith("-");
    if (takesNext) at++;
    flags.set(name, [...(flags.get(name) ?? []), given ?? (takesNext ? next : "true")]);
  }
  return flags;
}

/** What a flag was given last, which is what counts where only one value can; empty is as if it was not there. */
export const lastOf = (flags: GoFlags, name: string): string | undefined => flags.get(name)?.at(-1) || undefined;

/** The parts of all values of a flag, which have commas between them. */
export const partsOf = (flags: GoFlags, name: string): readonly string[] =>
  (flags.get(name) ?? [])
    .flatMap((value) => value.split(","))
    .map((part) => part.trim())
    .filter((part) => part !== "");

const VERBOSE = 4;

/** Whether `-v` asks for each request to be logged. */
export const isVerbose = (flags: GoFlags): boolean => Number(lastOf(flags, "v") ?? 0) >= VERBOSE;
