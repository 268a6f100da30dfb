/**
 * Work for views of thousands of objects, in slices: between two of them the page responds to its user.
 *
 * @module
 */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Slice } from "../../../src/util/loop.ts";
import { inSlices, type Steps } from "../../../src/util/steps.ts";

/** The longest slice in milliseconds: a frame of the screen has 16. */
const SLICE_MS = 8;

/** What slices need of the browser, so that tests have their own. */
export interface SliceParts {
  /** Milliseconds of a clock that only moves forward. */
  readonly steady: () => number;
  /** Calls back after input and drawing that wait. */
  readonly later: (call: () => void) => void;
}

/** Slices of the browser; a message comes back without the least wait of a timer. */
function browserSlices(): SliceParts {
  return {
    steady: () => performance.now(),
    later(call) {
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener("message", () => {
        port1.close();
        call();
      });
      port1.start();
      port2.postMessage(0);
    },
  };
}

/** Begins a slice. */
export function sliceOf({ steady, later }: SliceParts): Slice {
  let began = steady();
  const slice = {
    get isOver() {
      return steady() - began >= SLICE_MS;
    },
    pause() {
      if (!slice.isOver) return undefined;
      return new Promise<void>((resolve) => {
        later(() => {
          began = steady();
          resolve();
        });
      });
    },
  };
  return slice;
}

/** Runs steps in slices of the page; returns the result at once where one slice is enough. */
export const inPageSlices = <T>(steps: Steps<T>): T | Promise<T> => inSlices(steps, sliceOf(browserSlices()));

/** Handles one item after the other, with a step for each. */
export function* inSteps<T>(items: Iterable<T>, handle: (item: T) => void): Steps<void> {
  for (const item of items) {
    handle(item);
    yield;
  }
}

/**
 * The last result of work that is done again and again. While it is done, the result before stays, and of further work only the last is
 * done next: changes that come faster than results delay none.
 */
export class Sliced<T> {
  readonly #parts: SliceParts;
  readonly #onDone: () => void;
  #value: T | undefined;
  #next: (() => Steps<T>) | undefined;
  #isRunning = false;
  #isClosed = false;

  /** @param onDone is called after work that took more than a slice */
  constructor(onDone: () => void, parts: SliceParts = browserSlices()) {
    this.#onDone = onDone;
    this.#parts = parts;
  }

  /** The last result; undefined before the first one. */
  get value(): T | undefined {
    return this.#value;
  }

  /** Does the work, the first slice of it at once. */
  start(work: () => Steps<T>): void {
    if (this.#isRunning) {
      this.#next = work;
      return;
    }
    const { steady, later } = this.#parts;
    // Work whose result nobody waits for ends with its slice.
    const slice = sliceOf({ steady, later: (call) => later(() => void (this.#isClosed || call())) });
    const result = inSlices<T>(work(), slice);
    if (result instanceof Promise) void this.#wait(result);
    else this.#value = result;
  }

  /** What is not done yet is not shown any more. */
  close(): void {
    this.#isClosed = true;
    this.#next = undefined;
  }

  async #wait(result: Promise<T>): Promise<void> {
    this.#isRunning = true;
    try {
      this.#value = await result;
    } finally {
      this.#isRunning = false;
      const next = this.#next;
      this.#next = undefined;
      if (next && !this.#isClosed) this.start(next);
    }
    if (!this.#isClosed) this.#onDone();
  }
}

/** Does work in slices whenever its inputs change; returns the last result, undefined before the first one. */
export function useSliced<T>(work: () => Steps<T>, inputs: readonly unknown[]): T | undefined {
  const turn = useSignal(0);
  const sliced = useMemo(
    () =>
      new Sliced<T>(() => {
        turn.value++;
      }),
    [],
  );
  useEffect(() => () => sliced.close(), [sliced]);
  useMemo(() => sliced.start(work), inputs);
  void turn.value;
  return sliced.value;
}
