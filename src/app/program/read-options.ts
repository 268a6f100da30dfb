/**
 * The options of a command line: its flags, then the environment, then the file that either of them names.
 *
 * @module
 */
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

/**
 * Reads and checks options.
 *
 * @param unknown is told of each variable that begins with `KEELSON_` and is no option, and of the nearest one
 * @throws OptionError for what cannot be right
 */
export async function readOptions(
  flags: RawOptions,
  file: string | undefined,
  unknown: (name: string, nearest: string) => void,
): Promise<ServeOptions> {
  const { config, ...env } = fromEnvironment(process.env, unknown);
  const path = file ?? config;
  const given = [flagSource(flags), environmentSource(env, process.env)];
  return resolveSources(path === undefined ? given : [...given, await readConfig(path)]);
}

async function readConfig(path: string): Promise<OptionSource> {
  const { decodeYaml } = await import("../../value/yaml.ts");
  if (!existsSync(path)) throw new OptionError(`expected the file ${path} to exist`);
  try {
    const { value, duplicates } = decodeYaml(readFileSync(path));
    if (duplicates.length > 0) throw new Error(`${duplicates.join(", ")} is there twice`);
    return fileSource(value, path);
  } catch (error) {
    if (error instanceof OptionError) throw error;
    throw new OptionError(`expected ${path} to be YAML: ${(error as Error).message}`);
  }
}
