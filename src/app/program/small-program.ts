/**
 * The command line of one command alone.
 *
 * @module
 */
import { Command, CommanderError } from "commander";
import { CliError } from "../../cli/cli-error.ts";

const EXIT_USAGE = 2;

/** Errors that say themselves what is wrong. */
const TOLD: ReadonlySet<string> = new Set([
  "OptionError",
  "CliError",
  "KubeconfigError",
  "StatusError",
  "TransportError",
]);

/** Runs a command with the arguments after the name of the program. */
export async function runSmallProgram(command: Command, args: readonly string[]): Promise<void> {
  // Who reads may have read enough: `keelson node --help | head -1`.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  const program = new Command("keelson").enablePositionalOptions().exitOverride();
  program.addCommand(command.copyInheritedSettings(program));
  try {
    await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // What waits for a signal would keep the process.
    process.exit(tell(error));
  }
}

/** Prints an error as its kind deserves it, and answers the exit code. */
function tell(error: Error): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  const isUsage = error.name === "OptionError" || (error instanceof CliError && error.usage);
  // What the operating system refuses says itself what and where; a stack helps only with our own mistakes.
  const isKnown = isUsage || TOLD.has(error.name) || "syscall" in error;
  process.stderr.write(`keelson: ${(isKnown ? error.message : error.stack) ?? String(error)}\n`);
  return isUsage ? EXIT_USAGE : 1;
}
