/**
 * A container that runs as a process: its start, its end, its restarts after a pause, and its status.
 *
 * @module
 */
import { formatTime } from "../../../meta/time.ts";
import type { Clock, Timer } from "../../../util/clock.ts";
import type { Container, ContainerStatus } from "../contract.ts";
import { CREATING, waiting } from "../hold.ts";
import type { Exit, Process } from "./process.ts";
import { errorText } from "../../../util/cut-text.ts";

/** The pause before a restart doubles up to the maximum, and starts again at the minimum when the container has run for ten minutes. */
const FIRST_PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 300_000;
const RESET_AFTER_MS = 600_000;

type Terminated = NonNullable<ContainerStatus["state"]["terminated"]>;

/** Options of a run. */
export interface ContainerRunOptions {
  readonly container: Container;
  /** The status that an earlier agent has written. */
  readonly known: ContainerStatus | undefined;
  readonly clock: Clock;
  /** Starts the process. @throws where it cannot be started */
  readonly start: () => Promise<Process>;
  /** Called when the status has changed. */
  readonly onChange: () => void;
}

/** See the head of this file. */
export class ContainerRun {
  readonly container: Container;
  readonly #options: ContainerRunOptions;
  #process: Process | undefined;
  #starting: Promise<void> | undefined;
  #startedAt = 0;
  #terminated: Terminated | undefined;
  #last: Terminated | undefined;
  #restarts: number;
  #failures = 0;
  /** Why the last start failed. */
  #why: string | undefined;
  #pause: Timer | undefined;
  #isStopping = false;
  #killing: Timer | undefined;

  constructor(options: ContainerRunOptions) {
    const { container, known } = options;
    this.container = container;
    this.#options = options;
    this.#restarts = known?.restartCount ?? 0;
    this.#last = known?.lastState.terminated;
    const { running, terminated } = known?.state ?? {};
    // A container that ran when the agent stopped was stopped with it.
    const lost = running && {
      exitCode: 137,
      reason: "ContainerStatusUnknown",
      message: "the container was stopped with the agent that had started it",
      startedAt: running.startedAt ?? null,
      finishedAt: formatTime(options.clock.now()),
    };
    this.#terminated = terminated ?? lost;
  }

  get isRunning(): boolean {
    return this.#process !== undefined || this.#starting !== undefined;
  }

  /** Whether it was ever started. */
  get hasBegun(): boolean {
    return this.isRunning || this.#terminated !== undefined || this.#restarts > 0;
  }

  /** The exit code of a container that does not run. */
  get exitCode(): number | undefined {
    return this.isRunning ? undefined : this.#terminated?.exitCode;
  }

  /** Starts it: at once for the first time, after a pause when it has ended. */
  begin(): void {
    if (this.isRunning || this.#pause || this.#isStopping) return;
    if (this.#terminated === undefined && this.#why === undefined) return this.#start();
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#failures - 1, 10));
    if (this.#failures === 0) return this.#start();
    const restart = (): void => {
      this.#pause = undefined;
      this.#start();
    };
    this.#pause = this.#options.clock.after(pause, restart, { owner: `container ${this.container.name}` });
    this.#options.onChange();
  }

  /** Sends SIGTERM, and SIGKILL after a time; returns whether it has ended. */
  stop(graceMillis: number): boolean {
    this.#isStopping = true;
    this.#pause?.cancel();
    this.#pause = undefined;
    if (!this.isRunning) return true;
    if (this.#killing) return false;
    this.#process?.kill(graceMillis > 0 ? "SIGTERM" : "SIGKILL");
    const kill = (): void => this.#process?.kill("SIGKILL");
    this.#killing = this.#options.clock.after(graceMillis, kill, { owner: `container ${this.container.name}` });
    return false;
  }

  /** Kills it; resolves when it has ended. */
  async end(): Promise<void> {
    this.stop(0);
    await this.#starting;
    this.#process?.kill("SIGKILL");
    await this.#process?.ended;
  }

  get status(): ContainerStatus {
    const base = waiting(this.container, CREATING);
    const lastState = this.#last ? { terminated: this.#last } : {};
    const common = { ...base, restartCount: this.#restarts, lastState };
    if (this.#process) {
      const startedAt = formatTime(this.#startedAt);
      return { ...common, ready: true, started: true, state: { running: { startedAt } } };
    }
    if (this.#pause) {
      const reason = this.#why === undefined ? "CrashLoopBackOff" : "CreateContainerError";
      const message = this.#why ?? "the container has ended, and restarts after a pause";
      const before = this.#terminated ?? this.#last;
      return { ...common, state: { waiting: { reason, message } }, lastState: before ? { terminated: before } : {} };
    }
    if (this.#terminated) return { ...common, state: { terminated: this.#terminated } };
    return this.#why === undefined
      ? common
      : { ...common, state: { waiting: { reason: "CreateContainerError", message: this.#why } } };
  }

  #start(): void {
    if (this.#terminated) {
      this.#last = this.#terminated;
      this.#terminated = undefined;
      this.#restarts++;
    }
    this.#starting = this.#launch().finally(() => {
      this.#starting = undefined;
      this.#options.onChange();
    });
  }

  async #launch(): Promise<void> {
    const { start, clock } = this.#options;
    try {
      const process = await start();
      this.#why = undefined;
      this.#startedAt = clock.now();
      this.#process = process;
      if (this.#isStopping) process.kill("SIGKILL");
      void process.ended.then((exit) => this.#ended(exit));
    } catch (error) {
      this.#why = errorText(error);
      this.#failures++;
    }
  }

  #ended({ code, signal }: Exit): void {
    const { clock, onChange } = this.#options;
    this.#process = undefined;
    this.#killing?.cancel();
    this.#killing = undefined;
    const now = clock.now();
    this.#failures = now - this.#startedAt >= RESET_AFTER_MS ? 1 : this.#failures + 1;
    this.#terminated = {
      exitCode: code,
      ...(signal === undefined ? {} : { signal }),
      reason: code === 0 ? "Completed" : "Error",
      startedAt: formatTime(this.#startedAt),
      finishedAt: formatTime(now),
    };
    onChange();
  }
}
