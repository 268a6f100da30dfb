import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CSINode, ConfigMap, Lease, Node, Pod, Secret, ServiceAccount } from "../../src/client/kinds/index.ts";
import { VolumeError } from "../../src/node/contract.ts";
import { openPlugins } from "../../src/node/plugins.ts";
import { AGENT, NODE, NodeWorld, NotedPlugin, at, textOf } from "./node-world.ts";

let world: NodeWorld;
beforeEach(async () => {
  world = await NodeWorld.create();
});
afterEach(async () => {
  const { warnings } = world;
  await world[Symbol.asyncDispose]();
  if (warnings.length > 0) throw new Error(warnings.join("\n"));
});

const start = (options: object = {}) => world.start({ plugins: openPlugins, ...options });
const conditions = async (name: string) =>
  Object.fromEntries((await world.findPod(name))!.status.conditions!.map(({ type, status }) => [type, status]));

describe("a Pod with the volumes that are built in", () => {
  test("PROJ-55, SUP-23: a change of what a volume is made of reaches its files at once", async () => {
    await start();
    await world.resource(ConfigMap).create({ metadata: at("c"), data: { key: "old" } });
    await world.resource(Secret).create({ metadata: at("s"), stringData: { key: "old" } });
    const items = [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }];
    const volumes = [
      { name: "c", configMap: { name: "c" } },
      { name: "s", secret: { secretName: "s" } },
      { name: "d", downwardAPI: { items } },
    ];
    const pod = await world.pod("p", volumes, {}, { labels: { a: "old" } });
    const read = (kind: string, ...path: string[]) =>
      textOf(world.at(pod, "volumes", `kubernetes.io~${kind}`, ...path));
    const all = () =>
      Promise.all([read("configmap", "c", "key"), read("secret", "s", "key"), read("downward-api", "d", "labels")]);
    expect(await all()).toEqual(["old", "old", 'a="old"']);
    await world.resource(ConfigMap).patch(at("c"), { data: { key: "new" } });
    await world.resource(Secret).patch(at("s"), { stringData: { key: "new" } });
    await world.resource(Pod).patch(at("p"), { metadata: { labels: { a: "new" } } });
    await world.settled();
    expect(await all()).toEqual(["new", "new", 'a="new"']);
  });

  test("PROJ-57, PROJ-58: a token is renewed in time, and its file goes with the Pod", async () => {
    await start();
    await world.resource(ServiceAccount).create({ metadata: at("default") });
    const sources = [{ serviceAccountToken: { path: "token", expirationSeconds: 3600 } }];
    const pod = await world.pod("p", [{ name: "t", projected: { sources } }], {
      serviceAccountName: "default",
    });
    const path = world.at(pod, "volumes", "kubernetes.io~projected", "t", "token");
    const first = await textOf(path);
    expect(first).not.toBe("");
    await world.advance("47m");
    expect(await textOf(path)).toBe(first);
    await world.advance("2m");
    expect(await textOf(path)).not.toBe(first);
    await world.resource(Pod).delete(at("p"));
    await world.settled();
    expect(world.has(pod)).toBe(false);
    expect(await world.findPod("p")).toBeUndefined();
  });

  test("NODE-54: an emptyDir survives the agent, and goes with its Pod", async () => {
    await start();
    const pod = await world.pod("p", [{ name: "e", emptyDir: {} }]);
    expect(world.has(pod, "volumes", "kubernetes.io~empty-dir", "e")).toBe(true);
    await world.agent!.stop();
    await start();
    expect(world.has(pod, "volumes", "kubernetes.io~empty-dir", "e")).toBe(true);
    await world.resource(Pod).delete(at("p"));
    await world.settled();
    expect(world.has(pod)).toBe(false);
  });

  test("CSID-34, CSID-3: an inline volume of an unknown driver is refused, with its name", async () => {
    await start();
    await world.pod("p", [{ name: "v", csi: { driver: "d.example.com" } }]);
    const [event] = await world.events("p");
    expect(event!.reason).toBe("FailedMount");
    expect(event!.message).toContain("d.example.com");
  });

  test("NODE-61: a volume that no plugin makes is refused with an Event, not in silence", async () => {
    await start();
    await world.pod("p", [{ name: "v", gitRepo: { repository: "https://x.example/r.git" } }]);
    expect((await world.events("p"))[0]).toMatchObject({ reason: "FailedMount" });
  });
});

