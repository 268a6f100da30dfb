import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { ControllerRevision, DaemonSet, Node, type Pod } from "../../src/client/kinds/index.ts";
import { garbageCollector } from "../../src/controllers/garbage/collector.ts";
import { daemonSet } from "../../src/controllers/workloads/daemonset.ts";
import { targetOf } from "../../src/workloads/daemonset/pod.ts";
import { World } from "../runtime/world.ts";
import { Hands, at, templateOf } from "./sets.ts";

let world: World;
let hands: Hands;
beforeEach(async () => {
  world = await World.create();
  hands = new Hands(world);
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  const others = world.warnings.filter((text) => !text.includes("already exists"));
  if (others.length > 0) throw new Error(others.join("\n"));
});
const start = () => world.run(daemonSet, garbageCollector);

const taint = (effect: string, key = "example.com/k") => ({ spec: { taints: [{ key, value: "v", effect }] } });
const rolling = (rollingUpdate: object) => ({ updateStrategy: { type: "RollingUpdate", rollingUpdate } });

/** The Pods as `node:version`, with `-` before those that are going. */
async function placed(): Promise<string[]> {
  const pods = await hands.list();
  return pods
    .map((pod) => {
      const { deletionTimestamp, labels } = pod.metadata;
      return `${deletionTimestamp ? "-" : ""}${targetOf(pod)}:${labels?.["v"]}`;
    })
    .toSorted();
}

/** The names of the Pods for a node, of one version of the template where it is given. */
async function on(node: string, version?: string): Promise<string[]> {
  return (await hands.list())
    .filter((pod) => targetOf(pod) === node && (version === undefined || pod.metadata.labels?.["v"] === version))
    .map(({ metadata }) => metadata.name);
}

/** Binds the Pods that are not bound, and makes them ready. */
async function run(...nodes: readonly string[]): Promise<void> {
  for (const node of nodes) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const pods = (await hands.list()).filter((pod) => targetOf(pod) === node && !pod.metadata.deletionTimestamp);
    const unbound = pods.filter(({ spec }) => !spec.nodeName).map(({ metadata }) => metadata.name);
    // oxlint-disable-next-line no-await-in-loop -- as above
    await hands.bind(unbound, node);
    // oxlint-disable-next-line no-await-in-loop -- as above
    await hands.ready(pods.map(({ metadata }) => metadata.name));
  }
}

/** Ends the Pods that are going. */
async function end(): Promise<void> {
  const going = (await hands.list()).filter(({ metadata }) => metadata.deletionTimestamp);
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (const { metadata } of going) await hands.gone(metadata.name);
}

async function makeNodes(...names: readonly string[]): Promise<void> {
  // oxlint-disable-next-line no-await-in-loop -- in order
  for (const name of names) await hands.node(name);
}

