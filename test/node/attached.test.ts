import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { Node, PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttachment } from "../../src/client/kinds/index.ts";
import { attachDetach } from "../../src/controllers/storage/attach/controller.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { createManager } from "../../src/runtime/index.ts";
import type { NeededVolume } from "../../src/node/contract.ts";
import { CsiPaths } from "../../src/node/csi/csi-paths.ts";
import { writeRecord } from "../../src/node/csi/record.ts";
import { AGENT, NODE, NodeWorld, NotedPlugin, at } from "./node-world.ts";

const ENTRY = "kubernetes.io/csi/d^h-v";

/** A plugin of volumes of claims that are attached by default. */
class AttachedPlugin extends NotedPlugin {
  isAttached = true;
  attachment = "csi-1";
  readonly onDisk = new Set<string>();
  readonly seen: NeededVolume[] = [];

  override makes({ persistent }: NeededVolume): boolean {
    return persistent !== undefined;
  }

  attached({ persistent }: NeededVolume) {
    const { volumeHandle } = persistent!.volume.spec.csi!;
    return this.isAttached ? { entry: `kubernetes.io/csi/d^${volumeHandle}`, attachment: this.attachment } : undefined;
  }

  override async setUp(needed: NeededVolume) {
    this.seen.push(needed);
    this.onDisk.add(`kubernetes.io/csi/d^${needed.persistent!.volume.spec.csi!.volumeHandle}`);
    return super.setUp(needed);
  }

  override async tearDown(found: { readonly name: string; readonly path: string }) {
    await super.tearDown(found);
    this.onDisk.clear();
  }

  async inUse() {
    return this.isAttached ? [...this.onDisk] : [];
  }
}

let world: NodeWorld;
let plugin: AttachedPlugin;
beforeEach(async () => {
  world = await NodeWorld.create();
  plugin = new AttachedPlugin();
});
afterEach(async () => {
  const { warnings } = world;
  await world[Symbol.asyncDispose]();
  if (warnings.length > 0) throw new Error(warnings.join("\n"));
});

const start = (options: object = {}) => world.start({ plugins: plugin.open, ...options });
const claimed = { name: "data", persistentVolumeClaim: { claimName: "a" } };
const inUse = async () => (await world.node())!.status.volumesInUse ?? [];
const listAttached = async (names: readonly string[]) => {
  const volumesAttached = names.map((name) => ({ name, devicePath: "" }));
  await world.resource(Node).status.patch({ name: NODE }, { status: { volumesAttached } });
  await world.settled();
};
const attachment = async (status: object) => {
  const all = world.resource(VolumeAttachment);
  if (!(await all.find({ name: "csi-1" }))) {
    const spec = { attacher: "d", nodeName: NODE, source: { persistentVolumeName: "v" } };
    await all.create({ metadata: { name: "csi-1" }, spec } as NewObject<VolumeAttachment>);
  }
  await all.status.patch({ name: "csi-1" }, { status });
  await world.settled();
};
/** A claim `a` bound to a volume `v`, as the binder leaves them. */
const bind = async ({
  modes = ["ReadWriteOnce"],
  volumeMode = "Filesystem",
  owner = [] as object[],
  name = "a",
} = {}) => {
  const resources = { requests: { storage: "1Gi" } };
  const spec = { accessModes: modes, volumeMode, volumeName: "v", storageClassName: "", resources };
  const claims = world.resource(PersistentVolumeClaim);
  const claim = await claims.create({
    metadata: { ...at(name), ownerReferences: owner },
    spec,
  } as NewObject<PersistentVolumeClaim>);
  await world.resource(PersistentVolume).create({
    metadata: { name: "v" },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: modes,
      volumeMode,
      csi: { driver: "d", volumeHandle: "h-v" },
      claimRef: { ...at(name), uid: claim.metadata.uid },
    },
  } as NewObject<PersistentVolume>);
  await claims.status.patch(at(name), { status: { phase: "Bound", accessModes: modes, capacity: { storage: "1Gi" } } });
  await world.settled();
};
const lastEvent = async (pod = "p") => (await world.events(pod)).at(-1);

