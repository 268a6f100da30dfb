import type { Activity } from "../util/activity.ts";
import type { Loop, Slice } from "../util/loop.ts";

/** The parts of {@link Beginnings}. */
export interface BeginningsParts {
  readonly loop: Loop;
  /** Counts what waits. */
  readonly activity: Pick<Activity, "begin"> | undefined;
  /** Called for errors; later calls still run. */
  readonly failed: (error: unknown) => void;
}

/**
 * Begins the work of controllers, in order and in slices: many can begin at the same moment, and each then reads all objects that it
 * follows.
 */
export class Beginnings {
  readonly #parts: BeginningsParts;
  readonly #slice: Slice;
  readonly #waiting: (() => void)[] = [];
  #isRunning = false;

  constructor(parts: BeginningsParts) {
    this.#parts = parts;
    this.#slice = parts.loop.slice();
  }

  /** Calls `begin`: at once where there is time and no other caller waits, else after the callers before it. */
  add(begin: () => void): void {
    this.#waiting.push(begin);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let begin = this.#waiting.shift(); begin; begin = this.#waiting.shift()) {
      const pause = this.#slice.pause();
      // oxlint-disable-next-line no-await-in-loop -- others are served between
      if (pause) await this.#counted(pause);
      try {
        begin();
      } catch (error) {
        this.#parts.failed(error);
      }
    }
    this.#isRunning = false;
  }

  async #counted(pause: Promise<void>): Promise<void> {
    const end = this.#parts.activity?.begin("the start of controllers");
    await pause;
    end?.();
  }
}
