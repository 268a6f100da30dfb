/**
 * The work queue of a small program over a client, as many write it by hand: one key after the other, and again a
 * little later where it failed.
 *
 * @module
 */
import type { ApiObject, Kind, Scope } from "../../../src/client/index.ts";
import { type HeldInformer, type InformerFactory, createInformers } from "../../../src/runtime/index.ts";
import type { ProgramContext } from "../../../src/testing/explore/scenario.ts";
import { sleep } from "../../../src/util/clock.ts";

const RETRY_MS = 2000;

/** Keys that wait for work. */
export class Keys {
  readonly #context: ProgramContext;
  readonly #waiting = new Set<string>();
  #wake: () => void = () => {};

  constructor(context: ProgramContext) {
    this.#context = context;
  }

  readonly add = (key: string): void => {
    this.#waiting.add(key);
    this.#wake();
  };

  /** Works until the program ends. @param retries whether a key that failed is tried again */
  async run(work: (key: string) => Promise<void>, retries: boolean = true): Promise<void> {
    const { clock, signal } = this.#context;
    signal.addEventListener("abort", () => this.#wake());
    while (!signal.aborted) {
      if (this.#waiting.size === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
      const [key] = this.#waiting;
      if (key === undefined) continue;
      this.#waiting.delete(key);
      try {
        await work(key);
      } catch {
        if (retries) clock.after(RETRY_MS, () => this.add(key));
      }
    }
  }
}

/** The informers of a program. */
export const informersOf = ({ client, clock }: ProgramContext): InformerFactory =>
  createInformers({ client, clock, seed: 1 });

/** Adds the key of each object that changes. */
export const follow = <T extends ApiObject, S extends Scope, X extends string>(
  informer: HeldInformer<T, S, X>,
  key: (object: T) => string | undefined,
  add: (key: string) => void,
): Disposable =>
  informer.on(({ object }) => {
    const found = key(object);
    if (found !== undefined) add(found);
  });

/**
 * Lists and watches a kind, and tells of each object, one after the other: present ones as ADDED, at each new list again. Where one
 * fails it lists again.
 */
export async function listAndWatch<T extends ApiObject, S extends Scope>(
  { client, clock, signal }: ProgramContext,
  kind: Kind<T, S>,
  handle: (type: "ADDED" | "MODIFIED" | "DELETED", object: T) => Promise<void>,
): Promise<void> {
  const resource = client.resource(kind);
  while (!signal.aborted) {
    const failed = new AbortController();
    let handled: Promise<unknown> = Promise.resolve();
    try {
      const { items, metadata } = await resource.list({ signal });
      for (const item of items) await handle("ADDED", item);
      const over = AbortSignal.any([signal, failed.signal]);
      for await (const { type, object } of resource.watch({
        resourceVersion: metadata.resourceVersion,
        signal: over,
      })) {
        if (type !== "BOOKMARK") handled = handled.then(() => handle(type, object)).catch(() => failed.abort());
      }
    } catch {
      // The connection broke, or the version has expired.
    }
    await handled;
    await sleep(clock, 1000, signal);
  }
}
