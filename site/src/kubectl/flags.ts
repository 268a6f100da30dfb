/**
 * The flags of a command: `-n shop`, `-nshop`, `--namespace=shop`, `-A`. Flags and words may come in any order.
 *
 * @module
 */

/** Says what is wrong with a command line. */
export class UsageError extends Error {}

/** Which flags a command has: those with a value, and switches; short names lead to long ones. */
export interface FlagTable {
  readonly values: readonly string[];
  readonly switches: readonly string[];
  readonly short: Readonly<Record<string, string>>;
}

/** What was given. */
export class Flags {
  readonly words: readonly string[];
  /** What comes after `--`. */
  readonly rest: readonly string[];
  readonly #given: ReadonlyMap<string, readonly string[]>;

  constructor(words: readonly string[], rest: readonly string[], given: ReadonlyMap<string, readonly string[]>) {
    this.words = words;
    this.rest = rest;
    this.#given = given;
  }

  has(name: string): boolean {
    return this.#given.has(name);
  }

  /** The last value of a flag; undefined where it is not given. */
  get(name: string): string | undefined {
    return this.#given.get(name)?.at(-1);
  }

  /** All values of a flag, also of lists with commas. */
  all(name: string): readonly string[] {
    return this.#given.get(name) ?? [];
  }

  /** Whether a switch is on: `--force`, `--force=true`. */
  on(name: string, without = false): boolean {
    const value = this.get(name);
    return value === undefined ? without : value !== "false";
  }
}

/** The flags that all commands have. */
const COMMON: FlagTable = {
  values: [
    "namespace",
    "output",
    "selector",
    "filename",
    "field-manager",
    "as",
    "context",
    "kubeconfig",
    "request-timeout",
  ],
  switches: ["all-namespaces", "help", "recursive", "warnings-as-errors"],
  short: { n: "namespace", o: "output", l: "selector", f: "filename", A: "all-namespaces", h: "help", R: "recursive" },
};

/** Reads arguments. @throws UsageError for flags that the command does not have */
export function parseFlags(args: readonly string[], own: Partial<FlagTable> = {}): Flags {
  const values = new Set([...COMMON.values, ...(own.values ?? [])]);
  const switches = new Set([...COMMON.switches, ...(own.switches ?? [])]);
  const short = { ...COMMON.short, ...own.short };
  const words: string[] = [];
  const given = new Map<string, string[]>();
  const add = (name: string, value: string): void => void given.set(name, [...(given.get(name) ?? []), value]);
  let rest: readonly string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === "--") {
      rest = args.slice(at + 1);
      break;
    }
    if (arg === "-" || !arg.startsWith("-")) {
      words.push(arg);
      continue;
    }
    const isLong = arg.startsWith("--");
    const end = isLong ? arg.indexOf("=") : 2;
    const name = isLong ? arg.slice(2, end < 0 ? undefined : end) : short[arg[1]!];
    const inline = isLong ? (end < 0 ? undefined : arg.slice(end + 1)) : arg.slice(2).replace(/^=/, "") || undefined;
    if (name !== undefined && switches.has(name)) add(name, inline ?? "true");
    else if (name !== undefined && values.has(name)) {
      const value = inline ?? args[++at];
      if (value === undefined)
        throw new UsageError(`flag needs an argument: ${isLong ? `--${name}` : `'${arg[1]}' in ${arg}`}`);
      add(name, value);
    } else throw new UsageError(isLong ? `unknown flag: --${name}` : `unknown shorthand flag: '${arg[1]}' in ${arg}`);
  }
  return new Flags(words, rest, given);
}
