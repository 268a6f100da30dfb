/**
 * Controllers under test: the user stories of the kit, and what settled() complains of (rules 3, 14, 16, 18 and 20).
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { attempt, retryOnConflict } from "../client/index.ts";
import { ConfigMap, Lease, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../client/kinds/index.ts";
import {
  type Controller,
  type ControllerDefinition,
  changed,
  defineController,
  keysPushed,
  sharedInformer,
  watches,
} from "../runtime/index.ts";
import {
  type Cluster,
  HotLoop,
  NotSettled,
  ReconcileFailed,
  conflict,
  crash,
  createCluster,
  dropConnection,
  eventually,
  forbidden,
  hang,
  internalError,
  isOwnedBy,
  slow,
  tooManyRequests,
  watchExpires,
  watchStalls,
} from "./index.ts";

/** A ConfigMap that asks for pods: its data says how many. */
const sets = sharedInformer(ConfigMap, { labelSelector: "wants=pods" });
const web = (replicas: number) => ({
  metadata: { name: "web", namespace: "default", labels: { wants: "pods" } },
  data: { replicas: String(replicas) },
});

/** Keeps as many pods as asked for. */
const podSets = defineController({
  name: "pod-sets",
  for: sets,
  owns: [Pod],
  async reconcile(ctx) {
    const wanted = Number(ctx.object.data?.["replicas"]);
    const pods = ctx.owned(Pod).filter((pod) => pod.metadata.deletionTimestamp === undefined);
    for (let n = pods.length; n < wanted; n++) {
      const pod = await ctx.create(Pod, {
        metadata: { generateName: `${ctx.key.name}-` },
        spec: { containers: [{ name: "web", image: "web:1" }] },
      });
      ctx.events.normal("SuccessfulCreate", `created pod ${pod.metadata.name}`, pod);
    }
    for (const pod of pods.slice(wanted)) await ctx.delete(Pod, pod);
  },
});

let cluster: Cluster;
beforeEach(async () => {
  cluster = await createCluster();
});
afterEach(() => cluster.close());

const pods = () => cluster.client().resource(Pod);
const podNames = async (): Promise<string[]> =>
  (await pods().list({ namespace: "default" })).items.map(({ metadata }) => metadata.name);
const controllerOf = (name: string, reconcile: ControllerDefinition["reconcile"]): Controller =>
  defineController({ name, for: sets, reconcile: reconcile as never });

