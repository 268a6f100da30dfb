/**
 * Runs short programs from a small process beside this one.
 *
 * To start a program, the whole process that starts it is copied, and its event loop stands still meanwhile: milliseconds for each of
 * the many mounts of a node. A shell is small. It runs one program at a time, so only what is known to end soon is for it.
 *
 * @module
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Socket } from "node:net";
import type { Clock, Timer } from "../../util/clock.ts";
import { ProgramTimeout, programEnvironment, runWell } from "./run-program.ts";

/** What ends the answer of a program: what it said, this, its exit code, and the end of the line. */
const MARK = "\u0001";
/** A shell that nobody has asked for so long ends. */
const IDLE_MS = 5000;
const MOST_OUTPUT = 8192;

interface Asked {
  readonly resolve: (answer: { readonly code: number; readonly said: string }) => void;
  readonly reject: (error: Error) => void;
}

/** Its pipes are sockets, which may be let go of. */
type Child = ChildProcessByStdio<Socket, Socket, null>;

/** See the head of this file. */
export class Shell {
  readonly #clock: Clock;
  readonly #timeout: number;
  #child: Child | undefined;
  #asked: Asked[] = [];
  #said = "";
  #idle: Timer | undefined;
  #late: Timer | undefined;

  /** @param timeout milliseconds after which a program that has not ended is given up, and the shell with it */
  constructor(clock: Clock, timeout: number) {
    this.#clock = clock;
    this.#timeout = timeout;
  }

  /** Runs a program that has to succeed, after those that were asked for before. */
  async run(program: string, args: readonly string[]): Promise<string> {
    const { code, said } = await this.#ask([program, ...args].map(quoted).join(" "));
    if (code === 0) return said.trim();
    // Where a shell finds no program, whoever runs programs says it as elsewhere.
    if (code === 127) return runWell(program, args, { clock: this.#clock, timeout: this.#timeout });
    throw new Error(`${[program, ...args].join(" ")} ended with code ${code}: ${said.trim() || "it said nothing"}`);
  }

  #ask(command: string): Promise<{ readonly code: number; readonly said: string }> {
    return new Promise((resolve, reject) => {
      this.#idle?.cancel();
      this.#asked.push({ resolve, reject });
      if (this.#asked.length === 1) this.#watchTime();
      const child = this.#open();
      child.stdout.ref();
      child.stdin.write(`${command} </dev/null 2>&1; printf '\\001%d\\n' $?\n`);
    });
  }

  #open(): Child {
    if (this.#child) return this.#child;
    const child = spawn("/bin/sh", [], { env: programEnvironment(), stdio: ["pipe", "pipe", "ignore"] }) as Child;
    this.#child = child;
    this.#said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => this.#hear(text));
    const fail = (error: Error): void => this.#end(child, error);
    child.on("error", fail);
    child.stdin.on("error", fail);
    child.on("close", () => fail(new Error("the shell that mounts has ended")));
    // It ends with this process, which it keeps alive only while somebody waits for its answer.
    child.unref();
    child.stdin.unref();
    child.stdout.unref();
    return child;
  }

  #hear(text: string): void {
    this.#said += text;
    for (let end = this.#endOfAnswer(); end; end = this.#endOfAnswer()) {
      const [said, code, length] = end;
      this.#said = this.#said.slice(length);
      this.#late?.cancel();
      this.#asked.shift()?.resolve({ code, said });
      if (this.#asked.length > 0) this.#watchTime();
      else this.#rest();
    }
    if (this.#said.length > MOST_OUTPUT) this.#said = this.#said.slice(-MOST_OUTPUT);
  }

  /** What the program said, its exit code, and how many characters that is; undefined while it has not ended. */
  #endOfAnswer(): readonly [said: string, code: number, length: number] | undefined {
    const mark = this.#said.indexOf(MARK);
    const line = mark < 0 ? -1 : this.#said.indexOf("\n", mark);
    if (line < 0) return undefined;
    return [this.#said.slice(0, mark), Number(this.#said.slice(mark + 1, line)), line + 1];
  }

  #watchTime(): void {
    const give = (): void => this.#end(this.#child, new ProgramTimeout(`a mount took longer than ${this.#timeout} ms`));
    this.#late = this.#clock.after(this.#timeout, give, { owner: "mounts" });
  }

  #rest(): void {
    this.#child?.stdout.unref();
    this.#idle = this.#clock.after(IDLE_MS, () => this.#end(this.#child, new Error("the shell rests")), {
      owner: "mounts",
    });
  }

  /** Ends a shell; who waits for its answers is told why there are none, and the next one who asks begins another. */
  #end(child: Child | undefined, error: Error): void {
    if (!child || child !== this.#child) return;
    this.#child = undefined;
    this.#late?.cancel();
    child.stdin.destroy();
    if (error instanceof ProgramTimeout) child.kill("SIGKILL");
    for (const { reject } of this.#asked.splice(0)) reject(error);
  }
}

/** A word as a shell reads it back. */
export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
