/**
 * Forks, marks, resets and snapshots (rules 6 to 8 of the kit).
 */
import { describe, expect, test } from "vitest";
import { StatusError } from "../client/index.ts";
import { ConfigMap, Namespace, ServiceAccount } from "../client/kinds/index.ts";
import { amount } from "../util/testing/amount.ts";
import { type Cluster, createCluster, conflict, hang } from "./index.ts";

const FORKS = amount("FORKS", 200, 1000);

const map = (name: string, data: Record<string, string> = {}) => ({ metadata: { name, namespace: "default" }, data });
const names = async (cluster: Cluster): Promise<string[]> =>
  (await cluster.client().resource(ConfigMap).list({ namespace: "default" })).items
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== "kube-root-ca.crt");
const subjectOf = (cluster: Cluster) => cluster.as({ user: "alice", groups: ["system:masters"] });

describe("rule 6: fork", () => {
  test("begins with the stored objects; both clusters are independent", async () => {
    await using parent = await createCluster();
    await parent.apply(ConfigMap, map("a"));
    const fork = parent.fork();
    await parent.apply(ConfigMap, map("parent"));
    await fork.apply(ConfigMap, map("fork"));
    expect([await names(parent), await names(fork)]).toEqual([
      ["a", "parent"],
      ["a", "fork"],
    ]);
    await fork.close();
    await parent.apply(ConfigMap, map("later"));
    expect(await names(parent)).toEqual(["a", "later", "parent"]);
    await expect(names(fork)).rejects.toThrow("The cluster has been closed");
  });

  test("outlives its parent, and can be forked again", async () => {
    const parent = await createCluster();
    await parent.apply(ConfigMap, map("a"));
    const fork = parent.fork();
    await parent.close();
    await using grandchild = fork.fork();
    await fork.apply(ConfigMap, map("b"));
    expect([await names(fork), await names(grandchild)]).toEqual([["a", "b"], ["a"]]);
    await fork.close();
  });

  test("continues time, random numbers and revisions: two forks of one moment are equal", async () => {
    await using parent = await createCluster();
    await parent.clock.advance("1h");
    const made = await Promise.all(
      [parent.fork(), parent.fork(), parent.fork({ seed: 9 })].map(async (fork) => {
        await using cluster = fork;
        const [object] = await cluster.apply(ConfigMap, map("a"));
        return object!.metadata;
      }),
    );
    expect(made[0]!.creationTimestamp).toBe("2026-01-01T01:00:00Z");
    expect(made[1]).toEqual(made[0]);
    expect(made[2]!.uid).not.toBe(made[0]!.uid);
  });

  test("has no traffic, faults, watches or ports of its parent; old versions are 410 there", async () => {
    await using parent = await createCluster();
    parent.faults.always({}, conflict());
    const [old] = await parent.apply(ConfigMap, map("a"));
    await parent.apply(ConfigMap, map("a", { changed: "yes" }));
    await using fork = parent.fork();
    expect([fork.requests({ origin: "any" }), fork.realTime]).toEqual([[], false]);
    await subjectOf(fork).resource(ConfigMap).list();
    const watch = fork.client().resource(ConfigMap).watch({ resourceVersion: old!.metadata.resourceVersion });
    await expect(watch.next()).rejects.toMatchObject({ status: { code: 410, reason: "Expired" } });
  });

  test("its built-in controllers go on: a namespace gets what every namespace has, and goes when it is deleted", async () => {
    await using parent = await createCluster();
    await using fork = parent.fork();
    await fork.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } });
    await fork.settled();
    const accounts = fork.client().resource(ServiceAccount);
    expect(await accounts.find({ namespace: "team", name: "default" })).toBeDefined();
    await fork.client().resource(Namespace).delete({ name: "team" });
    await fork.settled();
    expect(await fork.client().resource(Namespace).find({ name: "team" })).toBeUndefined();
  });

  test("many forks are independent", { timeout: 120_000 }, async () => {
    await using parent = await createCluster();
    await parent.apply(ConfigMap, map("shared"));
    await parent.settled();
    const worlds = await Promise.all(
      Array.from({ length: FORKS }, async (_, n) => {
        await using fork = parent.fork();
        await fork.apply(ConfigMap, ...Array.from({ length: n % 5 }, (_nothing, i) => map(`own-${i}`)));
        return names(fork);
      }),
    );
    expect(worlds.map(({ length }) => length)).toEqual(Array.from({ length: FORKS }, (_, n) => 1 + (n % 5)));
    expect(await names(parent)).toEqual(["shared"]);
  });
});

