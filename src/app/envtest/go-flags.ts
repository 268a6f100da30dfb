/**
 * Parses flags as Go programs do: `--name=value`, `--name value`, `-name=value`, and `--name` alone for a switch.
 *
 * Neither etcd nor kube-apiserver has positional arguments, so a word after a flag is its value, also for an unknown flag.
 *
 * @module
 */
import { OptionError } from "../options/types.ts";

/** The values of each flag, in order. */
export type GoFlags = ReadonlyMap<string, readonly string[]>;

/** Parses a command line. @throws OptionError for an argument that belongs to no flag */
export function readFlags(args: readonly string[]): GoFlags {
  const flags = new Map<string, string[]>();
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [, name, value] = /^--?([A-Za-z][\w.-]*)(?:=([^]*))?$/.exec(arg) ?? [];
    if (name === undefined) throw new OptionError(`expected a flag such as --name=value, got ${JSON.stringify(arg)}`);
    const next = value === undefined && rest[0]?.startsWith("-") === false ? rest.shift() : undefined;
    flags.set(name, [...(flags.get(name) ?? []), value ?? next ?? "true"]);
  }
  return flags;
}

/** Returns the last value of a flag; undefined if it is empty. */
export const lastOf = (flags: GoFlags, name: string): string | undefined => flags.get(name)?.at(-1) || undefined;

/** Returns the comma separated parts of all values of a flag. */
export const partsOf = (flags: GoFlags, name: string): readonly string[] =>
  (flags.get(name) ?? [])
    .flatMap((value) => value.split(","))
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** Whether each request is logged: with `-v=4` or more. */
export const isVerbose = (flags: GoFlags): boolean => Number(lastOf(flags, "v") ?? 0) >= 4;