describe("the status of a Pod", () => {
  const empty = { name: "data", emptyDir: {} };

  test("NODE-3: with run-nothing a Pod is ready as soon as its volumes stand, and ends as it is deleted", async () => {
    const plugin = new NotedPlugin();
    plugin.failures.set("setUp data", new VolumeError("no"));
    await start({ plugins: plugin.open, pods: "run-nothing" });
    const initContainers = [{ name: "first", image: "i" }];
    await world.pod("p", [empty], { initContainers }, { finalizers: ["x.example/held"] });
    expect(await conditions("p")).toMatchObject({
      PodReadyToStartContainers: "False",
      Initialized: "False",
      Ready: "False",
    });
    plugin.failures.clear();
    await world.advance("1s");
    expect(await conditions("p")).toMatchObject({
      PodReadyToStartContainers: "True",
      Initialized: "True",
      ContainersReady: "True",
      Ready: "True",
    });
    expect((await world.findPod("p"))!.status).toMatchObject({ phase: "Running", hostIP: expect.any(String) });
    await world.resource(Pod).delete(at("p"));
    await world.settled();
    const { status, metadata } = (await world.findPod("p"))!;
    expect(status.phase).toBe("Succeeded");
    expect(status.containerStatuses![0]!.state.terminated).toMatchObject({ exitCode: 0 });
    expect(metadata.deletionGracePeriodSeconds).toBe(0);
    await world.resource(Pod).patch(at("p"), { metadata: { finalizers: null } });
  });

  test("readiness gates keep a Pod from being ready", async () => {
    await start({ pods: "run-nothing" });
    await world.pod("p", [empty], { readinessGates: [{ conditionType: "x.example/gate" }] });
    expect(await conditions("p")).toMatchObject({ ContainersReady: "True", Ready: "False" });
    const gate = { type: "x.example/gate", status: "True" };
    await world.resource(Pod).status.patch(at("p"), { status: { conditions: [gate] } }, { strategic: true });
    await world.settled();
    expect(await conditions("p")).toMatchObject({ Ready: "True", "x.example/gate": "True" });
  });

  test("NODE-56: a Pod whose volume takes more than its sizeLimit is evicted", async () => {
    let used = 10;
    const plugin = new NotedPlugin({ usage: async () => ({ usedBytes: used }), maxBytes: () => 100 });
    await start({ plugins: plugin.open, pods: "run-nothing" });
    const pod = await world.pod("p", [empty]);
    await world.advance("61s");
    expect((await world.findPod("p"))!.status.phase).toBe("Running");
    used = 1000;
    await world.advance("60s");
    expect((await world.findPod("p"))!.status).toMatchObject({
      phase: "Failed",
      reason: "Evicted",
      message: 'Usage of EmptyDir volume "data" exceeds the limit "100" bytes: it uses 1000 bytes',
    });
    expect(world.has(pod)).toBe(false);
    expect((await world.events("p")).at(-1)).toMatchObject({ reason: "Evicted" });
  });

  test("the metrics count volumes that stand, and what the agent does", async () => {
    const plugin = new NotedPlugin();
    await start({ plugins: plugin.open });
    await world.pod("p", [empty]);
    const text = world.agent!.metrics();
    expect(text).toContain('keelson_node_volumes{state="mounted"} 1');
    expect(text).toContain("workqueue_depth");
  });
});

describe("the Node", () => {
  test("NODE-1: a Node that is deleted is made again, with its CSINode and its Lease", async () => {
    await start();
    await world.advance("1s");
    const before = (await world.node())!;
    await world.resource(Node).delete({ name: NODE });
    await world.settled();
    await world.advance("1s");
    const { uid } = (await world.node())!.metadata;
    expect(uid).not.toBe(before.metadata.uid);
    const lease = await world.resource(Lease).get({ namespace: "kube-node-lease", name: NODE });
    const csiNode = await world.resource(CSINode).get({ name: NODE });
    for (const { metadata } of [lease, csiNode]) expect(metadata.ownerReferences![0]!.uid).toBe(uid);
  });

  test("NODE-1: removed marks come back, labels of others stay, and the status is beaten every five minutes", async () => {
    await start();
    const mark = "volumes.kubernetes.io/controller-managed-attach-detach";
    await world
      .resource(Node)
      .patch({ name: NODE }, { metadata: { labels: { team: "a" }, annotations: { [mark]: null } } });
    await world.settled();
    const { metadata, status } = (await world.node())!;
    expect(metadata.annotations![mark]).toBe("true");
    expect(metadata.labels!["team"]).toBe("a");
    await world.advance("301s");
    const later = (await world.node())!.status.conditions![0]!;
    expect(later.lastHeartbeatTime! > status.conditions![0]!.lastHeartbeatTime!).toBe(true);
    expect(later.lastTransitionTime).toBe(status.conditions![0]!.lastTransitionTime);
  });
});

test("NODE-70, NODE-5: an agent that is killed after any of its requests goes on, and ends with the same", async () => {
  const left: string[] = [];
  for (let most = 1; most < 12; most++) {
    let requests = most;
    const client = world.cluster.client("agent", AGENT).with({
      through: (transport) => async (request) => {
        const answer = await transport(request);
        if (request.method !== "GET" && --requests === 0) world.agent?.crash();
        return answer;
      },
    });
    await start({ plugins: new NotedPlugin().open, client });
    const pod = await world.pod(`p-${most}`, [{ name: "data", emptyDir: {} }]);
    await world.resource(Pod).delete(at(`p-${most}`));
    await world.settled();
    world.agent!.crash();
    await start({ plugins: new NotedPlugin().open });
    await world.advance("1s");
    if ((await world.findPod(`p-${most}`)) || world.has(pod)) left.push(`${most}`);
    await world.agent!.stop();
  }
  expect(left).toEqual([]);
});
