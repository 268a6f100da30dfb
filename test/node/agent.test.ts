import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CSINode, Lease, Pod } from "../../src/client/kinds/index.ts";
import { VolumeError } from "../../src/node/contract.ts";
import { NODE, NodeWorld, NotedPlugin, at, noMounts, textOf } from "./node-world.ts";

let world: NodeWorld;
let plugin: NotedPlugin;
beforeEach(async () => {
  world = await NodeWorld.create();
  plugin = new NotedPlugin();
});
afterEach(async () => {
  const { warnings } = world;
  await world[Symbol.asyncDispose]();
  if (warnings.length > 0) throw new Error(warnings.join("\n"));
});

const start = (options: object = {}) => world.start({ plugins: plugin.open, ...options });
const empty = (name: string) => ({ name, emptyDir: {} });
const condition = (pod: Pod | undefined, type: string) =>
  pod?.status.conditions?.find((one) => one.type === type)?.status;
const lease = () => world.resource(Lease).find({ namespace: "kube-node-lease", name: NODE });

describe("what the agent is for the API", () => {
  test("NODE-1, CSIN-29, CSIN-3: it makes its Node, its CSINode and its Lease, and renews the Lease", async () => {
    await start({ labels: { disk: "fast" }, capacity: { cpu: "7", "example.com/disks": "3" } });
    await world.advance("1s");
    const { metadata, status } = (await world.node())!;
    expect(metadata.labels).toMatchObject({
      "kubernetes.io/hostname": NODE,
      "kubernetes.io/os": "linux",
      disk: "fast",
    });
    expect(metadata.annotations?.["volumes.kubernetes.io/controller-managed-attach-detach"]).toBe("true");
    expect(status.capacity).toMatchObject({ cpu: "7", pods: "110", "example.com/disks": "3" });
    expect(status.allocatable).toEqual(status.capacity);
    expect(status.conditions?.map(({ type, status: is }) => `${type}=${is}`).toSorted()).toEqual([
      "DiskPressure=False",
      "MemoryPressure=False",
      "PIDPressure=False",
      "Ready=True",
    ]);
    expect(status.addresses?.map(({ type }) => type)).toEqual(["InternalIP", "Hostname"]);
    const csiNode = (await world.resource(CSINode).find({ name: NODE }))!;
    expect(csiNode.spec.drivers ?? []).toEqual([]);
    const owner = { apiVersion: "v1", kind: "Node", name: NODE, uid: metadata.uid };
    expect(csiNode.metadata.ownerReferences).toEqual([owner]);
    const first = (await lease())!;
    expect(first.metadata.ownerReferences).toEqual([owner]);
    expect(first.spec).toMatchObject({ holderIdentity: NODE, leaseDurationSeconds: 40 });
    await world.advance("10s");
    expect((await lease())!.spec!.renewTime! > first.spec!.renewTime!).toBe(true);
  });
});

