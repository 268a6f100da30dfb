/**
 * Keeps the engine from compiling for speed while a process has little to do.
 *
 * What V8's compilers touch of their own code, and what they make, is some ten megabytes of memory that stay. A process that waits
 * most of the time is small without; once it has much to do they are switched on, for good.
 *
 * @module
 */
import { setFlagsFromString } from "node:v8";
import type { Clock, Timer } from "../../util/clock.ts";

const COMPILERS = ["opt", "maglev", "sparkplug"] as const;
const LOOK_MS = 1000;
/** The part of the time that a process works from which on it has much to do. */
const BUSY_PART = 0.3;
/** What loading takes does not count. */
const SETTLED_MS = 3000;

/** What is asked and told of the engine. */
export interface Engine {
  /** Milliseconds of CPU that this process has taken. */
  cpu(): number;
  /** Whether it compiles for speed from now on. */
  compile(isOn: boolean): void;
}

/** See the head of this file. */
export class CalmEngine implements Disposable {
  readonly #clock: Clock;
  readonly #engine: Engine;
  #timer: Timer;
  #cpu = 0;

  constructor(clock: Clock, engine: Engine = ofThisProcess) {
    this.#clock = clock;
    this.#engine = engine;
    engine.compile(false);
    this.#timer = this.#after(SETTLED_MS);
  }

  [Symbol.dispose](): void {
    this.#timer.cancel();
  }

  #after(millis: number): Timer {
    this.#cpu = this.#engine.cpu();
    const began = this.#clock.steady();
    const look = (): void => {
      const part = (this.#engine.cpu() - this.#cpu) / (this.#clock.steady() - began);
      if (millis === LOOK_MS && part > BUSY_PART) this.#engine.compile(true);
      else this.#timer = this.#after(LOOK_MS);
    };
    return this.#clock.after(millis, look, { owner: "calm engine", upkeep: true });
  }
}

const ofThisProcess: Engine = {
  cpu() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  compile(isOn) {
    for (const compiler of COMPILERS) setFlagsFromString(`--${isOn ? "" : "no-"}${compiler}`);
  },
};
