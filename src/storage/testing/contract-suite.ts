/**
 * The tests that every backend passes unchanged: they are the contract, in the form that can fail.
 *
 * @module
 */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nextPass } from "../../util/testing/pass.ts";
import { unreachable } from "../../util/assert.ts";
import { MAX_TRANSACTION_BYTES, MAX_TRANSACTION_WRITES, MAX_VALUE_BYTES, StoreError } from "../contract.ts";
import { sleep, systemClock } from "../../util/clock.ts";
import type {
  HistoryBounds,
  Store,
  StoreMoments,
  StoredRecord,
  StoreErrorCode,
  StoreEvent,
  Write,
} from "../contract.ts";
import { StoreModel } from "./model.ts";
import { WatchLog } from "./watch-log.ts";

/** The prefix of keys that may exist in a store before the suite begins; it ignores them. */
export const EARLIER = "\u{10fffd}/";

/** A store under test. */
export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and opens it again on the same data; absent when the backend keeps nothing. */
  reopen?(): Promise<Store>;
  /** Closes what is open and removes the data. */
  close(): Promise<void>;
}

const bytes = (text: string): Uint8Array => Buffer.from(text);
const text = (value: Uint8Array): string => Buffer.from(value).toString();
const create = (key: string, value = key): Write => ({ type: "create", key, value: bytes(value) });
const update = (key: string, expected: number, value = key): Write => ({
  type: "update",
  key,
  value: bytes(value),
  expected,
});
const remove = (key: string, expected: number, value = key): Write => ({
  type: "delete",
  key,
  value: bytes(value),
  expected,
});

/** The value of `promise`, or the code of its rejection. */
async function outcome<T>(promise: Promise<T>): Promise<T | StoreErrorCode> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof StoreError) return error.code;
    throw error;
  }
}

/** The records that the suite has written itself. */
const ownOf = (records: readonly StoredRecord[]): StoredRecord[] =>
  records.filter(({ key }) => !key.startsWith(EARLIER));

/**
 * Registers the suite for one backend.
 *
 * @param overhead bytes that it stores with a value, by which the largest one is shorter
 * @param numbersTransactions whether all writes of a transaction have one revision, and large ones are refused
 */
export function storeContract(
  name: string,
  open: () => Promise<OpenedStore>,
  {
    overhead = 0,
    numbersTransactions = false,
  }: { readonly overhead?: number; readonly numbersTransactions?: boolean } = {},
): void {
  describe(`store contract: ${name}`, () => {
    let opened: OpenedStore;
    let store: Store;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());
    const fresh = (): Store => store;
    writes(fresh, overhead);
    transactions(fresh, numbersTransactions);
    if (!numbersTransactions) largeTransactions(fresh, overhead);
    reads(fresh);
    watches(fresh);
    compaction(fresh);
    versions(fresh, overhead);
    ending(fresh);
    load(fresh);
    reopening(
      () => opened,
      (again) => {
        store = again;
      },
    );
    model(fresh, numbersTransactions);
  });
}

function writes(store: () => Store, overhead: number): void {
  test("a create stores a key once and then fails with exists and the revision that the key has", async () => {
    const revision = await store().write(create("a", "one"));
    await expect(store().write(create("a", "two"))).rejects.toMatchObject({ code: "exists", key: "a", revision });
    expect(await store().get("a")).toMatchObject({ key: "a", revision });
    expect(text((await store().get("a"))!.value)).toBe("one");
  });

  test("an update replaces the value at the expected revision only", async () => {
    const first = await store().write(create("a", "one"));
    const second = await store().write(update("a", first, "two"));
    expect(second).toBeGreaterThan(first);
    await expect(store().write(update("a", first, "three"))).rejects.toMatchObject({
      code: "conflict",
      key: "a",
      revision: second,
    });
    expect(text((await store().get("a"))!.value)).toBe("two");
    await expect(store().write(update("b", first))).rejects.toMatchObject({ code: "notFound", key: "b" });
    await expect(store().write(update("b", 0))).rejects.toMatchObject({ code: "notFound", key: "b" });
  });

  test("a delete removes the key at the expected revision only, and the key can be created again", async () => {
    const first = await store().write(create("a"));
    await expect(store().write(remove("a", first + 1))).rejects.toMatchObject({ code: "conflict", revision: first });
    const second = await store().write(remove("a", first));
    expect(second).toBeGreaterThan(first);
    expect(await store().get("a")).toBeUndefined();
    await expect(store().write(remove("a", first))).rejects.toMatchObject({ code: "notFound" });
    await expect(store().write(update("a", second))).rejects.toMatchObject({ code: "notFound" });
    expect(await store().write(create("a", "again"))).toBeGreaterThan(second);
  });

  test("each write gets a revision of its own, also in one flush, and a failed one takes none", async () => {
    const start = store().revision;
    const results = await Promise.all(
      [create("a"), create("a"), create("b"), update("c", 1), create("d")].map((write) =>
        outcome(store().write(write)),
      ),
    );
    expect(results).toEqual([start + 1, "exists", start + 2, "notFound", start + 3]);
    expect(store().revision).toBe(start + 3);
    expect(await store().currentRevision()).toBe(start + 3);
  });

  test("writes that were called in one order on one key are applied in that order", async () => {
    const start = store().revision;
    const results = await Promise.all([
      outcome(store().write(create("a", "1"))),
      outcome(store().write(update("a", start + 1, "2"))),
      outcome(store().write(remove("a", start + 2, "2"))),
      outcome(store().write(create("a", "3"))),
      outcome(store().write(create("a", "4"))),
    ]);
    expect(results).toEqual([start + 1, start + 2, start + 3, start + 4, "exists"]);
    expect(text((await store().get("a"))!.value)).toBe("3");
  });

  test("a value of the largest size is stored, one byte more is tooLarge and changes nothing", async () => {
    const value = Buffer.alloc(MAX_VALUE_BYTES - overhead, 7);
    await store().write({ type: "create", key: "large", value });
    expect(Buffer.compare((await store().get("large"))!.value, value)).toBe(0);
    const before = store().revision;
    const over = store().write({ type: "create", key: "larger", value: Buffer.alloc(MAX_VALUE_BYTES + 1) });
    await expect(over).rejects.toMatchObject({ code: "tooLarge", key: "larger" });
    expect(store().revision).toBe(before);
    expect(await store().get("larger")).toBeUndefined();
  });

  test("keys that UTF-8 cannot tell apart are refused, unusual ones are kept apart", async () => {
    await expect(store().write(create("a\ud800"))).rejects.toThrow(TypeError);
    await expect(store().write(create(""))).rejects.toThrow(TypeError);
    const keys = ["__proto__", "constructor", "a\0b", "a\0c", "é", "e\u0301", "\u{1f600}", "\uffff", "a/b", "a%2fb"];
    for (const key of keys) await store().write(create(key));
    for (const key of keys) expect(text((await store().get(key))!.value)).toBe(key);
    const { records } = await store().range("");
    expect(ownOf(records).map((record) => record.key)).toEqual(
      keys.toSorted((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y))),
    );
  });

  test("an empty value and any byte come back as they were", async () => {
    await store().write({ type: "create", key: "empty", value: new Uint8Array(0) });
    await store().write({ type: "create", key: "all", value: Uint8Array.from({ length: 256 }, (_, i) => i) });
    expect((await store().get("empty"))!.value).toHaveLength(0);
    expect([...(await store().get("all"))!.value]).toEqual(Array.from({ length: 256 }, (_, i) => i));
  });
}

