import { CommanderError } from "commander";
import { CliError } from "../../cli/cli-error.ts";
import { printableLines } from "../../util/terminal.ts";
import { EXIT_CODES } from "./exit-codes.ts";

/** Errors whose message is for the user. They are known by name, so that no small program loads their modules. */
const USER_ERRORS: ReadonlySet<string> = new Set([
  "ApplyError",
  "CliError",
  "KubeconfigError",
  "ObjectError",
  "PkiError",
  "StatusError",
  "StoreError",
  "TransportError",
]);

/**
 * Prints an error and returns the exit code: an expected error with its message, any other one with its stack.
 *
 * @param failed the exit code unless the command line is wrong
 */
export function reportError(error: Error, failed: number, print: (message: string) => void): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_CODES.usage;
  const isUsage = error.name === "OptionError" || (error instanceof CliError && error.usage);
  const isExpected = isUsage || USER_ERRORS.has(error.name) || "syscall" in error;
  const told = isExpected && isRefused(error) ? `${error.message}; ${NOTHING_LISTENS}` : error.message;
  print((isExpected ? told : error.stack) ?? String(error));
  return isUsage ? EXIT_CODES.usage : failed;
}

const NOTHING_LISTENS = "nothing listens there: start the server, or use the kubeconfig of another one";

/** Whether an error, or what caused it, is a connection that was refused. */
function isRefused(error: Error): boolean {
  if ("code" in error && error.code === "ECONNREFUSED") return true;
  return error.cause instanceof Error && error.cause !== error && isRefused(error.cause);
}

/** Prints a message on standard error. */
export const printError = (message: string): void => void process.stderr.write(`keelson: ${printableLines(message)}\n`);

/** Ignores that the reader of standard output has closed it, as in `keelson serve --help | head -1`. */
export function ignoreClosedOutput(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}
