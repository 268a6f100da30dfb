/**
 * Runs programs of the machine: mount, mkfs, losetup and others.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { DriverError } from "../../csi/driver-error.ts";

/** The error of a program that failed or does not exist. */
export class CommandError extends DriverError {
  /** Its exit code; undefined where it did not run. */
  readonly exit: number | undefined;

  constructor(reason: string, exit: number | undefined) {
    super("Internal", reason);
    this.exit = exit;
  }
}

/** Enough for the copy of a large volume. */
const TIMEOUT_MS = 600_000;

/** Runs a program and resolves to its output. Rejects with CommandError, which has its error output. */
export function run(command: string, ...args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: TIMEOUT_MS, maxBuffer: 16 << 20, env: { ...process.env, LC_ALL: "C" } };
    execFile(command, args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const exit = typeof error.code === "number" ? error.code : undefined;
      reject(new CommandError(`${command} failed: ${stderr.trim() || error.message}`, exit));
    });
  });
}