function transactions(store: () => Store, numbersTransactions: boolean): void {
  /** The revisions of `count` writes that follow `revision`. */
  const after = (revision: number, count: number): number[] =>
    Array.from({ length: count }, (_, i) => revision + 1 + (numbersTransactions ? 0 : i));

  test("a transaction carries out all of its writes, with revisions in their order", async () => {
    const a = await store().write(create("a", "1"));
    const b = await store().write(create("b", "1"));
    const log = WatchLog.start(store(), "", b);
    const revisions = await store().transact([create("c", "1"), update("a", a, "2"), remove("b", b, "last")]);
    expect(revisions).toEqual(after(b, 3));
    expect(store().revision).toBe(revisions[2]);
    expect(await store().currentRevision()).toBe(revisions[2]);
    const { records } = await store().range("");
    expect(ownOf(records).map(({ key, value, revision }) => [key, text(value), revision])).toEqual([
      ["a", "2", revisions[1]],
      ["c", "1", revisions[0]],
    ]);
    expect(log.batches.map((batch) => batch.map((e) => [e.type, e.key, text(e.value), e.previousRevision]))).toEqual([
      [
        ["put", "c", "1", 0],
        ["put", "a", "2", a],
        ["delete", "b", "last", b],
      ],
    ]);
    expect(log.all.map(({ revision }) => revision)).toEqual(revisions);
    const before = await store().range("", { revision: b });
    expect(ownOf(before.records).map(({ key, revision }) => [key, revision])).toEqual([
      ["a", a],
      ["b", b],
    ]);
    expect(await store().write(create("b"))).toBe(revisions[2]! + 1);
  });

  test("when a condition does not hold nothing is written, and the first such write is named", async () => {
    const a = await store().write(create("a"));
    const b = await store().write(create("b"));
    const log = WatchLog.start(store(), "", b);
    for (const [all, refusal] of [
      [[create("c"), create("a"), update("b", a)], { code: "exists", key: "a", revision: a }],
      [[update("b", a), create("a"), create("c")], { code: "conflict", key: "b", revision: b }],
      [[create("c"), remove("a", b), remove("d", b)], { code: "conflict", key: "a", revision: a }],
      [[remove("a", a), update("d", a), create("b")], { code: "notFound", key: "d", revision: undefined }],
      [[create("c"), update("a", a), update("d", 0)], { code: "notFound", key: "d" }],
    ] as const) {
      await expect(store().transact(all)).rejects.toMatchObject({ name: "StoreError", ...refusal });
      expect(store().revision).toBe(b);
    }
    expect(ownOf((await store().range("")).records).map(({ key, revision }) => [key, revision])).toEqual([
      ["a", a],
      ["b", b],
    ]);
    expect(log.all).toEqual([]);
    expect(await store().write(create("c"))).toBe(b + 1);
  });

  test("writes and transactions that were called in one order on one key are carried out in that order", async () => {
    const start = store().revision;
    const [second, third] = [after(start + 1, 2), after(after(start + 1, 2)[1]!, 3)];
    const results = await Promise.all([
      outcome(store().write(create("a", "1"))),
      outcome(store().transact([update("a", start + 1, "2"), create("b", "1")])),
      outcome(store().transact([create("c"), remove("b", second[1]!), update("a", second[0]!, "3")])),
      outcome(store().transact([create("d"), update("a", second[0]!, "4")])),
      outcome(store().write(create("b", "2"))),
      outcome(store().write(update("a", third[2]!, "5"))),
    ]);
    const last = third[2]!;
    expect(results).toEqual([start + 1, second, third, "conflict", last + 1, last + 2]);
    expect(text((await store().get("a"))!.value)).toBe("5");
    expect(await store().get("d")).toBeUndefined();
  });

  test("a watcher gets what matches of a transaction in one call, and may read and write meanwhile", async () => {
    const start = store().revision;
    const seen: unknown[] = [];
    const written: Promise<unknown>[] = [];
    const watch = store().watch("a/", start, {
      events: (batch) => {
        seen.push(batch.map(({ key }) => key));
        if (written.length > 0) return;
        written.push(store().transact([create("a/4"), create("b/4")]), store().write(create("a/5")));
        written.push(
          store()
            .get("b/2")
            .then((record) => seen.push(record?.key)),
        );
      },
      ended: () => {},
    });
    await store().transact([create("a/1"), create("b/2"), create("a/3")]);
    await Promise.all(written);
    watch.close();
    expect(seen[0]).toEqual(["a/1", "a/3"]);
    expect(seen).toContain("b/2");
    expect(seen.flat().filter((key) => key === "a/4" || key === "a/5")).toEqual(["a/4", "a/5"]);
  });

  test("no writes are nothing, and one write is the same as a single one", async () => {
    const start = store().revision;
    expect(await store().transact([])).toEqual([]);
    expect(store().revision).toBe(start);
    expect(await store().transact([create("a")])).toEqual([start + 1]);
    await expect(store().transact([create("a")])).rejects.toMatchObject({ code: "exists", key: "a" });
    expect(await store().write(update("a", start + 1))).toBe(start + 2);
  });

  test("what no transaction may be is refused before anything is done", async () => {
    const start = store().revision;
    await expect(store().transact([create("a"), create("b"), create("a")])).rejects.toThrow(TypeError);
    await expect(store().transact([create("a"), create("")])).rejects.toThrow(TypeError);
    const value = Buffer.alloc(MAX_VALUE_BYTES + 1);
    const large = store().transact([create("a"), { type: "create", key: "b", value }]);
    await expect(large).rejects.toMatchObject({ code: "tooLarge", key: "b" });
    const many = Array.from({ length: MAX_TRANSACTION_WRITES + 1 }, (_, i) => create(`k/${i}`));
    await expect(store().transact(many)).rejects.toMatchObject({ code: "tooLarge" });
    const eighth = Buffer.alloc(MAX_TRANSACTION_BYTES / 8);
    const eight = Array.from({ length: 8 }, (_, i): Write => ({ type: "create", key: `k/${i}`, value: eighth }));
    await expect(store().transact(eight)).rejects.toMatchObject({ code: "tooLarge" });
    expect(store().revision).toBe(start);
    expect(await store().get("a")).toBeUndefined();
  });
}