describe("Pods", () => {
  test("WL-DS-1, WL-GEN-1: a Pod for each node that fits, which is not bound and fits no other", async () => {
    await start();
    await hands.node("a", { disk: "ssd" });
    await hands.node("b");
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: "disk", operator: "Exists" }] }],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, preference: { matchExpressions: [{ key: "x", operator: "Exists" }] } },
        ],
      },
    };
    await hands.daemonSet({ template: templateOf("1", { affinity }) });
    const [pod, ...others] = await hands.list();
    expect(others).toEqual([]);
    expect(pod?.spec.nodeName).toBeUndefined();
    expect(pod?.metadata.name).toMatch(/^t-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(pod?.metadata.ownerReferences?.[0]).toMatchObject({ kind: "DaemonSet", name: "t", controller: true });
    expect(pod?.spec.affinity?.nodeAffinity).toEqual({
      ...affinity.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["a"] }] }],
      },
    });
    expect(await hands.events()).toContain(`Normal SuccessfulCreate: Created pod: ${pod?.metadata.name}`);
  });

  test("WL-DS-1: nodeSelector and nodeName of the template choose nodes", async () => {
    await start();
    await hands.node("a", { disk: "ssd" });
    await hands.node("b", { disk: "hdd" });
    await hands.daemonSet({ template: templateOf("1", { nodeSelector: { disk: "ssd" } }) });
    expect(await placed()).toEqual(["a:1"]);
    await hands.daemonSet(
      { template: templateOf("2", { nodeName: "b" }), selector: { matchLabels: { v: "2" } } },
      { name: "u" },
    );
    expect(await placed()).toEqual(["a:1", "b:2"]);
  });

  test("WL-DS-2: Pods tolerate what their nodes have, and spec.unschedulable does not matter", async () => {
    await start();
    await hands.node("a", {}, { unschedulable: true });
    const own = { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 };
    await hands.daemonSet({ template: templateOf("1", { hostNetwork: true, tolerations: [own] }) });
    const [pod] = await hands.list();
    expect(pod?.spec.tolerations?.map(({ key, operator, effect, ...more }) => [key, operator, effect, more])).toEqual(
      [
        ["not-ready", "NoExecute"],
        ["unreachable", "NoExecute"],
        ["disk-pressure", "NoSchedule"],
        ["memory-pressure", "NoSchedule"],
        ["pid-pressure", "NoSchedule"],
        ["unschedulable", "NoSchedule"],
        ["network-unavailable", "NoSchedule"],
      ].map(([key, effect]) => [`node.kubernetes.io/${key}`, "Exists", effect, {}]),
    );
  });

  test("WL-DS-3: a taint keeps Pods off; NoSchedule lets one stay that is there, NoExecute does not", async () => {
    await start();
    await hands.node("a", {}, taint("NoSchedule").spec);
    await hands.node("b");
    await hands.node("c", {}, taint("PreferNoSchedule").spec);
    await hands.daemonSet();
    expect(await placed()).toEqual(["b:1", "c:1"]);
    await run("b", "c");
    await hands.changeNode("b", taint("NoSchedule"));
    expect((await hands.daemons()).status).toMatchObject({ numberMisscheduled: 0, desiredNumberScheduled: 2 });
    // It is looked at when something else happens.
    await hands.changeNode("a", { spec: { taints: null } });
    expect((await hands.daemons()).status).toMatchObject({ numberMisscheduled: 1, desiredNumberScheduled: 2 });
    await hands.changeNode("b", taint("NoExecute"));
    expect(await placed()).toEqual(["-b:1", "a:1", "c:1"]);
    await end();
    expect((await hands.daemons()).status).toMatchObject({ numberMisscheduled: 0, desiredNumberScheduled: 2 });
  });

  test("WL-DS-4: follows nodes that come and change; a Pod for a node that is gone and never had it goes at the next sync", async () => {
    await start();
    await hands.daemonSet({ template: templateOf("1", { nodeSelector: { disk: "ssd" } }) });
    expect(await placed()).toEqual([]);
    await hands.node("a", { disk: "ssd" });
    await hands.node("b");
    expect(await placed()).toEqual(["a:1"]);
    await hands.changeNode("b", { metadata: { labels: { disk: "ssd" } } });
    expect(await placed()).toEqual(["a:1", "b:1"]);
    await run("a");
    await hands.changeNode("a", { metadata: { labels: { disk: null } } });
    expect(await placed()).toEqual(["-a:1", "b:1"]);
    await end();
    expect(await placed()).toEqual(["b:1"]);
    await world.resource(Node).delete({ name: "b" });
    await world.advance("1h");
    expect(await placed()).toEqual(["b:1"]);
    expect((await hands.daemons()).status.desiredNumberScheduled).toBe(1);
    await hands.changeDaemons({ minReadySeconds: 1 });
    expect(await placed()).toEqual([]);
    expect((await hands.daemons()).status.desiredNumberScheduled).toBe(0);
  });

  test("WL-DS-4: a taint that lets Pods go on is counted at the next sync only, bound or not", async () => {
    await start();
    await makeNodes("a");
    await hands.daemonSet();
    await hands.changeNode("a", taint("NoSchedule"));
    const desired = async () => (await hands.daemons()).status.desiredNumberScheduled;
    expect(await desired()).toBe(1);
    await hands.changeDaemons({ minReadySeconds: 1 });
    expect(await desired()).toBe(0);
    expect((await hands.daemons()).status.numberMisscheduled).toBe(1);
  });

  test("WL-DS-5: a Pod that failed is deleted and made again, after 1 s, then twice as long, at most 15 min", async () => {
    await start();
    await makeNodes("a");
    await hands.daemonSet();
    const fail = async (): Promise<string> => {
      const [name] = await on("a");
      await hands.phase(name!, "Failed");
      return name!;
    };
    const first = await fail();
    expect(await on("a")).not.toEqual([first]);
    for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const name = await fail();
      // oxlint-disable-next-line no-await-in-loop -- as above
      await world.advance(`${seconds * 1000 - 1}ms`);
      // oxlint-disable-next-line no-await-in-loop -- as above
      expect(await on("a")).toEqual([name]);
      // oxlint-disable-next-line no-await-in-loop -- as above
      await world.advance("1ms");
      // oxlint-disable-next-line no-await-in-loop -- as above
      expect(await on("a")).not.toContain(name);
    }
    await world.advance("31m");
    const last = await fail();
    expect(await on("a")).not.toContain(last);
    const text = `Warning FailedDaemonPod: Found failed daemon pod default/${last} on node a, will try to kill it`;
    expect((await hands.events()).some((event) => event.startsWith(text.slice(0, 60)))).toBe(true);
  });

  test("WL-DS-5: a Pod that succeeded is deleted and made again", async () => {
    await start();
    await makeNodes("a");
    await hands.daemonSet();
    const [name] = await on("a");
    await hands.phase(name!, "Succeeded");
    expect(await on("a")).not.toEqual([name]);
    expect(await on("a")).toHaveLength(1);
    const text = `Normal SucceededDaemonPod: Found succeeded daemon pod default/${name} on node a, will try to delete it`;
    expect(await hands.events()).toContain(text);
  });

  test("WL-DS-6: of several Pods on a node the oldest stays, bound before not bound; orphans that fit are taken", async () => {
    await makeNodes("a");
    const spec = { nodeName: "a", containers: [{ name: "c", image: "i" }] };
    const make = (name: string) =>
      hands.pods.create({ metadata: { ...at(name), labels: { app: "a" } }, spec } as unknown as NewObject<Pod>);
    await make("z-old");
    await world.advance("5s");
    await make("a-new");
    await start();
    await hands.daemonSet({ updateStrategy: { type: "OnDelete" } });
    expect(await hands.names()).toEqual(["-a-new", "z-old"]);
    const owners = (await hands.list()).map(({ metadata }) => metadata.ownerReferences?.[0]?.name);
    expect(owners).toEqual(["t", "t"]);
  });

  test("WL-DS-6: two controllers at once leave one Pod on each node", async () => {
    await makeNodes("a", "b", "c");
    await start();
    await start();
    await hands.daemonSet();
    await world.advance("1m");
    expect(await placed()).toEqual(["a:1", "b:1", "c:1"]);
    expect((await hands.daemons()).status).toMatchObject({ desiredNumberScheduled: 3, currentNumberScheduled: 3 });
  });

  test("WL-GEN-5: of more than 250 nodes the rest follows", async () => {
    for (let i = 0; i < 260; i++) {
      // oxlint-disable-next-line no-await-in-loop -- in order
      await world.resource(Node).create({ metadata: { name: `n${i}` } } as NewObject<Node>);
    }
    await start();
    await hands.daemonSet();
    expect(new Set(await placed()).size).toBe(260);
    expect((await hands.list()).length).toBe(260);
    expect((await hands.daemons()).status).toMatchObject({ desiredNumberScheduled: 260, currentNumberScheduled: 260 });
  });
});

