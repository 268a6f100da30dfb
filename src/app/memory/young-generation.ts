/**
 * Keeps the room that V8 gives to new objects from growing past what makes writes faster.
 *
 * V8 doubles that room whenever much of it lives on until it is full, and a load of writes makes it do so up to 64 MiB and more;
 * past some MiB nobody is served faster for it. How far it may grow can only be said before a process starts, but whether it
 * grows at all can be said at any time. So it is asked after each collection how large the room is: it grows while it is
 * small, as after a rest, when it has been given back, and stays as it is from there on.
 *
 * @module
 */
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Both halves together, of which one is in use. */
const ENOUGH_BYTES = 32 << 20;

/** What is asked and told of the engine. */
export interface NewObjects {
  /** The room for new objects, in bytes. */
  room(): number;
  /** Whether the room grows from now on. */
  grow(isOn: boolean): void;
  /** Calls after each collection of garbage, until it is disposed of. */
  collected(listener: () => void): Disposable;
}

/** See the head of this file. */
export class YoungGeneration implements Disposable {
  readonly #engine: NewObjects;
  readonly #listening: Disposable;
  #grows = true;

  constructor(engine: NewObjects = ofThisProcess) {
    this.#engine = engine;
    this.#listening = engine.collected(() => this.#look());
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
  }

  #look(): void {
    const grows = this.#engine.room() < ENOUGH_BYTES;
    if (grows === this.#grows) return;
    this.#grows = grows;
    this.#engine.grow(grows);
  }
}

const ofThisProcess: NewObjects = {
  room: () => getHeapSpaceStatistics().find((one) => one.space_name === "new_space")?.space_size ?? 0,
  grow: (isOn) => setFlagsFromString(`--semi-space-growth-factor=${isOn ? 2 : 1}`),
  collected(listener) {
    const observer = new PerformanceObserver(listener);
    observer.observe({ entryTypes: ["gc"] });
    return { [Symbol.dispose]: () => observer.disconnect() };
  },
};
