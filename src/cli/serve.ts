import { Command, Option } from "commander";
import type { Actions, FlagSpec } from "./actions.ts";

const AFTER = `
Every option is also an environment variable, and a key of the file of --config: --event-ttl 2h is
KEELSON_EVENT_TTL=2h and event-ttl: 2h. Flags win over the environment, the environment over the file.

Examples:
  $ keelson serve --dialect kubernetes
  $ keelson serve --dev --port 0
  $ keelson serve --dev --dialect kubernetes --nodes 3,zone=a,zone=b --speed 60
  $ keelson serve --config keelson.yaml --feature-gates ImageVolume=false --controllers=-event-expiry`;

/** Returns the command `serve`, which runs a server. */
export function serveCommand({ flags, serve }: Actions): Command {
  const command = new Command("serve")
    .summary("Start the server.")
    .description("Start the server. It creates its certificates and a kubeconfig on the first start.")
    .option("--config <FILE>", "A YAML file with the same keys as these flags. [KEELSON_CONFIG]");
  const options = flags.flatMap(optionsOf);
  for (const { option } of options) command.addOption(option);
  for (const flag of flags.filter(({ words }) => words.some(({ about }) => about !== undefined))) {
    command.addHelpText("after", `\nNames for --${flag.key}:\n${listed(flag)}`);
  }
  return command
    .addHelpText("after", AFTER)
    .action(async (values: Readonly<Record<string, string | true | undefined>>) => {
      const texts: Record<string, string> = {};
      for (const { name, option } of options) {
        const value = values[option.attributeName()];
        if (value !== undefined) texts[name] = String(value);
      }
      await serve(texts, values["config"]?.toString());
    });
}

/** Returns an option for each name of a flag; help has only the first. */
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