function largeTransactions(store: () => Store, overhead: number): void {
  test("a transaction of the largest number of writes, and one of the most bytes, are carried out", async () => {
    const start = store().revision;
    const log = WatchLog.start(store(), "", start);
    const many = Array.from({ length: MAX_TRANSACTION_WRITES }, (_, i) => create(`k/${i}`, "v"));
    const single = store().write(create("before"));
    const [revisions, large] = await Promise.all([
      store().transact(many),
      store().transact(
        Array.from({ length: 8 }, (_, i): Write => {
          const key = `large/${i}`;
          return { type: "create", key, value: Buffer.alloc(MAX_TRANSACTION_BYTES / 8 - key.length - overhead, i) };
        }),
      ),
    ]);
    expect(await single).toBe(start + 1);
    expect([revisions[0], revisions.at(-1), large[0]]).toEqual([
      start + 2,
      start + 1 + many.length,
      start + 2 + many.length,
    ]);
    expect(log.batches.some((batch) => batch.filter(({ key }) => key.startsWith("k/")).length === many.length)).toBe(
      true,
    );
    expect((await store().range("large/")).records.map(({ value }) => value[0])).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
}

function reads(store: () => Store): void {
  const keysOf = async (prefix: string, options = {}): Promise<string[]> =>
    ownOf((await store().range(prefix, options)).records).map((record) => record.key);

  test("a range holds the keys that begin with the prefix, in order, and a prefix that is a key finds longer ones too", async () => {
    for (const key of ["foo", "foobar", "foo/a", "fop", "fo", "foo/b", "g"]) await store().write(create(key));
    expect(await keysOf("foo")).toEqual(["foo", "foo/a", "foo/b", "foobar"]);
    expect(await keysOf("foo/")).toEqual(["foo/a", "foo/b"]);
    expect(await keysOf("")).toEqual(["fo", "foo", "foo/a", "foo/b", "foobar", "fop", "g"]);
    expect(await keysOf("x")).toEqual([]);
    const { revision, more, records } = await store().range("foo/");
    expect({ revision, more }).toEqual({ revision: store().revision, more: false });
    expect(records.map((record) => text(record.value))).toEqual(["foo/a", "foo/b"]);
  });

  test("start and limit page through a range; start is included and never leaves the prefix", async () => {
    for (const key of ["a/1", "a/2", "a/3", "b/1", "A"]) await store().write(create(key));
    expect(await store().range("a/", { limit: 2 })).toMatchObject({
      more: true,
      records: [{ key: "a/1" }, { key: "a/2" }],
    });
    expect(await store().range("a/", { limit: 3 })).toMatchObject({ more: false });
    expect(await keysOf("a/", { start: "a/2" })).toEqual(["a/2", "a/3"]);
    expect(await keysOf("a/", { start: "a/2\0" })).toEqual(["a/3"]);
    expect(await keysOf("a/", { start: "A" })).toEqual(["a/1", "a/2", "a/3"]);
    expect(await keysOf("a/", { start: "b" })).toEqual([]);
  });

  test("a range at a revision shows the store as it was then, whatever happened since", async () => {
    const a = await store().write(create("a", "1"));
    const b = await store().write(create("b", "1"));
    const at = store().revision;
    await store().write(update("a", a, "2"));
    await store().write(remove("b", b));
    await store().write(create("aa"));
    await store().write(create("b", "new"));
    const { records, revision } = await store().range("", { revision: at });
    expect(revision).toBe(at);
    expect(ownOf(records).map(({ key, value, revision: r }) => [key, text(value), r])).toEqual([
      ["a", "1", a],
      ["b", "1", b],
    ]);
    expect(await store().range("", { revision: at, limit: 1 })).toMatchObject({ more: true, records: [{ key: "a" }] });
    expect(await store().range("a", { revision: a })).toMatchObject({ more: false, records: [{ key: "a" }] });
  });

  test("a read from the future fails with future", async () => {
    const revision = store().revision + 1;
    await expect(store().range("", { revision })).rejects.toMatchObject({ code: "future" });
    await expect(store().compact(revision)).rejects.toMatchObject({ code: "future" });
    expect((await WatchLog.start(store(), "", revision).untilEnded()).code).toBe("future");
  });

  test("stats count what is there", async () => {
    const { records: before } = await store().stats();
    await Promise.all([store().write(create("a")), store().write(create("b"))]);
    await store().write(remove("a", (await store().get("a"))!.revision));
    const stats = await store().stats();
    expect(stats).toMatchObject({ revision: store().revision, records: before + 1, writes: 3 });
    expect(stats.flushes).toBeGreaterThan(0);
    expect(stats.bytes).toBeGreaterThan(0);
  });
}

function watches(store: () => Store): void {
  test("a watch from now delivers what comes, with the revisions before and after", async () => {
    const log = WatchLog.start(store(), "", store().revision);
    const a = await store().write(create("a", "1"));
    const b = await store().write(update("a", a, "2"));
    const c = await store().write(remove("a", b, "last"));
    expect(log.all.map((e) => [e.type, e.key, text(e.value), e.revision, e.previousRevision])).toEqual([
      ["put", "a", "1", a, 0],
      ["put", "a", "2", b, a],
      ["delete", "a", "last", c, b],
    ]);
  });

  test("the event of a write is delivered before its promise resolves", async () => {
    const log = WatchLog.start(store(), "", store().revision);
    const writers = Array.from({ length: 20 }, async (_, i) => {
      const revision = await store().write(create(`key-${i}`));
      expect(log.all.some((event) => event.revision === revision)).toBe(true);
    });
    await Promise.all(writers);
    expect(log.all).toHaveLength(20);
  });

  test("a watch from the past delivers the rest first and then goes on, each change once and in order", async () => {
    const start = store().revision;
    for (let i = 0; i < 5; i++) await store().write(create(`a/${i}`));
    const log = WatchLog.start(store(), "", start + 2);
    for (let i = 5; i < 10; i++) await store().write(create(`a/${i}`));
    await log.until(8);
    expect(log.all.map((e) => e.revision)).toEqual([3, 4, 5, 6, 7, 8, 9, 10].map((r) => start + r));
  });

  test("a watch delivers only keys with its prefix, and reports progress past the others", async () => {
    const start = store().revision;
    const log = WatchLog.start(store(), "a/", start);
    const past: number[] = [];
    const quiet = store().watch("nothing", start, {
      events: () => past.push(-1),
      progress: (revision) => past.push(revision),
      ended: () => past.push(-2),
    });
    for (const key of ["a/1", "a", "ab", "b/1", "a/2"]) await store().write(create(key));
    expect(log.keys).toEqual(["a/1", "a/2"]);
    expect(past.every((revision) => revision > 0)).toBe(true);
    quiet.close();
    const late = WatchLog.start(store(), "a/", start);
    await late.until(2);
    expect(late.keys).toEqual(["a/1", "a/2"]);
  });

  test("a closed watch gets nothing more, also when it is closed from inside", async () => {
    const log = WatchLog.start(store(), "", store().revision);
    let seen = 0;
    const inner = store().watch("", store().revision, {
      events: () => {
        seen += 1;
        inner.close();
      },
      ended: () => {
        seen += 100;
      },
    });
    const behind = WatchLog.start(store(), "", store().revision);
    await store().write(create("a"));
    log.close();
    behind.close();
    await store().write(create("b"));
    const late = WatchLog.start(store(), "", store().revision - 1);
    late.close();
    await store().write(create("c"));
    expect([log.keys, seen, late.keys]).toEqual([["a"], 1, []]);
  });

  test("many watchers that start at different revisions each get exactly the rest", async () => {
    const start = store().revision;
    const logs: { log: WatchLog; after: number }[] = [];
    for (let i = 0; i < 60; i++) {
      const revision = await store().write(create(`k/${i}`));
      logs.push({ log: WatchLog.start(store(), "k/", Math.max(start, revision - (i % 7))), after: revision - (i % 7) });
    }
    const last = store().revision;
    for (const { log, after } of logs) {
      const begin = Math.max(start, after);
      await log.until(last - begin);
      expect(log.all.map((e) => e.revision)).toEqual(Array.from({ length: last - begin }, (_, i) => begin + 1 + i));
    }
  });
}

function compaction(store: () => Store): void {
  test("after compaction older reads and watches end with compacted, newer ones and every current value stay", async () => {
    const a = await store().write(create("a", "1"));
    const b = await store().write(update("a", a, "2"));
    const c = await store().write(create("gone"));
    const d = await store().write(remove("gone", c));
    const e = await store().write(update("a", b, "3"));
    await store().compact(c);
    await expect(store().range("", { revision: b })).rejects.toMatchObject({ code: "compacted" });
    expect((await WatchLog.start(store(), "", b).untilEnded()).code).toBe("compacted");
    const atC = ownOf((await store().range("", { revision: c })).records);
    expect(atC.map((r) => [r.key, text(r.value), r.revision])).toEqual([
      ["a", "2", b],
      ["gone", "gone", c],
    ]);
    const log = WatchLog.start(store(), "", c);
    expect((await log.until(2)).map((event) => [event.type, event.revision])).toEqual([
      ["delete", d],
      ["put", e],
    ]);
    await store().compact(e);
    expect(text((await store().get("a"))!.value)).toBe("3");
    expect((await store().stats()).compactedRevision).toBe(e);
    await expect(store().range("", { revision: d })).rejects.toMatchObject({ code: "compacted" });
    expect(ownOf((await store().range("", { revision: e })).records)).toHaveLength(1);
  });

  test("compacting again, or to an older revision, changes nothing", async () => {
    const a = await store().write(create("a"));
    const b = await store().write(create("b"));
    await store().compact(b);
    await store().compact(b);
    await store().compact(a);
    expect((await store().stats()).compactedRevision).toBe(b);
    expect(ownOf((await store().range("")).records)).toHaveLength(2);
  });

  test("a running watch does not notice compaction", async () => {
    const log = WatchLog.start(store(), "", store().revision);
    for (let i = 0; i < 10; i++) {
      const revision = await store().write(create(`k${i}`));
      await store().compact(revision);
    }
    expect(log.keys).toHaveLength(10);
    expect(log.error).toBeUndefined();
  });
}

function ending(store: () => Store): void {
  test("close ends the writes that are under way, ends watches with closed, and refuses whatever comes after", async () => {
    const log = WatchLog.start(store(), "", store().revision);
    const under = [store().write(create("a")), store().write(create("b"))];
    const together = outcome(store().transact([create("c"), create("d")]));
    const closed = store().close();
    expect(await Promise.all(under.map(outcome))).toEqual([expect.any(Number), expect.any(Number)]);
    expect(await together).toEqual([expect.any(Number), expect.any(Number)]);
    await closed;
    await store().close();
    expect(log.keys).toEqual(["a", "b", "c", "d"]);
    expect((await log.untilEnded()).code).toBe("closed");
    await expect(store().write(create("e"))).rejects.toMatchObject({ code: "closed" });
    await expect(store().transact([create("e"), create("f")])).rejects.toMatchObject({ code: "closed" });
    await expect(store().get("a")).rejects.toMatchObject({ code: "closed" });
    await expect(store().range("")).rejects.toMatchObject({ code: "closed" });
    expect(() => store().watch("", 0, log)).toThrow(StoreError);
  });
}

function versions(store: () => Store, overhead: number): void {
  const historyOf = async (key: string, bounds?: HistoryBounds): Promise<unknown[]> => {
    const history = await store().history!(key, bounds);
    return [
      ...history.versions.map((v) => [v.type, text(v.value), v.revision, v.previousRevision]),
      ...(history.more ? ["more"] : []),
    ];
  };

  test("the history of a key has its versions, newest first, also those before a delete", async (context) => {
    if (!store().history) return context.skip("this backend cannot list versions");
    const a = await store().write(create("a", "1"));
    const b = await store().write(update("a", a, "2"));
    await store().write(create("a/other"));
    const c = await store().write(remove("a", b, "last"));
    const deleted = [
      ["delete", "last", c, b],
      ["put", "2", b, a],
      ["put", "1", a, 0],
    ];
    expect(await historyOf("a")).toEqual(deleted);
    const d = await store().write(create("a", "again"));
    expect(await historyOf("a")).toEqual([["put", "again", d, 0], ...deleted]);
    expect(await historyOf("nobody")).toEqual([]);
  });

  test("the history of a key ends at its limit, or with the version that reaches its bytes", async (context) => {
    if (!store().history) return context.skip("this backend cannot list versions");
    let last = await store().write(create("a", "xxxx"));
    for (let i = 0; i < 4; i++) last = await store().write(update("a", last, "xxxx"));
    const count = async (bounds: HistoryBounds): Promise<unknown> => {
      const { versions: found, more } = await store().history!("a", bounds);
      return [found.length, more];
    };
    expect(await count({ limit: 5 })).toEqual([5, false]);
    expect(await count({ limit: 3 })).toEqual([3, true]);
    expect(await count({ bytes: 1 })).toEqual([2, true]);
    // Stored bytes count, which are more here.
    if (overhead > 0) return;
    expect(await count({ bytes: 9 })).toEqual([3, true]);
    expect(await count({ bytes: 16 })).toEqual([4, true]);
    expect(await count({ bytes: 17 })).toEqual([5, false]);
    expect(await count({ bytes: 17, limit: 1 })).toEqual([1, true]);
  });

  test("compaction leaves of the history what a read within it shows", async (context) => {
    if (!store().history) return context.skip("this backend cannot list versions");
    const a = await store().write(create("a", "1"));
    const b = await store().write(update("a", a, "2"));
    const c = await store().write(update("a", b, "3"));
    const gone = await store().write(remove("b", await store().write(create("b"))));
    await store().compact(b);
    expect((await store().history!("a")).compactedRevision).toBe(b);
    expect(await historyOf("a")).toEqual([
      ["put", "3", c, b],
      ["put", "2", b, a],
    ]);
    await store().compact(gone);
    expect(await historyOf("a")).toEqual([["put", "3", c, b]]);
    expect(await historyOf("b")).toEqual([]);
  });

  test("the last write before a time is found, within the history", async (context) => {
    if (!store().moments) return context.skip("this backend records no times");
    const moments = (times: readonly number[]): Promise<StoreMoments> => store().moments!(times);
    const pause = (): Promise<void> => sleep(systemClock, 3);
    const before = systemClock.now() - 1000;
    const between: number[] = [];
    const revisions: number[] = [];
    for (let i = 0; i < 40; i++) {
      revisions.push(await store().write(create(`a${i}`)));
      await pause();
      between.push(systemClock.now());
      await pause();
    }
    const all = await moments([...between, before]);
    expect(all.found.map((one) => one?.revision)).toEqual([...revisions, undefined]);
    expect([all.newest?.revision, all.found.at(-2)]).toEqual([revisions.at(-1), all.newest]);
    expect(all.oldest!.time).toBeLessThanOrEqual(between[0]!);
    await store().compact(revisions[19]!);
    const left = await moments(between);
    expect(left.compactedRevision).toBe(revisions[19]);
    expect(left.oldest?.revision).toBe(revisions[20]);
    expect(left.found.map((one) => one?.revision)).toEqual([...Array<undefined>(20), ...revisions.slice(20)]);
    await store().compact(revisions.at(-1)!);
    expect(await moments([systemClock.now()])).toEqual({ compactedRevision: revisions.at(-1), found: [undefined] });
  });

  test("a pinned revision stays readable until it is released", async (context) => {
    if (!store().pin) return context.skip("this backend pins nothing");
    const a = await store().write(create("a", "1"));
    const pin = await store().pin!();
    const b = await store().write(update("a", a, "2"));
    const compacting = store().compact(b);
    const { records } = await store().range("a", { revision: pin.revision });
    expect([pin.revision, records.map((r) => text(r.value))]).toEqual([a, ["1"]]);
    pin.release();
    pin.release();
    await compacting;
    await store().compact(b);
    await expect(store().range("a", { revision: a })).rejects.toMatchObject({ code: "compacted" });
  });
}

function load(store: () => Store): void {
  test("many writers on few keys: exactly one of each race wins and the log is one line", async () => {
    const log = WatchLog.start(store(), "", store().revision);
    const start = store().revision;
    const won: number[] = [];
    const lost: StoreErrorCode[] = [];
    const writer = async (id: number): Promise<void> => {
      for (let i = 0; i < 15; i++) {
        const key = `key/${(id + i) % 5}`;
        const current = await store().get(key);
        const write = current === undefined ? create(key, `${id}`) : update(key, current.revision, `${id}-${i}`);
        const result = await outcome(store().write(write));
        if (typeof result === "number") won.push(result);
        else lost.push(result);
      }
    };
    await Promise.all(Array.from({ length: 40 }, (_, id) => writer(id)));
    expect(lost.filter((code) => code !== "conflict" && code !== "exists")).toEqual([]);
    const revisions = won.toSorted((a, b) => a - b);
    expect(revisions).toEqual(revisions.map((_, i) => start + 1 + i));
    await log.until(won.length);
    expect(log.all.map((e) => e.revision)).toEqual(revisions);
    const last = new Map<string, number>();
    for (const event of log.all) {
      expect(event.previousRevision).toBe(last.get(event.key) ?? 0);
      last.set(event.key, event.revision);
    }
  });

  test("a range sees no part of a transaction, although many run", async () => {
    const accounts = Array.from({ length: 6 }, (_, i) => `account/${i}`);
    await store().transact(accounts.map((key) => create(key, "100")));
    const log = WatchLog.start(store(), "account/", store().revision);
    const outcomes: unknown[] = [];
    let sums = 0;
    const mover = async (id: number): Promise<void> => {
      for (let i = 0; i < 20; i++) {
        const [from, to] = [accounts[(id + i) % 6]!, accounts[(id + 3 * i + 1) % 6]!];
        if (from === to) continue;
        const [a, b] = [await store().get(from), await store().get(to)];
        outcomes.push(await outcome(store().transact(transferOf(a!, b!, 1 + i))));
        await nextPass();
      }
    };
    let on = true;
    const reading = (async () => {
      for (; on; sums++) {
        const { records } = await store().range("account/");
        expect(records.reduce((sum, { value }) => sum + Number(text(value)), 0)).toBe(600);
        await nextPass();
      }
    })();
    await Promise.all(Array.from({ length: 8 }, (_, id) => mover(id)));
    on = false;
    await reading;
    const moves = outcomes.filter((result) => result !== "conflict");
    expect(moves.filter((result) => typeof result === "string")).toEqual([]);
    expect(moves.length).toBeGreaterThan(8);
    expect(sums).toBeGreaterThan(5);
    const seen = new Map(accounts.map((key) => [key, 100]));
    for (const batch of log.batches) {
      for (const { key, value } of batch) seen.set(key, Number(text(value)));
      expect([...seen.values()].reduce((a, b) => a + b, 0)).toBe(600);
    }
    expect(log.all).toHaveLength(2 * moves.length);
  });

  test("a range of many records is one moment, although writes go on meanwhile", async () => {
    const value = Buffer.alloc(700, 1);
    const keys = Array.from({ length: 3000 }, (_, i) => `n/${String(i).padStart(5, "0")}`);
    await Promise.all(keys.map((key) => store().write({ type: "create", key, value })));
    const before = store().revision;
    let on = true;
    let spot = 0;
    const writing = (async () => {
      while (on) {
        // A store in memory writes without a return to the event loop, which a read in slices needs.
        if (spot % 8 === 0) await nextPass();
        const key = keys[(spot += 997) % keys.length]!;
        const current = await store().get(key);
        if (current === undefined) await store().write(create(key));
        else await store().write(spot % 2 === 0 ? remove(key, current.revision) : update(key, current.revision));
      }
    })();
    for (let round = 0; round < 4; round++) {
      const seen = await store().range("n/");
      const again = await store().range("n/", { revision: seen.revision });
      expect(again.records.map((r) => [r.key, r.revision])).toEqual(seen.records.map((r) => [r.key, r.revision]));
      expect(seen.records.every((record) => record.revision <= seen.revision)).toBe(true);
    }
    on = false;
    await writing;
    const past = await store().range("n/", { revision: before });
    expect(past.records.map((record) => record.key)).toEqual(keys);
    expect(past.records.every((record) => record.value.length === 700)).toBe(true);
  });
}

/** The amounts on two accounts after a transfer, and how they are written. */
function transferOf(from: StoredRecord, to: StoredRecord, amount: number): readonly Write[] {
  const moved = (record: StoredRecord, by: number): Write =>
    update(record.key, record.revision, String(Number(text(record.value)) + by));
  return [moved(from, -amount), moved(to, amount)];
}

function reopening(opened: () => OpenedStore, replace: (store: Store) => void): void {
  test("after closing and opening again everything is there: values, revisions, history", async (context) => {
    const { store } = opened();
    if (opened().reopen === undefined) return context.skip("this backend keeps nothing");
    const a = await store.write(create("a", "1"));
    const b = await store.write(create("b", "1"));
    const c = await store.write(update("a", a, "2"));
    const d = await store.write(remove("b", b));
    await store.compact(a);
    const again = await opened().reopen!();
    replace(again);
    expect(again.revision).toBe(d);
    expect((await again.range("")).records).toMatchObject([{ key: "a", revision: c }]);
    expect((await again.range("", { revision: b })).records).toHaveLength(2);
    const log = WatchLog.start(again, "", a);
    expect((await log.until(3)).map((e) => [e.type, e.key, e.revision, e.previousRevision])).toEqual([
      ["put", "b", b, 0],
      ["put", "a", c, a],
      ["delete", "b", d, b],
    ]);
    expect((await WatchLog.start(again, "", a - 1).untilEnded()).code).toBe("compacted");
    expect(await again.write(create("b"))).toBe(d + 1);
  });

  test("after closing and opening again all of a transaction is there, and a watch from before delivers it", async (context) => {
    const { store } = opened();
    if (opened().reopen === undefined) return context.skip("this backend keeps nothing");
    const a = await store.write(create("a"));
    const revisions = await store.transact([create("c"), remove("a", a), create("b")]);
    const again = await opened().reopen!();
    replace(again);
    expect(again.revision).toBe(revisions[2]);
    expect((await again.range("")).records).toMatchObject([
      { key: "b", revision: revisions[2] },
      { key: "c", revision: revisions[0] },
    ]);
    const log = WatchLog.start(again, "", a);
    expect((await log.until(3)).map((e) => [e.type, e.key, e.revision, e.previousRevision])).toEqual([
      ["put", "c", revisions[0], 0],
      ["delete", "a", revisions[1], a],
      ["put", "b", revisions[2], 0],
    ]);
    expect((await again.range("", { revision: a })).records).toMatchObject([{ key: "a", revision: a }]);
  });
}

const keys = fc.constantFrom("a", "a/", "a/b", "ab", "b", "\uffff", "\u{1f600}", "__proto__");
const change = {
  type: fc.constantFrom("create" as const, "update" as const, "delete" as const),
  key: keys,
  value: fc.string({ maxLength: 8 }),
  stale: fc.integer({ min: 0, max: 5 }),
};
const fitting = { ...change, type: fc.constant("fitting" as const) };
const commands = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant("write" as const), ...change }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("transact" as const),
        changes: fc.uniqueArray(
          fc.oneof({ weight: 4, arbitrary: fc.record(fitting) }, { weight: 1, arbitrary: fc.record(change) }),
          { selector: ({ key }) => key, maxLength: 5 },
        ),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("wait" as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("range" as const),
        prefix: fc.constantFrom("", "a", "a/", "b", "\uffff"),
        start: fc.option(keys, { nil: undefined }),
        limit: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
        back: fc.option(fc.integer({ min: -1, max: 12 }), { nil: undefined }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("watch" as const), prefix: keys, back: fc.nat(12) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("compact" as const), back: fc.integer({ min: -1, max: 8 }) }) },
  ),
  { minLength: 5, maxLength: 40 },
);

