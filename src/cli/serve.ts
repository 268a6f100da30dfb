/**
 * `keelson serve`: starts a server and runs it until it is told to stop.
 *
 * @module
 */
import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";

/** The command `serve`. */
export function serveCommand({ flags, serve }: Actions): Command {
  const command = new Command("serve")
    .description("start the server; it makes its certificates and a kubeconfig on the first start")
    .option("--config <file>", "YAML file with the same keys as these flags");
  for (const { key, value, default: preset, about } of flags) {
    const option = new Option(
      value ? `--${key} <${value}>` : `--${key} [true|false]`,
      preset && value ? `${about} (default: ${preset})` : about,
    );
    command.addOption(option);
  }
  return command.action(async (given: Readonly<Record<string, string | true | undefined>>) => {
    const said: Record<string, string> = {};
    for (const { key } of flags) {
      const value = given[camel(key)];
      if (value !== undefined) said[key] = String(value);
    }
    await serve(said, given["config"]?.toString());
  });
}

const camel = (key: string): string => key.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
