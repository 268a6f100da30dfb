import { Command } from "commander";
import { ignoreClosedOutput, printError, reportError } from "./report-error.ts";

/** Runs one command with the arguments after the name of the program. */
export async function runSmallProgram(command: Command, args: readonly string[]): Promise<void> {
  ignoreClosedOutput();
  const program = new Command("keelson").enablePositionalOptions().exitOverride();
  program.addCommand(command.copyInheritedSettings(program));
  try {
    await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // A pending wait for a signal would keep the process alive.
    process.exit(reportError(error, 1, printError));
  }
}
