/** Plain volumes of Pods, from the object to the directory and back, by an agent with all of its plugins. */
import { chmod, mkdir, readFile, readlink, stat, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CSIDriver, PersistentVolume, PersistentVolumeClaim, Pod } from "../../src/client/kinds/index.ts";
import { linkingMounter } from "../../src/node/mounts/linking-mounter.ts";
import { openPlugins } from "../../src/node/plugins.ts";
import { NodeWorld, at } from "./node-world.ts";

let world: NodeWorld;
let images: string;
let host: string;
beforeEach(async () => {
  world = await NodeWorld.create();
  images = join(world.root, "images");
  host = join(world.root, "host");
  await mkdir(host);
  await world.start({
    mounter: linkingMounter({ mounts: () => Promise.resolve([]) }),
    plugins: (context) => openPlugins(context, { imageDirectory: images }),
  });
});
afterEach(() => world[Symbol.asyncDispose]());

const volume = (kind: string, name = "data"): readonly string[] => ["volumes", `kubernetes.io~${kind}`, name];
const warnings = async (name: string): Promise<string[]> =>
  (await world.events(name))
    .filter(({ type }) => type === "Warning")
    .map(({ reason, message }) => `${reason} ${message}`);

describe("emptyDir", () => {
  test("NODE-54: it comes with its Pod, keeps its files and goes with it", async () => {
    const pod = await world.pod("a", [{ name: "data", emptyDir: {} }]);
    const path = world.at(pod, ...volume("empty-dir"));
    expect((await stat(path)).mode & 0o7777).toBe(0o777);
    await writeFile(join(path, "file"), "text");
    await world.advance("5m");
    expect(await readFile(join(path, "file"), "utf8")).toBe("text");
    await world.resource(Pod).delete(at("a"));
    await world.advance("1m");
    expect(world.has(pod)).toBe(false);
    expect(await world.findPod("a")).toBeUndefined();
  });

  test("NODE-56: a Pod whose volume on disk is beyond its limit is evicted, others go on", async () => {
    const big = await world.pod("big", [{ name: "data", emptyDir: { sizeLimit: "64Ki" } }]);
    const small = await world.pod("small", [{ name: "data", emptyDir: { sizeLimit: "64Ki" } }]);
    await writeFile(join(world.at(big, ...volume("empty-dir")), "file"), Buffer.alloc(200_000, 1));
    await writeFile(join(world.at(small, ...volume("empty-dir")), "file"), Buffer.alloc(10_000, 1));
    await world.advance("2m");
    const { phase, reason, message } = (await world.findPod("big"))!.status;
    expect({ phase, reason }).toEqual({ phase: "Failed", reason: "Evicted" });
    expect(message).toContain('Usage of EmptyDir volume "data" exceeds');
    expect((await world.findPod("small"))!.status.phase).not.toBe("Failed");
  });
});

describe("what fails", () => {
  test("NODE-57: the type of a hostPath is checked, told by an event, and tried again until it fits", async () => {
    const path = join(host, "later");
    const pod = await world.pod("a", [{ name: "data", hostPath: { path, type: "Directory" } }]);
    expect(await warnings("a")).toEqual([
      expect.stringMatching(/^FailedMount .*hostPath type check failed: .*later does not exist/),
    ]);
    expect((await world.findPod("a"))!.status.phase).toBe("Pending");
    await mkdir(path);
    await world.advance("3m");
    const [condition] = (await world.findPod("a"))!.status.conditions!.filter(
      ({ type }) => type === "PodReadyToStartContainers",
    );
    expect(condition?.status).toBe("True");
    await world.resource(Pod).delete(at("a"));
    await world.advance("1m");
    expect(world.has(pod)).toBe(false);
    expect((await stat(path)).isDirectory()).toBe(true);
  });

  test.each([
    ["NODE-64: gitRepo", { gitRepo: { repository: "https://example/x" } }, "clone into an emptyDir"],
    [
      "NODE-61: iscsi",
      { iscsi: { targetPortal: "10.0.0.1", iqn: "iqn.2026-01.example:a", lun: 0 } },
      "iscsi volumes need",
    ],
    ["NODE-61: a vendor's script", { flexVolume: { driver: "vendor/script" } }, "vendor/script is missing"],
    ["NODE-60: nfs", { nfs: { server: "10.0.0.1", path: "/a" } }, "nfs volumes need the right to mount"],
    [
      "VOL-45: an image that is not there",
      { image: { reference: "tools:1" } },
      "tools:1 is not in the directory of images",
    ],
  ])("%s is an event, not silence", async (_, source, message) => {
    await world.pod("a", [{ name: "data", ...source }]);
    const [first] = await warnings("a");
    expect(first).toContain("FailedMount");
    expect(first).toContain(message);
    expect((await world.findPod("a"))!.status.phase).toBe("Pending");
  });
});

