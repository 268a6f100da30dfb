import { describe, expect, test } from "vitest";
import type { Entry } from "./entry.ts";
import { type ListPart, PART, type Snapshot } from "./snapshot.ts";
import {
  ALL,
  type TestCache,
  testCache,
  inNamespace,
  keysOf,
  one,
  untilIdle,
  withField,
  withLabel,
} from "./testing/fixtures.ts";

const names = (count: number, namespace = "a"): string[] =>
  Array.from({ length: count }, (_, i) => `${namespace}/${String(i).padStart(5, "0")}`);

/** A cache with `count` objects, of which the i-th has the label `part=<i mod parts>` and the field of that name. */
async function filled(count: number, parts: number): Promise<TestCache> {
  const cache = await testCache();
  cache.put(
    ...names(count).map((key, i) => {
      const part = String(i % parts);
      return [key, { labels: { part, all: "yes" }, fields: { part } }] as const;
    }),
  );
  return cache;
}

describe("lists", () => {
  test("DEC-4: objects are sorted by the bytes of namespace/name: a-x before a, a before a0, and by code points beyond", async () => {
    const { things, put } = await testCache();
    put(["a0/x", {}], ["a/z", {}], ["a-x/y", {}], ["a/a", {}], ["\u{1f389}", {}], ["\uff01", {}], ["\u00e9", {}]);
    expect(keysOf(things.snapshot().list(ALL).entries)).toEqual([
      "a-x/y",
      "a/a",
      "a/z",
      "a0/x",
      "\u00e9",
      "\uff01",
      "\u{1f389}",
    ]);
  });

  test("a namespace, a single object and nothing at all", async () => {
    const { things, put } = await testCache();
    put(["ns/foo", {}], ["ns/foobar", {}], ["ns-bad/foo", {}], ["n/foo", {}]);
    const snapshot = things.snapshot();
    expect(keysOf(snapshot.list(inNamespace("ns")).entries)).toEqual(["ns/foo", "ns/foobar"]);
    expect(keysOf(snapshot.list(one("ns/foo")).entries)).toEqual(["ns/foo"]);
    expect(keysOf(snapshot.list({ ...one("ns/foo"), ...withField("phase", "on") }).entries)).toEqual([]);
    expect(keysOf(snapshot.list({ ...one("ns/foo"), prefix: "" }, { after: "ns/foo" }).entries)).toEqual([]);
    expect(snapshot.list(inNamespace("s"))).toEqual({ entries: [], more: false, next: undefined });
    expect(things.get("ns/foo")?.revision).toBe(1);
    expect(things.get("ns/fo")).toBeUndefined();
  });

  test("DEC-25: pages join up to the list, and say how much is left only when nothing is filtered", async () => {
    const { things } = await filled(1000, 3);
    const snapshot = things.snapshot();
    for (const selection of [ALL, inNamespace("a"), withLabel("part", "1"), withField("part", "1")]) {
      const whole = keysOf(snapshot.list(selection).entries);
      for (const limit of [1, 7, 333, 334, 999, 1000, 1001]) {
        const keys: string[] = [];
        let after: string | undefined;
        do {
          const page = snapshot.list(selection, { limit, ...(after === undefined ? {} : { after }) });
          keys.push(...keysOf(page.entries));
          const filtered = selection.labels !== undefined || selection.matches !== undefined;
          // With a selection, the next page determines whether one of the following entries matches.
          expect(page.more || keys.length === whole.length).toBe(true);
          expect(page.more && keys.length === whole.length && !filtered).toBe(false);
          expect(page.remaining).toBe(page.more && !filtered ? whole.length - keys.length : undefined);
          after = page.next;
        } while (after !== undefined);
        expect(keys).toEqual(whole);
      }
    }
  });

  test("a page may start anywhere, also at a key that is not there, before the prefix or behind it", async () => {
    const { things, put } = await testCache();
    put(["a/x", {}], ["b/m", {}], ["b/p", {}], ["c/x", {}]);
    const keys = (after: string): string[] => keysOf(things.snapshot().list(inNamespace("b"), { after }).entries);
    expect([keys("a/z"), keys("b/n"), keys("b/p"), keys("c/a"), keys("")]).toEqual([
      ["b/m", "b/p"],
      ["b/p"],
      [],
      [],
      ["b/m", "b/p"],
    ]);
  });

  test("a budget bounds how many are looked at for a rare object; the list goes on from there", async () => {
    const { things } = await filled(1000, 1000);
    const rare = withField("part", "999");
    const snapshot = things.snapshot();
    let after: string | undefined;
    const found: string[] = [];
    let pages = 0;
    do {
      const page = snapshot.list(rare, { limit: 1, budget: 100, ...(after === undefined ? {} : { after }) });
      found.push(...keysOf(page.entries));
      after = page.next;
      pages++;
    } while (after !== undefined);
    expect(found).toEqual(["a/00999"]);
    expect(pages).toBe(10);
  });

  test.each([undefined, 1, 7, 40, 1000])("a list in slices equals a list, with a limit of %s", async (limit) => {
    const { things } = await filled(5000, 100);
    const snapshot = things.snapshot();
    const range = { after: "a/00100", ...(limit === undefined ? {} : { limit }) };
    for (const selection of [ALL, inNamespace("b"), one("a/00200"), withLabel("part", "1"), withField("part", "1")]) {
      const page = await snapshot.listInSlices(selection, range);
      expect(page).toEqual(snapshot.list(selection, range));
    }
  });

  test.each([undefined, 1, 999, 1000, 1001, 2500])(
    "a list in parts has what a list has, however often a part is asked for, and leaves nothing for later: a limit of %s",
    async (limit) => {
      const { things } = await filled(3500, 2);
      const snapshot = things.snapshot();
      const range = { from: "a/00100", ...(limit === undefined ? {} : { limit }) };
      for (const selection of [ALL, inNamespace("b"), one("a/00200"), withLabel("part", "1"), withField("part", "1")]) {
        const { entries, remaining, more } = await snapshot.listInSlices(selection, range);
        const found: Entry[] = [];
        const kept = things.stats().keptVersions;
        for (
          let part: ListPart | undefined = await snapshot.parts(selection, range);
          part;
          part = await part.next?.()
        ) {
          expect(part.entries.length).toBeLessThanOrEqual(PART);
          expect((await part.next?.())?.entries).toEqual((await part.next?.())?.entries);
          found.push(...part.entries);
        }
        expect(found).toEqual(entries);
        expect(things.stats().keptVersions).toBe(kept);
        const end = await snapshot.endInSlices(selection, range);
        expect(end).toMatchObject({ count: entries.length, entries: entries.slice(-1), more });
        expect(end.remaining).toBe(remaining);
      }
    },
  );

  test("a list in slices lets others run, the more often the larger the objects are, and not once a page is full", async () => {
    let turns = 0;
    const { things, put } = await testCache({ pause: async () => void turns++ });
    put(...names(4000).map((key, i) => [key, { fields: { part: String(i % 2) } }] as const));
    const count = async (...asked: Parameters<Snapshot["listInSlices"]>): Promise<number> => {
      turns = 0;
      await things.snapshot().listInSlices(...asked);
      return turns;
    };
    const [rare, half] = [withField("part", "9"), withField("part", "1")];
    expect(await count(rare)).toBe(7);
    expect(await count(ALL)).toBe(0);
    expect(await count(half, { limit: 200 })).toBe(0);
    expect(await count(half, { limit: 300 })).toBe(1);
    put(...names(4000).map((key) => [key, { data: "x".repeat(3000) }] as const));
    expect(await count(rare)).toBe(23);
  });

  test("the next page of a list in slices stays readable by its revision", async () => {
    const { things, put } = await testCache({ historyEvents: 0, historyMillis: 0 });
    put(...names(3000).map((key) => [key, { fields: { part: "1" } }] as const));
    await things.snapshot().listInSlices(withField("part", "9"));
    expect(things.stats().keptVersions).toBe(0);
    const page = await things.snapshot().listInSlices(withField("part", "1"), { limit: 2000 });
    expect([page.entries.length, page.next, things.stats().keptVersions]).toEqual([2000, "a/01999", 1]);
  });
});

