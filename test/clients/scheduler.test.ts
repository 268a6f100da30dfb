/**
 * The scheduler of Kubernetes, unmodified, against a server with its own controllers: it follows all the kinds that it wants,
 * chooses among nodes that the test has made by hand, and writes what it has chosen. Nothing runs on the nodes.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Beside, type Found } from "./beside.ts";
import { SCHEDULER_VERSION as version, findScheduler, startScheduler } from "./scheduler/program.ts";

const bin = await findScheduler();

/** The kinds that it follows. */
const FOLLOWED = [
  "CSIDriver",
  "CSINode",
  "CSIStorageCapacity",
  "DeviceClass",
  "Namespace",
  "Node",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "Pod",
  "PodDisruptionBudget",
  "ReplicaSet",
  "ReplicationController",
  "ResourceClaim",
  "ResourceSlice",
  "Service",
  "StatefulSet",
  "StorageClass",
  "VolumeAttachment",
];

const NODES = "/api/v1/nodes";
const PODS = "/api/v1/namespaces/default/pods";
const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
const DEVICES = "/apis/resource.k8s.io/v1";
const HOST = "kubernetes.io/hostname";
const at = (name: string): string => `${PODS}/${name}`;

const isPlaced = ({ spec }: Found): boolean => spec.nodeName !== undefined;
/** What is said of a Pod's place. */
const placing = ({ status }: Found): Found => status.conditions?.find((one: Found) => one.type === "PodScheduled");
const isWaiting = (found: Found): boolean => placing(found)?.reason === "Unschedulable";

