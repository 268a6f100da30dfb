import { describe, expect, test } from "vitest";
import { seededRandom } from "../../util/clock.ts";
import { amount } from "../../util/testing/amount.ts";
import type { Store, StoreError, Write } from "../contract.ts";
import { type MemoryStore, openMemoryStore } from "../memory/store.ts";
import { WatchLog } from "../testing/watch-log.ts";
import { OverlayStore } from "./store.ts";

const HISTORIES = amount("HISTORIES", 200, 2000);
const SEED = Number(process.env["SEED"] ?? 1);
const KEYS = ["/a/1", "/a/2", "/a/3", "/b/1", "/b/2"];

const value = (text: string): Uint8Array => Buffer.from(text);
const create = (key: string, text = key): Write => ({ type: "create", key, value: value(text) });

/** A memory store with some of the keys, and an overlay on it that knows the revisions of the keys below `/a/`. */
async function pair(keys: readonly string[], maxBytes = 1000) {
  const below = await openMemoryStore();
  const known = new Map<string, number>();
  for (const key of keys) known.set(key, await below.write(create(key)));
  const { revision } = below;
  const revisionOf = (key: string): number | undefined => (key.startsWith("/a/") ? (known.get(key) ?? 0) : undefined);
  return { below, overlay: new OverlayStore({ below, revision, revisionOf, maxBytes }) };
}

const recordsOf = async (store: Store): Promise<readonly (readonly string[])[]> =>
  (await store.range("/")).records.map((record) => [record.key, Buffer.from(record.value).toString()]);

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "written",
    (error: unknown) => (error as StoreError).code,
  );

/** A write of a key as it is in a store, or one whose condition does not hold. */
function draw(next: () => number): (of: Store) => Promise<Write> {
  const key = KEYS[Math.floor(next() * KEYS.length)]!;
  const type = (["create", "update", "delete"] as const)[Math.floor(next() * 3)]!;
  const text = String(next()).slice(2, 6);
  const isWrong = next() < 0.1;
  return async (of) => {
    if (type === "create") return create(key, text);
    const expected = ((await of.get(key))?.revision ?? 1) + (isWrong ? 1000 : 0);
    return { type, key, value: value(text), expected };
  };
}

describe("a store over another one", () => {
  test(`does in ${HISTORIES} random histories what the store below would do, and its writes bring that about below`, async () => {
    for (let at = 0; at < HISTORIES; at++) {
      const random = seededRandom(SEED + at);
      const next = (): number => random.next();
      const { below, overlay } = await pair(KEYS.filter(() => next() < 0.5));
      const model: MemoryStore = below.fork();
      const before = await recordsOf(below);
      for (let writes = Math.floor(next() * 15); writes > 0; writes--) {
        const write = draw(next);
        expect(await codeOf(overlay.write(await write(overlay)))).toBe(await codeOf(model.write(await write(model))));
        expect(overlay.revision).toBe(model.revision);
      }
      expect(await recordsOf(overlay)).toEqual(await recordsOf(model));
      expect(await recordsOf(below)).toEqual(before);
      await below.transact(overlay.writes());
      expect(await recordsOf(below)).toEqual(await recordsOf(model));
    }
  });

  test("has one write for each key, in the order in which they were first written; a key that has come and gone has none", async () => {
    const { overlay } = await pair(["/a/1", "/b/1"]);
    const made = await overlay.write(create("/a/2"));
    await overlay.write({ type: "update", key: "/b/1", value: value("x"), expected: 2 });
    await overlay.write({ type: "delete", key: "/a/2", value: value("gone"), expected: made });
    await overlay.write(create("/a/3"));
    await overlay.write({ type: "delete", key: "/a/1", value: value("last"), expected: 1 });
    expect(overlay.writes()).toEqual([
      { type: "update", key: "/b/1", value: value("x"), expected: 2 },
      create("/a/3"),
      { type: "delete", key: "/a/1", value: value("last"), expected: 1 },
    ]);
    expect([overlay.hasWritten("a"), overlay.hasWritten("c")]).toEqual([true, false]);
  });

  test("delivers its changes to watchers, those of a transaction in one call, and all or none of it", async () => {
    const { overlay } = await pair(["/a/1"]);
    const log = WatchLog.start(overlay, "/a/", overlay.revision);
    await Promise.resolve();
    await overlay.transact([create("/a/2"), create("/b/1"), create("/a/3")]);
    expect(await codeOf(overlay.transact([create("/b/2"), create("/a/1")]))).toBe("exists");
    expect(await overlay.get("/b/2")).toBeUndefined();
    expect(log.batches.map((batch) => batch.map(({ key }) => key))).toEqual([["/a/2", "/a/3"]]);
    await overlay.close();
    expect(await codeOf(overlay.write(create("/a/9")))).toBe("closed");
  });

  test("reads pages, and has a bound in bytes", async () => {
    const { overlay } = await pair(KEYS, 20);
    await overlay.write({ type: "delete", key: "/a/2", value: value(""), expected: 2 });
    await overlay.write(create("/a/4"));
    const first = await overlay.range("/a/", { limit: 2 });
    expect([first.records.map(({ key }) => key), first.more]).toEqual([["/a/1", "/a/3"], true]);
    const second = await overlay.range("/a/", { start: "/a/3\0", limit: 2 });
    expect([second.records.map(({ key }) => key), second.more]).toEqual([["/a/4"], false]);
    expect(await codeOf(overlay.write(create("/a/5", "more than twenty bytes")))).toBe("tooLarge");
    expect(await overlay.stats()).toMatchObject({ revision: overlay.revision, records: 2 });
  });
});