describe("stories", () => {
  test("1: keeps as many pods as asked for, owned by who asked, and tells so", async () => {
    await cluster.run(podSets);
    const [owner] = await cluster.apply(ConfigMap, web(3));
    await cluster.settled();
    const [first, ...others] = (await pods().list({ namespace: "default" })).items;
    expect(others).toHaveLength(2);
    isOwnedBy(first!, owner!);
    await pods().delete(first!);
    await cluster.settled();
    expect(await podNames()).toHaveLength(3);
    expect((await cluster.events(owner)).map(({ reason }) => reason)).toEqual(Array(4).fill("SuccessfulCreate"));
  });

  test("2: counts once although two writes are refused", async () => {
    const counter = defineController({
      name: "counter",
      for: sets,
      predicate: changed.labels,
      reconcile: ({ key, client }) =>
        retryOnConflict(async () => {
          const maps = client.resource(ConfigMap);
          const map = await maps.get({ namespace: key.namespace, name: "count" });
          await maps.update({ ...map, data: { seen: String(Number(map.data?.["seen"] ?? "0") + 1) } });
        }),
    });
    const running = await cluster.run(counter);
    const refused = cluster.faults.next({ verb: "update", kind: ConfigMap, name: "count" }, conflict(), 2);
    await cluster.apply(ConfigMap, { metadata: { name: "count", namespace: "default" } });
    await cluster.apply(ConfigMap, web(0));
    await cluster.settled();
    const { data } = await cluster.client().resource(ConfigMap).get({ namespace: "default", name: "count" });
    expect([refused.hits, data?.["seen"], running.failures]).toEqual([2, "1", []]);
  });

  test("3 and 8: finds what a broken watch did not tell, then is quiet for ten hours", async () => {
    await cluster.run(podSets);
    await cluster.apply(ConfigMap, web(3));
    await cluster.settled();
    cluster.faults.open({ kind: Pod }, watchExpires());
    for (const pod of (await pods().list({ namespace: "default" })).items) await pods().delete(pod);
    await cluster.settled();
    expect(await podNames()).toHaveLength(3);
    expect(cluster.requests({ verb: "list", kind: Pod })).toHaveLength(2);
    using writes = cluster.record({ verb: "writes" });
    await cluster.clock.advance("10h");
    expect(writes.requests).toEqual([]);
  });

  test("4: the second takes over when the first has died, not before", async () => {
    const lease = { namespace: "kube-system", name: "web" };
    const first = await cluster.run(podSets, { leaderElection: { lease, identity: "1" } });
    const second = await cluster.run(podSets, { leaderElection: { lease, identity: "2" } });
    expect([first.leading, second.leading]).toEqual([true, false]);
    first.crash();
    await cluster.clock.advance("14s");
    expect(second.leading).toBe(false);
    await eventually(cluster, () => expect(second.leading).toBe(true), { within: "5s" });
    expect((await cluster.client().resource(Lease).get(lease)).spec?.leaseTransitions).toBe(1);
  });

  test("5 and 6: a fork per test, side by side", async () => {
    const counts = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        await using fork = cluster.fork();
        await fork.run(podSets);
        await fork.apply(ConfigMap, web(n % 5));
        await fork.settled();
        return (await fork.client().resource(Pod).list({ namespace: "default" })).items.length;
      }),
    );
    expect(counts).toEqual(Array.from({ length: 50 }, (_, n) => n % 5));
  });

  test.each(["before", "after"] as const)("9: leaves nothing behind when it dies %s a write", async (when) => {
    let skip = -1;
    for (let met = true; met;) {
      skip++;
      await using fork = cluster.fork();
      const cloud = new Set<string>();
      const buckets = defineController({
        name: "buckets",
        for: sets,
        finalizer: "example.com/bucket",
        reconcile: async ({ object, apply }) => {
          cloud.add(object.metadata.uid);
          await apply(ConfigMap, { metadata: { name: `${object.metadata.name}-url` }, data: { url: "memory:" } });
        },
        cleanup: ({ object }) => void cloud.delete(object.metadata.uid),
      });
      const death = fork.faults.next({ verb: "writes", skip }, crash({ when }));
      const running = await fork.run(buckets, { restart: true });
      const [map] = await fork.apply(ConfigMap, web(0));
      await fork.settled();
      await fork.client().resource(ConfigMap).delete(map!);
      await fork.clock.advance("1m");
      expect([cloud.size, await fork.client().resource(ConfigMap).find({ namespace: "default", name: "web" })]).toEqual(
        [0, undefined],
      );
      met = death.hits > 0;
      expect(running.crashes).toBe(death.hits);
      fork.faults.clear();
    }
    // The finalizer, the map, the end of the finalizer.
    expect(skip).toBe(3);
  });

  test("10: a storage driver's provisioner leaks no volume, whichever write its response is lost to", async () => {
    const claims = sharedInformer(PersistentVolumeClaim, {
      indexes: { class: (claim) => claim.spec.storageClassName },
    });
    const made = new Set<string>();
    const provisioner = defineController({
      name: "fast.example.com",
      for: claims,
      finalizer: "fast.example.com/provisioning",
      sources: [
        watches(StorageClass, (sc, informer) =>
          informer(claims)
            .by("class", sc.metadata.name)
            .map(({ metadata }) => ({ namespace: metadata.namespace ?? "", name: metadata.name })),
        ),
      ],
      async reconcile({ object: claim, key, client, apply }) {
        const { storageClassName = "", accessModes, resources, volumeName } = claim.spec;
        const found = await attempt(client.resource(StorageClass).get({ name: storageClassName }), "NotFound");
        if (!found.ok || found.value.provisioner !== "fast.example.com" || volumeName !== undefined) return;
        const [name, storage] = [`pvc-${claim.metadata.uid}`, resources?.requests?.["storage"] ?? "1Gi"];
        made.add(name);
        await apply(PersistentVolume, {
          metadata: { name },
          spec: {
            storageClassName,
            ...(accessModes ? { accessModes } : {}),
            capacity: { storage },
            csi: { driver: "fast.example.com", volumeHandle: name },
            claimRef: { ...key, uid: claim.metadata.uid },
          },
        });
      },
      cleanup: ({ object }) => void made.delete(`pvc-${object.metadata.uid}`),
    });
    await cluster.run(provisioner);
    const claim = {
      metadata: { name: "data", namespace: "default" },
      spec: {
        storageClassName: "fast",
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
      },
    } as const;
    const lost = cluster.faults.next({ verb: "apply", kind: PersistentVolume }, dropConnection({ when: "after" }));
    await cluster.apply(PersistentVolumeClaim, claim);
    await cluster.settled();
    expect(made.size).toBe(0);
    await cluster.apply(StorageClass, { metadata: { name: "fast" }, provisioner: "fast.example.com" });
    await cluster.clock.advance("1m");
    const volumes = await cluster.client().resource(PersistentVolume).list();
    expect([lost.hits, made.size, volumes.items.map(({ metadata }) => metadata.name)]).toEqual([1, 1, [...made]]);
    await cluster.client().resource(PersistentVolumeClaim).delete({ namespace: "default", name: "data" });
    await cluster.settled();
    expect(made.size).toBe(0);
  });
});

