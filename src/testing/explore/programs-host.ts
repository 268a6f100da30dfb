/**
 * One program of a run: started, killed, started again.
 *
 * A program that is killed by a perturbation starts again after its down time. One that ends by itself starts again with a back-off that
 * doubles, as a kubelet does, in a shorter time; one that ends again and again is in a crash loop.
 *
 * @module
 */
import type { Clock, Timer } from "../../util/clock.ts";
import { type ProcessEnd, type ProcessPlace, type ProgramCommand, ProgramProcess } from "./programs-process.ts";
import type { Quiet } from "./programs-quiet.ts";

/** The back-off of a program that ends by itself, in ms, and how many ends without a rest between them are a loop. */
const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 3200;
const LOOP_ENDS = 5;
/** The length of the output in error messages. */
const TOLD_LINES = 20;
/** How long a program may take until its first request. */
const START_MS = 15_000;

/** An event of a program; `output` is the end of its output. */
export interface HostEvents {
  started(): void;
  killed(output: readonly string[]): void;
  /** It has ended by itself. */
  exited(detail: string, output: readonly string[]): void;
  /** It has ended by itself again and again, and is not started any more. */
  loops(detail: string): void;
}

/** Runs the programs of a laboratory. */
export class ProgramHost {
  readonly command: ProgramCommand;
  readonly #place: ProcessPlace;
  readonly #clock: Clock;
  readonly #quiet: Quiet;
  readonly #events: HostEvents;
  #process: ProgramProcess | undefined;
  /** Ends by itself since it was last at rest. */
  #ends = 0;
  #restart: Timer | undefined;
  #came: (() => void) | undefined;
  #isClosed = false;

  constructor(
    command: ProgramCommand,
    place: ProcessPlace,
    { clock, quiet, events }: { readonly clock: Clock; readonly quiet: Quiet; readonly events: HostEvents },
  ) {
    this.command = command;
    this.#place = place;
    this.#clock = clock;
    this.#quiet = quiet;
    this.#events = events;
  }

  get isRunning(): boolean {
    return this.#process !== undefined;
  }

  /** The end of the output of the running process. */
  get output(): readonly string[] {
    return this.#process?.output ?? [];
  }

  /** Starts it; it is not ready before its first request. */
  start(): void {
    if (this.#isClosed) return;
    this.#expect(START_MS);
    this.#events.started();
    const started = new ProgramProcess(this.command, this.#place);
    this.#process = started;
    void started.ended.then((end) => this.#ended(started, end));
  }

  /** It has sent a request: it runs. */
  seen(): void {
    this.#came?.();
    this.#came = undefined;
  }

  /** It was at rest: what happened before is forgotten. */
  rested(): void {
    this.#ends = 0;
  }

  /** Kills it; it starts again after a time, or not at all. */
  async kill(downMillis: number | undefined): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    this.#restart?.cancel();
    if (downMillis !== undefined) this.#startIn(downMillis);
    if (!process) return;
    this.#events.killed(process.output);
    await process.kill();
  }

  pause(): void {
    this.#process?.pause();
  }

  resume(): void {
    this.#process?.resume();
  }

  /** Ends it for good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#restart?.cancel();
    this.seen();
    const process = this.#process;
    this.#process = undefined;
    await process?.kill();
  }

  #startIn(millis: number): void {
    this.#expect(millis + START_MS);
    this.#restart = this.#clock.after(millis, () => this.start(), { holds: true });
  }

  /** Replaces the expectation for it. */
  #expect(millis: number): void {
    this.seen();
    this.#came = this.#quiet.expect(millis);
  }

  #ended(process: ProgramProcess, end: ProcessEnd): void {
    if (this.#process !== process || this.#isClosed) return;
    this.#process = undefined;
    this.#events.exited(endText(end), process.output);
    if (++this.#ends >= LOOP_ENDS) {
      this.seen();
      const said = process.output.slice(-TOLD_LINES);
      this.#events.loops(`it ended ${this.#ends} times, ${endText(end)}${said.map((line) => `\n  ${line}`).join("")}`);
      return;
    }
    this.#startIn(Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (this.#ends - 1)));
  }
}

const endText = ({ code, signal, error }: ProcessEnd): string =>
  error === undefined
    ? signal === undefined
      ? `exit code ${code}`
      : `signal ${signal}`
    : `it did not start: ${error}`;
