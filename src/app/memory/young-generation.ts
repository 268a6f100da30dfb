/**
 * Limits the size of V8's new space, the heap for new objects.
 *
 * V8 doubles the new space when many objects survive a collection; a load of writes makes it grow to 64 MiB and more, but
 * above some MiB requests are not faster. Its maximum can only be set before a process starts; whether it grows can be
 * changed at any time. So its size is checked after each collection: it grows while it is small, also after V8 has shrunk it in
 * idle time.
 *
 * @module
 */
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Both semi-spaces together, one of which is in use. */
const MAX_BYTES = 32 << 20;

/** The new space of an engine. */
export interface NewSpace {
  /** Its size in bytes. */
  size(): number;
  /** Sets whether it grows. */
  grow(isOn: boolean): void;
  /** Notifies after each garbage collection until it is disposed of. */
  observe(onCollection: () => void): Disposable;
}

/** Limits the new space until it is disposed of. */
export class YoungGeneration implements Disposable {
  readonly #space: NewSpace;
  readonly #observer: Disposable;
  #grows = true;

  constructor(space: NewSpace = ofThisProcess) {
    this.#space = space;
    this.#observer = space.observe(() => this.#check());
  }

  [Symbol.dispose](): void {
    this.#observer[Symbol.dispose]();
  }

  #check(): void {
    const grows = this.#space.size() < MAX_BYTES;
    if (grows === this.#grows) return;
    this.#grows = grows;
    this.#space.grow(grows);
  }
}

const ofThisProcess: NewSpace = {
  size: () => getHeapSpaceStatistics().find((one) => one.space_name === "new_space")?.space_size ?? 0,
  grow: (isOn) => setFlagsFromString(`--semi-space-growth-factor=${isOn ? 2 : 1}`),
  observe(onCollection) {
    const observer = new PerformanceObserver(onCollection);
    observer.observe({ entryTypes: ["gc"] });
    return { [Symbol.dispose]: () => observer.disconnect() };
  },
};