describe("rule 3: the errors of settled()", () => {
  test("an error of a reconcile for which a retry is useless, once", async () => {
    const running = await cluster.run(
      controllerOf("wrong", () => {
        throw new TypeError("undefined is not a function");
      }),
    );
    await cluster.apply(ConfigMap, web(1));
    const error = await cluster.settled().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ReconcileFailed);
    expect(String(error)).toContain("wrong default/web: TypeError: undefined is not a function");
    await cluster.settled();
    expect(running.failures).toMatchObject([{ controller: "wrong", key: "default/web" }]);
  });

  test("not for errors with a retry, injected faults and tolerated errors", async () => {
    let failing = 3;
    const running = await cluster.run(
      [
        podSets,
        controllerOf("moody", () => {
          if (failing-- > 0) throw new RangeError("not yet");
        }),
      ],
      { tolerate: (error) => error instanceof RangeError },
    );
    cluster.faults.next({ verb: "create", kind: Pod }, internalError());
    cluster.faults.next({ verb: "create", kind: Pod }, forbidden());
    cluster.faults.next({ verb: "create", kind: Pod }, dropConnection({ when: "before" }));
    await cluster.apply(ConfigMap, web(1));
    await cluster.clock.advance("1m");
    expect(await podNames()).toHaveLength(1);
    expect(running.failures.map(({ controller }) => controller).toSorted()).toEqual([
      ...Array(3).fill("moody"),
      ...Array(3).fill("pod-sets"),
    ]);
  });

  test("a key that is handled repeatedly while the clock does not move, with its last writes", async () => {
    const restless = controllerOf("restless", (async ({ object, client }: never) => {
      const { data, ...map } = object as ConfigMap;
      const times = String(Number(data?.["times"] ?? "0") + 1);
      await (client as ReturnType<Cluster["client"]>).resource(ConfigMap).update({ ...map, data: { times } });
    }) as never);
    await cluster.run(restless);
    await cluster.apply(ConfigMap, web(1));
    const error = await cluster.settled({ hot: 20 }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(HotLoop);
    expect(String(error)).toMatch(
      /restless reconciled default\/web 20 times while the clock stood still; its last writes:/,
    );
    expect(String(error)).toContain("update ConfigMap default/web");
  });

  test("a key that another client changes a hundred times is not a hot loop", async () => {
    let count = 0;
    let ask = (): void => {};
    await cluster.run(controllerOf("patient", () => void count++));
    for (let i = 0; i < 150; i++) await cluster.apply(ConfigMap, web(i));
    await cluster.settled();
    await cluster.run(
      defineController({
        name: "asked",
        for: sets,
        sources: [
          keysPushed((add) => {
            ask = () => add({ namespace: "default", name: "web" });
            return new DisposableStack();
          }),
        ],
        reconcile: () => void count++,
      }),
    );
    const before = count;
    for (let i = 0; i < 150; i++) {
      ask();
      await cluster.settled();
    }
    expect(count - before).toBeGreaterThanOrEqual(150);
  });

  test("Events of one instant are listed in the order of their creation", async () => {
    const reasons = ["Zulu", "Mike", "Alpha", "Kilo", "Bravo"];
    const talks = defineController({
      name: "talks",
      for: sets,
      reconcile: ({ events }) => reasons.forEach((reason) => events.normal(reason, "it is so")),
    });
    await cluster.run(talks);
    const [map] = await cluster.apply(ConfigMap, web(1));
    await cluster.settled();
    expect((await cluster.events(map)).map(({ reason }) => reason)).toEqual(reasons);
  });

  test("a reconcile cannot wait for settled()", async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    await cluster.run(
      controllerOf("waits", async () => resolve(await cluster.settled().catch((error: unknown) => String(error)))),
    );
    await cluster.apply(ConfigMap, web(1));
    expect(await promise).toContain("settled() cannot be awaited by waits: that would wait for itself");
  });

  test("what is running is not listed key by key where that is much", async () => {
    const reconcile = (): Promise<never> => new Promise(() => {});
    await cluster.run(defineController({ name: "stuck", for: sets, concurrency: 100, reconcile }));
    const many = Array.from({ length: 100 }, (_, n) => ({
      ...web(0),
      metadata: { ...web(0).metadata, name: `web-${n}` },
    }));
    await cluster.apply(ConfigMap, ...many);
    const error = (await cluster.settled({ limit: "20ms" }).catch((reason: unknown) => reason)) as NotSettled;
    expect(error).toBeInstanceOf(NotSettled);
    expect(error.message.split("\n")).toHaveLength(22);
    expect(error.message).toMatch(/ {2}and 80 more$/);
    expect(error.units).toHaveLength(100);
  });

  test("a reconcile cannot move the clock", async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    await cluster.run(
      controllerOf("impatient", async () => {
        resolve(await cluster.clock.advance("1s").catch((error: unknown) => String(error)));
      }),
    );
    await cluster.apply(ConfigMap, web(1));
    expect(await promise).toContain("The clock cannot be moved by impatient: that would wait for itself");
  });
});

