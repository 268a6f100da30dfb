/**
 * The page of commands: what `keelson COMMAND --help` prints.
 *
 * @module
 */
import type { Command } from "commander";
import type { Actions, FlagSpec } from "../../src/cli/actions.ts";
import { EXIT_CODES } from "../../src/app/program/exit-codes.ts";
import { serveFlags } from "../../src/app/options/flags.ts";
import { createProgram } from "../../src/cli/program.ts";
import { FEATURES } from "../../src/drivers/directory/settings.ts";
import { OPTIONS } from "../../src/app/options/table.ts";
import { MADE } from "./markdown.ts";

/** The program, with defaults that are the same on every machine; it does nothing. */
export const documented = (): Command =>
  createProgram({ version: "", flags: flags(), terminal: { env: {} }, driverFeatures: FEATURES } as unknown as Actions);

/** The page. */
export function commandsPage(): [path: string, text: string] {
  const program = documented();
  const shown = program.createHelp().visibleCommands(program);
  const commands = program.commands.filter((command) => shown.includes(command));
  const sections = commands.map((command) => `## keelson ${command.name()}\n\n${helpOf(command)}`);
  const text = ["# Commands", MADE, INTRODUCTION, helpOf(program), ...sections, EXIT_CODE_TABLE];
  return ["docs/reference/commands.md", `${text.join("\n\n")}\n`];
}

const flags = (): FlagSpec[] =>
  serveFlags().map((flag) =>
    flag.key === "data-dir" ? { ...flag, default: OPTIONS["data-dir"].otherwise ?? "" } : flag,
  );

const INTRODUCTION = `What \`keelson --help\` and \`keelson COMMAND --help\` print. Guides: [run it as a service](../guides/service.md)
for \`serve\`, [the embedded store](../guides/storage.md) for commands about data and its history,
[who owns a field](../guides/ownership.md) for \`blame\` and \`resolve\`, [the testing kit](../guides/testing-kit.md#other-languages)
for \`run\`, [custom resources](../guides/custom-resources.md#types-for-typescript) for \`types\`.`;

const EXIT_CODE_TABLE = `## Exit codes

| code | meaning |
| --- | --- |
| 0 | success; \`diff\`: both are equal |
| 1 | failure: a refusal, a finding of \`check\`; \`diff\`: they differ |
| ${EXIT_CODES.usage} | the command line, the environment or the file of options is invalid; \`diff\`: an error |
| ${EXIT_CODES.store} | \`serve\`: the store has failed and the process ended, so that it acknowledges no write that is not stored |
| ${EXIT_CODES.gone} | \`serve\`: the files of the store were removed, replaced or truncated; the next start may begin with an empty store |

\`keelson run\` ends with the code of its command, or with 128 plus the number of the signal that ended it.`;

function helpOf(command: Command): string {
  let help = "";
  command.configureOutput({
    getOutHelpWidth: () => 100,
    getOutHasColors: () => false,
    writeOut: (text) => void (help += text),
  });
  command.outputHelp();
  return `\`\`\`\n${help.trim()}\n\`\`\``;
}
