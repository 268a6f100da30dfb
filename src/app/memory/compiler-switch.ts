/**
 * Disables V8's optimizing compilers while a process is idle.
 *
 * The compilers and their output take some ten megabytes of memory. A process that mostly waits is smaller without them; once it
 * is busy, they are enabled for good.
 *
 * @module
 */
import { setFlagsFromString } from "node:v8";
import type { Clock, Timer } from "../../util/clock.ts";

const COMPILERS = ["opt", "maglev", "sparkplug"] as const;
const POLL_INTERVAL_MS = 1000;
/** The share of CPU time from which a process is busy. */
const BUSY_SHARE = 0.3;
/** CPU time for loading the program is not measured. */
const START_DELAY_MS = 3000;

/** The engine of a process. */
export interface Engine {
  /** Milliseconds of CPU time of this process. */
  cpu(): number;
  /** Enables or disables the optimizing compilers. */
  compile(isOn: boolean): void;
}

/** Enables the compilers when the process is busy, until it is disposed of. */
export class CompilerSwitch implements Disposable {
  readonly #clock: Clock;
  readonly #engine: Engine;
  #timer: Timer;
  #cpu = 0;

  constructor(clock: Clock, engine: Engine = ofThisProcess) {
    this.#clock = clock;
    this.#engine = engine;
    engine.compile(false);
    this.#timer = this.#after(START_DELAY_MS);
  }

  [Symbol.dispose](): void {
    this.#timer.cancel();
  }

  #after(millis: number): Timer {
    this.#cpu = this.#engine.cpu();
    const began = this.#clock.steady();
    const check = (): void => {
      const share = (this.#engine.cpu() - this.#cpu) / (this.#clock.steady() - began);
      if (millis === POLL_INTERVAL_MS && share > BUSY_SHARE) this.#engine.compile(true);
      else this.#timer = this.#after(POLL_INTERVAL_MS);
    };
    return this.#clock.after(millis, check, { owner: "compiler switch", upkeep: true });
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