describe("failures while controllers start", () => {
  const firstList = { verb: "list", kind: Pod } as const;

  test.each([
    ["slow", slow("5s"), "6s"],
    ["tooManyRequests", tooManyRequests("3s"), "4s"],
    ["crash before", crash({ when: "before" }), "10s"],
    ["crash after", crash({ when: "after" }), "10s"],
  ] as const)("a first list that meets %s delays no other, and is repeated when the clock moves", async (...told) => {
    const [, fault, wait] = told;
    cluster.faults.next(firstList, fault);
    await using running = await cluster.run(podSets, { restart: true });
    await cluster.apply(ConfigMap, web(1));
    await cluster.settled();
    expect(await podNames()).toHaveLength(0);
    await cluster.clock.advance(wait);
    expect([await podNames(), running.crashes]).toEqual([[expect.any(String)], fault.name === "crash" ? 1 : 0]);
  });

  test("a list that hangs delays no other; a program that died at the first list and does not return is dead", async () => {
    const fork = cluster.fork();
    fork.faults.next(firstList, hang());
    await fork.run(podSets);
    await fork.settled();
    await fork.close();
    cluster.faults.next(firstList, crash({ when: "before" }));
    const running = await cluster.run(podSets);
    expect([running.crashes, running.leading]).toEqual([1, false]);
    await cluster.clock.advance("1h");
    expect(cluster.requests({ kind: Pod })).toHaveLength(1);
  });
});

describe("rule 1: a reconcile that waits for the clock does not count as running", () => {
  const waits: Record<
    string,
    (ctx: { clock: { sleep(time: "10s"): Promise<void> }; client: ReturnType<Cluster["client"]> }) => Promise<unknown>
  > = {
    "its clock": ({ clock }) => clock.sleep("10s"),
    "a slow response": ({ client }) => client.resource(Pod).list(),
    "a busy server": ({ client }) => client.resource(Lease).list(),
  };

  test.each(Object.keys(waits))("%s", async (what) => {
    cluster.faults.next({ verb: "list", kind: Pod }, slow("10s"));
    cluster.faults.next({ verb: "list", kind: Lease }, tooManyRequests("10s"));
    let done = false;
    await cluster.run(
      controllerOf("patient", (async (ctx: never) => {
        await waits[what]!(ctx);
        done = true;
      }) as never),
    );
    await cluster.apply(ConfigMap, web(1));
    await cluster.settled();
    expect(done).toBe(false);
    await cluster.clock.advance("9s");
    expect(done).toBe(false);
    await cluster.clock.advance("1s");
    expect(done).toBe(true);
    cluster.faults.clear();
  });

  test("a reconcile that waits for real time counts as running, and is named", async () => {
    const real = Promise.withResolvers<void>();
    await cluster.run(controllerOf("busy", () => real.promise as never));
    await cluster.apply(ConfigMap, web(1));
    await expect(cluster.settled({ limit: "50ms" })).rejects.toThrow(/busy default\/web, for \d+ ms/);
    real.resolve();
    await cluster.settled();
  });
});