function model(store: () => Store, numbersTransactions: boolean): void {
  test("random histories agree with the model", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (list) => {
        await clear(store());
        await runAgainstModel(store(), list, numbersTransactions);
      }),
      { numRuns: 60 },
    );
  });
}

/** Empties the store and compacts its history, so that a model can begin at its revision. */
async function clear(store: Store): Promise<void> {
  const { records } = await store.range("");
  await Promise.all(records.map((record) => store.write(remove(record.key, record.revision))));
  await store.compact(store.revision);
}

interface Watching {
  readonly log: WatchLog;
  readonly prefix: string;
  readonly after: number;
}

/** Runs one command other than a write; returns the results of the store and of the model. */
async function carryOut(
  store: Store,
  expected: StoreModel,
  command: Exclude<CommandOf, { do: "write" | "transact" }>,
  watching: Watching[],
): Promise<[found: unknown, wanted: unknown]> {
  const codeOf = (error: StoreError): StoreErrorCode => error.code;
  switch (command.do) {
    case "wait":
      return [store.revision, expected.revision];
    case "range": {
      const { prefix, start, limit, back } = command;
      const revision = back === undefined ? undefined : expected.revision - back;
      const options = Object.fromEntries(Object.entries({ start, limit, revision }).filter(([, v]) => v !== undefined));
      const wanted = expected.range(prefix, start, limit, revision);
      return [comparable(await store.range(prefix, options).catch(codeOf)), comparable(wanted)];
    }
    case "watch": {
      const after = expected.revision - command.back;
      const log = WatchLog.start(store, command.prefix, after);
      const wanted = expected.events(command.prefix, after);
      if (typeof wanted === "string") return [(await log.untilEnded()).code, wanted];
      // It has joined once it has caught up; compaction after that does not concern it.
      const found = await log.until(wanted.length);
      watching.push({ log, prefix: command.prefix, after });
      return [found.length, wanted.length];
    }
    case "compact": {
      const revision = expected.revision - command.back;
      const wanted = expected.compact(revision);
      return [await store.compact(revision).catch(codeOf), wanted];
    }
    default:
      return unreachable(command);
  }
}

