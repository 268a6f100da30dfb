import type { Steps } from "../../util/steps.ts";
import type { Loop } from "../../util/loop.ts";

/** What a watcher writes that takes longer than others may wait: in its order, and in turns of its own. */
export class Outbox {
  readonly #loop: Loop;
  readonly #items: Steps<void>[] = [];
  readonly #failed: (error: unknown) => void;
  #emptied: Promise<void> | undefined;

  /** @param failed takes the error of what could not be written; nothing else is written then */
  constructor(loop: Loop, failed: (error: unknown) => void) {
    this.#loop = loop;
    this.#failed = failed;
  }

  /** Resolves when all has been written; undefined where it has. */
  get emptied(): Promise<void> | undefined {
    return this.#emptied;
  }

  /** Writes an item when all before has been written. */
  add(item: Steps<void>): void {
    this.#items.push(item);
    this.#emptied ??= this.#empty();
  }

  /** Drops what has not been written. */
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
