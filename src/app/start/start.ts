/**
 * The door for programs: options are values there, under names that programs write.
 *
 * @module
 */
import type { Dialect } from "../../meta/dialect.ts";
import type { Duration } from "../../util/duration.ts";
import { suggestion } from "../../util/nearest.ts";
import { OptionError } from "../options/error.ts";
import type { OptionValue, RawOptions } from "../options/sources.ts";
import {
  type CamelCase,
  OPTIONS,
  OPTION_KEYS,
  type OptionKey,
  type OptionValues,
  camelCase,
} from "../options/table.ts";
import { resolveOptions } from "../options/options.ts";
import { type RunningServer, type Surroundings, runServer } from "./server.ts";

/** What a program gives for an option: what it stands for, or the text that a flag has. */
type Given<Value> = Value extends Dialect ? Dialect["name"] : Value extends number ? number | Duration : Value;

/**
 * The options of a server as a program gives them: those of `keelson serve`, as values. Durations are milliseconds, or
 * texts such as `2h`.
 */
export type StartOptions = {
  readonly [Key in OptionKey as CamelCase<Key>]?: Given<OptionValues[Key]> | undefined;
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

const KEYS: ReadonlyMap<string, OptionKey> = new Map(OPTION_KEYS.map((key) => [camelCase(key), key]));

function rawOf(options: StartOptions): RawOptions {
  const raw: { [Key in OptionKey]?: OptionValue } = {};
  for (const [name, value] of Object.entries(options) as [string, OptionValue | undefined][]) {
    const key = KEYS.get(name);
    if (key === undefined)
      throw new OptionError(`unknown option ${JSON.stringify(name)}${suggestion(name, KEYS.keys())}`);
    if (value !== undefined)
      raw[key] = OPTIONS[key].type.name === "duration" && typeof value === "number" ? `${value}ms` : value;
  }
  return raw;
}
