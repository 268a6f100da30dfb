import { existsSync, readFileSync } from "node:fs";
import { OptionError } from "../options/error.ts";
import { type ServeOptions, resolveSources } from "../options/options.ts";
import {
  type OptionSource,
  type RawOptions,
  environmentSource,
  fileSource,
  flagSource,
  fromEnvironment,
} from "../options/sources.ts";
import { messageOf } from "../../util/error.ts";

/**
 * Reads the options of a command line: its flags, then the environment, then the file that either of them names.
 *
 * @param onUnknown called for each unknown variable that begins with `KEELSON_`, with a suggestion
 * @throws OptionError for an invalid value
 */
export async function readOptions(
  flags: RawOptions,
  file: string | undefined,
  onUnknown: (name: string, nearest: string) => void,
): Promise<ServeOptions> {
  const { config, ...env } = fromEnvironment(process.env, onUnknown);
  const path = file ?? config;
  const given = [flagSource(flags), environmentSource(env, process.env)];
  return resolveSources(path === undefined ? given : [...given, await readConfig(path)]);
}

async function readConfig(path: string): Promise<OptionSource> {
  const { decodeYaml } = await import("../../value/yaml.ts");
  if (!existsSync(path)) throw new OptionError(`expected the file ${path} to exist`);
  try {
    const { value, duplicates } = decodeYaml(readFileSync(path));
    if (duplicates.length > 0) throw new Error(`expected each key once, got ${duplicates.join(", ")} twice`);
    return fileSource(value, path);
  } catch (error) {
    if (error instanceof OptionError) throw error;
    throw new OptionError(`expected ${path} to be YAML: ${messageOf(error)}`);
  }
}