test("NODE-61: a share of a vendor is its driver's volume, and the driver is named where it is not here", async () => {
  await world.resource(CSIDriver).create({
    metadata: { name: "file.csi.azure.com" },
    spec: { attachRequired: false, volumeLifecycleModes: ["Persistent"] },
  } as never);
  await world.pod("a", [{ name: "data", azureFile: { secretName: "account", shareName: "share" } }]);
  const [first] = await warnings("a");
  expect(first).toContain("FailedMount");
  expect(first).toContain("file.csi.azure.com");
});

test("NODE-63, VOL-42: an image is resolved when a Pod starts, and again for the next Pod", async () => {
  for (const version of ["v1", "v2"]) {
    await mkdir(join(images, version), { recursive: true });
    await writeFile(join(images, version, "file"), version);
  }
  await symlink("v1", join(images, "tools:latest"));
  const source = { name: "data", image: { reference: "tools" } };
  const read = async (pod: Pod) => readFile(join(world.at(pod, ...volume("image")), "file"), "utf8");
  const first = await world.pod("a", [source]);
  expect(await read(first)).toBe("v1");
  await unlink(join(images, "tools:latest"));
  await symlink("v2", join(images, "tools:latest"));
  await world.advance("5m");
  expect(await read(first)).toBe("v1");
  await world.resource(Pod).delete(at("a"));
  await world.advance("1m");
  expect(await read(await world.pod("a", [source]))).toBe("v2");
  expect(await readFile(join(images, "v1/file"), "utf8")).toBe("v1");
});

describe("claims", () => {
  const bind = async (name: string, claim: string): Promise<void> => {
    const path = join(host, name);
    await mkdir(path, { recursive: true });
    await chmod(path, 0o755);
    const { metadata } = (await world.resource(PersistentVolumeClaim).find(at(claim)))!;
    await world.resource(PersistentVolume).create({
      metadata: { name },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "",
        local: { path },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "kubernetes.io/hostname", operator: "Exists" }] }],
          },
        },
        claimRef: { namespace: "default", name: claim, uid: metadata.uid! },
      },
    } as never);
    const found = (await world.resource(PersistentVolumeClaim).find(at(claim)))!;
    const claims = world.resource(PersistentVolumeClaim);
    const bound = await claims.update({ ...found, spec: { ...found.spec, volumeName: name } });
    await claims.status.update({ ...bound, status: { phase: "Bound" } } as never);
  };
  const claim = (name: string, owner?: Pod) =>
    world.resource(PersistentVolumeClaim).create({
      metadata: {
        ...at(name),
        ...(owner && {
          ownerReferences: [
            { apiVersion: "v1", kind: "Pod", name: owner.metadata.name, uid: owner.metadata.uid!, controller: true },
          ],
        }),
      },
      spec: { accessModes: ["ReadWriteOnce"], storageClassName: "", resources: { requests: { storage: "1Gi" } } },
    } as never);

  test("NODE-65: the volume of a claim is mounted once the claim is bound", async () => {
    await claim("claim");
    const pod = await world.pod("a", [{ name: "data", persistentVolumeClaim: { claimName: "claim" } }]);
    expect(await warnings("a")).toEqual([expect.stringContaining('persistentvolumeclaim "claim" is not bound yet')]);
    await bind("pv", "claim");
    await world.advance("3m");
    expect(await readlink(world.at(pod, ...volume("local-volume", "pv")))).toBe(join(host, "pv"));
  });

  test("VOL-33, NODE-66: a claim of the right name that is not the Pod's blocks it, until the Pod has its own", async () => {
    await claim("a-data");
    await bind("foreign", "a-data");
    const template = {
      spec: { accessModes: ["ReadWriteOnce"], storageClassName: "", resources: { requests: { storage: "1Gi" } } },
    };
    const pod = await world.pod("a", [{ name: "data", ephemeral: { volumeClaimTemplate: template } }]);
    await world.advance("3m");
    expect((await warnings("a"))[0]).toContain('persistentvolumeclaim "a-data" was not created for pod default/a');
    expect(world.has(pod, ...volume("local-volume", "foreign"))).toBe(false);
    const claims = world.resource(PersistentVolumeClaim);
    const foreign = (await claims.find(at("a-data")))!;
    // What protects claims in use is not part of this cluster.
    await claims.update({ ...foreign, metadata: { ...foreign.metadata, finalizers: [] } });
    await claims.delete(at("a-data"));
    await claim("a-data", pod);
    await bind("own", "a-data");
    await world.advance("3m");
    expect(await readlink(world.at(pod, ...volume("local-volume", "own")))).toBe(join(host, "own"));
  });
});
