/**
 * The program `keelson`, with one file for each command.
 *
 * Commands parse flags and print; the actions that they start come from `app/`, which imports all rooms.
 *
 * @module
 */
import { Command } from "commander";
import type { Actions } from "./actions.ts";
import { admissionCommand } from "./admission.ts";
import { applyCommand } from "./apply.ts";
import { auditCommand } from "./audit.ts";
import { backupCommand } from "./backup.ts";
import { blameCommand } from "./blame.ts";
import { celCommand } from "./cel.ts";
import { certsCommand } from "./certs.ts";
import { userCommand } from "./user.ts";
import { checkCommand } from "./check.ts";
import { consoleCommand } from "./console.ts";
import { csiCommand } from "./csi.ts";
import { completeCommand } from "./complete.ts";
import { completionCommand } from "./completion.ts";
import { diffCommand } from "./diff.ts";
import { doctorCommand } from "./doctor.ts";
import { driverCommand } from "./driver.ts";
import { envtestCommand } from "./envtest.ts";
import { exploreCommand } from "./explore.ts";
import { healthCommand } from "./health.ts";
import { historyCommand } from "./history.ts";
import { infoCommand } from "./info.ts";
import { kubeconfigCommand } from "./kubeconfig.ts";
import { mountCommand } from "./mount.ts";
import { nodeCommand } from "./node.ts";
import { planCommand } from "./plan.ts";
import { policyCommand } from "./policy.ts";
import { rebindCommand } from "./rebind.ts";
import { repairCommand } from "./repair.ts";
import { resolveCommand } from "./resolve.ts";
import { restoreCommand } from "./restore.ts";
import { runCommand } from "./run.ts";
import { serveCommand } from "./serve.ts";
import { typesCommand } from "./types.ts";
import { undeleteCommand } from "./undelete.ts";
import { upgradeCommand } from "./upgrade.ts";
import { versionCommand } from "./version.ts";
import { whoCanCommand } from "./who-can.ts";
import { whyCommand } from "./why.ts";
import { whyDeniedCommand } from "./why-denied.ts";

/** Creates the program `keelson`. Commands throw a `CommanderError` where commander would end the process. */
export function createProgram(actions: Actions): Command {
  const program = new Command("keelson")
    .description("A cluster API service: typed resource objects, field ownership and watch.")
    .version(`keelson ${actions.version}`, "-v, --version", "Print the version.")
    .helpOption("-h, --help", "Print the help of a command.")
    .commandsGroup("Others:")
    .helpCommand("help [command]", "Print the help of a command.")
    .showSuggestionAfterError(true)
    // A command may have a flag with the name of a flag of the program: `types --version`.
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

/** The commands by the headings of help. */
const commandsOf = (actions: Actions): Readonly<Record<string, readonly Command[]>> => ({
  Servers: [
    serveCommand(actions),
    nodeCommand(actions),
    csiCommand(actions),
    runCommand(actions),
    envtestCommand(actions),
    exploreCommand(actions),
    driverCommand(actions),
    infoCommand(actions),
    healthCommand(actions),
    doctorCommand(actions),
    kubeconfigCommand(actions),
    consoleCommand(actions),
    certsCommand(actions),
    auditCommand(actions),
    userCommand(actions),
  ],
  Objects: [
    planCommand(actions),
    applyCommand(actions),
    whyCommand(actions),
    admissionCommand(actions),
    blameCommand(actions),
    resolveCommand(actions),
    historyCommand(actions),
    diffCommand(actions),
    undeleteCommand(actions),
    rebindCommand(actions),
    mountCommand(actions),
  ],
  Rights: [whoCanCommand(actions), whyDeniedCommand(actions)],
  Definitions: [celCommand(actions), policyCommand(actions), typesCommand(actions)],
  Stores: [backupCommand(actions), restoreCommand(actions), checkCommand(actions), repairCommand(actions)],
  Others: [upgradeCommand(actions), versionCommand(actions), completionCommand(actions)],
});