describe("rule 7: reset", () => {
  test("restores the initial state or a mark, repeatedly", async () => {
    await using cluster = await createCluster();
    await cluster.apply(ConfigMap, map("a"));
    const mark = cluster.mark();
    await cluster.apply(ConfigMap, map("b"));
    await cluster.reset(mark);
    expect(await names(cluster)).toEqual(["a"]);
    await cluster.apply(ConfigMap, map("c"));
    await cluster.reset(mark);
    expect(await names(cluster)).toEqual(["a"]);
    await cluster.reset();
    expect(await names(cluster)).toEqual([]);
    await cluster.reset();
    expect(await names(cluster)).toEqual([]);
  });

  test("objects have the uids and versions of the mark, revisions go on growing, old versions are 410", async () => {
    await using cluster = await createCluster();
    const [before] = await cluster.apply(ConfigMap, map("a"));
    const mark = cluster.mark();
    const [newest] = await cluster.apply(ConfigMap, map("b"));
    await cluster.reset(mark);
    const configMaps = cluster.client().resource(ConfigMap);
    expect((await configMaps.get({ namespace: "default", name: "a" })).metadata).toEqual(before!.metadata);
    const [after] = await cluster.apply(ConfigMap, map("b"));
    expect(Number(after!.metadata.resourceVersion)).toBeGreaterThan(Number(newest!.metadata.resourceVersion));
    const watch = configMaps.watch({ resourceVersion: newest!.metadata.resourceVersion });
    await expect(watch.next()).rejects.toMatchObject({ status: { code: 410 } });
  });

  test("open watches end with 410, requests that wait get 503, a client goes on under the same address", async () => {
    await using cluster = await createCluster();
    await using endpoint = await cluster.listen();
    const subject = subjectOf(cluster);
    const { metadata } = await subject.resource(ConfigMap).list();
    const event = subject.resource(ConfigMap).watch({ resourceVersion: metadata.resourceVersion }).next();
    const ended = event.catch((error: unknown) => error);
    cluster.faults.next({ verb: "list" }, hang());
    const listed = subject
      .resource(ConfigMap)
      .list()
      .catch((error: unknown) => error);
    await cluster.settled();
    await cluster.reset();
    expect(await ended).toMatchObject({ status: { code: 410, reason: "Expired" } });
    expect(await listed).toMatchObject({ status: { code: 503 } });
    expect(await listed).toBeInstanceOf(StatusError);
    expect(endpoint.url).toMatch(/^https:/);
    await subject.resource(ConfigMap).create(map("a"));
  });

  test("the time goes back, the steady counter never; sleeps of the test reject; faults and traffic are emptied", async () => {
    await using cluster = await createCluster();
    await cluster.clock.advance("1h");
    const steady = cluster.clock.steady();
    const slept = cluster.clock.sleep("1h").catch((error: unknown) => String(error));
    cluster.faults.always({}, conflict());
    await subjectOf(cluster)
      .resource(ConfigMap)
      .list()
      .catch(() => {});
    await cluster.reset();
    expect(new Date(cluster.clock.now()).toISOString()).toBe("2026-01-01T00:00:00.000Z");
    expect(cluster.clock.steady()).toBe(steady);
    expect(await slept).toContain("The clock was set back");
    expect(cluster.requests({ origin: "any" })).toEqual([]);
    await subjectOf(cluster).resource(ConfigMap).list();
  });
});

describe("rule 8: snapshot", () => {
  test("has objects, versions, time and random numbers as bytes", async () => {
    await using cluster = await createCluster();
    const [a] = await cluster.apply(ConfigMap, map("a"));
    await cluster.clock.advance("1h");
    const from = cluster.snapshot();
    await using copy = await createCluster({ from });
    await using fork = cluster.fork();
    const made = await Promise.all([copy, fork].map((world) => world.apply(ConfigMap, map("b"))));
    expect(made[0]).toEqual(made[1]);
    expect(made[0]![0]!.metadata.creationTimestamp).toBe("2026-01-01T01:00:00Z");
    expect(await copy.client().resource(ConfigMap).get({ namespace: "default", name: "a" })).toEqual(a);
  });

  test("refuses other bytes and another dialect", async () => {
    await expect(createCluster({ from: Buffer.from("no") })).rejects.toThrow("expected `from` to be the snapshot()");
    await using neutral = await createCluster({ dialect: "neutral" });
    await expect(createCluster({ from: neutral.snapshot() })).rejects.toThrow(
      "expected a snapshot of the kubernetes dialect, got one of neutral",
    );
  });
});
