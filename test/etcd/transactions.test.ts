/**
 * Transactions over etcd: one revision for all writes, as every server of the cluster sees it, and what etcd does not permit.
 */
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Store, StoreError, StoreEvent, Write } from "../../src/storage/contract.ts";
import { openEtcdStore } from "../../src/storage/etcd/store.ts";
import { WatchLog } from "../../src/storage/testing/watch-log.ts";
import { systemClock, systemRandom } from "../../src/util/clock.ts";
import { Proxy } from "./proxy.ts";
import { type EtcdCluster, hasEtcd, startEtcd } from "./start.ts";

const text = (value: Uint8Array): string => Buffer.from(value).toString();
const create = (key: string, value: string | Buffer = key): Write => ({
  type: "create",
  key,
  value: Buffer.from(value),
});
const update = (key: string, expected: number, value = key): Write => ({
  type: "update",
  key,
  value: Buffer.from(value),
  expected,
});
const remove = (key: string, expected: number, value = key): Write => ({
  type: "delete",
  key,
  value: Buffer.from(value),
  expected,
});
const keysOf = (count: number): string[] => Array.from({ length: count }, (_, i) => `k/${String(i).padStart(4, "0")}`);
const lineOf = ({ type, key, value, revision, previousRevision }: StoreEvent) =>
  `${type} ${key} ${text(value)} ${revision} ${previousRevision}`;
const refusalOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe.skipIf(!(await hasEtcd()))("transactions over etcd", { timeout: 120_000 }, () => {
  let etcd: EtcdCluster;
  let tests = 0;
  let store: Store;
  const open = (endpoints = etcd.endpoints): Promise<Store> =>
    openEtcdStore({ endpoints, prefix: `/transactions-${tests}`, clock: systemClock, random: systemRandom });
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  beforeEach(async () => {
    tests++;
    store = await open();
  });
  afterEach(() => store.close());
  afterAll(() => etcd?.close());

  test("every server sees all of it in one call, each delete with its last value, also later and after a restart", async () => {
    const other = await open();
    const start = store.revision;
    const [a] = await store.transact(["a", "b", "c", "d"].map((key) => create(key, "stored")));
    await other.currentRevision();
    const logs = [WatchLog.start(store, "", a!), WatchLog.start(other, "", a!)];
    const revisions = await store.transact([
      remove("a", a!, "first"),
      create("e"),
      remove("b", a!, "stored"),
      remove("c", a!, "third"),
      update("d", a!, "new"),
    ]);
    const revision = revisions[0]!;
    expect(revisions).toEqual(Array.from({ length: 5 }, () => revision));
    const lines = [
      `delete a first ${revision} ${a}`,
      `put e e ${revision} 0`,
      `delete b stored ${revision} ${a}`,
      `delete c third ${revision} ${a}`,
      `put d new ${revision} ${a}`,
    ];
    for (const log of logs) {
      await log.until(5);
      expect(log.batches).toHaveLength(1);
      expect(log.all.map(lineOf)).toEqual(lines);
    }
    await other.close();
    await etcd.members[0]!.kill();
    await etcd.members[0]!.start();
    // One whose memory holds nothing of it reads it from the log of etcd.
    const later = await open();
    const late = WatchLog.start(later, "", start);
    await late.until(9);
    expect(late.all.slice(4).map(lineOf)).toEqual(lines);
    expect(late.all.slice(0, 4).map(({ key, revision: at }) => [key, at])).toEqual(
      ["a", "b", "c", "d"].map((key) => [key, a]),
    );
    for (const events of [late.all.slice(0, 4), late.all.slice(4)]) {
      expect(late.batches.filter((batch) => batch.some(({ revision: at }) => at === events[0]!.revision))).toHaveLength(
        1,
      );
    }
    const now = WatchLog.start(later, "", revision);
    const next = await later.write(create("f"));
    expect(now.all.map(lineOf)).toEqual([`put f f ${next} 0`]);
    await later.close();
  });

  test("a transaction waits for the writes of each of its keys that were called before, and those after wait for it", async () => {
    const { revision: at } = store;
    const results = await Promise.all([
      store.write(create("a")),
      store.transact([create("b"), update("a", at + 1)]),
      store.write(update("b", at + 2)),
      store.transact([create("c"), update("b", at + 3)]),
      store.transact([remove("c", at + 4, "shown"), update("a", at + 2)]),
      refusalOf(store.transact([update("a", at + 5), create("d"), create("b")])),
      store.transact([create("c"), update("a", at + 5), update("b", at + 4)]),
      store.write(update("c", at + 6)),
    ]);
    expect(results).toEqual([
      at + 1,
      [at + 2, at + 2],
      at + 3,
      [at + 4, at + 4],
      [at + 5, at + 5],
      expect.objectContaining({ code: "exists", key: "b", revision: at + 4 }),
      [at + 6, at + 6, at + 6],
      at + 7,
    ]);
    expect(await store.get("d")).toBeUndefined();
    expect(await store.stats()).toMatchObject({ flushes: 7, writes: 14 - 2 });
  });

  test("as many operations as etcd takes are carried out; more are refused, with what would help", async () => {
    const revision = (await store.transact(keysOf(128).map((key) => create(key))))[0]!;
    const more = store.transact(keysOf(129).map((key) => update(key, revision)));
    await expect(more).rejects.toMatchObject({
      code: "tooLarge",
      message: expect.stringMatching(/found 129 .*--max-txn-ops/),
    });
    const shown = (count: number) => store.transact(keysOf(count).map((key) => remove(key, revision, "another")));
    await expect(shown(65)).rejects.toMatchObject({ code: "tooLarge", message: expect.stringContaining("found 130") });
    expect((await store.range("k/")).records.map((record) => record.revision)).toEqual(keysOf(128).map(() => revision));
    const log = WatchLog.start(store, "k/", revision);
    await shown(64);
    expect(log.all.map(({ value }) => text(value))).toEqual(keysOf(64).map(() => "another"));
    const rest = keysOf(128).slice(64);
    await store.transact(rest.map((key) => remove(key, revision)));
    expect((await store.range("k/")).records).toEqual([]);
  });

  test("an etcd that was started to take more takes more", async () => {
    const large = await startEtcd({ settings: { "max-txn-ops": "5000", "max-request-bytes": String(16 << 20) } });
    const on = await open(large.endpoints);
    const other = await open(large.endpoints);
    try {
      const seen = WatchLog.start(other, "", other.revision);
      const revisions = await on.transact(keysOf(4096).map((key) => create(key)));
      expect(new Set(revisions).size).toBe(1);
      const value = Buffer.alloc(1_000_000, 1);
      await on.transact(Array.from({ length: 8 }, (_, i) => create(`large/${i}`, value)));
      expect((await on.range("k/")).records).toHaveLength(4096);
      const gone = keysOf(2000).map((key) => remove(key, revisions[0]!, "another"));
      const log = WatchLog.start(on, "k/", on.revision);
      await on.transact(gone);
      expect(new Set(log.all.map(({ value: last }) => text(last)))).toEqual(new Set(["another"]));
      // etcd sends them in pieces to a client that has not written them.
      await seen.until(4096 + 8 + 2000);
      expect(seen.batches.map(({ length }) => length)).toEqual([4096, 8, 2000]);
      expect(seen.all.slice(-2000)).toEqual(log.all);
    } finally {
      await Promise.all([on.close(), other.close()]);
      await large.close();
    }
  });

  test("more bytes than etcd takes are refused, a little more and much more, and the store goes on", async () => {
    const value = Buffer.alloc(1 << 20, 1);
    for (const count of [2, 7]) {
      const writes = Array.from({ length: count }, (_, i) => create(`k/${i}`, value));
      const refusal = await refusalOf(store.transact(writes));
      expect(refusal).toMatchObject({ name: "StoreError", code: "tooLarge" });
      const [, bytes] = /found (\d+) bytes.*--max-request-bytes/.exec((refusal as StoreError).message)!;
      expect(Number(bytes)).toBeGreaterThan(count << 20);
    }
    expect((await store.range("k/")).records).toEqual([]);
    expect(await store.transact([create("k/0", value), create("k/1")])).toHaveLength(2);
  });

  test("when the connection breaks a transaction that was under way is there, or is not, never in part", async () => {
    const proxy = await Proxy.to(etcd.endpoints[0]!);
    const broken = await open([proxy.url]);
    let on = true;
    const outcomes = new Map<string, string>();
    const writer = async (id: number): Promise<void> => {
      for (let i = 0; on; i++) {
        const name = `${id}/${i}`;
        const writes = ["x", "y", "z"].map((key) => create(`${key}/${name}`));
        outcomes.set(
          name,
          await broken.transact(writes).then(
            () => "ok",
            ({ code }: StoreError) => code,
          ),
        );
      }
    };
    const writers = Array.from({ length: 8 }, (_, id) => writer(id));
    for (let i = 0; i < 5; i++) {
      await wait(150);
      proxy.cut();
    }
    on = false;
    await Promise.all(writers);
    await broken.close();
    proxy.close();
    const { records } = await store.range("");
    const revisions = Map.groupBy(records, ({ key }) => key.slice(2));
    for (const [name, parts] of revisions) {
      expect([name, new Set(parts.map(({ revision }) => revision)).size, parts.length]).toEqual([name, 1, 3]);
    }
    const wrong = [...outcomes].filter(([name, code]) => code !== "unknown" && revisions.has(name) !== (code === "ok"));
    expect(wrong).toEqual([]);
    expect([...outcomes.values()].filter((code) => code === "ok").length).toBeGreaterThan(10);
    expect(new Set(outcomes.values())).toContain("unknown");
  });
});
