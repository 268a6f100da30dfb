/** The promise that nothing holds the event loop: selectors over many objects, which must be parsed to be selected. */
import { expect, test } from "vitest";
import { Cacher, type Selection, type WatchBatch } from "../../src/cache/index.ts";
import { cacheResource } from "../../src/registry/codec.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { cpuMillis } from "../../src/util/testing/cpu-time.ts";

const PREFIX = "/core/configmaps/";
const OBJECTS = 100_000;
const KIB = { text: "x".repeat(800) };

/** CPU between two turns of the loop, the longest of them. */
class Meter {
  #since = 0;
  longest = 0;
  turns = 0;

  start(): void {
    this.longest = this.turns = 0;
    this.#since = cpuMillis();
  }

  readonly pause = async (): Promise<void> => {
    this.stop();
    await new Promise((resolve) => void setImmediate(resolve));
    this.#since = cpuMillis();
  };

  stop(): void {
    this.turns++;
    this.longest = Math.max(this.longest, cpuMillis() - this.#since);
  }
}

test(
  `no turn of a list or of the start of a watch is long, however rare what is selected among ${OBJECTS} objects`,
  { timeout: 120_000 },
  async () => {
    const store = await openMemoryStore({ historyEvents: 0 });
    for (let i = 0; i < OBJECTS; i += 1000) {
      const writes = Array.from({ length: 1000 }, (_, j) => {
        const metadata = { name: `object-${i + j}`, namespace: "default", labels: { part: String((i + j) % 1000) } };
        const value = Buffer.from(JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata, data: KIB }));
        return store.write({ type: "create", key: `${PREFIX}default/object-${i + j}`, value });
      });
      await Promise.all(writes);
    }
    const meter = new Meter();
    // Each work finds entries that nobody has looked into yet.
    const open = async () =>
      (await Cacher.open(store, [cacheResource(PREFIX)], { pause: meter.pause })).resource(PREFIX);
    const filter: Selection = { id: "f", prefix: "", matches: ({ labels }) => labels["part"] === "7" };
    const equal: Selection = { id: "e", prefix: "", labels: [["part", "7"]] };
    const measured: Record<string, string> = {};
    const measure = async (what: string, work: () => Promise<number>): Promise<void> => {
      meter.start();
      expect(await work()).toBe(100);
      meter.stop();
      measured[what] = `${meter.turns} turns, the longest ${meter.longest.toFixed(1)} ms`;
      expect.soft(meter.longest, what).toBeLessThan(30);
    };

    const filtered = await open();
    await measure("list, filter", async () => (await filtered.snapshot().listInTurns(filter)).entries.length);
    await measure("again", async () => (await filtered.snapshot().listInTurns(filter)).entries.length);
    const indexed = await open();
    await measure("label index, then a list", async () => {
      await indexed.prepare(equal);
      return (await indexed.snapshot().listInTurns(equal)).entries.length;
    });
    const watched = await open();
    await measure("start of a watch", async () => {
      const { promise, resolve } = Promise.withResolvers<number>();
      let events = 0;
      const deliver = (batch: WatchBatch): void => {
        events += batch.events.length;
        if (batch.initialEnd) resolve(events);
      };
      const watch = watched.watch(filter, { initial: true }, { deliver, ended: () => resolve(-1) });
      return promise.finally(() => watch.close());
    });
    console.log(measured);
  },
);
