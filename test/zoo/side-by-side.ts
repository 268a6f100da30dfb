/**
 * Explores controllers in TypeScript side by side, each in a thread, as runs of one process use one CPU. What is found does not depend on
 * what runs beside it: all time is virtual.
 *
 * @module
 */
import { Worker } from "node:worker_threads";
import type { Entry } from "./entry.ts";
import type { EntryOptions, EntryResult } from "./explore-entry.ts";

/** What is asked of a thread. */
export type ThreadOrder = Omit<EntryOptions, "toolchains"> & { readonly name: string };

/** What a thread says. */
export type ThreadReply =
  | { readonly type: "explored"; readonly explored: Omit<EntryResult, "entry"> }
  | { readonly type: "failed"; readonly message: string };

/** Threads that take the next order each when they have done one. */
export class SideBySide implements AsyncDisposable {
  readonly #threads: Worker[];
  readonly #idle: Worker[];
  readonly #waiting: ((thread: Worker) => void)[] = [];

  constructor(threads: number) {
    this.#threads = Array.from(
      { length: threads },
      (_, i) => new Worker(new URL("explore-thread.ts", import.meta.url), { name: `zoo-${i}` }),
    );
    this.#idle = [...this.#threads];
  }

  /** Explores an entry as soon as a thread is idle; orders begin in the order in which they are given. */
  async explore(entry: Entry, options: Omit<EntryOptions, "toolchains">): Promise<EntryResult> {
    const thread = this.#idle.shift() ?? (await new Promise<Worker>((resolve) => this.#waiting.push(resolve)));
    const { seed, plans, mended, replays } = options;
    const order: ThreadOrder = { name: entry.name, seed, plans, mended, ...(replays !== undefined && { replays }) };
    const reply = await answerOf(thread, order);
    // A thread that has failed is not used again: the whole zoo fails with it.
    if (reply.type === "failed") throw new Error(`${entry.name} could not be explored: ${reply.message}`);
    const next = this.#waiting.shift();
    if (next) next(thread);
    else this.#idle.push(thread);
    return { entry, ...reply.explored };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }
}

async function answerOf(thread: Worker, order: ThreadOrder): Promise<ThreadReply> {
  const { promise, resolve, reject } = Promise.withResolvers<ThreadReply>();
  const ended = (code: number): void => reject(new Error(`expected a thread to go on, but it ended with code ${code}`));
  thread.on("message", resolve).on("error", reject).on("exit", ended);
  try {
    thread.postMessage(order);
    return await promise;
  } finally {
    thread.off("message", resolve).off("error", reject).off("exit", ended);
  }
}
