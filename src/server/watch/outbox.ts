import type { Steps } from "../../util/steps.ts";
import type { Loop } from "../../util/loop.ts";

/** What a watcher has to say that takes longer than others may wait: in its order, and in turns of its own. */
export class Outbox {
  readonly #loop: Loop;
  readonly #items: Steps<void>[] = [];
  readonly #failed: (error: unknown) => void;
  #emptied: Promise<void> | undefined;

  /** @param failed is told of what could not be said; nothing else is said then */
  constructor(loop: Loop, failed: (error: unknown) => void) {
    this.#loop = loop;
    this.#failed = failed;
  }

  /** Resolves when all has been said; undefined where it has. */
  get emptied(): Promise<void> | undefined {
    return this.#emptied;
  }

  /** Says something when all before has been said. */
  add(item: Steps<void>): void {
    this.#items.push(item);
    this.#emptied ??= this.#empty();
  }

  /** Forgets what has not been said. */
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
