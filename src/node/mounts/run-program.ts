/**
 * Runs programs of the machine as child processes, with a timeout, and keeps the beginning of their output.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { type Clock, systemClock } from "../../util/clock.ts";

/** The result of a program. */
export interface Ended {
  /** Undefined where a signal ended it. */
  readonly code: number | undefined;
  /** The first bytes of its standard output, trimmed. */
  readonly output: string;
  /** The first bytes of its standard error, trimmed. */
  readonly errors: string;
}

/** Options of a run. */
export interface RunOptions {
  readonly clock?: Clock;
  /** Milliseconds after which it is killed and not waited for: a program that hangs in the kernel does not end. */
  readonly timeout?: number;
  readonly signal?: AbortSignal | undefined;
}

/** The error of a program that is not installed. */
export class MissingProgram extends Error {
  override readonly name = "MissingProgram";
  readonly program: string;

  constructor(program: string) {
    super(`the program ${program} is not on this machine`);
    this.program = program;
  }
}

/** The error of a program that timed out. */
export class ProgramTimeout extends Error {
  override readonly name = "ProgramTimeout";
}

const MAX_OUTPUT_BYTES = 8192;
const TIMEOUT_MS = 120_000;

/** The search path for programs: those of administrators are often not on the path of a service. */
const path = (): string =>
  [process.env["PATH"], "/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin"].filter(Boolean).join(delimiter);

/** The environment of programs; their messages are not translated. */
export const programEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, PATH: path(), LC_ALL: "C" });

/**
 * Runs a program to its end, whatever its exit code.
 *
 * @throws MissingProgram where it is not installed; ProgramTimeout; the reason of the signal
 */
export function runProgram(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { clock = systemClock, timeout = TIMEOUT_MS, signal } = options;
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: programEnvironment(), stdio: ["ignore", "pipe", "pipe"] });
    const [output, errors] = [kept(child.stdout), kept(child.stderr)];
    const giveUp = (error: unknown): void => {
      child.kill("SIGKILL");
      child.unref();
      child.stdout.destroy();
      child.stderr.destroy();
      done(() => reject(error));
    };
    const isAborted = (): void => giveUp(signal?.reason);
    const done = (end: () => void): void => {
      timer.cancel();
      signal?.removeEventListener("abort", isAborted);
      end();
    };
    const timer = clock.after(timeout, () => giveUp(new ProgramTimeout(`${program} took longer than ${timeout} ms`)), {
      owner: "program",
    });
    signal?.addEventListener("abort", isAborted);
    child.on("error", (error: NodeJS.ErrnoException) =>
      done(() => reject(error.code === "ENOENT" ? new MissingProgram(program) : error)),
    );
    child.on("close", (code) => done(() => resolve({ code: code ?? undefined, output: output(), errors: errors() })));
  });
}

/** Runs a program that has to succeed, and returns its output. */
export async function runWell(program: string, args: readonly string[], options?: RunOptions): Promise<string> {
  const { code, output, errors } = await runProgram(program, args, options);
  if (code === 0) return output;
  const how = code === undefined ? "was killed" : `ended with code ${code}`;
  throw new Error(`${[program, ...args].join(" ")} ${how}: ${errors || output || "no output"}`);
}

/** The path of a program that {@link runProgram} runs; undefined where it is not installed. */
export async function findProgram(program: string): Promise<string | undefined> {
  for (const directory of path().split(delimiter)) {
    const file = join(directory, program);
    const isExecutable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return file;
  }
  return undefined;
}

/** Reads a stream to its end, and keeps the beginning. */
function kept(stream: NodeJS.ReadableStream): () => string {
  let bytes = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => {
    if (bytes.length < MAX_OUTPUT_BYTES) bytes = Buffer.concat([bytes, chunk]).subarray(0, MAX_OUTPUT_BYTES);
  });
  return () => bytes.toString().trim();
}