describe.skipIf(bin === undefined)(`kube-scheduler ${version}`, { timeout: 120_000 }, () => {
  const world = new Beside();
  let scheduler: { readonly log: string };

  const makeNode = async (name: string, cpu: string, spec: object = {}): Promise<void> => {
    await world.create(NODES, { metadata: { name, labels: { [HOST]: name } }, spec });
    const capacity = { cpu, memory: "8Gi", pods: "10" };
    const conditions = [{ type: "Ready", status: "True", reason: "KubeletReady", message: "by hand" }];
    await world.merge(`${NODES}/${name}/status`, { status: { capacity, allocatable: capacity, conditions } });
  };
  const makePod = (name: string, cpu: string, spec: object = {}): Promise<Found> => {
    const containers = [{ name: "c", image: "i", resources: { requests: { cpu } } }];
    return world.create(PODS, { metadata: { name }, spec: { containers, ...spec } });
  };
  const on = (host: string): object => ({ nodeSelector: { [HOST]: host } });
  const deletePod = (name: string): Promise<Found> => world.delete(at(name), { gracePeriodSeconds: 0 });

  beforeAll(async () => {
    await world.serve("--enable-admission-plugins", "Priority");
    await makeNode("small", "1");
    await makeNode("large", "4");
    scheduler = startScheduler(world, bin!);
  });
  afterAll(() => world.stop());

  test("is elected, and follows all that it wants", async () => {
    const lease = await world.once(
      "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler",
      ({ spec }) => spec.holderIdentity !== "",
    );
    expect(lease.spec).toMatchObject({ leaseDurationSeconds: 15, leaseTransitions: 0 });
    const followed = (): string[] =>
      [...scheduler.log.matchAll(/"Caches populated" type="\*v1\.(\w+)"/g)].map(([, kind]) => kind!).toSorted();
    await expect.poll(followed, { timeout: 40_000 }).toEqual(FOLLOWED);
  });

  test("a Pod is bound to the node that has room, and an Event says so", async () => {
    await makePod("fits", "2");
    const placed = await world.once(at("fits"), isPlaced);
    expect(placed.spec.nodeName).toBe("large");
    expect(placing(placed)).toMatchObject({ status: "True" });
    expect(await world.event("default", "fits", "Scheduled")).toMatchObject({
      type: "Normal",
      message: "Successfully assigned default/fits to large",
      reportingComponent: "default-scheduler",
    });
    await deletePod("fits");
  });

  test("a Pod that fits no node gets the reason, and is bound when a node has grown", async () => {
    await makePod("big", "6");
    const waiting = await world.once(at("big"), isWaiting);
    expect(waiting.spec.nodeName).toBeUndefined();
    expect(placing(waiting)).toMatchObject({
      status: "False",
      message: expect.stringContaining("0/2 nodes are available: 2 Insufficient cpu") as string,
    });
    expect((await world.event("default", "big", "FailedScheduling")).type).toBe("Warning");
    await world.merge(`${NODES}/large/status`, { status: { allocatable: { cpu: "8" }, capacity: { cpu: "8" } } });
    expect((await world.once(at("big"), isPlaced)).spec.nodeName).toBe("large");
    await deletePod("big");
  });

  test("a node that is tainted or cordoned has only Pods that bear it", async () => {
    await makeNode("shy", "16", { taints: [{ key: "shy", effect: "NoSchedule" }] });
    await makePod("unwelcome", "1", on("shy"));
    expect(placing(await world.once(at("unwelcome"), isWaiting)).message).toContain("untolerated taint");
    await makePod("friend", "1", { ...on("shy"), tolerations: [{ key: "shy", operator: "Exists" }] });
    expect((await world.once(at("friend"), isPlaced)).spec.nodeName).toBe("shy");
    await world.merge(`${NODES}/shy`, { spec: { taints: null, unschedulable: true } });
    expect(isPlaced(await world.get(at("unwelcome")))).toBe(false);
    await world.merge(`${NODES}/shy`, { spec: { unschedulable: false } });
    expect((await world.once(at("unwelcome"), isPlaced)).spec.nodeName).toBe("shy");
    await Promise.all([deletePod("unwelcome"), deletePod("friend"), world.delete(`${NODES}/shy`)]);
  });

  test("a Pod with gates is left alone until they are taken off", async () => {
    const gated = await makePod("gated", "1", { schedulingGates: [{ name: "example.com/later" }] });
    expect(placing(gated)).toMatchObject({ status: "False", reason: "SchedulingGated" });
    await makePod("after-gated", "1");
    await world.once(at("after-gated"), isPlaced);
    expect(isPlaced(await world.get(at("gated")))).toBe(false);
    await world.merge(at("gated"), { spec: { schedulingGates: null } });
    await world.once(at("gated"), isPlaced);
    await Promise.all([deletePod("gated"), deletePod("after-gated")]);
  });

  test("a Pod that matters more drives another one out", async () => {
    await makeNode("scarce", "1");
    await world.create("/apis/scheduling.k8s.io/v1/priorityclasses", { metadata: { name: "urgent" }, value: 1000 });
    await makePod("victim", "1", on("scarce"));
    await world.once(at("victim"), isPlaced);
    await makePod("urgent", "1", { ...on("scarce"), priorityClassName: "urgent" });
    const victim = await world.once(at("victim"), ({ metadata }) => metadata.deletionTimestamp !== undefined);
    expect(victim.status.conditions.find((one: Found) => one.type === "DisruptionTarget")).toMatchObject({
      status: "True",
      reason: "PreemptionByScheduler",
    });
    await world.once(at("urgent"), ({ status }) => status.nominatedNodeName === "scarce");
    await world.event("default", "victim", "Preempted");
    // The agent of the node has ended it.
    await deletePod("victim");
    expect((await world.once(at("urgent"), isPlaced)).spec).toMatchObject({ nodeName: "scarce", priority: 1000 });
    await Promise.all([deletePod("urgent"), world.delete(`${NODES}/scarce`)]);
  });

  test("a claim that waits for its first Pod is bound to the volume of the node where that goes", async () => {
    await world.create("/apis/storage.k8s.io/v1/storageclasses", {
      metadata: { name: "local" },
      provisioner: "kubernetes.io/no-provisioner",
      volumeBindingMode: "WaitForFirstConsumer",
    });
    const matchExpressions = [{ key: HOST, operator: "In", values: ["small"] }];
    await world.create("/api/v1/persistentvolumes", {
      metadata: { name: "disk" },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "local",
        local: { path: "/disk" },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
      },
    });
    const resources = { requests: { storage: "1Gi" } };
    await world.create(CLAIMS, {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], storageClassName: "local", resources },
    });
    await makePod("keeper", "500m", { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] });
    expect((await world.once(at("keeper"), isPlaced)).spec.nodeName).toBe("small");
    const claim = await world.get(`${CLAIMS}/data`);
    expect(claim).toMatchObject({ spec: { volumeName: "disk" }, status: { phase: "Bound" } });
    expect((await world.get("/api/v1/persistentvolumes/disk")).spec.claimRef.uid).toBe(claim.metadata.uid);
    await deletePod("keeper");
  });

  test("a claim to a device is allocated where there is one, and reserved for its Pod", async () => {
    await world.create(`${DEVICES}/deviceclasses`, {
      metadata: { name: "gpus" },
      spec: { selectors: [{ cel: { expression: `device.driver == "gpus.example.com"` } }] },
    });
    await world.create(`${DEVICES}/resourceslices`, {
      metadata: { name: "small-gpus" },
      spec: {
        driver: "gpus.example.com",
        nodeName: "small",
        pool: { name: "small", generation: 1, resourceSliceCount: 1 },
        devices: [{ name: "gpu-0", attributes: { model: { string: "a" } } }],
      },
    });
    const claims = `${DEVICES}/namespaces/default/resourceclaims`;
    await world.create(claims, {
      metadata: { name: "gpu" },
      spec: { devices: { requests: [{ name: "one", exactly: { deviceClassName: "gpus" } }] } },
    });
    const pod = await makePod("player", "100m", { resourceClaims: [{ name: "gpu", resourceClaimName: "gpu" }] });
    expect((await world.once(at("player"), isPlaced)).spec.nodeName).toBe("small");
    const { metadata, status } = await world.get(`${claims}/gpu`);
    expect(metadata.finalizers).toEqual(["resource.kubernetes.io/delete-protection"]);
    expect(status.allocation.devices.results).toEqual([
      { request: "one", driver: "gpus.example.com", pool: "small", device: "gpu-0" },
    ]);
    expect(status.reservedFor).toEqual([{ resource: "pods", name: "player", uid: pod.metadata.uid }]);
    await deletePod("player");
  });

  test("it has met nothing that it complains of", () => {
    const { log } = scheduler;
    expect(log).toContain(`version="v${version}"`);
    expect(log.split("\n").filter((line) => /^[EF]\d{4} /.test(line))).toEqual([]);
    expect(log).not.toMatch(/could not find the requested resource|[Ff]ailed to (?:list|watch)/);
  });
});