describe("the volumes of a Pod", () => {
  test("NODE-2, NODE-3: volumes of Pods of the node are set up, those of others are not", async () => {
    await start();
    const own = await world.pod("own", [empty("data")]);
    const other = await world.pod("other", [empty("data")], { nodeName: "n2" });
    expect(await textOf(world.at(own, "volumes", "kubernetes.io~empty-dir", "data", "file"))).toBe("data");
    expect(world.has(other)).toBe(false);
    const { status } = (await world.findPod("own"))!;
    expect(status).toMatchObject({ phase: "Pending" });
    expect(status.containerStatuses![0]!.state.waiting).toEqual({
      reason: "VolumesReady",
      message: "the volumes are ready; this node runs no containers",
    });
    expect(condition(await world.findPod("own"), "PodReadyToStartContainers")).toBe("True");
    expect((await world.findPod("other"))!.status.containerStatuses).toBeUndefined();
  });

  test("NODE-3: after a failure the Pod waits with an Event, and the pause doubles from half a second to about two minutes", async () => {
    plugin.failures.set("setUp bad", new VolumeError("the disk is full"));
    await start({ pods: "run-nothing" });
    await world.pod("p", [empty("bad")]);
    expect((await world.findPod("p"))!.status.phase).toBe("Pending");
    expect(await world.events("p")).toEqual([
      {
        type: "Warning",
        reason: "FailedMount",
        message: 'MountVolume.SetUp failed for volume "bad" : the disk is full',
        count: 1,
        source: { component: "kubelet", host: NODE },
      },
    ]);
    const times: number[] = [];
    for (let seconds = 0; seconds < 600; seconds += 0.5) {
      const before = plugin.calls.length;
      await world.advance("500ms");
      if (plugin.calls.length > before) times.push(seconds + 0.5);
    }
    expect(times.slice(0, 9)).toEqual([0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 63.5, 127.5, 249.5]);
    expect((await world.events("p")).map(({ reason }) => reason)).toEqual(["FailedMount"]);
    plugin.failures.clear();
    await world.advance("122s");
    expect((await world.findPod("p"))!.status.phase).toBe("Running");
  });

  test("NODE-4: only what a container mounts is set up, side by side, and one that fails keeps no other", async () => {
    const held = Promise.withResolvers<void>();
    plugin.gates.set("setUp slow", held.promise);
    plugin.failures.set("setUp bad", new VolumeError("no"));
    await start();
    const mounts = ["slow", "bad", "good"].map((name) => ({ name, mountPath: `/${name}` }));
    const creating = world.pod("p", [empty("slow"), empty("bad"), empty("good"), empty("unused"), empty("early")], {
      containers: [{ name: "c", image: "i", volumeMounts: mounts }],
      initContainers: [{ name: "first", image: "i", volumeMounts: [{ name: "early", mountPath: "/e" }] }],
    });
    await expect.poll(() => plugin.calls.toSorted()).toEqual(["setUp bad", "setUp early", "setUp good", "setUp slow"]);
    world.agent!.metrics();
    // Asked for again while the first call has not ended: one operation at a time.
    plugin.context!.lookAt((await world.findPod("p"))!.metadata.uid);
    await new Promise((resolve) => void setImmediate(resolve));
    expect(plugin.calls.filter((call) => call === "setUp slow")).toHaveLength(1);
    held.resolve();
    const pod = await creating;
    expect(
      ["slow", "good", "early", "bad", "unused"].map((name) => world.has(pod, "volumes", plugin.kind, name)),
    ).toEqual([true, true, true, false, false]);
  });

  test("NODE-3: however many volumes wait for a driver that does not respond, those of other kinds are made", async () => {
    const held = Promise.withResolvers<void>();
    plugin.gates.set("setUp slow", held.promise);
    const other = new NotedPlugin({
      kind: "kubernetes.io~host-path",
      makes: ({ volume }) => volume.hostPath !== undefined,
    });
    await world.start({ plugins: async (context) => [...(await plugin.open(context)), other] });
    const makeFor = (name: string, volume: object): Promise<Pod> =>
      world.resource(Pod).create({
        metadata: at(name),
        spec: {
          nodeName: NODE,
          automountServiceAccountToken: false,
          containers: [{ name: "c", image: "i", volumeMounts: [{ name: "slow", mountPath: "/v" }] }],
          volumes: [{ name: "slow", ...volume }],
        },
      } as never);
    await Promise.all(Array.from({ length: 80 }, (_, number) => makeFor(`p${number}`, { emptyDir: {} })));
    await expect.poll(() => plugin.calls.length).toBe(64);
    await makeFor("q", { hostPath: { path: "/tmp" } });
    await expect.poll(() => other.calls).toEqual(["setUp slow"]);
    held.resolve();
    await world.settled();
    expect(plugin.calls).toHaveLength(80);
  });

  test("an agent that has crashed lets go of what its plugins follow, and of what it holds", async () => {
    const ended: string[] = [];
    const held = { [Symbol.dispose]: () => void ended.push("held") };
    const followed = new NotedPlugin({ close: () => void ended.push("plugin") });
    await world.start({ plugins: followed.open, held });
    world.agent!.crash();
    expect(ended.toSorted()).toEqual(["held", "plugin"]);
  });

  test("NODE-5, NODE-72: after a restart what is there stays, and what belongs to no Pod any more is taken down", async () => {
    await start();
    const stays = await world.pod("stays", [empty("data")]);
    const goes = await world.pod("goes", [empty("data")]);
    const file = world.at(stays, "volumes", plugin.kind, "data", "mine");
    await writeFile(file, "kept");
    world.agent!.crash();
    await world.resource(Pod).delete(at("goes"), { gracePeriodSeconds: 0 });
    await world.settled();
    expect(world.has(goes)).toBe(true);
    plugin = new NotedPlugin();
    await start();
    expect(world.has(goes)).toBe(false);
    expect(await textOf(file)).toBe("kept");
    expect(plugin.calls.toSorted()).toEqual(["setUp data", "tearDown data"]);
  });

  test("NODE-7: a Pod that is deleted goes from the API when its volumes are down and its directory is gone", async () => {
    plugin.failures.set("tearDown data", new Error("busy"));
    await start();
    const pod = await world.pod("p", [empty("data")]);
    await world.resource(Pod).delete(at("p"));
    await world.settled();
    expect((await world.findPod("p"))!.metadata.deletionTimestamp).toBeDefined();
    expect((await world.events("p")).at(-1)).toMatchObject({
      reason: "FailedUnmount",
      message: 'UnmountVolume.TearDown failed for volume "data" : busy',
    });
    plugin.failures.clear();
    await world.advance("1s");
    expect(await world.findPod("p")).toBeUndefined();
    expect(world.has(pod)).toBe(false);
  });

  test("NODE-7: what has ended has its volumes taken down, and stays in the API", async () => {
    await start();
    const pod = await world.pod("p", [empty("data")]);
    await world.resource(Pod).status.patch(at("p"), { status: { phase: "Succeeded" } });
    await world.settled();
    expect(world.has(pod)).toBe(false);
    expect((await world.findPod("p"))!.status.phase).toBe("Succeeded");
    expect(plugin.calls).toEqual(["setUp data", "tearDown data"]);
  });

  test("NODE-7: a Pod that never got its volumes goes, and what was half made with it", async () => {
    plugin.failures.set("setUp data", new VolumeError("no"));
    await start();
    await world.pod("p", [empty("data")]);
    await world.resource(Pod).delete(at("p"));
    await world.settled();
    expect(await world.findPod("p")).toBeUndefined();
    expect(plugin.calls).toEqual(["setUp data", "tearDown data"]);
  });

  test("NODE-9: a directory that is still a mount point is not removed, nor is anything behind it", async () => {
    const mounted = new Set<string>();
    const mounter = {
      ...noMounts,
      mounts: async (below: string) =>
        [...mounted]
          .filter((path) => path.startsWith(below))
          .map((path) => ({ path, type: "", source: "", options: [] })),
    };
    plugin = new NotedPlugin({ tearDown: async () => {} });
    await start({ mounter });
    const pod = await world.pod("p", [empty("data")]);
    const path = world.at(pod, "volumes", plugin.kind, "data");
    mounted.add(path);
    await world.resource(Pod).delete(at("p"));
    await world.settled();
    expect(await textOf(join(path, "file"))).toBe("data");
    expect((await world.events("p")).at(-1)!.message).toContain("is mounted at");
    mounted.clear();
    await world.advance("1s");
    expect(await world.findPod("p")).toBeUndefined();
    expect(world.has(pod)).toBe(false);
  });
});