describe("label indexes", () => {
  test("answer what a filter answers, in any namespace, with several labels, at any page", async () => {
    const { things, put } = await filled(1000, 7);
    put(...names(300, "b").map((key, i) => [key, { labels: { part: String(i % 2), extra: "x" } }] as const));
    for (const label of ["part", "extra", "nothing"]) await things.prepare(withLabel(label, ""));
    expect(things.stats().labelIndexes).toBe(3);
    const snapshot = things.snapshot();
    const cases = [
      [["part", "1"]],
      [
        ["part", "1"],
        ["extra", "x"],
      ],
      [["extra", "x"]],
      [["part", "nothing"]],
      [["nothing", ""]],
    ] as const;
    for (const labels of cases) {
      for (const prefix of ["", "a/", "b/", "c/"]) {
        const matches = (entry: { labels: Readonly<Record<string, string>> }): boolean =>
          labels.every(([label, value]) => entry.labels[label] === value);
        const expected = keysOf(snapshot.list({ id: "f", prefix, matches }).entries);
        expect(keysOf(snapshot.list({ id: "l", prefix, labels }).entries)).toEqual(expected);
        const after = expected[0] ?? "";
        expect(keysOf(snapshot.list({ id: "l", prefix, labels }, { after }).entries)).toEqual(expected.slice(1));
      }
    }
  });

  test("follow every change, and leave snapshots from before as they were", async () => {
    const { things, put } = await filled(500, 2);
    const odd = withLabel("part", "1");
    await things.prepare(odd);
    const before = things.snapshot();
    expect(before.list(odd).entries).toHaveLength(250);
    put(
      ["a/00001", { labels: { part: "0" } }],
      ["a/00003", undefined],
      ["a/00002", { labels: { part: "1" } }],
      ["a/new", { labels: { part: "1" } }],
    );
    put(["a/00005", { labels: { part: "1" }, data: "changed" }]);
    const after = things.snapshot().list(odd).entries;
    expect(keysOf(after).filter((key) => key < "a/00008")).toEqual(["a/00002", "a/00005", "a/00007"]);
    expect(after.find(({ key }) => key === "a/00005")).toBe(things.get("a/00005"));
    expect(keysOf(after).at(-1)).toBe("a/new");
    expect(keysOf(before.list(odd).entries).slice(0, 3)).toEqual(["a/00001", "a/00003", "a/00005"]);
    expect(things.stats().labelIndexes).toBe(1);
  });

  test("are few: the least recently used one is removed", async () => {
    const { things } = await filled(300, 2);
    const used = withLabel("part", "1");
    await things.prepare(used);
    for (let i = 0; i < 30; i++) {
      await things.prepare(withLabel(`label-${i}`, "x"));
      things.snapshot().list(used);
    }
    expect(things.stats().labelIndexes).toBe(8);
    expect(things.prepare(used)).toBeUndefined();
    const many = Array.from({ length: 20 }, (_, i) => [`label-${i}`, "x"] as const);
    await things.prepare({ id: "many", prefix: "", labels: many });
    expect(things.stats().labelIndexes).toBe(8);
  });

  test("are made for what has many entries only, and not for a single object", async () => {
    const { things, put } = await filled(128, 2);
    expect(things.prepare(withLabel("part", "1"))).toBeUndefined();
    put(["b/x", {}]);
    expect(things.prepare(withLabel("part", "1", "a/"))).toBeUndefined();
    expect(things.prepare({ ...one("b/x"), labels: [["part", "1"]] })).toBeUndefined();
    expect(things.prepare(inNamespace("a"))).toBeUndefined();
    await things.prepare(withLabel("part", "1"));
    expect(things.stats().labelIndexes).toBe(1);
  });

  test("are built in slices, and are right whatever is written meanwhile", async () => {
    let turns = 0;
    const cache = await testCache({
      pause: async () => {
        const [i, name] = [turns % 7, String(turns * 37).padStart(5, "0")];
        turns++;
        cache.put(
          [`a/${name}`, { labels: { part: String(i) } }],
          [`a/${name}x`, { labels: { part: "1" } }],
          [`a/0${name.slice(1)}`, turns % 3 === 0 ? undefined : {}],
          [`a/00000y${turns}`, { labels: { part: "1" } }],
        );
        if (turns % 2 === 0) cache.things.snapshot();
        await untilIdle();
      },
    });
    cache.put(...names(5000).map((key, i) => [key, { labels: { part: String(i % 7) } }] as const));
    const [selection, other] = [withLabel("part", "1"), withLabel("absent", "")];
    await Promise.all([cache.things.prepare(selection), cache.things.prepare(selection), cache.things.prepare(other)]);
    expect(turns).toBeGreaterThan(4);
    expect(cache.things.stats().labelIndexes).toBe(2);
    const snapshot = cache.things.snapshot();
    const matches = (entry: Entry): boolean => entry.labels["part"] === "1";
    const expected = snapshot.list({ id: "f", prefix: "", matches }).entries;
    const found = snapshot.list(selection).entries;
    expect(found).toEqual(expected);
    expect(found.every((entry) => entry === snapshot.get(entry.key))).toBe(true);
  });

  test("a label called __proto__ is a label like any other", async () => {
    const { things, put } = await filled(300, 2);
    put(["a/proto", JSON.parse('{"labels": {"__proto__": "x"}}') as object]);
    expect(keysOf(things.snapshot().list(withLabel("__proto__", "x")).entries)).toEqual(["a/proto"]);
    expect(keysOf(things.snapshot().list(withLabel("constructor", "x")).entries)).toEqual([]);
  });
});

