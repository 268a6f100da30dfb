/**
 * Writers that write and remember what they were told, and the check that the log agrees with them.
 *
 * @module
 */
import { setTimeout as wait } from "node:timers/promises";
import { expect } from "vitest";
import { type Store, StoreError, type StoreEvent } from "../../src/storage/contract.ts";

/** What became of a write. */
export interface Outcome {
  readonly id: string;
  readonly key: string;
  /** The revision that was acknowledged; undefined when that failed. */
  readonly revision: number | undefined;
  /** How it failed; `unknown` may have happened. */
  readonly code: string | undefined;
  /** When the answer came, in ms of a steady clock. */
  readonly at: number;
}

/** Writers that run until they are stopped. */
export class Load {
  readonly outcomes: Outcome[] = [];
  readonly #stop = new AbortController();
  readonly #writers: Promise<void>[];
  readonly #pauseMillis: number;

  /** @param pauseMillis how long each writer rests after a write */
  constructor(stores: readonly Store[], writers: number, prefix: string, pauseMillis = 0) {
    this.#pauseMillis = pauseMillis;
    this.#writers = Array.from({ length: writers }, (_, i) =>
      this.#write(stores[i % stores.length]!, `${prefix}${String(i)}`),
    );
  }

  async stop(): Promise<readonly Outcome[]> {
    this.#stop.abort();
    await Promise.all(this.#writers);
    return this.outcomes;
  }

  /** Creates, updates and deletes one key in turn. */
  async #write(store: Store, key: string): Promise<void> {
    for (let n = 0; !this.#stop.signal.aborted; n++) {
      const id = `${key}#${n}`;
      const value = Buffer.from(id);
      let revision: number | undefined;
      let code: string | undefined;
      try {
        const known = await store.get(key);
        if (!known) revision = await store.write({ type: "create", key, value });
        else if (n % 5 === 4)
          revision = await store.write({ type: "delete", key, value: known.value, expected: known.revision });
        else revision = await store.write({ type: "update", key, value, expected: known.revision });
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        code = error.code;
        await wait(20);
      }
      this.outcomes.push({ id, key, revision, code, at: performance.now() });
      if (this.#pauseMillis > 0) await wait(this.#pauseMillis);
    }
  }
}

/** Every write that was acknowledged is in the log once, at its revision; whatever else is there had an unknown outcome. */
export function checkLog(events: readonly StoreEvent[], outcomes: readonly Outcome[]): void {
  const revisions = events.map((event) => event.revision);
  expect(revisions).toEqual([...new Set(revisions)].toSorted((a, b) => a - b));
  const byRevision = new Map(events.map((event) => [event.revision, event]));
  const told = new Set<number>();
  for (const { revision, key, id } of outcomes) {
    if (revision === undefined) continue;
    told.add(revision);
    const event = byRevision.get(revision);
    expect(event, `the write ${id} was acknowledged at ${revision}`).toBeDefined();
    expect(event!.key).toBe(key);
    if (event!.type === "put") expect(Buffer.from(event!.value).toString()).toBe(id);
  }
  const unknown = outcomes.filter(({ code }) => code === "unknown");
  const surprises = events.filter(({ revision }) => !told.has(revision));
  for (const { key } of surprises) expect(unknown.map((outcome) => outcome.key)).toContain(key);
  expect(surprises.length).toBeLessThanOrEqual(unknown.length);
  const last = new Map<string, number>();
  for (const { key, previousRevision, revision, type } of events) {
    expect(previousRevision).toBe(last.get(key) ?? 0);
    last.set(key, type === "delete" ? 0 : revision);
  }
}

/** The longest time in which nothing was acknowledged, in ms, between two moments. */
export function longestGap(outcomes: readonly Outcome[], from: number, to: number): number {
  const times = outcomes.filter(({ revision, at }) => revision !== undefined && at >= from && at <= to);
  const moments = [from, ...times.map(({ at }) => at).toSorted((a, b) => a - b), to];
  return Math.max(...moments.slice(1).map((at, i) => at - moments[i]!));
}
