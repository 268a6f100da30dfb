/**
 * The node agent of Kubernetes, unmodified, against a server with its own controllers: it makes its node, keeps its lease, takes the
 * Pods of its node and makes their volumes. In place of a container runtime there is one that runs nothing.
 */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Found } from "./beside.ts";
import { KubeletWorld } from "./kubelet/world.ts";
import { find, versionOf } from "./kubernetes.ts";
import { NODE, canMount } from "./storage/node-beside.ts";
import { PLACE, STORY_DRIVER, startBuiltIn, startDriver } from "./storage/programs.ts";

const source = new URL("kubelet", import.meta.url).pathname;
const version = versionOf(source);
if (!canMount) console.log("kubelet is left out: no mounts can be made here");
const bin = canMount
  ? await find({ name: "kubelet", folder: source, packages: ["./runtime"], variable: "KUBELET" })
  : undefined;

const NODES = "/api/v1/nodes";
const PODS = "/api/v1/namespaces/default/pods";
const MAPS = "/api/v1/namespaces/default/configmaps";
const SECRETS = "/api/v1/namespaces/default/secrets";
const LEASE = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${NODE}`;
const CSINODE = `/apis/storage.k8s.io/v1/csinodes/${NODE}`;
const at = (name: string): string => `${PODS}/${name}`;

const isIn =
  (phase: string) =>
  ({ status }: Found): boolean =>
    status.phase === phase;
const isTrue = ({ status }: Found, type: string): boolean =>
  status.conditions?.some((one: Found) => one.type === type && one.status === "True") === true;

describe.skipIf(bin === undefined)(`kubelet ${version}`, { timeout: 120_000 }, () => {
  let world: KubeletWorld;

  /** A Pod of one container that mounts all of its volumes, each below its name. */
  const makePod = (
    name: string,
    volumes: readonly Found[],
    more: object = {},
    metadata: object = {},
  ): Promise<Found> => {
    const volumeMounts = volumes.map((volume) => ({ name: volume.name, mountPath: `/${volume.name}` }));
    return world.create(PODS, {
      metadata: { name, ...metadata },
      spec: {
        nodeName: NODE,
        terminationGracePeriodSeconds: 1,
        containers: [{ name: "c", image: "i", volumeMounts }],
        volumes,
        ...more,
      },
    });
  };
  const running = async (...pod: Parameters<typeof makePod>): Promise<Found> => {
    await makePod(...pod);
    return world.once(at(pod[0]), isIn("Running"));
  };
  /** What is on disk, once it is as wanted. */
  const onceRead = (path: string, text: string): Promise<void> =>
    expect.poll(() => world.has(path) && world.read(path), { timeout: 40_000 }).toBe(text);
  const end = async (name: string): Promise<void> => {
    await world.delete(at(name));
    await world.gone(at(name));
  };

  beforeAll(async () => {
    world = new KubeletWorld(bin!);
    await world.start();
    await world.once(`${NODES}/${NODE}`, (found) => isTrue(found, "Ready"));
  });
  afterAll(() => world?.stop());

  test("NODE-1, CSIN-29: it makes its Node and its CSINode, is ready, and renews its Lease", async () => {
    const node = await world.get(`${NODES}/${NODE}`);
    expect(node.metadata.labels["kubernetes.io/hostname"]).toBe(NODE);
    expect(node.metadata.annotations["volumes.kubernetes.io/controller-managed-attach-detach"]).toBe("true");
    expect(node.status.nodeInfo.kubeletVersion).toBe(`v${version}`);
    expect(node.status.capacity).toMatchObject({ pods: "110", cpu: expect.stringMatching(/^\d+$/) as string });
    const csiNode = await world.once(CSINODE, () => true);
    const owner = { apiVersion: "v1", kind: "Node", name: NODE, uid: node.metadata.uid };
    expect(csiNode.metadata.ownerReferences).toEqual([owner]);
    const lease = await world.once(LEASE, ({ spec }) => spec.holderIdentity === NODE);
    expect(lease.metadata.ownerReferences).toEqual([owner]);
    await world.once(LEASE, ({ spec }) => spec.renewTime > lease.spec.renewTime);
  });

  test("NODE-6, NODE-54, NODE-55, PROJ-35, PROJ-41: a Pod runs with its volumes on disk", async () => {
    await world.create(MAPS, { metadata: { name: "settings" }, data: { colour: "blue", size: "1" } });
    await world.create(SECRETS, { metadata: { name: "key" }, stringData: { key: "hidden" } });
    const labels = { app: "db", tier: "one" };
    const pod = await running(
      "first",
      [
        { name: "settings", configMap: { name: "settings" } },
        { name: "key", secret: { secretName: "key", defaultMode: 0o400 } },
        { name: "labels", downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
        { name: "disk", emptyDir: {} },
        { name: "memory", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
      ],
      {},
      { labels },
    );
    expect(isTrue(pod, "Ready")).toBe(true);
    expect(world.read(join(world.volume(pod, "configmap", "settings"), "colour"))).toBe("blue");
    expect(world.list(world.volume(pod, "configmap", "settings"))).toContain("..data");
    expect(world.read(join(world.volume(pod, "secret", "key"), "key"))).toBe("hidden");
    expect(world.read(join(world.volume(pod, "downward-api", "labels"), "labels"))).toBe('app="db"\ntier="one"');
    expect(world.list(world.volume(pod, "empty-dir", "disk"))).toEqual([]);
    const inMemory = world.mounts(join(world.root, "pods", pod.metadata.uid)).filter(([, type]) => type === "tmpfs");
    const paths = inMemory.map(([path]) => path);
    expect(paths).toContain(world.volume(pod, "empty-dir", "memory"));
    expect(paths).toContain(world.volume(pod, "secret", "key"));
    const { config } = world.calls("CreateContainer").at(-1);
    expect(config.mounts.map((one: Found) => one.container_path)).toEqual(
      expect.arrayContaining(["/settings", "/key", "/labels", "/disk", "/memory"]),
    );
    for (const reason of ["Pulled", "Created", "Started"]) {
      // oxlint-disable-next-line no-await-in-loop -- three looks
      expect((await world.event("default", "first", reason)).source).toMatchObject({
        component: "kubelet",
        host: NODE,
      });
    }
  });

  test("PROJ-55: what changes reaches the files", async () => {
    const pod = await world.get(at("first"));
    await world.merge(`${MAPS}/settings`, { data: { colour: "green", size: null, weight: "2" } });
    const folder = world.volume(pod, "configmap", "settings");
    await onceRead(join(folder, "colour"), "green");
    expect(world.list(folder).filter((name) => !name.startsWith(".."))).toEqual(["colour", "weight"]);
    await world.merge(`${SECRETS}/key`, { stringData: { key: "changed" } });
    await onceRead(join(world.volume(pod, "secret", "key"), "key"), "changed");
    await world.merge(at("first"), { metadata: { labels: { tier: "two" } } });
    await onceRead(join(world.volume(pod, "downward-api", "labels"), "labels"), 'app="db"\ntier="two"');
  });

  test("PROJ-47, NODE-35: a projected token is that of the account, for its audience, and bound to the Pod", async () => {
    await world.once("/api/v1/namespaces/default/serviceaccounts/default", () => true);
    const sources = [
      { serviceAccountToken: { path: "own", expirationSeconds: 600 } },
      { serviceAccountToken: { path: "other", audience: "vault", expirationSeconds: 600 } },
      { configMap: { name: "settings", items: [{ key: "colour", path: "deep/colour" }] } },
      { downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] } },
    ];
    const pod = await running("projected", [{ name: "all", projected: { sources } }], {
      serviceAccountName: "default",
    });
    const folder = world.volume(pod, "projected", "all");
    expect(world.read(join(folder, "deep/colour"))).toBe("green");
    expect(world.read(join(folder, "name"))).toBe("projected");
    const review = async (file: string, audiences?: readonly string[]): Promise<Found> => {
      const token = world.read(join(folder, file));
      const path = "/apis/authentication.k8s.io/v1/tokenreviews";
      return (await world.create(path, { spec: { token, ...(audiences && { audiences }) } })).status;
    };
    const { authenticated, user } = await review("own");
    expect(authenticated).toBe(true);
    expect(user.username).toBe("system:serviceaccount:default:default");
    expect(user.extra).toMatchObject({
      "authentication.kubernetes.io/pod-name": ["projected"],
      "authentication.kubernetes.io/pod-uid": [pod.metadata.uid],
      "authentication.kubernetes.io/node-name": [NODE],
    });
    expect((await review("other")).authenticated).not.toBe(true);
    expect((await review("other", ["vault"])).authenticated).toBe(true);
    await end("projected");
  });

  test("PROJ-37, NODE-3: a Pod waits for the objects of its volumes, gets an Event, and runs when they exist", async () => {
    await makePod("patient", [{ name: "late", configMap: { name: "late" } }]);
    const told = await world.event("default", "patient", "FailedMount");
    expect(told.type).toBe("Warning");
    expect(told.message).toContain('configmap "late" not found');
    expect((await world.get(at("patient"))).status.phase).toBe("Pending");
    await world.create(MAPS, { metadata: { name: "late" }, data: { here: "now" } });
    const pod = await world.once(at("patient"), isIn("Running"));
    expect(world.read(join(world.volume(pod, "configmap", "late"), "here"))).toBe("now");
    await end("patient");
  });

  test("NODE-5: when it is killed and started again its Pods run on, with the files that they had", async () => {
    const pod = await world.get(at("first"));
    const data = (): readonly string[] => world.list(world.volume(pod, "configmap", "settings"));
    const before = data();
    const starts = world.calls("StartContainer").length;
    await world.killAgent();
    await world.merge(`${MAPS}/settings`, { data: { colour: "red" } });
    world.startAgent();
    await onceRead(join(world.volume(pod, "configmap", "settings"), "colour"), "red");
    expect(data()).not.toEqual(before);
    const { status } = await world.get(at("first"));
    expect(status.containerStatuses[0]).toMatchObject({ restartCount: 0, ready: true });
    expect(world.calls("StartContainer")).toHaveLength(starts);
  });

  test("NODE-7, PROJ-58: a Pod that is deleted is stopped, its volumes are taken down, and it goes last", async () => {
    const pod = await world.get(at("first"));
    const folder = join(world.root, "pods", pod.metadata.uid);
    const stops = world.calls("StopContainer").length;
    await world.delete(at("first"));
    expect((await world.get(at("first"))).metadata.deletionTimestamp).toBeDefined();
    await world.gone(at("first"));
    expect(world.calls("StopContainer").length).toBeGreaterThan(stops);
    await expect.poll(() => world.has(folder), { timeout: 40_000 }).toBe(false);
    expect(world.mounts(folder)).toEqual([]);
  });

  test("NODE-7: a Pod whose containers have ended has succeeded, and its volumes go while it stays", async () => {
    world.exit("c", 0);
    await makePod("job", [{ name: "settings", configMap: { name: "settings" } }], { restartPolicy: "Never" });
    const done = await world.once(at("job"), isIn("Succeeded"));
    expect(done.status.containerStatuses[0].state.terminated).toMatchObject({ exitCode: 0, reason: "Completed" });
    await expect.poll(() => world.has(world.volume(done, "configmap", "settings")), { timeout: 40_000 }).toBe(false);
    world.exit("c", 3);
    await makePod("failing", [], { restartPolicy: "Never" });
    const failed = await world.once(at("failing"), isIn("Failed"));
    expect(failed.status.containerStatuses[0].state.terminated).toMatchObject({ exitCode: 3, reason: "Error" });
    world.exit("c", undefined);
    await Promise.all([end("job"), end("failing")]);
  });

  test("init containers come one after the other, before the others", async () => {
    world.exit("prepare", 0);
    const initContainers = [{ name: "prepare", image: "i" }];
    const pod = await running("prepared", [], { initContainers });
    expect(pod.status.initContainerStatuses[0].state.terminated.exitCode).toBe(0);
    expect(isTrue(pod, "Initialized")).toBe(true);
    await end("prepared");
  });

  describe("with a driver", () => {
    const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
    const STORAGE = "/apis/storage.k8s.io/v1";
    const claimed = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
    let claim: Found;
    let volume: Found;
    const mounted = (pod: Found): string => join(world.volume(pod, "csi", volume.metadata.name), "mount");
    const unique = (): string => `kubernetes.io/csi/${STORY_DRIVER}^${volume.spec.csi.volumeHandle}`;

    beforeAll(async () => {
      const socket = join(world.state, "csi.sock");
      await startDriver({
        start: (command, name) => world.inside(command, name),
        dir: join(world.state, "disks"),
        socket,
        node: NODE,
        registry: join(world.root, "plugins_registry"),
      });
      startBuiltIn(world, socket);
      const spec = { attachRequired: true, podInfoOnMount: true };
      await world.create(`${STORAGE}/csidrivers`, { metadata: { name: STORY_DRIVER }, spec });
      const metadata = { name: "disks" };
      await world.create(`${STORAGE}/storageclasses`, {
        metadata,
        provisioner: STORY_DRIVER,
        allowVolumeExpansion: true,
      });
    });

    test("CSIN-22, CSIN-23, CSIN-24, CSIN-26: the driver is found by its socket, and told of in Node and CSINode", async () => {
      const { spec } = await world.once(CSINODE, (found) => found.spec.drivers?.length === 1);
      expect(spec.drivers[0]).toMatchObject({ name: STORY_DRIVER, nodeID: NODE, topologyKeys: [PLACE] });
      const { metadata } = await world.get(`${NODES}/${NODE}`);
      expect(metadata.labels[PLACE]).toBe(NODE);
      expect(JSON.parse(metadata.annotations["csi.volume.kubernetes.io/nodeid"])).toEqual({ [STORY_DRIVER]: NODE });
    });

    test("NODE-10, NODE-11, NODE-16, NODE-19: a claim is provisioned, attached, staged, published, and written to", async () => {
      const resources = { requests: { storage: "1Mi" } };
      await world.create(CLAIMS, {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], storageClassName: "disks", resources },
      });
      claim = await world.once(`${CLAIMS}/data`, isIn("Bound"));
      volume = await world.get(`/api/v1/persistentvolumes/${claim.spec.volumeName}`);
      const pod = await running("writer", claimed);
      const node = await world.get(`${NODES}/${NODE}`);
      expect(node.status.volumesInUse).toEqual([unique()]);
      expect(node.status.volumesAttached.map(({ name }: Found) => name)).toEqual([unique()]);
      world.write(join(mounted(pod), "file"), "kept");
      const { config } = world.calls("CreateContainer").at(-1);
      expect(config.mounts.map((one: Found) => one.host_path)).toContain(mounted(pod));
      expect(world.mounts(mounted(pod))).toHaveLength(1);
    });

    test("NODE-47, NODE-48: what grows is grown on the node while the Pod runs", async () => {
      await world.merge(`${CLAIMS}/data`, { spec: { resources: { requests: { storage: "2Mi" } } } });
      const grown = await world.once(`${CLAIMS}/data`, ({ status }) => status.capacity.storage === "2Mi");
      expect(grown.status.allocatedResourceStatuses?.storage).toBeUndefined();
      expect((await world.event("default", "writer", "FileSystemResizeSuccessful")).type).toBe("Normal");
    });

    test("NODE-12, NODE-17: when the Pod is gone it is unpublished, unstaged, and detached; the next one finds its file", async () => {
      const pod = await world.get(at("writer"));
      await end("writer");
      await world.once(
        `${NODES}/${NODE}`,
        ({ status }) => !status.volumesInUse?.length && !status.volumesAttached?.length,
      );
      expect(world.mounts(mounted(pod))).toEqual([]);
      expect(world.mounts(join(world.root, "plugins/kubernetes.io/csi", STORY_DRIVER))).toEqual([]);
      await world.once(`${STORAGE}/volumeattachments`, ({ items }) => items.length === 0);
      const reader = await running("reader", claimed);
      expect(world.read(join(mounted(reader), "file"))).toBe("kept");
      await end("reader");
      await world.delete(`${CLAIMS}/data`);
      await world.gone(`/api/v1/persistentvolumes/${volume.metadata.name}`);
    });
  });

  test("it has met nothing that the server refuses", () => {
    expect(world.log).toContain(`"v${version}"`);
    const refused =
      /^[EW].*(?:could not find the requested resource|failed to (?:list|watch)|forbidden|is invalid|unknown field)/i;
    // It looks again at Pods that it has let go.
    const expected = /cannot get resource .{0,4}pods.*no Pod on the node/;
    const lines = world.log.split("\n").filter((line) => refused.test(line));
    expect(lines.filter((line) => !expected.test(line))).toEqual([]);
  });
});
