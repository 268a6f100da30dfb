import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Heap, type HeapItem } from "./heap.ts";

interface Item extends HeapItem {
  readonly key: number;
}

/** Deletes all items, from the first on. */
function emptied(heap: Heap<Item>): number[] {
  const keys: number[] = [];
  for (let first = heap.first; first; first = heap.first) {
    heap.delete(first);
    keys.push(first.key);
  }
  return keys;
}

describe("Heap", () => {
  test("returns its items in order, after any additions and deletions", () => {
    const steps = fc.array(fc.record({ key: fc.integer({ min: 0, max: 20 }), takes: fc.option(fc.nat()) }));
    fc.assert(
      fc.property(steps, (all) => {
        const heap = new Heap<Item>((a, b) => a.key < b.key);
        const there: Item[] = [];
        for (const { key, takes } of all) {
          const item = { key, heapIndex: -1 };
          heap.add(item);
          there.push(item);
          if (takes !== null) heap.delete(there.splice(takes % there.length, 1)[0]!);
          expect([...heap.values()].every((each, at) => each.heapIndex === at)).toBe(true);
        }
        expect([...heap.values()]).toHaveLength(there.length);
        expect(emptied(heap)).toEqual(there.map((item) => item.key).toSorted((a, b) => a - b));
      }),
    );
  });

  test("an item that is not in the heap cannot be deleted, nor twice", () => {
    const heap = new Heap<Item>((a, b) => a.key < b.key);
    const [one, two] = [
      { key: 1, heapIndex: -1 },
      { key: 2, heapIndex: -1 },
    ];
    heap.add(one);
    expect([heap.delete(two), heap.delete(one), heap.delete(one)]).toEqual([false, true, false]);
    expect(heap.first).toBeUndefined();
  });
});
