import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { Event, Lease, Node, Pod } from "../../src/client/kinds/index.ts";
import { nodeLifecycle } from "../../src/controllers/nodes/lifecycle.ts";
import { nodeTtl } from "../../src/controllers/nodes/ttl.ts";
import { taintEviction } from "../../src/controllers/pods/taint-eviction/controller.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { formatMicroTime, formatTime } from "../../src/meta/time.ts";
import { HEARTBEATS_STOPPED, SIMULATED_NODE } from "../../src/workloads/node-health/health.ts";
import { World } from "../runtime/world.ts";

let world: World;
beforeEach(async () => {
  world = await World.create();
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  if (world.warnings.length > 0) throw new Error(world.warnings.join("\n"));
});

const start = (plainNodesLive = false) => world.run(nodeLifecycle(kubernetes, { plainNodesLive }));
const nodes = () => world.resource(Node);
const node = (name: string) => nodes().get({ name });
const now = () => formatTime(world.clock.now());

/** Makes a node, as its agent does. */
const makeNode = async (name: string, metadata: object = {}) => {
  await nodes().create({ metadata: { name, ...metadata } } as NewObject<Node>);
  await beat(name);
};
/** A heartbeat by the status. */
const beat = async (name: string, status = "True") => {
  const condition = { type: "Ready", status, reason: "Kubelet", lastHeartbeatTime: now() };
  await nodes().status.patch({ name }, { status: { conditions: [condition] } }, { strategic: true });
  await world.settled();
};
const simulated = { annotations: { [SIMULATED_NODE]: "" } };
const stop = async (...names: readonly string[]) => {
  for (const name of names)
    await nodes().patch({ name }, { metadata: { annotations: { [HEARTBEATS_STOPPED]: now() } } });
  await world.settled();
};
const back = async (name: string) => {
  await nodes().patch({ name }, { metadata: { annotations: { [HEARTBEATS_STOPPED]: null } } } as never);
  await beat(name);
};
const ready = async (name: string) => {
  const { status } = await node(name);
  const condition = status.conditions?.find(({ type }) => type === "Ready");
  return condition?.status === "Unknown" ? `Unknown ${condition.reason}` : condition?.status;
};
const taints = async (name: string) =>
  ((await node(name)).spec.taints ?? []).map(
    ({ key, effect }) => `${key.replace("node.kubernetes.io/", "")}:${effect}`,
  );
const tainted = async (names: readonly string[]) => {
  const all = await Promise.all(names.map(async (name) => ({ name, has: await taints(name) })));
  return all.filter(({ has }) => has.includes("unreachable:NoExecute")).map(({ name }) => name);
};
const makePod = async (name: string, nodeName: string) => {
  const at = { namespace: "default", name };
  const tolerations = [
    { key: "node.kubernetes.io/unreachable", effect: "NoExecute", operator: "Exists", tolerationSeconds: 300 },
  ];
  const spec = { nodeName, tolerations, containers: [{ name: "c", image: "i" }] };
  await world.resource(Pod).create({ metadata: at, spec } as never);
  const conditions = [{ type: "Ready", status: "True", reason: "Good", lastTransitionTime: now() }];
  await world.resource(Pod).status.patch(at, { status: { phase: "Running", conditions } });
  await world.settled();
};
const readyOfPod = async (name: string) => {
  const pod = await world.resource(Pod).get({ namespace: "default", name });
  return pod.status.conditions?.find(({ type }) => type === "Ready");
};
const events = async (reason: string) => {
  const { items } = await world.resource(Event).list();
  return items
    .filter((event) => event.reason === reason)
    .map((event) => `${event.type} ${event.regarding?.name} ${event.note}`);
};