type ChangeOf = { [K in keyof typeof change]: (typeof change)[K] extends fc.Arbitrary<infer T> ? T : never };

/** A change as a write; one that is meant to succeed has a type that matches the existing record. */
function writeOf(
  { type, key, value, stale }: Omit<ChangeOf, "type"> & { readonly type: ChangeOf["type"] | "fitting" },
  expected: StoreModel,
): Write {
  const current = expected.get(key)?.revision ?? 0;
  if (type === "create" || (type === "fitting" && current === 0)) return create(key, value);
  const at = current - (type === "fitting" ? 0 : Math.max(0, stale - 4));
  return type === "delete" || (type === "fitting" && stale > 3) ? remove(key, at, value) : update(key, at, value);
}

async function runAgainstModel(store: Store, list: readonly CommandOf[], numbersTransactions: boolean): Promise<void> {
  const expected = new StoreModel(store.revision, numbersTransactions);
  const watching: Watching[] = [];
  let flying: { result: Promise<unknown>; wanted: unknown }[] = [];
  const land = async (): Promise<void> => {
    for (const { result, wanted } of flying) expect(await result).toEqual(wanted);
    flying = [];
  };
  for (const command of list) {
    if (command.do === "write") {
      const write = writeOf(command, expected);
      flying.push({ wanted: expected.write(write), result: outcome(store.write(write)) });
      continue;
    }
    if (command.do === "transact") {
      const all = command.changes.map((one) => writeOf(one, expected));
      flying.push({ wanted: expected.transact(all), result: outcome(store.transact(all)) });
      continue;
    }
    await land();
    const [found, wanted] = await carryOut(store, expected, command, watching);
    expect(found).toEqual(wanted);
  }
  await land();
  expect(store.revision).toBe(expected.revision);
  for (const { log, prefix, after } of watching) {
    const wanted = expected.log.filter((e) => e.revision > after && e.key.startsWith(prefix));
    await log.until(wanted.length);
    log.close();
    expect(log.all.map((e) => [e.type, e.key, text(e.value), e.revision, e.previousRevision])).toEqual(
      wanted.map((e) => [e.type, e.key, text(e.value), e.revision, e.previousRevision]),
    );
    for (const events of expected.transactions) expectTogether(log, events);
  }
}

/** Checks that the events of a transaction have come in one call, as far as they have been delivered. */
function expectTogether(log: WatchLog, events: readonly StoreEvent[]): void {
  const isOne = (event: StoreEvent): boolean =>
    events.some((e) => e.key === event.key && e.revision === event.revision);
  expect(log.batches.filter((batch) => batch.some(isOne)).length).toBeLessThanOrEqual(1);
}

type CommandOf = typeof commands extends fc.Arbitrary<(infer Command)[]> ? Command : never;

function comparable(result: Awaited<ReturnType<Store["range"]>> | StoreErrorCode): unknown {
  if (typeof result === "string") return result;
  const { records, revision, more } = result;
  return { revision, more, records: records.map((r) => [r.key, text(r.value), r.revision]) };
}
