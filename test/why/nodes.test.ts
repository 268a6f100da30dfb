/** The explanations of Pods on a node whose agent is real: why they are ContainerCreating, and why they do not end. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigMap, Node, PersistentVolume, PersistentVolumeClaim, Pod, Secret } from "../../src/client/kinds/index.ts";
import type { NewObject } from "../../src/client/index.ts";
import { openPlugins } from "../../src/node/plugins.ts";
import { NODE, NodeWorld, NotedPlugin, at } from "../node/node-world.ts";

let world: NodeWorld;
beforeEach(async () => {
  world = await NodeWorld.create();
});
afterEach(() => world[Symbol.asyncDispose]());

const start = () => world.start({ plugins: (ground) => openPlugins(ground, {}), pods: "run-nothing" });
const why = async (name = "p") => (await world.resource(Pod).why(at(name))).reasons;

describe("a Pod that is ContainerCreating", () => {
  test.each([
    ["ConfigMap", { configMap: { name: "absent" } }, ConfigMap],
    ["Secret", { secret: { secretName: "absent" } }, Secret],
    ["Secret", { projected: { sources: [{ secret: { name: "absent" } }] } }, Secret],
  ])("names the %s that is missing, until it is there", async (what, volume, kind) => {
    await start();
    await world.pod("p", [{ name: "v", ...volume }]);
    expect(await why()).toEqual([
      {
        says: `its volume v cannot be written: ${what.toLowerCase()} "absent" not found`,
        who: `a user who creates the ${what} default/absent`,
        about: { apiVersion: "v1", kind: what, ...at("absent") },
      },
    ]);
    await world.resource(kind as typeof ConfigMap).create({ metadata: at("absent") });
    await world.advance("10s");
    expect((await world.findPod("p"))?.status.phase).toBe("Running");
    expect(await why()).toEqual([]);
  });

  test("says which key is missing, and who changes that", async () => {
    await start();
    await world.resource(ConfigMap).create({ metadata: at("map"), data: { a: "b" } });
    await world.pod("p", [{ name: "v", configMap: { name: "map", items: [{ key: "missing", path: "x" }] } }]);
    const [reason] = await why();
    expect(reason?.says).toMatch(/^the agent of the node n1 says: MountVolume.SetUp failed for volume "v" : .*missing/);
    expect(reason).toMatchObject({
      who: "a user who changes the ConfigMap default/map",
      quotes: { in: "Event", reason: "FailedMount", from: "kubelet" },
    });
  });

  test("says what a hostPath is not", async () => {
    const path = join(world.root, "not-there");
    await start();
    await world.pod("p", [{ name: "v", hostPath: { path, type: "Directory" } }]);
    expect(await why()).toMatchObject([
      {
        says: `the agent of the node n1 says: MountVolume.SetUp failed for volume "v" : hostPath type check failed: ${path} does not exist`,
        who: `an administrator who provides the Directory ${path} on the node n1, or changes the type of the hostPath`,
      },
    ]);
    await mkdir(path);
    await world.advance("10m");
    expect(await why()).toEqual([]);
  });

  test("says that images are not here", async () => {
    await start();
    await world.pod("p", [{ name: "v", image: { reference: "r/x:1" } }]);
    expect(await why()).toMatchObject([
      {
        says: expect.stringContaining("image volumes need a container runtime"),
        who: "an administrator who provides the image r/x:1 on the node n1, or an agent that can",
      },
    ]);
  });

  test("says what its claim waits for", async () => {
    await start();
    await world.pod("p", [{ name: "v", persistentVolumeClaim: { claimName: "data" } }]);
    expect(await why()).toMatchObject([
      {
        says: 'persistentvolumeclaim "data" not found',
        who: "a user who creates the PersistentVolumeClaim default/data",
      },
    ]);
    await world.resource(PersistentVolumeClaim).create({
      metadata: at("data"),
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        storageClassName: "absent",
      },
    } as NewObject<PersistentVolumeClaim>);
    expect(await why()).toMatchObject([
      {
        says: 'its claim data is Pending: storageclass.storage.k8s.io "absent" not found',
        who: "a user who creates that StorageClass, or a volume of that class",
      },
    ]);
  });

  test("says what the driver on its node answers", async () => {
    const plugin = new NotedPlugin();
    plugin.failures.set("setUp v", new Error("NodePublishVolume: Internal: mkfs.ext4 failed"));
    await world.start({ plugins: plugin.open });
    await world.pod("p", [{ name: "v", emptyDir: {} }]);
    expect(await why()).toMatchObject([
      {
        says: 'the agent of the node n1 says: MountVolume.SetUp failed for volume "v" : NodePublishVolume: Internal: mkfs.ext4 failed',
        who: "a user who changes Pod default/p, or repairs it on the node n1",
      },
    ]);
    plugin.failures.clear();
    await world.advance("10m");
    expect(await why()).toMatchObject([
      { says: "its volumes are mounted, and the agent of the node n1 starts no containers" },
    ]);
  });

  test("says that its node is not there, or not Ready", async () => {
    await world.pod("p", []);
    expect(await why()).toMatchObject([
      { says: "it is on the node n1, which does not exist", about: { kind: "Node", name: NODE } },
    ]);
    await start();
    await world.advance("1m");
    expect(await why()).toEqual([]);
  });
});

test("a Pod that runs and is not ready says why", async () => {
  await start();
  await world.pod("p", [], { readinessGates: [{ conditionType: "example.com/open" }] });
  expect(await why()).toMatchObject([
    {
      says: 'it runs and is not ready: corresponding condition of pod readiness gate "example.com/open" is not true.',
      who: "the program that sets the conditions of its readiness gates",
    },
  ]);
});

test("a Pod that cannot end says which mount is busy, and who can act", async () => {
  const plugin = new NotedPlugin();
  await world.start({ plugins: plugin.open, pods: "run-nothing" });
  await world.pod("p", [{ name: "v", emptyDir: {} }]);
  plugin.failures.set("tearDown v", new Error("umount: /x: target is busy."));
  await world.resource(Pod).delete(at("p"));
  await world.settled();
  expect(await why()).toMatchObject([
    {
      says: expect.stringMatching(
        /^the agent of the node n1 says: UnmountVolume.TearDown failed for volume "v" : .*busy/,
      ),
      who: "an administrator who ends the process that uses the mount on the node n1",
      quotes: { reason: "FailedUnmount" },
    },
  ]);
});

test("a Pod that is to end on a node that is gone says that", async () => {
  await world.pod("p", []);
  await world.resource(Pod).delete(at("p"));
  expect(await why()).toMatchObject([
    {
      says: expect.stringMatching(/^it has time to end until .*, and its node n1 does not exist$/),
      who: "an administrator who starts the agent of that node, or deletes the Pod with --force",
    },
  ]);
  expect((await world.resource(Node).list()).items).toEqual([]);
  await world.resource(Node).create({ metadata: { name: "n1" } });
  expect(await why()).toMatchObject([
    {
      says: expect.stringMatching(/^it has time to end until .*, and its node n1 is not Ready$/),
      who: "an administrator who starts the agent of that node, or taints a node that is shut down with node.kubernetes.io/out-of-service:NoExecute",
    },
  ]);
});

test("a Pod that has failed says why, one that has succeeded nothing", async () => {
  await world.pod("p", []);
  const status = { phase: "Failed", reason: "Evicted", message: "the node was low on memory" };
  await world.resource(Pod).status.patch(at("p"), { status });
  expect((await why()).map(({ says }) => says)).toEqual(["it has failed: Evicted: the node was low on memory"]);
  await world
    .resource(Pod)
    .status.patch(at("p"), { status: { phase: "Succeeded", reason: null, message: null } } as never);
  expect(await why()).toEqual([]);
});

test("a container that does not start says why, also where the Pod runs", async () => {
  await world.pod("p", []);
  const waiting = { reason: "CreateContainerConfigError", message: 'secret "keys" not found' };
  const container = { name: "c", image: "i", imageID: "", ready: false, restartCount: 0, state: { waiting } };
  for (const phase of ["Pending", "Running"]) {
    await world.resource(Pod).status.patch(at("p"), { status: { phase, containerStatuses: [container] } } as never);
    expect((await why())[0]).toMatchObject({
      says: 'its container c does not start, CreateContainerConfigError: secret "keys" not found',
      quotes: { in: "status", reason: "CreateContainerConfigError" },
    });
  }
  expect((await world.resource(PersistentVolume).list()).items).toEqual([]);
});