test("a node whose agent is silent for 50 seconds is Unknown, and its Pods are not ready", async () => {
  await start();
  await makeNode("a");
  await makeNode("other", simulated);
  await makePod("p", "a");
  await world.advance("50s");
  expect(await ready("a")).toBe("Unknown NodeStatusUnknown");
  const { conditions } = (await node("a")).status;
  expect(conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).toEqual([
    "Ready Unknown NodeStatusUnknown",
    "MemoryPressure Unknown NodeStatusNeverUpdated",
    "DiskPressure Unknown NodeStatusNeverUpdated",
    "PIDPressure Unknown NodeStatusNeverUpdated",
  ]);
  expect(await readyOfPod("p")).toMatchObject({ status: "False", reason: "Good", lastTransitionTime: now() });
  expect(await events("NodeNotReady")).toEqual([
    "Normal a Node a status is now: NodeNotReady",
    "Warning p Node is not ready",
  ]);
  await world.advance("1s");
  expect(await taints("a")).toEqual(["unreachable:NoSchedule", "unreachable:NoExecute"]);
  const { resourceVersion } = (await node("a")).metadata;
  await world.advance("1h");
  expect((await node("a")).metadata.resourceVersion).toBe(resourceVersion);
  await beat("a");
  expect(await taints("a")).toEqual([]);
  expect(await ready("other")).toBe("True");
});

test("one second earlier it is not, and each heartbeat starts a new period, by the status or by a lease", async () => {
  await start();
  await makeNode("a");
  await makeNode("other", simulated);
  await world.advance("49s");
  expect(await ready("a")).toBe("True");
  await beat("a");
  await world.advance("49s");
  expect(await ready("a")).toBe("True");
  const spec = () => ({ holderIdentity: "a", renewTime: formatMicroTime(world.clock.now()) });
  const at = { namespace: "kube-node-lease", name: "a" };
  await world.resource(Lease).create({ metadata: at, spec: spec() } as never);
  await world.advance("49s");
  await world.resource(Lease).patch(at, { spec: spec() });
  await world.advance("49s");
  expect(await ready("a")).toBe("True");
  await world.advance("1s");
  expect(await ready("a")).toBe("Unknown NodeStatusUnknown");
});

test("a node that was never reported is Unknown a minute after its creation", async () => {
  await start();
  await nodes().create({ metadata: { name: "a" } } as NewObject<Node>);
  await world.advance("59s");
  expect(await ready("a")).toBeUndefined();
  await world.advance("1s");
  expect(await ready("a")).toBe("Unknown NodeStatusNeverUpdated");
});

test("with plain nodes that live, such a node stays as it is, and one with heartbeats does not", async () => {
  await start(true);
  await nodes().create({ metadata: { name: "plain" } } as NewObject<Node>);
  await nodes().status.patch({ name: "plain" }, { status: { conditions: [{ type: "Ready", status: "True" }] } });
  await makeNode("beats");
  await world.advance("24h");
  expect(await ready("plain")).toBe("True");
  expect(await ready("beats")).toBe("Unknown NodeStatusUnknown");
});

test("a simulated node is alive without heartbeats, and silent from the time in its annotation", async () => {
  await start();
  await makeNode("a", simulated);
  await makeNode("b", { annotations: { "kwok.x-k8s.io/node": "fake" } });
  await world.advance("24h");
  await stop("a");
  await world.advance("49s");
  expect(await ready("a")).toBe("True");
  await world.advance("1s");
  expect([await ready("a"), await ready("b")]).toEqual(["Unknown NodeStatusUnknown", "True"]);
  await back("a");
  await world.advance("24h");
  expect(await ready("a")).toBe("True");
});

test("of a zone one node in 10 seconds gets the taint NoExecute", async () => {
  await start();
  const names = ["a", "b", "c", "d", "e"];
  for (const name of names) await makeNode(name, simulated);
  await stop("a", "b");
  await world.advance("51s");
  expect(await tainted(names)).toEqual(["a"]);
  await world.advance("9s");
  expect(await tainted(names)).toEqual(["a"]);
  await world.advance("1s");
  expect(await tainted(names)).toEqual(["a", "b"]);
});

