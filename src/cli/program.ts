/**
 * The command line: one file per command, put together here.
 *
 * Commands know what to print; what they start is handed in by `app/`, which is the only room that knows everything.
 *
 * @module
 */
import { Command } from "commander";
import type { Actions } from "./actions.ts";
import { auditCommand } from "./audit.ts";
import { backupCommand } from "./backup.ts";
import { blameCommand } from "./blame.ts";
import { celCommand } from "./cel.ts";
import { certsCommand } from "./certs.ts";
import { userCommand } from "./user.ts";
import { checkCommand } from "./check.ts";
import { csiCommand } from "./csi.ts";
import { completeCommand } from "./complete.ts";
import { completionCommand } from "./completion.ts";
import { diffCommand } from "./diff.ts";
import { driverCommand } from "./driver.ts";
import { envtestCommand } from "./envtest.ts";
import { historyCommand } from "./history.ts";
import { infoCommand } from "./info.ts";
import { kubeconfigCommand } from "./kubeconfig.ts";
import { mountCommand } from "./mount.ts";
import { nodeCommand } from "./node.ts";
import { rebindCommand } from "./rebind.ts";
import { repairCommand } from "./repair.ts";
import { resolveCommand } from "./resolve.ts";
import { restoreCommand } from "./restore.ts";
import { runCommand } from "./run.ts";
import { serveCommand } from "./serve.ts";
import { typesCommand } from "./types.ts";
import { undeleteCommand } from "./undelete.ts";
import { versionCommand } from "./version.ts";
import { whoCanCommand } from "./who-can.ts";
import { whyCommand } from "./why.ts";
import { whyDeniedCommand } from "./why-denied.ts";

/** The program `keelson`. Commands throw a `CommanderError` where commander would end the process. */
export function createProgram(actions: Actions): Command {
  const program = new Command("keelson")
    .description("A cluster API service: typed resource objects, field ownership and watch.")
    .version(`keelson ${actions.version}`, "-v, --version", "Print the version.")
    .helpOption("-h, --help", "Print what a command takes.")
    .commandsGroup("Others:")
    .helpCommand("help [command]", "Print what a command takes.")
    .showSuggestionAfterError(true)
    // A flag of a command may be called as one of the program is: `types --version`.
    .enablePositionalOptions()
    .exitOverride();
  for (const [heading, commands] of Object.entries(commandsOf(actions))) {
    for (const command of commands) {
      program.addCommand(command.copyInheritedSettings(program).helpGroup(`${heading}:`));
      for (const part of command.commands) part.copyInheritedSettings(program);
    }
  }
  return program.addCommand(completeCommand(program, actions).copyInheritedSettings(program), { hidden: true });
}

/** The commands, under the headings of help. */
const commandsOf = (actions: Actions): Readonly<Record<string, readonly Command[]>> => ({
  Servers: [
    serveCommand(actions),
    nodeCommand(actions),
    csiCommand(actions),
    runCommand(actions),
    envtestCommand(actions),
    driverCommand(actions),
    infoCommand(actions),
    kubeconfigCommand(actions),
    certsCommand(actions),
    auditCommand(actions),
    userCommand(actions),
  ],
  Objects: [
    whyCommand(actions),
    blameCommand(actions),
    resolveCommand(actions),
    historyCommand(actions),
    diffCommand(actions),
    undeleteCommand(actions),
    rebindCommand(actions),
    mountCommand(actions),
  ],
  Rights: [whoCanCommand(actions), whyDeniedCommand(actions)],
  Definitions: [celCommand(actions), typesCommand(actions)],
  Stores: [backupCommand(actions), restoreCommand(actions), checkCommand(actions), repairCommand(actions)],
  Others: [versionCommand(actions), completionCommand(actions)],
});
