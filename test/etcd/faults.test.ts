import { setTimeout as wait } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Store, StoreError } from "../../src/storage/contract.ts";
import { GrpcSession } from "../../src/grpc/session.ts";
import { CALLS, putRequest } from "../../src/storage/etcd/messages.ts";
import { type EtcdStoreOptions, openEtcdStore } from "../../src/storage/etcd/store.ts";
import { WatchLog } from "../../src/storage/testing/watch-log.ts";
import { systemClock, systemRandom } from "../../src/util/clock.ts";
import { Load, checkLog } from "./load.ts";
import { Proxy } from "./proxy.ts";
import { type EtcdCluster, hasEtcd, startEtcd } from "./start.ts";

const open = (endpoints: readonly string[], more: Partial<EtcdStoreOptions> = {}): Promise<Store> =>
  openEtcdStore({ endpoints, clock: systemClock, random: systemRandom, ...more });
const create = (key: string) => ({ type: "create" as const, key, value: Buffer.from(key) });

describe.skipIf(!(await hasEtcd()))("etcd behind a bad network", () => {
  let etcd: EtcdCluster;
  let proxy: Proxy;
  let store: Store;
  let direct: Store;
  let tests = 0;
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  beforeEach(async () => {
    const prefix = `/faults-${tests++}`;
    proxy = await Proxy.to(etcd.endpoints[0]!);
    [store, direct] = await Promise.all([open([proxy.url], { prefix }), open(etcd.endpoints, { prefix })]);
  });
  afterEach(async () => {
    await Promise.all([store.close(), direct.close()]);
    proxy.close();
  });
  afterAll(() => etcd?.close());

  test("writes that were under way when the connection broke are unknown, none that was acknowledged is lost", async () => {
    const start = store.revision;
    const log = WatchLog.start(store, "", start);
    const load = new Load([store], 16, "k");
    for (let i = 0; i < 5; i++) {
      await wait(200);
      proxy.cut();
    }
    await wait(300);
    const outcomes = await load.stop();
    const revision = await direct.currentRevision();
    await log.until((await WatchLog.start(direct, "", start).until(1)).length);
    const last = await store.write(create("last"));
    expect(last).toBeGreaterThan(revision);
    checkLog(
      log.all.filter(({ key }) => key !== "last"),
      outcomes,
    );
    expect(log.error).toBeUndefined();
    expect(proxy.connections).toBeGreaterThanOrEqual(5);
    expect(new Set(outcomes.map(({ code }) => code ?? "ok"))).toContain("ok");
  });

  test("a connection on which nothing is heard any more is left after five seconds", async () => {
    await store.write(create("before"));
    proxy.silence();
    const start = performance.now();
    const under = store.write(create("under way")).catch((error: unknown) => error);
    const log = WatchLog.start(store, "", store.revision);
    await direct.write(create("meanwhile"));
    await log.until(1);
    expect(performance.now() - start).toBeLessThan(20_000);
    expect(await under).toMatchObject({ name: "StoreError", code: "unknown", key: "under way" });
    expect(await store.write(create("after"))).toBeGreaterThan(0);
    expect(log.keys).toEqual(["meanwhile", "after"]);
  });

  test("without any member writes and reads fail with unavailable, and go on when there is one again", async () => {
    proxy.refuse(true);
    proxy.cut();
    await wait(100);
    const results = await Promise.allSettled([store.write(create("a")), store.get("a"), store.currentRevision()]);
    expect(results.map((r) => (r.status === "rejected" ? (r.reason as StoreError).code : r.value))).toEqual(
      Array.from({ length: 3 }, () => "unavailable"),
    );
    expect(await direct.get("a")).toBeUndefined();
    proxy.refuse(false);
    expect(await store.write(create("a"))).toBeGreaterThan(0);
  });

  test("what was forgotten while the connection was lost ends watches with compacted, and new ones go on", async () => {
    const log = WatchLog.start(store, "", store.revision);
    proxy.refuse(true);
    proxy.cut();
    await direct.write(create("a"));
    await direct.compact(await direct.write(create("b")));
    proxy.refuse(false);
    expect(await log.untilEnded()).toMatchObject({ code: "compacted" });
    expect(log.keys).toEqual([]);
    const again = WatchLog.start(store, "", await store.currentRevision());
    const revision = await store.write(create("c"));
    expect(again.all).toMatchObject([{ key: "c", revision }]);
    expect((await store.stats()).compactedRevision).toBe(revision - 1);
  });

  test("writes of other clients to the same etcd raise the revision, and the store follows", async () => {
    const session = await GrpcSession.open(etcd.endpoints[0]!, {}, systemClock, 5000);
    const log: number[] = [];
    const watch = store.watch("", store.revision, {
      events: () => log.push(-1),
      progress: (revision) => log.push(revision),
      ended: () => log.push(-2),
    });
    const frame = putRequest(Buffer.from("stranger"), Buffer.from("x"));
    const before = store.revision;
    await session.call(CALLS.put, frame, 5000);
    const revision = await store.currentRevision();
    expect(revision).toBeGreaterThan(before);
    while ((log.at(-1) ?? 0) < revision) await wait(5);
    expect(store.revision).toBeGreaterThanOrEqual(revision);
    expect(log.every((entry) => entry >= 0)).toBe(true);
    // A watch from before: the log has nothing for it, and it gets to the present all the same.
    const late = WatchLog.start(store, "", revision - 1);
    const mine = await store.write(create("mine"));
    expect(await late.until(1)).toMatchObject([{ key: "mine", revision: mine }]);
    watch.close();
    session.destroy("done");
  });

  test("writes of two stores and of other clients reach each store once and in order, and before the store's own write is done", async () => {
    const session = await GrpcSession.open(etcd.endpoints[0]!, {}, systemClock, 5000);
    const stores = [store, direct].map((one) => ({ one, log: WatchLog.start(one, "", one.revision) }));
    const frame = putRequest(Buffer.from("stranger"), Buffer.from("x"));
    const late: number[] = [];
    await Promise.all(
      Array.from({ length: 400 }, async (_, i) => {
        const { one, log } = stores[i % 3 === 0 ? 1 : 0]!;
        await wait(i % 20);
        if (i % 5 === 0) await session.call(CALLS.put, frame, 5000);
        const revision = await one.write(create(`k${i}`));
        if (!log.all.some((event) => event.revision === revision)) late.push(revision);
      }),
    );
    expect(late).toEqual([]);
    const revisions = await Promise.all(
      stores.map(async ({ log }) => (await log.until(400)).map(({ revision }) => revision)),
    );
    expect(revisions[0]).toHaveLength(400);
    expect(revisions[0]).toEqual(revisions[0]!.toSorted((a, b) => a - b));
    expect(revisions[1]).toEqual(revisions[0]);
    session.destroy("done");
  });

  test("a watch from far back is read from the log of etcd, page by page", { timeout: 120_000 }, async () => {
    const start = direct.revision;
    await Promise.all(Array.from({ length: 6000 }, (_, i) => direct.write(create(`n/${i}`))));
    await store.currentRevision().then(async (revision) => {
      while (store.revision < revision) await wait(10);
    });
    const log = WatchLog.start(store, "n/", start);
    await log.until(6000);
    expect(log.all.map(({ revision }) => revision)).toEqual(
      log.all.map(({ revision }) => revision).toSorted((a, b) => a - b),
    );
    expect(new Set(log.keys).size).toBe(6000);
  });

  test("a watch that begins at a revision which only another server has seen waits for it", async () => {
    const revision = await direct.write(create("a"));
    const log = WatchLog.start(store, "", Math.max(revision, store.revision));
    await direct.write(create("b"));
    expect(await log.until(1)).toMatchObject([{ key: "b" }]);
    expect((await WatchLog.start(store, "", revision + 1000).untilEnded()).code).toBe("future");
  });

  test("another cluster behind the same address is refused for good: its revisions mean something else", async () => {
    const other = await startEtcd();
    try {
      proxy.retarget(other.endpoints[0]!);
      proxy.cut();
      const error = await store.failed;
      expect(error).toMatchObject({ code: "failed", message: expect.stringContaining("another etcd cluster") });
      await expect(store.write(create("a"))).rejects.toMatchObject({ code: "failed" });
    } finally {
      await other.close();
    }
  });

  test("data of another owner is refused", async () => {
    const prefix = `/owned-${tests}`;
    const mine = await open(etcd.endpoints, { prefix, owner: "neutral" });
    await mine.close();
    await expect(open(etcd.endpoints, { prefix, owner: "kubernetes" })).rejects.toMatchObject({
      code: "failed",
      message: expect.stringMatching(/of kubernetes .*found that of "neutral"/),
    });
  });
});