describe("attached volumes", () => {
  test("NODE-10, NODE-11, NODE-14: in use is stored first, then it is attached, then it is set up", async () => {
    await start();
    await bind();
    await world.pod("p", [claimed]);
    expect(await inUse()).toEqual([ENTRY]);
    expect(plugin.calls).toEqual([]);
    // Listed, but the attachment does not say so.
    await attachment({ attached: false });
    await listAttached([ENTRY]);
    await world.advance("10s");
    expect(plugin.calls).toEqual([]);
    await attachment({ attached: true, attachmentMetadata: { path: "/dev/x" } });
    await world.advance("5s");
    expect(plugin.calls).toEqual(["setUp data"]);
    expect(plugin.seen[0]!.attachment!.status.attachmentMetadata).toEqual({ path: "/dev/x" });
  });

  test("NODE-12: a Node that is made again says from its first version what lies on disk", async () => {
    const place = new CsiPaths(world.root).stage({ driver: "d", handle: "h-v", mode: "Filesystem" });
    await writeRecord(place.directory, {
      driver: "d",
      handle: "h-v",
      name: "v",
      mode: "Filesystem",
      lifecycle: "Persistent",
      node: NODE,
      attachment: "csi-1",
      state: "staged",
      seen: "mount",
    });
    const told: string[] = [];
    await world.start({ plugins: async () => (told.push(...(await inUse())), []) });
    expect(told).toEqual([ENTRY]);
  });

  test("NODE-11: nothing is set up before the Node that says that it is in use was stored", async () => {
    let isRefused = false;
    const client = world.cluster.client("agent", AGENT).with({
      through: (transport) => async (request) => {
        if (isRefused && request.path.startsWith("/api/v1/nodes/n1/status")) throw new Error("the network is down");
        return transport(request);
      },
    });
    await start({ client });
    await bind();
    await attachment({ attached: true });
    await listAttached([ENTRY]);
    isRefused = true;
    await world.pod("p", [claimed]);
    await world.advance("10s");
    expect(await inUse()).toEqual([]);
    expect(plugin.calls).toEqual([]);
    isRefused = false;
    await world.advance("60s");
    expect(await inUse()).toEqual([ENTRY]);
    expect(plugin.calls).toContain("setUp data");
    world.warnings.splice(0);
  });

  test("NODE-10: a late change of the Node reconciles its volumes at once", async () => {
    await start();
    await bind();
    await world.pod("p", [claimed]);
    await attachment({ attached: true });
    await world.advance("10s");
    expect(plugin.calls).toEqual([]);
    await listAttached([ENTRY]);
    expect(plugin.calls).toEqual(["setUp data"]);
  });

  test("NODE-10: a Pod that waits for long gets an Event with what is missing", async () => {
    await start();
    await bind();
    await world.pod("p", [claimed]);
    await attachment({ attached: false, attachError: { message: "no such disk" } });
    await world.advance("100s");
    expect(await world.events("p")).toEqual([]);
    await world.advance("30s");
    expect(await lastEvent()).toMatchObject({
      reason: "FailedAttachVolume",
      message: 'AttachVolume.Attach failed for volume "data" : its attachment failed: no such disk',
    });
  });

  test("NODE-11, NODE-12: what is in use is sorted, and leaves the list when it is neither needed nor on disk", async () => {
    plugin.onDisk.add("kubernetes.io/csi/a^1");
    await start();
    expect(await inUse()).toEqual(["kubernetes.io/csi/a^1"]);
    plugin.onDisk.clear();
    plugin.onDisk.add("kubernetes.io/csi/e^1");
    await bind();
    await world.pod("p", [claimed]);
    expect(await inUse()).toEqual([ENTRY, "kubernetes.io/csi/e^1"]);
    await attachment({ attached: true });
    await listAttached([ENTRY]);
    plugin.failures.set("tearDown v", new Error("busy"));
    await world.resource(Pod).delete(at("p"));
    await world.settled();
    expect(await inUse()).toContain(ENTRY);
    plugin.failures.clear();
    await world.advance("1s");
    expect(await inUse()).toEqual([]);
    expect(await world.findPod("p")).toBeUndefined();
  });

  test("NODE-12, NODE-70: an agent that begins again says what the disk says, and goes on from there", async () => {
    await start();
    await bind();
    await world.pod("p", [claimed]);
    await attachment({ attached: true });
    await listAttached([ENTRY]);
    world.agent!.crash();
    const before = plugin;
    plugin = new AttachedPlugin();
    for (const entry of before.onDisk) plugin.onDisk.add(entry);
    await start();
    expect(await inUse()).toEqual([ENTRY]);
    expect(plugin.calls).toEqual(["setUp data"]);
  });

  test("NODE-15: what needs no attaching is set up at once, and is never in use for others", async () => {
    plugin.isAttached = false;
    await start();
    await bind();
    await world.pod("p", [claimed]);
    expect(plugin.calls).toEqual(["setUp data"]);
    expect(plugin.seen[0]!.attachment).toBeUndefined();
    expect(await inUse()).toEqual([]);
  });

  test("CSIN-33: a Pod whose volume cannot be attached to this node fails, where its plugin says so", async () => {
    const end = { reason: "VolumeAttachmentLimitExceeded", message: "the node is full" };
    Object.assign(plugin, {
      notAttached: async (_needed: NeededVolume, { status }: VolumeAttachment) =>
        status.attachError?.errorCode === 8 ? end : undefined,
    });
    await start();
    await bind();
    await world.pod("p", [claimed]);
    await attachment({ attached: false, attachError: { errorCode: 8, message: "full" } });
    await world.advance("5s");
    const { status } = (await world.findPod("p"))!;
    expect(status).toMatchObject({ phase: "Failed", ...end });
    expect(await inUse()).toEqual([]);
  });
});