describe("revisions", () => {
  test("WL-DS-7: Pods and revisions have the hash, Pods the generation of the template", async () => {
    await start();
    await makeNodes("a");
    await hands.daemonSet();
    const [pod] = await hands.list();
    const [revision] = await hands.revisions();
    const hash = revision!.metadata.name.slice(2);
    expect(pod?.metadata.labels).toEqual({
      app: "a",
      v: "1",
      "controller-revision-hash": hash,
      "pod-template-generation": "1",
    });
    expect(revision?.metadata.labels).toEqual({ app: "a", v: "1", "controller-revision-hash": hash });
    expect(revision?.data).toEqual({
      spec: { template: { ...(await hands.daemons()).spec.template, $patch: "replace" } },
    });
    await hands.changeDaemons({ template: templateOf("2") });
    expect((await hands.revisions()).map((one) => one.revision)).toEqual([1, 2]);
    expect((await hands.list())[0]?.metadata.labels).toMatchObject({ "pod-template-generation": "2" });
    await hands.changeDaemons({ template: templateOf("1") });
    expect((await hands.revisions()).map((one) => [one.metadata.name, one.revision])).toEqual([
      [expect.not.stringContaining(hash), 2],
      [`t-${hash}`, 3],
    ]);
  });

  test("WL-DS-7: as many old revisions stay as revisionHistoryLimit says, besides none that Pods have", async () => {
    await start();
    await makeNodes("a");
    await hands.daemonSet({ revisionHistoryLimit: 1, updateStrategy: { type: "OnDelete" } });
    await hands.changeDaemons({ template: templateOf("2") });
    await hands.changeDaemons({ template: templateOf("3") });
    // That of the Pod is one of those that stay.
    expect((await hands.revisions()).map((one) => one.revision)).toEqual([1, 3]);
    await hands.changeDaemons({ template: templateOf("4"), revisionHistoryLimit: 0 });
    expect((await hands.revisions()).map((one) => one.revision)).toEqual([1, 4]);
  });

  test("WL-DS-7: of two revisions of one template one stays, and the Pods of the other get its hash", async () => {
    await start();
    await makeNodes("a");
    await hands.daemonSet();
    const [first] = await hands.revisions();
    const labels = { app: "a", "controller-revision-hash": "other" };
    await world
      .resource(ControllerRevision)
      .create({ metadata: { ...at("t-other"), labels }, data: first!.data, revision: 7 } as never);
    await world.advance("1s");
    expect((await hands.revisions()).map((one) => one.metadata.name)).toEqual(["t-other"]);
    expect((await hands.list())[0]?.metadata.labels?.["controller-revision-hash"]).toBe("other");
  });

  test("WL-DS-7: a name that another template has raises collisionCount", async () => {
    await start();
    await makeNodes("a");
    await hands.daemonSet();
    const [first] = await hands.revisions();
    await world.resource(DaemonSet).delete(at("t"));
    await world.advance("10s");
    await world
      .resource(ControllerRevision)
      .create({ metadata: at(first!.metadata.name), data: { x: 1 }, revision: 1 } as never);
    await hands.daemonSet();
    expect((await hands.daemons()).status.collisionCount).toBe(1);
    expect(await placed()).toEqual(["a:1"]);
  });

  test("WL-GEN-2: with Orphan it leaves its Pods to the next one", async () => {
    await start();
    await makeNodes("a");
    await hands.daemonSet();
    const before = await on("a");
    await world.resource(DaemonSet).delete(at("t"), { propagationPolicy: "Orphan" });
    await world.advance("10s");
    expect((await hands.list())[0]?.metadata.ownerReferences).toBeUndefined();
    await hands.daemonSet();
    await world.advance("10s");
    expect(await on("a")).toEqual(before);
    expect((await hands.daemons()).status).toMatchObject({ currentNumberScheduled: 1, updatedNumberScheduled: 1 });
  });
});