test("where most of a small zone is lost none gets it, and each zone counts by itself", async () => {
  await start();
  const zone = (name: string) => ({ ...simulated, labels: { "topology.kubernetes.io/zone": name } });
  for (const name of ["a1", "a2", "a3", "a4"]) await makeNode(name, zone("a"));
  for (const name of ["b1", "b2"]) await makeNode(name, zone("b"));
  await stop("a1", "a2", "a3", "b1");
  await world.advance("10m");
  expect(await ready("a1")).toBe("Unknown NodeStatusUnknown");
  expect(await tainted(["a1", "a2", "a3", "b1"])).toEqual(["b1"]);
  await back("a3");
  await world.advance("11s");
  expect(await tainted(["a1", "a2", "a3", "b1"])).toEqual(["a1", "b1"]);
});

test("a zone that is lost as a whole is tainted as usual while another lives", async () => {
  await start();
  const zone = (name: string) => ({ ...simulated, labels: { "topology.kubernetes.io/zone": name } });
  for (const name of ["a1", "a2", "a3"]) await makeNode(name, zone("a"));
  await makeNode("b1", zone("b"));
  await stop("a1", "a2", "a3");
  await world.advance("72s");
  expect(await tainted(["a1", "a2", "a3"])).toEqual(["a1", "a2", "a3"]);
});

test("where all nodes are lost no Pod goes, and taints that are there are taken away", async () => {
  await start();
  for (const name of ["a", "b"]) await makeNode(name, simulated);
  await stop("a");
  await world.advance("52s");
  expect(await tainted(["a", "b"])).toEqual(["a"]);
  await stop("b");
  await world.advance("52s");
  expect([await ready("a"), await ready("b")]).toEqual(["Unknown NodeStatusUnknown", "Unknown NodeStatusUnknown"]);
  await world.advance("1h");
  expect(await tainted(["a", "b"])).toEqual([]);
  await back("b");
  await world.advance("12s");
  expect(await tainted(["a", "b"])).toEqual(["a"]);
});

test("who takes over goes on at the rate of the zone", async () => {
  const first = await start();
  for (const name of ["a", "b", "c"]) await makeNode(name, simulated);
  await stop("a", "b");
  await world.advance("52s");
  expect(await tainted(["a", "b"])).toEqual(["a"]);
  await first.stop({ grace: 0 });
  await start();
  await world.advance("5s");
  expect(await tainted(["a", "b"])).toEqual(["a"]);
  await world.advance("6s");
  expect(await tainted(["a", "b"])).toEqual(["a", "b"]);
});

test("not-ready takes the place of unreachable at once", async () => {
  await start();
  for (const name of ["a", "b"]) await makeNode(name);
  await nodes().patch({ name: "b" }, { metadata: simulated });
  await world.advance("52s");
  expect(await taints("a")).toContain("unreachable:NoExecute");
  await beat("a", "False");
  expect(await taints("a")).toEqual(["not-ready:NoSchedule", "not-ready:NoExecute"]);
});

test("WL-POD-2: Pods of a lost node go after their tolerations", async () => {
  await world.run(nodeLifecycle(kubernetes), taintEviction);
  for (const name of ["a", "b"]) await makeNode(name, simulated);
  await makePod("p", "a");
  await stop("a");
  await world.advance("349s");
  expect(
    (await world.resource(Pod).get({ namespace: "default", name: "p" })).metadata.deletionTimestamp,
  ).toBeUndefined();
  await world.advance("3s");
  const { metadata, status } = await world.resource(Pod).get({ namespace: "default", name: "p" });
  expect(metadata.deletionTimestamp).toBeDefined();
  expect(status.conditions).toContainEqual(
    expect.objectContaining({ type: "DisruptionTarget", reason: "DeletionByTaintManager" }),
  );
});