test("NODE-71, NODE-70: of a node that is gone for good volumes are detached although they are in use, after six minutes", async () => {
  await start();
  await bind();
  const manager = createManager({
    client: world.client,
    name: "others",
    clock: world.clock,
    activity: world.activity,
    seed: 1,
  });
  await manager.add(attachDetach(kubernetes)).start();
  await world.pod("p", [claimed]);
  const all = world.resource(VolumeAttachment);
  const own = async () => (await all.list()).items.map(({ metadata }) => metadata.name);
  const [name] = await own();
  plugin.attachment = name!;
  await all.status.patch({ name: name! }, { status: { attached: true } });
  await world.settled();
  await world.advance("5s");
  expect(new Set(plugin.calls)).toEqual(new Set(["setUp data"]));
  world.agent!.crash();
  const unready = { type: "Ready", status: "Unknown", lastTransitionTime: new Date(world.clock.now()).toISOString() };
  await world.resource(Node).status.patch({ name: NODE }, { status: { conditions: [unready] } }, { strategic: true });
  await world.resource(Pod).delete(at("p"), { gracePeriodSeconds: 0 });
  await world.advance("5m");
  expect(await own()).toEqual([name]);
  await world.advance("2m");
  expect(await own()).toEqual([]);
  await manager.stop();
  // It comes back, and takes down what is not its own any more before it says so.
  plugin = new AttachedPlugin();
  plugin.onDisk.add(ENTRY);
  await start();
  expect(plugin.calls).toEqual(["tearDown v"]);
  expect(await inUse()).toEqual([]);
});