describe.skipIf(!(await hasEtcd()))("etcd with limits of its own", () => {
  test("a request that etcd finds too large is tooLarge; what etcd has no room for is full", async () => {
    const settings = { "max-request-bytes": "100000", "quota-backend-bytes": String(4 << 20) };
    const etcd = await startEtcd({ settings });
    const store = await open(etcd.endpoints);
    try {
      const value = Buffer.alloc(200_000);
      await expect(store.write({ type: "create", key: "a", value })).rejects.toMatchObject({ code: "tooLarge" });
      const kept = await store.write(create("kept"));
      let full: unknown;
      for (let i = 0; full === undefined && i < 200; i++) {
        const write = store.write({ type: "create", key: `k${i}`, value: Buffer.alloc(90_000, i) });
        full = await write.then(
          () => undefined,
          (error: unknown) => error,
        );
      }
      expect(full).toMatchObject({ code: "full" });
      expect((await store.get("kept"))!.revision).toBe(kept);
    } finally {
      await store.close();
      await etcd.close();
    }
  });

  test("with TLS only who has a client certificate is let in", async () => {
    const etcd = await startEtcd({ tls: true });
    const { readFileSync } = await import("node:fs");
    const ca = readFileSync(etcd.tls!.ca, "utf8");
    const credentials = { ca, cert: readFileSync(etcd.tls!.cert, "utf8"), key: readFileSync(etcd.tls!.key, "utf8") };
    try {
      const store = await open(etcd.endpoints, { credentials: () => credentials });
      const value = Buffer.alloc(1_572_864, 3);
      await store.write({ type: "create", key: "large", value });
      expect(Buffer.compare((await store.get("large"))!.value, value)).toBe(0);
      await store.close();
      await expect(open(etcd.endpoints, { credentials: () => ({ ca }) })).rejects.toMatchObject({
        code: "unavailable",
      });
    } finally {
      await etcd.close();
    }
  });
});