test("a Pod that comes to a node which is not ready is not ready", async () => {
  await start();
  for (const name of ["a", "b"]) await makeNode(name, simulated);
  await stop("a");
  await world.advance("1m");
  const at = { namespace: "default", name: "late" };
  await world.resource(Pod).create({ metadata: at, spec: { containers: [{ name: "c", image: "i" }] } } as never);
  await world.resource(Pod).status.patch(at, { status: { conditions: [{ type: "Ready", status: "True" }] } });
  expect((await readyOfPod("late"))?.status).toBe("True");
  const target = { apiVersion: "v1", kind: "Node", name: "a" };
  const body = { apiVersion: "v1", kind: "Binding", metadata: { name: "late" }, target };
  await world.client.json("POST", "/api/v1/namespaces/default/pods/late/binding", { body });
  await world.settled();
  expect((await readyOfPod("late"))?.status).toBe("False");
});

test("a new leader marks the rest, and gives each node its full grace period again", async () => {
  await makeNode("a");
  await makeNode("gone");
  await makeNode("live", simulated);
  await makePod("p", "gone");
  await nodes().status.patch(
    { name: "gone" },
    { status: { conditions: [{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown" }] } },
    { strategic: true },
  );
  await world.advance("10m");
  await start();
  await world.settled();
  expect((await readyOfPod("p"))?.status).toBe("False");
  await world.advance("49s");
  expect(await ready("a")).toBe("True");
  await world.advance("1s");
  expect(await ready("a")).toBe("Unknown NodeStatusUnknown");
});

test("nodes that live cost nothing: no write and no timer, in a day", async () => {
  await start();
  for (let i = 0; i < 50; i++) await makeNode(`n${i}`, simulated);
  await world.advance("10m");
  const before = (await nodes().list()).metadata.resourceVersion;
  const timers = world.clock.timers().length;
  await world.advance("24h");
  expect((await nodes().list()).metadata.resourceVersion).toBe(before);
  expect(world.clock.timers().length).toBe(timers);
  expect(world.clock.timers().filter(({ owner }) => owner?.includes("node-lifecycle"))).toEqual([]);
});

test("a node has the older labels of its system and machine, and Events of its beginning and end", async () => {
  await start();
  await makeNode("a", { ...simulated, labels: { "kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64" } });
  expect((await node("a")).metadata.labels).toMatchObject({
    "beta.kubernetes.io/os": "linux",
    "beta.kubernetes.io/arch": "arm64",
  });
  await nodes().delete({ name: "a" });
  await world.settled();
  expect([...(await events("RegisteredNode")), ...(await events("RemovingNode"))]).toEqual([
    "Normal a Node a event: Registered Node a in Controller",
    "Normal a Node a event: Removing Node a from Controller",
  ]);
});

describe("the annotation of how long agents may keep what they have read", () => {
  const annotation = async (name: string) => (await node(name)).metadata.annotations?.["node.alpha.kubernetes.io/ttl"];

  test("WL-NODE-1: is 0 for a few nodes, 15 above 100, and 0 again below 90", async () => {
    await world.run(nodeTtl);
    const make = async (from: number, to: number) => {
      for (let i = from; i < to; i++) await nodes().create({ metadata: { name: `n${i}` } } as NewObject<Node>);
      await world.settled();
    };
    const remove = async (from: number, to: number) => {
      for (let i = from; i < to; i++) await nodes().delete({ name: `n${i}` });
      await world.settled();
    };
    await make(0, 100);
    expect([await annotation("n0"), await annotation("n99")]).toEqual(["0", "0"]);
    await make(100, 101);
    expect([await annotation("n0"), await annotation("n100")]).toEqual(["15", "15"]);
    await remove(90, 101);
    expect(await annotation("n0")).toBe("15");
    await remove(89, 90);
    expect(await annotation("n0")).toBe("0");
    await nodes().patch({ name: "n1" }, { metadata: { annotations: { "node.alpha.kubernetes.io/ttl": "7" } } });
    await world.settled();
    expect(await annotation("n1")).toBe("0");
  });
});
