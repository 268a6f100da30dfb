import type { Loop, Slice } from "../loop.ts";

/** Work that waits in a {@link ManualLoop}. */
export interface WaitingWork {
  /** Which method of the loop it waits in. */
  readonly at: "later" | "yield" | "admit" | "admitInternal";
  /** Of a short job. */
  readonly owner: unknown;
}

/** Decides what runs next: an index of what waits, of which there is at least one. */
export type Choose = (waiting: readonly WaitingWork[]) => number;

/** How often a work may leave nothing to choose, such as while a thread runs, before it counts as stuck. */
const MAX_EMPTY_PASSES = 1000;

/** A loop in which a test decides what runs next. Whatever may wait does wait, and every slice is over at once. */
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

  /** Runs what waits, one after the other as `choose` says, until `work` is done; resolves to its result. */
  async runUntil<T>(work: Promise<T>, choose: Choose): Promise<T> {
    let isDone = false;
    void Promise.allSettled([work]).then(() => (isDone = true));
    for (let empty = 0; !isDone && empty < MAX_EMPTY_PASSES;) {
      await new Promise((resolve) => void setImmediate(resolve));
      const [chosen] = this.#waiting.length === 0 ? [] : this.#waiting.splice(choose(this.#waiting), 1);
      empty = chosen ? 0 : empty + 1;
      chosen?.run();
    }
    if (!isDone) throw new Error("expected the work to end or to wait for the loop, it does neither");
    return work;
  }

  #wait(at: WaitingWork["at"], owner?: unknown): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push({ at, owner, run: resolve }));
  }
}
