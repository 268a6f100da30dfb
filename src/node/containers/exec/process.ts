/**
 * The process of a container: its log, its end, and its record for an agent that starts later.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { mkdir, open, readFile, rm } from "node:fs/promises";
import { constants } from "node:os";
import { dirname } from "node:path";
import { writeWhole } from "../../whole-file.ts";
import type { Started } from "./launch.ts";
import { codeOf } from "../../../util/error.ts";

/** The end of a process. */
export interface Exit {
  readonly code: number;
  /** The number of the signal that ended it. */
  readonly signal?: number;
}

/** A running process, in a process group of its own. */
export interface Process {
  readonly pid: number;
  /** Resolves when it has ended. */
  readonly ended: Promise<Exit>;
  /** Sends a signal to the process group. */
  kill(signal: NodeJS.Signals): void;
}

/** A shell adds this to the number of a signal. */
const SIGNAL_EXIT_CODE = 128;

/** Starts a process that appends its output to a file. @throws where it cannot be started */
export async function startProcess(
  { argv: [program, ...args], cwd }: Started,
  files: { readonly log: string; readonly record: string },
  env: Readonly<Record<string, string>>,
): Promise<Process> {
  await mkdir(dirname(files.log), { recursive: true });
  await mkdir(dirname(files.record), { recursive: true });
  const log = await open(files.log, "a", 0o640);
  try {
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ["ignore", log.fd, log.fd] });
    const { promise: ended, resolve } = Promise.withResolvers<Exit>();
    child.on("close", (code, signal) => {
      const number = signal ? constants.signals[signal] : undefined;
      resolve(number === undefined ? { code: code ?? 0 } : { code: SIGNAL_EXIT_CODE + number, signal: number });
    });
    await new Promise<void>((begun, reject) => {
      child.on("spawn", begun);
      child.on("error", reject);
    });
    const pid = child.pid!;
    await writeWhole(files.record, JSON.stringify({ pid, since: await startTimeOf(pid) }));
    return { pid, ended, kill: (signal) => killGroup(pid, signal) };
  } finally {
    await log.close();
  }
}

/** Kills a process of an earlier agent, and removes its record. */
export async function killLeftover(record: string): Promise<void> {
  const text = await readFile(record, "utf8").catch(() => undefined);
  if (text === undefined) return;
  const { pid, since } = JSON.parse(text) as { readonly pid: number; readonly since: string | undefined };
  // Another process may have the same pid now.
  if (since !== undefined && (await startTimeOf(pid)) === since) killGroup(pid, "SIGKILL");
  await rm(record, { force: true });
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (codeOf(error) !== "ESRCH") throw error;
  }
}

/** The start time of a process, in clock ticks since boot; undefined where it does not exist (proc_pid_stat(5)). */
async function startTimeOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}
