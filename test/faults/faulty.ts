/**
 * Runs the writer of the crash test on a file system that fails on purpose (faulty.c).
 *
 * @module
 */
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { linesOf } from "../crash/check.ts";
import type { Line } from "../crash/plan.ts";

const SOURCE = new URL("./faulty.c", import.meta.url).pathname;
const WRITER = new URL("../crash/writer.ts", import.meta.url).pathname;

/** One fault; see the head of faulty.c. */
export interface Fault {
  readonly call: "write" | "sync" | "truncate" | "rename" | "unlink" | "create";
  readonly do: "EIO" | "ENOSPC" | "EDQUOT" | "full" | "short" | "torn" | "before" | "after" | "lost";
  /** The number of the first call that fails, from 1. */
  readonly at: number;
  /** How many fail; 1 by default. */
  readonly count?: number;
  /** Only on files whose name ends so. */
  readonly file?: string;
}

/** Compiles the library into a directory; why that does not work here, if so. */
export function compileFaulty(directory: string): { library: string; reason?: undefined } | { reason: string } {
  const library = join(directory, "faulty.so");
  mkdirSync(directory, { recursive: true });
  if (process.platform !== "linux") return { reason: "LD_PRELOAD works on Linux only" };
  try {
    execFileSync("cc", ["-O1", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl", "-lpthread"], { stdio: "pipe" });
  } catch (error) {
    return { reason: `no C compiler that can make faulty.c a library: ${(error as Error).message.split("\n")[0]!}` };
  }
  const trace = join(directory, "try");
  const script = `require("node:fs").writeFileSync(${JSON.stringify(join(directory, "tried"))}, "x")`;
  spawnSync(process.execPath, ["-e", script], {
    env: { LD_PRELOAD: library, FAULTS_IN: directory, FAULTS_TRACE: trace },
  });
  return existsSync(trace) ? { library } : { reason: "this Node does not take its system calls from a library" };
}

/** How a run of the writer went. */
export interface Run {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lines: readonly Line[];
  readonly stderr: string;
}

/** What to run the writer on. */
export interface RunOptions {
  readonly library: string;
  /** The directory of the store. */
  readonly data: string;
  readonly log: string;
  readonly seed: number;
  readonly round: string;
  readonly tries: number;
  readonly fault?: Fault;
  /** Where to write down all calls. */
  readonly trace?: string;
}

/** Runs the writer until it ends, however it ends. */
export function runFaulty({ library, data, log, seed, round, tries, fault, trace }: RunOptions): Run {
  closeSync(openSync(log, "a"));
  const env: Record<string, string> = { LD_PRELOAD: library, FAULTS_IN: data, FAULTS_LOG: log };
  if (trace !== undefined) env["FAULTS_TRACE"] = trace;
  if (fault) {
    const { call, at, count = 1, file = "" } = fault;
    Object.assign(env, { FAULTS_CALL: call, FAULTS_AT: String(at), FAULTS_COUNT: String(count), FAULTS_FILE: file });
    env["FAULTS_DO"] = fault.do;
  }
  const args = [WRITER, data, log, String(seed), round, String(tries)];
  const { status, signal, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8", timeout: 60_000 });
  return { code: status, signal, lines: linesOf(log), stderr };
}