describe("snapshots", () => {
  test("say the revision of the whole store and never change", async () => {
    const { things, put, store } = await testCache();
    put(["a/x", { data: 1 }]);
    store.commit(["/other/y", {}]);
    const snapshot = things.snapshot();
    put(["a/x", undefined], ["a/y", {}]);
    expect(snapshot.revision).toBe(2);
    expect(keysOf(snapshot.list(ALL).entries)).toEqual(["a/x"]);
    expect(things.snapshot().revision).toBe(4);
    expect(things.get("a/x")).toBeUndefined();
  });

  test("DEC-25: past revisions can be read as far as the history goes; before is `compacted`, beyond is `future`", async () => {
    const { things, put, store } = await testCache({}, undefined);
    put(["a/x", { data: 1 }]);
    put(["a/y", { data: 2 }]);
    store.commit(["/other/y", {}]);
    put(["a/x", { data: 4 }]);
    put(["a/y", undefined]);
    const at = (revision: number): string[] =>
      things
        .snapshotAt(revision)
        .list(ALL)
        .entries.map(({ key, revision: r }) => `${key}@${r}`);
    const expected = [[], ["a/x@1"], ["a/x@1", "a/y@2"], ["a/x@1", "a/y@2"], ["a/x@4", "a/y@2"], ["a/x@4"]];
    for (const revision of [0, 1, 2, 3, 4, 5, 2, 4, 0]) expect(at(revision)).toEqual(expected[revision]);
    expect(things.snapshotAt(3).revision).toBe(3);
    expect(() => at(6)).toThrow(expect.objectContaining({ code: "future" }));
    const { things: fresh } = await testCache({}, store);
    expect(() => fresh.snapshotAt(4)).toThrow(expect.objectContaining({ code: "compacted" }));
    expect(fresh.snapshotAt(5).size).toBe(1);
  });

  test("the store's own history is used for what memory has forgotten, if asked", async () => {
    const before = await testCache();
    before.put(["a/x", { data: 1 }], ["a/y", { data: 2 }]);
    before.put(["a/x", undefined]);
    const { things, store } = await testCache({}, before.store);
    const snapshot = await things.recall(2);
    expect([snapshot.revision, snapshot.size]).toEqual([2, 2]);
    expect(snapshot.list(ALL, { limit: 1 }).more).toBe(true);
    expect(things.snapshotAt(2).size).toBe(2); // kept, since a list left something for later
    const small = await testCache({ pageBytes: 3 }, store);
    expect((await small.things.recall(2)).list(ALL, { limit: 1 }).more).toBe(true);
    expect(small.things.stats().keptVersions).toBe(0); // it shares nothing with the present, so all of it counts
    await store.compact(2);
    await expect(things.recall(1)).rejects.toMatchObject({ code: "compacted" });
    await expect(things.recall(9)).rejects.toMatchObject({ code: "future" });
  });

  test("a page's revision outlives the history for five minutes after its last use", async () => {
    const { things, put, clock } = await testCache({ historyEvents: 10, historyMillis: 1000 });
    put(...names(20).map((key) => [key, {}] as const));
    const { revision } = things.snapshot();
    const { next } = things.snapshot().list(ALL, { limit: 5 });
    const write = (): void => {
      clock.advance(60_000);
      for (let i = 0; i < 20; i++) put(["a/00000", { data: i }]);
    };
    for (let minute = 0; minute < 4; minute++) write();
    expect(() => things.snapshotAt(revision - 1)).toThrow(expect.objectContaining({ code: "compacted" }));
    expect(keysOf(things.snapshotAt(revision).list(ALL, { limit: 5, after: next! }).entries)).toEqual(
      names(10).slice(5),
    );
    for (let minute = 0; minute < 4; minute++) write();
    expect(things.snapshotAt(revision).size).toBe(20);
    for (let minute = 0; minute < 2; minute++) write();
    expect(() => things.snapshotAt(revision)).toThrow(expect.objectContaining({ code: "compacted" }));
    expect(things.stats().keptVersions).toBe(0);
  });

  test("kept states are bounded by number and by the bytes that only they hold", async () => {
    const few = await testCache({ pageVersions: 3 });
    few.put(...names(20).map((key) => [key, {}] as const));
    for (let i = 0; i < 10; i++) {
      few.things.snapshot().list(ALL, { limit: 1 });
      few.put(["a/00000", { data: i }]);
    }
    expect(few.things.stats().keptVersions).toBe(3);

    const small = await testCache({ pageBytes: 100_000 });
    small.put(...names(20).map((key) => [key, {}] as const));
    small.things.snapshot().list(ALL, { limit: 1 });
    const data = "x".repeat(10_000);
    for (let i = 0; i < 9; i++) small.put(["a/00000", { data }]);
    expect(small.things.stats().keptVersions).toBe(1);
    for (let i = 0; i < 9; i++) small.put(["a/00000", { data }]);
    expect(small.things.stats().keptVersions).toBe(0);
  });

  test("going far back costs no more than the changes since the next kept state", async () => {
    const { things, put } = await testCache({ historyEvents: 100_000 });
    for (let i = 0; i < 10_000; i++) put([`a/${i % 50}`, { data: i }]);
    await untilIdle();
    expect(things.stats().keptVersions).toBe(2);
    expect(things.snapshotAt(17).get("a/16")?.revision).toBe(17);
    expect(things.snapshotAt(5000).get("a/49")?.revision).toBe(5000);
  });
});