describe("run", () => {
  test("rejects for a kind that is not served, and for a service account without rights", async () => {
    const Widget = {
      group: "example.com",
      version: "v1",
      kind: "Widget",
      plural: "widgets",
      scope: "Namespaced",
    } as const;
    const widgets = defineController({ name: "widgets", for: Widget, reconcile() {} });
    await expect(cluster.run(widgets)).rejects.toThrow("expected widgets to run: widgets.example.com is not served");
    await expect(cluster.run(podSets, { as: "default/operator" })).rejects.toMatchObject({
      status: { code: 403, reason: "Forbidden" },
    });
    expect(cluster.requests({ user: "system:serviceaccount:default:operator" })).not.toEqual([]);
    await expect(cluster.run(podSets, { as: "operator" })).rejects.toThrow("expected as to be a service account");
    await cluster.settled();
  });

  test("a stopped or crashed run does nothing any more; restarts are distinguished", async () => {
    const running = await cluster.run(podSets);
    const crashing = await cluster.run(defineController({ ...podSets.definition, name: "others" } as never));
    await running.stop();
    crashing.crash();
    crashing.crash();
    await cluster.apply(ConfigMap, web(2));
    await cluster.clock.advance("1h");
    expect([await podNames(), crashing.crashes, running.leading]).toEqual([[], 1, false]);
  });

  test("rule 20: a crash leaves calls in flight for ever: neither catch nor finally runs", async () => {
    const trace: string[] = [];
    const fragile = controllerOf("fragile", (async ({ client }: never) => {
      try {
        trace.push("asked");
        await (client as ReturnType<Cluster["client"]>).resource(Pod).list();
        trace.push("answered");
      } catch {
        trace.push("caught");
      } finally {
        trace.push("finally");
      }
    }) as never);
    cluster.faults.next({ verb: "list", kind: Pod }, crash({ when: "before" }));
    const running = await cluster.run(fragile, { restart: true });
    await cluster.apply(ConfigMap, web(1));
    await cluster.settled();
    expect([trace, running.crashes]).toEqual([["asked"], 1]);
    await cluster.clock.advance("9s");
    expect(trace).toEqual(["asked"]);
    await cluster.clock.advance("1s");
    expect(trace).toEqual(["asked", "asked", "answered", "finally"]);
  });

  test("rule 7: a reset starts what ran at the mark with empty memory, and stops the rest", async () => {
    await cluster.run(podSets);
    await cluster.apply(ConfigMap, web(1));
    await cluster.settled();
    const mark = cluster.mark();
    const later = await cluster.run(defineController({ ...podSets.definition, name: "later" } as never));
    await cluster.apply(ConfigMap, web(4));
    await cluster.settled();
    await cluster.reset(mark);
    expect(later.leading).toBe(false);
    await cluster.settled();
    expect(await podNames()).toHaveLength(1);
    await cluster.apply(ConfigMap, web(2));
    await cluster.settled();
    expect(await podNames()).toHaveLength(2);
    await cluster.reset();
    await cluster.apply(ConfigMap, web(2));
    await cluster.settled();
    expect(await podNames()).toEqual([]);
  });

  test("a watch that stalls is noticed when nothing is heard of it for two bookmarks", async () => {
    await cluster.run(podSets);
    await cluster.apply(ConfigMap, web(1));
    await cluster.settled();
    cluster.faults.open({ kind: ConfigMap }, watchStalls());
    await cluster.apply(ConfigMap, web(2));
    await cluster.settled();
    expect(await podNames()).toHaveLength(1);
    await eventually(cluster, async () => expect(await podNames()).toHaveLength(2), { within: "5m" });
  });
});
