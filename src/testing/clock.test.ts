/**
 * Time and rest (rules 1 to 5 of the kit).
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigMap, CoreEvent } from "../client/kinds/index.ts";
import { type Cluster, NotSettled, consistently, createCluster, eventually } from "./index.ts";
import { inside } from "./clock.ts";

let cluster: Cluster;
beforeEach(async () => {
  cluster = await createCluster();
});
afterEach(() => cluster.close());

const iso = (): string => new Date(cluster.clock.now()).toISOString();
const map = (name: string) => ({ metadata: { name, namespace: "default" } });

describe("rule 4: advance", () => {
  test("stops at each instant, and at what was set on the way", async () => {
    const woke: string[] = [];
    const sleeper = async (): Promise<void> => {
      for (let i = 0; i < 3; i++) {
        await cluster.clock.sleep("100ms");
        woke.push(iso().slice(17, 23));
      }
    };
    const sleeping = sleeper();
    await cluster.clock.advance(500);
    await sleeping;
    expect(woke).toEqual(["00.100", "00.200", "00.300"]);
    expect(iso()).toBe("2026-01-01T00:00:00.500Z");
  });

  test("an hour is sixty minutes: Events go when their time has come, whichever way it passes", async () => {
    const event = (name: string) => ({
      apiVersion: "v1",
      kind: "Event",
      metadata: { name },
      involvedObject: { kind: "Pod", namespace: "default", name: "p" },
    });
    const gone = async (steps: number): Promise<string[]> => {
      await using fork = cluster.fork();
      await fork.apply(event("a"));
      await fork.clock.advance("30m");
      await fork.apply(event("b"));
      for (let i = 0; i < steps; i++) await fork.clock.advance(3_600_000 / steps);
      const { items } = await fork.client().resource(CoreEvent).list();
      return [...items.map(({ metadata }) => metadata.name), new Date(fork.clock.now()).toISOString()];
    };
    expect(await gone(1)).toEqual(await gone(60));
    expect(await gone(1)).toEqual(["2026-01-01T01:30:00.000Z"]);
  });

  test("advanceTo goes to a time, next to the next timer, timers says what waits", async () => {
    void cluster.clock.sleep("2h");
    void cluster.clock.sleep("1h");
    expect(cluster.clock.timers().filter(({ owner }) => owner === "the test")).toEqual([
      { at: "2026-01-01T01:00:00.000Z", owner: "the test" },
      { at: "2026-01-01T02:00:00.000Z", owner: "the test" },
    ]);
    expect([await cluster.clock.next(), iso()]).toEqual([true, "2026-01-01T01:00:00.000Z"]);
    expect([await cluster.clock.next({ within: "10m" }), iso()]).toEqual([false, "2026-01-01T01:10:00.000Z"]);
    await cluster.clock.advanceTo("2026-02-01T00:00:00Z");
    expect(iso()).toBe("2026-02-01T00:00:00.000Z");
    await expect(cluster.clock.advanceTo("2026-01-01T00:00:00Z")).rejects.toThrow("expected a time from 2026-02-01");
    await expect(cluster.clock.advanceTo("tomorrow")).rejects.toThrow("expected a time such as");
  });

  test("the next timer fires, however small the fraction of a millisecond at which it is due", async () => {
    await using moved = await createCluster();
    for (let fraction = 1; fraction > 1e-9; fraction /= 3) {
      let isDue = false;
      moved.clock.after(1000 + fraction, () => (isDue = true));
      expect([await moved.clock.next({ within: "10s" }), isDue]).toEqual([true, true]);
    }
  });

  test("rejects within another move, within a reconcile, and with the clock of the machine", async () => {
    const second = cluster.clock.sleep("1s").then(() => cluster.clock.advance("1s"));
    await Promise.all([cluster.clock.advance("1s"), expect(second).rejects.toThrow(/one move of the clock/)]);
    const within = inside("replica-sets", () => cluster.clock.advance("1s"));
    await expect(within).rejects.toThrow("The clock cannot be moved by replica-sets: that would wait for itself");
    await using real = await createCluster({ clock: "system" });
    await expect(real.clock.advance("1s")).rejects.toThrow('create the cluster with clock: "virtual"');
    expect(Math.abs(real.clock.now() - Date.now())).toBeLessThan(1000);
  });

  test("a sleep ends when its signal says so", async () => {
    const abort = new AbortController();
    const sleeping = cluster.clock.sleep("1h", abort.signal);
    abort.abort();
    await sleeping;
    expect(iso()).toBe("2026-01-01T00:00:00.000Z");
  });
});

test("rule 5: a day of an idle watch is one bookmark, and no end", async () => {
  const told: string[] = [];
  const { metadata } = await cluster.client().resource(ConfigMap).list();
  const read = async (): Promise<void> => {
    const { resourceVersion } = metadata;
    for await (const { type } of cluster.client().resource(ConfigMap).watch({ resourceVersion })) told.push(type);
    told.push("end");
  };
  void read();
  await cluster.clock.advance("24h");
  expect(told).toEqual(["BOOKMARK"]);
  await cluster.apply(ConfigMap, map("a"));
  await cluster.settled();
  expect(told).toEqual(["BOOKMARK", "ADDED"]);
  expect(cluster.requests({ origin: "any", verb: "watch", where: ({ at }) => !at.startsWith("2026-01-01") })).toEqual(
    [],
  );
});

describe("rules 1 to 3: settled", () => {
  test("waits for work of the test, and for what comes of a write", async () => {
    let done = false;
    const work = async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      await cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } });
      done = true;
    };
    void cluster.track(work());
    await cluster.settled();
    expect(done).toBe(true);
    expect(cluster.requests({ origin: "builtin", namespace: "team", verb: "create" })).toHaveLength(2);
  });

  test("does not wait for the clock, nor for idle watches", async () => {
    void cluster.clock.sleep("1h");
    const read = async (): Promise<void> => {
      for await (const _ of cluster.client().resource(ConfigMap).watch());
    };
    void read();
    const started = performance.now();
    await cluster.settled();
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test("rejects after the limit and names what is under way", async () => {
    const end = Promise.withResolvers<void>();
    const tracked = cluster.track(end.promise);
    const error = await cluster.settled({ limit: "50ms" }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NotSettled);
    expect(String(error)).toMatch(/within 50 ms; still running:\n {2}work of the test, for \d+ ms/);
    expect((error as NotSettled).units.map(({ what }) => what)).toEqual(["work of the test"]);
    end.resolve();
    await tracked;
    await cluster.settled();
  });
});

describe("eventually and consistently", () => {
  test("check at each instant until they succeed, in time of the cluster", async () => {
    void cluster.clock.sleep("20s").then(() => cluster.apply(ConfigMap, map("a")));
    const found = await eventually(cluster, () =>
      cluster.client().resource(ConfigMap).get({ namespace: "default", name: "a" }),
    );
    expect([found.metadata.name, iso()]).toEqual(["a", "2026-01-01T00:00:20.000Z"]);
  });

  test("the last error is thrown after the time", async () => {
    const check = (): never => {
      throw new Error(`not at ${iso()}`);
    };
    await expect(eventually(cluster, check, { within: "5s" })).rejects.toThrow("not at 2026-01-01T00:00:05.000Z");
  });

  test("consistently fails with the first error, and passes after the time", async () => {
    let at = "";
    void cluster.clock.sleep("3s").then(() => (at = iso()));
    await expect(consistently(cluster, () => expect(at).toBe(""), { for: "5s" })).rejects.toThrow(
      /2026-01-01T00:00:03/,
    );
    await consistently(cluster, () => expect(at).not.toBe(""), { for: "5s" });
    expect(iso()).toBe("2026-01-01T00:00:08.000Z");
  });

  test("in real time they check after each write", async () => {
    await using real = await createCluster({ clock: "system" });
    const { promise, resolve } = Promise.withResolvers<void>();
    let looks = 0;
    const looking = eventually(real, async () => {
      if (++looks === 1) resolve();
      return real.client().resource(ConfigMap).get({ namespace: "default", name: "a" });
    });
    await promise;
    await real.apply(ConfigMap, map("a"));
    expect((await looking).metadata.name).toBe("a");
    expect(looks).toBeLessThan(5);
    await expect(eventually(real, () => expect(1).toBe(2), { within: "20ms" })).rejects.toThrow("expected 1 to be 2");
  });
});
