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
import type { SystemParts } from "../process/system-parts.ts";
import { type RunningServer, runServer } from "./server.ts";

/** The type of an option in a program: its value, or the text of the flag. */
type InputOf<Value> = Value extends Dialect ? Dialect["name"] : Value extends number ? number | Duration : Value;

/**
 * The options of `keelson serve` as values of a program. Durations are milliseconds, or texts such as `2h`.
 */
export type StartOptions = {
  readonly [Key in OptionKey as CamelCase<Key>]?: InputOf<OptionValues[Key]> | undefined;
};

/**
 * Starts a server in this process; resolves when it accepts requests.
 *
 *     await using server = await startServer({ dev: true, port: 0, dialect: "kubernetes", eventTtl: "2h" });
 *
 * The environment and configuration files are not read.
 *
 * @throws OptionError for an unknown option and for an invalid value
 */
export const startServer = async (
  options: StartOptions = {},
  system: Partial<SystemParts> = {},
): Promise<RunningServer> => runServer(resolveOptions(rawOf(options)), system);

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
