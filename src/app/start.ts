/**
 * The door for programs: options are values there, under names that programs write.
 *
 * @module
 */
import type { Dialect } from "../meta/dialect.ts";
import type { Duration } from "../util/duration.ts";
import { suggestion } from "../util/nearest.ts";
import { OPTIONS, OPTION_KEYS, type OptionKey, type OptionValues } from "./option-table.ts";
import { OptionError, duration } from "./option-types.ts";
import { type OptionValue, type RawOptions, resolveOptions } from "./options.ts";
import { type RunningServer, type Surroundings, runServer } from "./server.ts";

/** `eventTtl` of `event-ttl`. */
type NameOf<Key extends string> = Key extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<NameOf<Tail>>}`
  : Key;

/** What a program gives for an option: what it stands for, or the text that a flag has. */
type Given<Value> = Value extends Dialect ? Dialect["name"] : Value extends number ? number | Duration : Value;

/**
 * The options of a server as a program gives them: those of `keelson serve`, as values. Durations are milliseconds, or
 * texts such as `2h`.
 */
export type StartOptions = {
  readonly [Key in OptionKey as NameOf<Key>]?: Given<OptionValues[Key]> | undefined;
};

/**
 * Starts a server in this process; resolves when it accepts requests.
 *
 *     await using server = await startServer({ dev: true, port: 0, dialect: "kubernetes", eventTtl: "2h" });
 *
 * Neither environment nor file are read.
 *
 * @throws OptionError for an option that there is not, and for a value that is none of the option
 */
export const startServer = async (
  options: StartOptions = {},
  surroundings: Surroundings = {},
): Promise<RunningServer> => runServer(resolveOptions(rawOf(options)), surroundings);

const nameOf = (key: string): string => key.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

const KEYS: ReadonlyMap<string, OptionKey> = new Map(OPTION_KEYS.map((key) => [nameOf(key), key]));

function rawOf(options: StartOptions): RawOptions {
  const raw: { [Key in OptionKey]?: OptionValue } = {};
  for (const [name, value] of Object.entries(options) as [string, OptionValue | undefined][]) {
    const key = KEYS.get(name);
    if (key === undefined)
      throw new OptionError(`unknown option ${JSON.stringify(name)}${suggestion(name, KEYS.keys())}`);
    if (value !== undefined)
      raw[key] = OPTIONS[key].type === duration && typeof value === "number" ? `${value}ms` : value;
  }
  return raw;
}