describe("claims", () => {
  test("NODE-53: what is taken of the volume of a claim is shown in the metrics", async () => {
    plugin.isAttached = false;
    Object.assign(plugin, { usage: async () => ({ usedBytes: 7 }) });
    await start();
    await bind();
    await world.pod("p", [claimed]);
    const line = 'kubelet_volume_stats_used_bytes{namespace="default",persistentvolumeclaim="a"} 7';
    expect(world.agent!.metrics()).toContain(line);
  });

  test("NODE-65: a claim is waited for until it is bound to a volume that is bound to it", async () => {
    plugin.isAttached = false;
    await start();
    await world.pod("p", [claimed]);
    expect(await lastEvent()).toMatchObject({
      reason: "FailedMount",
      message: 'MountVolume.SetUp failed for volume "data" : persistentvolumeclaim "a" not found',
    });
    await bind();
    await world.resource(PersistentVolumeClaim).status.patch(at("a"), { status: { phase: "Pending" } });
    await world.advance("5s");
    expect((await lastEvent())!.message).toContain("is not bound yet");
    await world.resource(PersistentVolumeClaim).status.patch(at("a"), { status: { phase: "Bound" } });
    await world.resource(PersistentVolume).patch({ name: "v" }, { spec: { claimRef: { uid: "other" } } });
    await world.advance("5s");
    expect((await lastEvent())!.message).toContain("is bound to another claim");
    const { uid } = (await world.resource(PersistentVolumeClaim).get(at("a"))).metadata;
    await world.resource(PersistentVolume).patch({ name: "v" }, { spec: { claimRef: { uid } } });
    await world.advance("5s");
    expect(plugin.calls).toEqual(["setUp data"]);
  });

  test("NODE-65: a claim that is being deleted is mounted for a Pod that was placed before", async () => {
    plugin.isAttached = false;
    await start();
    await bind();
    const claims = world.resource(PersistentVolumeClaim);
    await claims.patch(at("a"), { metadata: { finalizers: ["kubernetes.io/pvc-protection"] } });
    await claims.delete(at("a"));
    await world.pod("p", [claimed]);
    expect(plugin.calls).toEqual(["setUp data"]);
    await claims.patch(at("a"), { metadata: { finalizers: null } });
  });

  test("an unprotected claim that is being deleted is not mounted, and the Pod gets an Event; a Pod that has it keeps it", async () => {
    plugin.isAttached = false;
    await start();
    await bind();
    const claims = world.resource(PersistentVolumeClaim);
    const finalizers = ["kubernetes.io/pvc-protection", "x.example/held"];
    await claims.patch(at("a"), { metadata: { finalizers } });
    await claims.delete(at("a"));
    await world.pod("first", [claimed]);
    await claims.patch(at("a"), { metadata: { finalizers: finalizers.slice(1) } });
    const pod = await world.pod("second", [claimed]);
    await world.advance("1m");
    expect(await lastEvent("second")).toMatchObject({
      type: "Warning",
      reason: "FailedMount",
      message: 'MountVolume.SetUp failed for volume "data" : error processing PVC default/a: PVC is being deleted',
    });
    expect((await world.findPod("second"))!.status.phase).toBe("Pending");
    expect(world.has(pod, "volumes")).toBe(false);
    expect(await lastEvent("first")).toBeUndefined();
    expect(new Set(plugin.calls)).toEqual(new Set(["setUp data"]));
    await claims.patch(at("a"), { metadata: { finalizers: null } });
  });

  test("NODE-66: an ephemeral volume is the claim that its Pod owns, and no other of that name", async () => {
    plugin.isAttached = false;
    await start();
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    await bind({ name: "p-data" });
    const pod = await world.pod("p", [{ name: "data", ephemeral: { volumeClaimTemplate: { spec } } }]);
    expect((await lastEvent())!.message).toContain('"p-data" was not created for pod default/p');
    const { name, uid } = pod.metadata;
    const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name, uid, controller: true }];
    await world.resource(PersistentVolumeClaim).patch(at("p-data"), { metadata: { ownerReferences } });
    await world.advance("5s");
    expect(plugin.calls).toEqual(["setUp data"]);
  });

  test("NODE-67: a second Pod of the node waits for a volume that one Pod may have, also after a restart", async () => {
    plugin.isAttached = false;
    await start();
    await bind({ modes: ["ReadWriteOncePod"] });
    await world.pod("first", [claimed]);
    await world.pod("second", [claimed]);
    expect(plugin.calls).toEqual(["setUp data"]);
    expect(await lastEvent("second")).toMatchObject({
      reason: "FailedMount",
      message:
        'MountVolume.SetUp failed for volume "data" : the claim a has the access mode ReadWriteOncePod and is in use by the Pod default/first',
    });
    world.agent!.crash();
    plugin = new AttachedPlugin();
    plugin.isAttached = false;
    await start();
    await world.advance("30s");
    expect(new Set(plugin.seen.map(({ pod }) => pod.metadata.name))).toEqual(new Set(["first"]));
    await world.resource(Pod).delete(at("first"));
    await world.settled();
    expect(plugin.seen.at(-1)!.pod.metadata.name).toBe("second");
  });

  test("NODE-47: a volume that has grown is seen within seconds, where there are few", async () => {
    plugin.isAttached = false;
    await start();
    await bind();
    await world.pod("p", [claimed]);
    await world.resource(PersistentVolume).patch({ name: "v" }, { spec: { capacity: { storage: "2Gi" } } });
    await world.advance("6s");
    expect(plugin.seen.at(-1)!.persistent!.volume.spec.capacity).toEqual({ storage: "2Gi" });
  });

  test("NODE-65: two Pods of the node share a volume that the node has", async () => {
    plugin.isAttached = false;
    await start();
    await bind();
    await world.pod("first", [claimed]);
    await world.pod("second", [claimed]);
    expect(plugin.calls).toEqual(["setUp data", "setUp data"]);
  });

  test("NODE-46: a device that is mounted and a file system that is taken for a device fail", async () => {
    plugin.isAttached = false;
    await start();
    await bind({ volumeMode: "Block" });
    await world.pod("p", [claimed]);
    expect((await lastEvent())!.message).toContain("the volume is a block device");
    const volumeDevices = [{ name: "data", devicePath: "/dev/x" }];
    const pod = await world.pod("q", [claimed], { containers: [{ name: "c", image: "i", volumeDevices }] });
    expect(plugin.seen.at(-1)).toMatchObject({ mode: "Block" });
    expect(world.has(pod, "volumeDevices", plugin.kind, "v")).toBe(true);
  });
});
