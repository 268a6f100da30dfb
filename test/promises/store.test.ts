/** Promises of the stores that need two things to happen at once. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store, StoreEvent } from "../../src/storage/contract.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { openSqliteStore } from "../../src/storage/sqlite/store.ts";
import { type Clock, seededRandom, systemClock } from "../../src/util/clock.ts";
import { nextPass } from "../../src/util/testing/pass.ts";

const SEED = Number(process.env["SEED"]);
const EVENTS = 1500;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "keelson-promises-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let stores = 0;
const KINDS: readonly (readonly [string, (clock?: Clock) => Promise<Store>])[] = [
  ["memory", async () => openMemoryStore()],
  ["sqlite", (clock = systemClock) => openSqliteStore({ directory: join(directory, String(stores++)), clock })],
];

/** The events of one watch, or its end. */
interface Watched {
  readonly after: number;
  readonly events: StoreEvent[];
  ended: string | undefined;
}

function startWatch(store: Store, prefix: string, after: number): Watched {
  const watched: Watched = { after, events: [], ended: undefined };
  store.watch(prefix, after, {
    events: (batch) => void watched.events.push(...batch),
    ended: ({ code }) => {
      watched.ended = code;
    },
  });
  return watched;
}

describe.each(KINDS)("%s", (_, open) => {
  test("whatever is compacted meanwhile, a watch from any revision gets exactly the events after it, or ends with compacted or future", async () => {
    console.log(`compaction and watches: SEED=${SEED}`);
    const random = seededRandom(SEED);
    const store = await open();
    const whole = startWatch(store, "", 0);
    const watches: Watched[] = [];
    let running = true;
    const pass = async (events: number): Promise<void> => {
      for (const until = whole.events.length + events; running && whole.events.length < until;) await nextPass();
    };
    const write = async (key: string): Promise<void> => {
      for (let expected = 0; running;) {
        const value = Buffer.from(`${key} ${expected}`);
        const remove = expected > 0 && random.next() < 0.2;
        const type = expected === 0 ? "create" : remove ? "delete" : "update";
        const revision = await store.write(type === "create" ? { type, key, value } : { type, key, value, expected });
        expected = remove ? 0 : revision;
        await nextPass();
      }
    };
    const compact = async (): Promise<void> => {
      while (running) {
        await store.compact(Math.max(0, store.revision - Math.floor(random.next() * 40)));
        await pass(50);
      }
    };
    const watch = async (): Promise<void> => {
      while (whole.events.length < EVENTS) {
        const after = Math.max(0, store.revision + Math.floor(random.next() * 110) - 100);
        watches.push(startWatch(store, "", after));
        await pass(15);
      }
      running = false;
    };
    await Promise.all([...Array.from({ length: 10 }, (__, i) => write(`k/${i}`)), compact(), watch()]);
    await expect.poll(() => watches.filter((one) => !complete(one, store.revision))).toEqual([]);
    expect(whole.events.map(({ revision }) => revision)).toEqual(whole.events.map((__, i) => i + 1));
    for (const { after, events, ended } of watches) {
      // What ends with an error may have shown the beginning, but nothing wrong.
      expect(events).toEqual(whole.events.slice(after, after + events.length));
      expect([undefined, "compacted", "future"]).toContain(ended);
    }
    const ends = new Set(watches.map(({ ended }) => ended));
    expect(ends).toContain(undefined);
    expect(ends).toContain("compacted");
    await store.close();
  });

  test("whatever the clock of the machine does, revisions grow, events are in order and nothing that is there is forgotten", async () => {
    let now = 1_700_000_000_000;
    const jumps = [0, 3_600_000, -3_600_000, 315_000_000_000, -630_000_000_000, 200, -200];
    const clock: Clock = {
      ...systemClock,
      now: () => now,
      steady: () => systemClock.steady(),
      after: systemClock.after.bind(systemClock),
    };
    const store = await open(clock);
    const watched = startWatch(store, "", 0);
    let last = 0;
    for (let i = 0; i < 70; i++) {
      now += jumps[i % jumps.length]!;
      const revision = await store.write({ type: "create", key: `k${i}`, value: Buffer.from(String(i)) });
      expect(revision).toBe(last + 1);
      last = revision;
    }
    expect(watched.events.map(({ revision }) => revision)).toEqual(Array.from({ length: 70 }, (__, i) => i + 1));
    expect((await store.range("k")).records).toHaveLength(70);
    await store.close();
  });
});

/** Whether a watch has all that there is, or has ended. */
const complete = ({ after, events, ended }: Watched, revision: number): boolean =>
  ended !== undefined || (events.at(-1)?.revision ?? after) >= revision;
