/**
 * Runs short programs in a shell, which is a small process.
 *
 * The start of a program copies the whole process that starts it, and its event loop waits meanwhile: milliseconds for each
 * mount of a node. A shell is small. It runs one program at a time, so it is only for programs that end soon.
 *
 * @module
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Socket } from "node:net";
import type { Clock, Timer } from "../../util/clock.ts";
import { ProgramTimeout, programEnvironment, runWell } from "./run-program.ts";

/** Stands between the output of a program and its exit code, which ends with a newline. */
const MARK = "\u0001";
/** An idle shell ends after this. */
const IDLE_MS = 5000;
const MAX_OUTPUT_LENGTH = 8192;

interface Pending {
  readonly resolve: (result: { readonly code: number; readonly output: string }) => void;
  readonly reject: (error: Error) => void;
}

/** The pipes of a shell are sockets, which can be unreferenced. */
type Child = ChildProcessByStdio<Socket, Socket, null>;

/** See the head of this file. */
export class Shell {
  readonly #clock: Clock;
  readonly #timeout: number;
  #child: Child | undefined;
  #pending: Pending[] = [];
  #output = "";
  #idle: Timer | undefined;
  #late: Timer | undefined;

  /** @param timeout milliseconds after which a program times out, and the shell is killed */
  constructor(clock: Clock, timeout: number) {
    this.#clock = clock;
    this.#timeout = timeout;
  }

  /** Runs a program that has to succeed, after the earlier ones. */
  async run(program: string, args: readonly string[]): Promise<string> {
    const { code, output } = await this.#send([program, ...args].map(quoted).join(" "));
    if (code === 0) return output.trim();
    // The program is not installed: `runProgram` has the error for that.
    if (code === 127) return runWell(program, args, { clock: this.#clock, timeout: this.#timeout });
    throw new Error(`${[program, ...args].join(" ")} ended with code ${code}: ${output.trim() || "no output"}`);
  }

  #send(command: string): Promise<{ readonly code: number; readonly output: string }> {
    return new Promise((resolve, reject) => {
      this.#idle?.cancel();
      this.#pending.push({ resolve, reject });
      if (this.#pending.length === 1) this.#startTimeout();
      const child = this.#open();
      child.stdout.ref();
      child.stdin.write(`${command} </dev/null 2>&1; printf '\\001%d\\n' $?\n`);
    });
  }

  #open(): Child {
    if (this.#child) return this.#child;
    const child = spawn("/bin/sh", [], { env: programEnvironment(), stdio: ["pipe", "pipe", "ignore"] }) as Child;
    this.#child = child;
    this.#output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    const fail = (error: Error): void => this.#end(child, error);
    child.on("error", fail);
    child.stdin.on("error", fail);
    child.on("close", () => fail(new Error("the shell that mounts has ended")));
    // It ends with this process, and keeps it alive only during a program.
    child.unref();
    child.stdin.unref();
    child.stdout.unref();
    return child;
  }

  #read(text: string): void {
    this.#output += text;
    for (let end = this.#nextResult(); end; end = this.#nextResult()) {
      const [output, code, length] = end;
      this.#output = this.#output.slice(length);
      this.#late?.cancel();
      this.#pending.shift()?.resolve({ code, output });
      if (this.#pending.length > 0) this.#startTimeout();
      else this.#rest();
    }
    if (this.#output.length > MAX_OUTPUT_LENGTH) this.#output = this.#output.slice(-MAX_OUTPUT_LENGTH);
  }

  /** The output of the program, its exit code, and the length of both; undefined while it runs. */
  #nextResult(): readonly [output: string, code: number, length: number] | undefined {
    const mark = this.#output.indexOf(MARK);
    const line = mark < 0 ? -1 : this.#output.indexOf("\n", mark);
    if (line < 0) return undefined;
    return [this.#output.slice(0, mark), Number(this.#output.slice(mark + 1, line)), line + 1];
  }

  #startTimeout(): void {
    const timeOut = (): void =>
      this.#end(this.#child, new ProgramTimeout(`a mount took longer than ${this.#timeout} ms`));
    this.#late = this.#clock.after(this.#timeout, timeOut, { owner: "mounts" });
  }

  #rest(): void {
    this.#child?.stdout.unref();
    this.#idle = this.#clock.after(IDLE_MS, () => this.#end(this.#child, new Error("the shell is idle")), {
      owner: "mounts",
    });
  }

  /** Ends a shell and rejects its pending programs; the next one starts another shell. */
  #end(child: Child | undefined, error: Error): void {
    if (!child || child !== this.#child) return;
    this.#child = undefined;
    this.#late?.cancel();
    child.stdin.destroy();
    if (error instanceof ProgramTimeout) child.kill("SIGKILL");
    for (const { reject } of this.#pending.splice(0)) reject(error);
  }
}

/** A word quoted for a shell. */
export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
