/**
 * Programs of the machine that a driver needs: mount, mkfs, losetup and their like.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { DriverError } from "../../csi/driver-error.ts";

/** A program that failed, or is not there. */
export class CommandError extends DriverError {
  /** Its exit code; undefined where it did not run. */
  readonly exit: number | undefined;

  constructor(reason: string, exit: number | undefined) {
    super("Internal", reason);
    this.exit = exit;
  }
}

/** How long a program may take: the largest copies are the slowest. */
const LONGEST_MS = 600_000;

/** Runs a program and resolves to what it printed. Rejects with CommandError, which says what the program said. */
export function run(command: string, ...args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: LONGEST_MS, maxBuffer: 16 << 20, env: { ...process.env, LC_ALL: "C" } };
    execFile(command, args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const exit = typeof error.code === "number" ? error.code : undefined;
      const said = stderr.trim() || error.message;
      reject(new CommandError(`${command} failed: ${said}`, exit));
    });
  });
}
