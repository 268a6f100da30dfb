import { type Argument, Command, type Option } from "commander";
import type { Actions } from "./actions.ts";
import type { ConnectFlags } from "./connect-flags.ts";

/** Returns the hidden command `complete`, which the scripts of `keelson completion` run. */
export function completeCommand(program: Command, actions: Actions): Command {
  return new Command("complete")
    .description("Print the completions of the last word.")
    .argument("[words...]", "The words after keelson.")
    .action(async (words: readonly string[]) => {
      const typed = words.at(-1) ?? "";
      const found = await candidates(program, actions, words.slice(0, -1), typed);
      const fitting = found.filter((word) => word.startsWith(typed));
      if (fitting.length > 0) actions.print(fitting.join("\n"));
    });
}

/** A command line before the word that is being typed. */
interface Line {
  /** Values of flags, by the names that commander gives them. */
  readonly flags: Record<string, string>;
  readonly operands: string[];
  /** The flag whose value is being typed. */
  awaits: Option | undefined;
}

async function candidates(
  program: Command,
  actions: Actions,
  [name, ...before]: readonly string[],
  typed: string,
): Promise<readonly string[]> {
  if (name === undefined)
    return program
      .createHelp()
      .visibleCommands(program)
      .map((one) => one.name());
  const command = program.commands.find((one) => one.name() === name);
  const line = command && !before.includes("--") ? lineOf(command, before) : undefined;
  if (command === undefined || line === undefined) return [];
  const [, flag, value] = /^(--[\w-]+=)(.*)$/s.exec(typed) ?? [];
  if (flag !== undefined && value !== undefined) {
    const option = optionOf(command, flag.slice(0, -1));
    return option ? (await valuesOf(option, actions, line, value)).map((word) => flag + word) : [];
  }
  if (line.awaits) return valuesOf(line.awaits, actions, line, typed);
  if (typed.startsWith("-")) return flagsOf(command);
  const { registeredArguments: known } = command;
  const argument = known[line.operands.length] ?? known.findLast((one) => one.variadic);
  return argument ? valuesOf(argument, actions, line, typed) : [];
}

const optionOf = (command: Command, flag: string): Option | undefined =>
  command.options.find(({ long, short }) => long === flag || short === flag);

const flagsOf = (command: Command): readonly string[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => long ?? []);

function lineOf(command: Command, words: readonly string[]): Line {
  const line: Line = { flags: {}, operands: [], awaits: undefined };
  for (const word of words) {
    // bash splits --flag=value into three words.
    if (line.awaits && word === "=") continue;
    const [flag = "", ...value] = word.split("=");
    const option = word.startsWith("-") ? optionOf(command, flag) : undefined;
    if (line.awaits) line.flags[line.awaits.attributeName()] = word;
    else if (option && value.length > 0) line.flags[option.attributeName()] = value.join("=");
    else if (!word.startsWith("-")) line.operands.push(word);
    line.awaits = !line.awaits && option?.required === true && value.length === 0 ? option : undefined;
  }
  return line;
}

/** Returns the values of a flag or an argument that are known here or by the server. */
async function valuesOf(
  item: Option | Argument,
  actions: Actions,
  { flags, operands }: Line,
  typed: string,
): Promise<readonly string[]> {
  if (item.argChoices) return item.argChoices;
  const name = "attributeName" in item ? item.attributeName() : item.name();
  const { words = [], value = "" } =
    actions.flags.find(({ key }) => `--${key}` === ("long" in item && item.long)) ?? {};
  if (words.length > 0) {
    // The last one of a comma separated list.
    const done = value.endsWith(",...") ? typed.slice(0, typed.lastIndexOf(",") + 1) : "";
    return words.map(({ word }) => done + word);
  }
  const { complete } = await import("./complete-run.ts");
  return complete(actions, { what: name, flags: flags as ConnectFlags, operands, typed });
}
