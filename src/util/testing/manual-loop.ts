import type { Loop, Slice } from "../loop.ts";

/** Work that waits in a {@link ManualLoop}. */
export interface WaitingWork {
  /** The method of the loop in which it waits. */
  readonly at: "later" | "yield" | "admit" | "admitInternal";
  /** The owner of a short job. */
  readonly owner: unknown;
}

/** Chooses what runs next: returns an index of the list, which is not empty. */
export type Choose = (waiting: readonly WaitingWork[]) => number;

/** How many passes may have nothing to choose, such as while a thread runs, before the work counts as stuck. */
const MAX_EMPTY_PASSES = 1000;

/** A loop in which a test decides what runs next. All work that may wait does so, and every slice is over at once. */
export class ManualLoop implements Loop {
  readonly #waiting: (WaitingWork & { readonly run: () => void })[] = [];

  readonly later = (run: () => void): void => {
    this.#waiting.push({ at: "later", owner: undefined, run });
  };

  async pass(): Promise<void> {
    await this.#wait("later");
    await this.#wait("later");
  }

  yield(): Promise<void> {
    return this.#wait("yield");
  }

  admit(owner: unknown): Promise<void> {
    return this.#wait("admit", owner);
  }

  admitInternal(): Promise<void> {
    return this.#wait("admitInternal");
  }

  slice(): Slice {
    return { isOver: true, pause: () => this.yield() };
  }

  runInOrder(jobs: readonly (() => void)[]): void {
    const [first, ...rest] = jobs;
    first?.();
    if (rest.length > 0) this.later(() => this.runInOrder(rest));
  }

  /** Runs the work that waits, in the order of `choose`, until `work` is done; resolves to its result. */
  async runUntil<T>(work: Promise<T>, choose: Choose): Promise<T> {
    let isDone = false;
    void Promise.allSettled([work]).then(() => (isDone = true));
    for (let empty = 0; !isDone && empty < MAX_EMPTY_PASSES;) {
      await new Promise((resolve) => void setImmediate(resolve));
      const [chosen] = this.#waiting.length === 0 ? [] : this.#waiting.splice(choose(this.#waiting), 1);
      empty = chosen ? 0 : empty + 1;
      chosen?.run();
    }
    if (!isDone) throw new Error("expected the work to end or to wait for the loop, found that it does neither");
    return work;
  }

  #wait(at: WaitingWork["at"], owner?: unknown): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push({ at, owner, run: resolve }));
  }
}
