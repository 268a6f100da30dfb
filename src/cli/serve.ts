/**
 * `keelson serve`: starts a server and runs it until it is told to stop.
 *
 * @module
 */
import { Command, Option } from "commander";
import type { Actions, FlagSpec } from "./actions.ts";

const AFTER = `
Every option is also an environment variable, and a key of the file that --config names: --event-ttl 2h is
KEELSON_EVENT_TTL=2h and event-ttl: 2h. Flags count before the environment, the environment before the file.

Examples:
  $ keelson serve --dialect kubernetes
  $ keelson serve --dev --port 0
  $ keelson serve --config keelson.yaml --feature-gates ImageVolume=false --controllers=-event-expiry`;

/** The command `serve`. */
export function serveCommand({ flags, serve }: Actions): Command {
  const command = new Command("serve")
    .summary("Start the server.")
    .description("Start the server. It makes its certificates and a kubeconfig on the first start.")
    .option("--config <FILE>", "A YAML file with the same keys as these flags. [KEELSON_CONFIG]");
  const options = flags.flatMap(optionsOf);
  for (const { option } of options) command.addOption(option);
  for (const flag of flags.filter(({ words }) => words.some(({ about }) => about !== undefined))) {
    command.addHelpText("after", `\nNames for --${flag.key}:\n${listed(flag)}`);
  }
  return command
    .addHelpText("after", AFTER)
    .action(async (given: Readonly<Record<string, string | true | undefined>>) => {
      const said: Record<string, string> = {};
      for (const { name, option } of options) {
        const value = given[option.attributeName()];
        if (value !== undefined) said[name] = String(value);
      }
      await serve(said, given["config"]?.toString());
    });
}

/** The flag under each of its names; help has one of them. */
function optionsOf({ key, also, group, value, default: preset, about, env }: FlagSpec) {
  const optionOf = (name: string): Option => new Option(`--${name} ${value === "" ? "[true|false]" : `<${value}>`}`);
  const option = optionOf(key).helpGroup(`${group}:`);
  const notes = [
    ...(also === undefined ? [] : [`Also --${also}.`]),
    ...(preset === "" ? [] : [`(default: ${preset})`]),
  ];
  option.description = [about, ...notes, `[${env}]`].join(" ");
  const alias = also === undefined ? [] : [{ name: also, option: optionOf(also).hideHelp() }];
  return [{ name: key, option }, ...alias];
}

function listed({ words }: FlagSpec): string {
  const width = Math.max(...words.map(({ word }) => word.length));
  return words.map(({ word, about = "" }) => `  ${word.padEnd(width)}  ${about}`).join("\n");
}
