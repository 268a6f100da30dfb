import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { OrderedIndex } from "./ordered-index.ts";

interface Probe {
  readonly key: number;
}
interface Item extends Probe {
  readonly value: number;
}
const compare = (a: Probe, b: Probe): number => a.key - b.key;

function contents(index: OrderedIndex<Probe, Item>, from?: number): Item[] {
  const items: Item[] = [];
  index.scan(from === undefined ? undefined : { key: from }, (item) => items.push(item) > 0);
  return items;
}

/** Compares all methods of an index with a sorted map. */
function expectSame(index: OrderedIndex<Probe, Item>, model: ReadonlyMap<number, Item>): void {
  const sorted = [...model.values()].toSorted(compare);
  expect(index.size).toBe(sorted.length);
  expect(contents(index)).toEqual(sorted);
  for (const key of [-1, 0, 17, 250, 499, 1000]) {
    expect(index.get({ key })).toBe(model.get(key));
    expect(index.rank({ key })).toBe(sorted.filter((item) => item.key < key).length);
    expect(contents(index, key)).toEqual(sorted.filter((item) => item.key >= key));
  }
}

const command = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant("set" as const), key: fc.nat(500), count: fc.nat(40) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("delete" as const), key: fc.nat(500), count: fc.nat(60) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("clone" as const), key: fc.nat(), count: fc.nat() }) },
);

describe("an ordered index", () => {
  test("holds the same as a sorted map, and so do all clones, whatever changes in others", () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 80 }), (commands) => {
        const worlds = [{ index: new OrderedIndex<Probe, Item>(compare), model: new Map<number, Item>() }];
        let value = 0;
        for (const { type, key, count } of commands) {
          const world = worlds[(key + count) % worlds.length]!;
          if (type === "clone") {
            worlds.push({ index: world.index.clone(), model: new Map(world.model) });
            continue;
          }
          for (let k = key; k < key + count; k++) {
            const item = { key: k, value: value++ };
            const taken = type === "set" ? world.index.set(item) : world.index.delete(item);
            expect(taken).toBe(world.model.get(k));
            if (type === "set") world.model.set(k, item);
            else world.model.delete(k);
          }
        }
        for (const { index, model } of worlds) expectSame(index, model);
      }),
      { numRuns: 150 },
    );
  });

  test("can be built from sorted items of any number and changed afterwards", () => {
    for (const length of [0, 1, 23, 24, 25, 49, 577, 5000]) {
      const items = Array.from({ length }, (_, key) => ({ key: key * 2, value: key }));
      const index = OrderedIndex.build<Probe, Item>(compare, items);
      const model = new Map(items.map((item) => [item.key, item]));
      expectSame(index, model);
      for (let key = 0; key < length * 2; key += 3) {
        const item = { key, value: -key };
        index.set(item);
        model.set(key, item);
      }
      expectSame(index, model);
    }
  });

  test("is empty when all items were deleted, in any order", () => {
    for (const order of [1, 7, 4999]) {
      const index = new OrderedIndex<Probe, Item>(compare);
      for (let i = 0; i < 5000; i++) index.set({ key: (i * 13) % 5000, value: i });
      for (let i = 0; i < 5000; i++) expect(index.delete({ key: (i * order) % 5000 })).toBeDefined();
      expect(index.size).toBe(0);
      expect(contents(index)).toEqual([]);
    }
  });

  test("stops a scan when the visitor returns false", () => {
    const index = new OrderedIndex<Probe, Item>(compare);
    for (let key = 0; key < 1000; key++) index.set({ key, value: 0 });
    const seen: number[] = [];
    index.scan({ key: 500 }, (item) => seen.push(item.key) < 3);
    expect(seen).toEqual([500, 501, 502]);
  });
});
