import type { Steps } from "../../util/steps.ts";
import type { Loop } from "../../util/loop.ts";

/** The batches of a watcher that take longer than one slice to write: in order, each in slices of its own. */
export class Outbox {
  readonly #loop: Loop;
  readonly #items: Steps<void>[] = [];
  readonly #failed: (error: unknown) => void;
  #emptied: Promise<void> | undefined;

  /** @param failed receives the error of a write that failed; nothing else is written then */
  constructor(loop: Loop, failed: (error: unknown) => void) {
    this.#loop = loop;
    this.#failed = failed;
  }

  /** Resolves when all has been written; undefined where it has. */
  get emptied(): Promise<void> | undefined {
    return this.#emptied;
  }

  /** Writes an item when all items before it have been written. */
  add(item: Steps<void>): void {
    this.#items.push(item);
    this.#emptied ??= this.#empty();
  }

  /** Drops the items that have not been written. */
  clear(): void {
    this.#items.length = 0;
  }

  async #empty(): Promise<void> {
    await this.#loop.yield();
    const limit = this.#loop.slice();
    try {
      for (let item = this.#items[0]; item; item = this.#items[0]) {
        if (item.next().done) this.#items.shift();
        if (limit.isOver) await limit.pause();
      }
    } catch (error) {
      this.clear();
      this.#failed(error);
    }
    this.#emptied = undefined;
  }
}
