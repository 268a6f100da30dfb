/**
 * Programs of the machine as child processes: with a time limit, and little of what they say is kept.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { type Clock, systemClock } from "../../util/clock.ts";

/** How a program ended. */
export interface Ended {
  /** Undefined where a signal ended it. */
  readonly code: number | undefined;
  /** The first bytes of its standard output, without white space at the ends. */
  readonly output: string;
  /** The first bytes of what it said on standard error. */
  readonly said: string;
}

/** Bounds of a run. */
export interface RunOptions {
  readonly clock?: Clock;
  /** After so many milliseconds it is killed, and waited for no longer: a program that hangs in the kernel cannot be. */
  readonly timeout?: number;
  readonly signal?: AbortSignal | undefined;
}

/** A program that is not on this machine. */
export class MissingProgram extends Error {
  override readonly name = "MissingProgram";
  readonly program: string;

  constructor(program: string) {
    super(`the program ${program} is not on this machine`);
    this.program = program;
  }
}

/** A program that took longer than it may. */
export class ProgramTimeout extends Error {
  override readonly name = "ProgramTimeout";
}

const MOST_OUTPUT = 8192;
const TIMEOUT_MS = 120_000;

/** Where programs are: those of administrators are often not on the path of a service. */
const path = (): string =>
  [process.env["PATH"], "/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin"].filter(Boolean).join(delimiter);

/** The environment of programs; their sentences are looked at, so they are to be those of everywhere. */
export const programEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, PATH: path(), LC_ALL: "C" });

/**
 * Runs a program to its end, whatever its exit code.
 *
 * @throws MissingProgram where it is not there; ProgramTimeout; what the signal was aborted with
 */
export function runProgram(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { clock = systemClock, timeout = TIMEOUT_MS, signal } = options;
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: programEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [output, said] = [kept(child.stdout), kept(child.stderr)];
    const giveUp = (error: unknown): void => {
      child.kill("SIGKILL");
      child.unref();
      child.stdout.destroy();
      child.stderr.destroy();
      done(() => reject(error as Error));
    };
    const isAborted = (): void => giveUp(signal!.reason);
    const done = (tell: () => void): void => {
      timer.cancel();
      signal?.removeEventListener("abort", isAborted);
      tell();
    };
    const timer = clock.after(timeout, () => giveUp(new ProgramTimeout(`${program} took longer than ${timeout} ms`)), {
      owner: "program",
    });
    signal?.addEventListener("abort", isAborted);
    child.on("error", (error: NodeJS.ErrnoException) =>
      done(() => reject(error.code === "ENOENT" ? new MissingProgram(program) : error)),
    );
    child.on("close", (code) => done(() => resolve({ code: code ?? undefined, output: output(), said: said() })));
  });
}

/** Runs a program that has to succeed, and returns what it printed. */
export async function runWell(program: string, args: readonly string[], options?: RunOptions): Promise<string> {
  const { code, output, said } = await runProgram(program, args, options);
  if (code === 0) return output;
  const how = code === undefined ? "was killed" : `ended with code ${code}`;
  throw new Error(`${[program, ...args].join(" ")} ${how}: ${said || output || "it said nothing"}`);
}

/** Where a program is, by the same way as {@link runProgram} looks for it; undefined where it is not. */
export async function findProgram(program: string): Promise<string | undefined> {
  for (const directory of path().split(delimiter)) {
    const place = join(directory, program);
    const isThere = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return place;
  }
  return undefined;
}

/** Listens to all and keeps the beginning. */
function kept(stream: NodeJS.ReadableStream): () => string {
  let bytes = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => {
    if (bytes.length < MOST_OUTPUT) bytes = Buffer.concat([bytes, chunk]).subarray(0, MOST_OUTPUT);
  });
  return () => bytes.toString().trim();
}