describe("updates", () => {
  const ALL = ["a", "b", "c", "d"];
  /** A set with a ready Pod on each of four nodes. */
  async function running(spec: object = {}): Promise<void> {
    await start();
    await makeNodes(...ALL);
    await hands.daemonSet(spec);
    await run(...ALL);
  }
  const count = async (prefix: string, version: string): Promise<number> =>
    (await placed()).filter((one) => one.startsWith("-") === (prefix === "-") && one.endsWith(`:${version}`)).length;

  test.each([
    [undefined, 1],
    [2, 2],
    ["30%", 2],
  ])("WL-DS-8: maxUnavailable %s of 4 nodes", async (maxUnavailable, atOnce) => {
    await running(maxUnavailable === undefined ? {} : rolling({ maxUnavailable }));
    await hands.changeDaemons({ template: templateOf("2") });
    expect([await count("-", "1"), await count("", "1")]).toEqual([atOnce, 4 - atOnce]);
    await world.advance("1h");
    expect(await count("-", "1")).toBe(atOnce);
    await end();
    expect([await count("", "2"), await count("", "1")]).toEqual([atOnce, 4 - atOnce]);
    for (let turn = 0; turn < 4; turn++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await run(...ALL);
      // oxlint-disable-next-line no-await-in-loop -- as above
      await end();
    }
    await run(...ALL);
    expect(await placed()).toEqual(["a:2", "b:2", "c:2", "d:2"]);
    expect((await hands.daemons()).status).toMatchObject({ updatedNumberScheduled: 4, numberAvailable: 4 });
  });

  test("WL-DS-8: an old Pod that is not available is replaced whatever the number, and counts", async () => {
    await running();
    await hands.ready(await on("a"), false);
    await hands.ready(await on("b"), false);
    await hands.changeDaemons({ template: templateOf("2") });
    expect(await placed()).toEqual(["-a:1", "-b:1", "c:1", "d:1"]);
    await world.advance("1h");
    expect(await placed()).toEqual(["-a:1", "-b:1", "c:1", "d:1"]);
  });

  test("WL-DS-9: with maxSurge a new Pod stands beside the old one, which goes when the new one is available", async () => {
    await running(rolling({ maxSurge: "30%", maxUnavailable: 0 }));
    await hands.changeDaemons({ template: templateOf("2") });
    expect([await count("", "1"), await count("", "2")]).toEqual([4, 2]);
    await world.advance("1h");
    expect([await count("", "1"), await count("", "2")]).toEqual([4, 2]);
    const [node] = (await placed()).filter((one) => one.endsWith(":2")).map((one) => one.slice(0, 1));
    const [name] = await on(node!, "2");
    await hands.bind([name!], node!);
    await hands.ready([name!]);
    expect(await placed()).toContain(`-${node}:1`);
    // The next one may begin.
    expect([await count("", "1"), await count("", "2")]).toEqual([3, 3]);
  });

  test("WL-DS-9: an old Pod that is not ready gets a new one beside it, and goes at once", async () => {
    await running(rolling({ maxSurge: 1, maxUnavailable: 0 }));
    await hands.ready(await on("a"), false);
    await hands.changeDaemons({ template: templateOf("2") });
    expect((await placed()).filter((one) => one.includes("a:"))).toEqual(["-a:1", "a:2"]);
  });

  test("WL-DS-10: OnDelete updates a Pod only when it is deleted", async () => {
    await running({ updateStrategy: { type: "OnDelete" } });
    await hands.changeDaemons({ template: templateOf("2") });
    await world.advance("1h");
    expect(await placed()).toEqual(["a:1", "b:1", "c:1", "d:1"]);
    await hands.gone((await on("b"))[0]!);
    expect(await placed()).toEqual(["a:1", "b:2", "c:1", "d:1"]);
  });

  test("WL-DS-8, WL-DS-11: with minReadySeconds the next of an update waits; the status counts nodes", async () => {
    await running({ minReadySeconds: 30 });
    await world.advance("31s");
    expect((await hands.daemons()).status).toEqual({
      observedGeneration: 1,
      desiredNumberScheduled: 4,
      currentNumberScheduled: 4,
      numberMisscheduled: 0,
      numberReady: 4,
      updatedNumberScheduled: 4,
      numberAvailable: 4,
    });
    await hands.changeDaemons({ template: templateOf("2") });
    await end();
    const [node] = (await placed()).filter((one) => one.endsWith(":2")).map((one) => one.slice(0, 1));
    await run(node!);
    await world.advance("29s");
    expect([await count("", "1"), await count("", "2")]).toEqual([3, 1]);
    expect((await hands.daemons()).status).toMatchObject({
      observedGeneration: 2,
      numberReady: 4,
      numberAvailable: 3,
      numberUnavailable: 1,
      updatedNumberScheduled: 1,
    });
    await world.advance("2s");
    expect(await count("-", "1")).toBe(1);
  });

  test("WL-DS-11: without nodes the first four counts are 0 and present", async () => {
    await start();
    await hands.daemonSet();
    expect((await hands.daemons()).status).toEqual({
      observedGeneration: 1,
      desiredNumberScheduled: 0,
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      numberReady: 0,
    });
  });
});
