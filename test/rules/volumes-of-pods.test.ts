/** The volumes of a Pod, member by member: VOL-1..48, LIM-13, LIM-14, LIM-15, LIM-16, DEC-48..52. */
import { describe, expect, test } from "vitest";
import { expectStatus } from "./answer.ts";
import { fresh, serve } from "./api.ts";

const api = serve();
const kube = serve({ dialect: "kubernetes" });
const noImages = serve({ "feature-gates": "ImageVolume=false" });

type Source = Readonly<Record<string, unknown>>;

const pod = (volumes: readonly object[], name = "p"): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i" }], volumes },
});

/** Creates a Pod with these volumes in a namespace of its own. */
async function withVolumes(volumes: readonly object[], target = api, name = "p") {
  const ns = fresh("ns");
  const answer = await target.post(`/api/v1/namespaces/${ns}/pods`, pod(volumes, name));
  return { answer, item: `/api/v1/namespaces/${ns}/pods/${name}` };
}

const made = (member: string, source: Source, target = api) => withVolumes([{ name: "v", [member]: source }], target);

const TEMPLATE = { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } };
const LOCAL = { name: "s" };

/** The smallest form of each member. */
const MINIMAL: Readonly<Record<string, Source>> = {
  emptyDir: {},
  hostPath: { path: "/p" },
  configMap: { name: "c" },
  secret: { secretName: "s" },
  downwardAPI: {},
  projected: {},
  persistentVolumeClaim: { claimName: "c" },
  nfs: { server: "s", path: "/p" },
  csi: { driver: "d" },
  ephemeral: { volumeClaimTemplate: TEMPLATE },
  image: { reference: "r:1" },
  gitRepo: { repository: "https://example.com/r" },
  cloudAElasticBlockStore: {},
  cloudBDisk: { diskName: "d", diskURI: "u" },
  cloudBFile: { secretName: "s", shareName: "n" },
  distFsA: {},
  blockVolA: {},
  fc: { wwids: ["w"] },
  flexVolume: { driver: "d" },
  datasetVolA: { datasetName: "d" },
  distFsB: { endpoints: "e", path: "p" },
  iscsi: { targetPortal: "1.2.3.4:3260", iqn: "iqn.2026-01.io.example:x", lun: 0 },
  cloudCPersistentDisk: { pdID: "p" },
  vendorDVolume: { volumeID: "v" },
  distFsC: { registry: "h:1", volume: "v" },
  vendorEVolume: { gateway: "g", secretRef: LOCAL, system: "s" },
  vendorFVolume: {},
  vendorGVolume: { volumePath: "p" },
};

const minimal = (member: string): Source => MINIMAL[member] ?? {};

test.each(Object.entries(MINIMAL))(
  "VOL-3, VOL-35, VOL-37, CONV-12: a volume of %s with %j is accepted",
  async (member, source) => {
    const { answer, item } = await made(member, source);
    expectStatus(answer, 201);
    expect((await api.get(item)).at(`spec.volumes.0.${member}`)).toMatchObject(source);
  },
);

describe("name and source", () => {
  test("VOL-1: a container may mount any volume of its pod, and no other", async () => {
    const ns = fresh("ns");
    const body = (mounted: string): object => ({
      metadata: { name: "p" },
      spec: {
        volumes: [{ name: "v", emptyDir: {} }],
        containers: [
          { name: "a", image: "i", volumeMounts: [{ name: "v", mountPath: "/a" }] },
          { name: "b", image: "i", volumeMounts: [{ name: mounted, mountPath: "/b" }] },
        ],
      },
    });
    expect((await api.post(`/api/v1/namespaces/${ns}/pods`, body("w"))).status).toBe(422);
    expect((await api.post(`/api/v1/namespaces/${ns}/pods`, body("v"))).status).toBe(201);
  });

  test.each([
    ["VOL-3, DEC-52", [{ emptyDir: {} }]],
    ["VOL-3, DEC-52", [{ name: "", emptyDir: {} }]],
    ["DEC-52", [{ name: "Bad", emptyDir: {} }]],
    ["DEC-52", [{ name: "a.b", emptyDir: {} }]],
    [
      "DEC-52",
      [
        { name: "v", emptyDir: {} },
        { name: "v", emptyDir: {} },
      ],
    ],
    ["VOL-3", [{ name: "v", emptyDir: {}, hostPath: { path: "/p" } }]],
    ["VOL-3, VOL-35", [{ name: "v", distFsC: minimal("distFsC"), csi: minimal("csi") }]],
  ])("%s: the volumes %j are refused", async (_, volumes) => {
    const { answer, item } = await withVolumes(volumes);
    expect(answer.status).toBe(422);
    expect(answer.fields.every((field) => field.startsWith("spec.volumes["))).toBe(true);
    expect((await api.get(item)).status).toBe(404);
  });

  test("DEC-52: a volume without a source is an empty directory", async () => {
    const { answer } = await withVolumes([{ name: "v" }]);
    expect([answer.status, answer.at("spec.volumes.0")]).toEqual([201, { name: "v", emptyDir: {} }]);
  });
});

describe("required members", () => {
  test.each([
    ["VOL-20", "cloudBDisk", "diskName"],
    ["VOL-20", "cloudBDisk", "diskURI"],
    ["VOL-21", "cloudBFile", "secretName"],
    ["VOL-21", "cloudBFile", "shareName"],
    ["VOL-23", "csi", "driver"],
    ["VOL-27", "ephemeral", "volumeClaimTemplate"],
    ["VOL-46", "gitRepo", "repository"],
    ["DEC-50", "distFsB", "endpoints"],
    ["DEC-50", "distFsB", "path"],
    ["DEC-49", "persistentVolumeClaim", "claimName"],
    ["VOL-35", "flexVolume", "driver"],
    ["VOL-35", "iscsi", "targetPortal"],
    ["VOL-35", "iscsi", "iqn"],
    ["VOL-35, AMB-28", "iscsi", "lun"],
    ["VOL-35", "cloudCPersistentDisk", "pdID"],
    ["VOL-35", "vendorDVolume", "volumeID"],
    ["VOL-35", "distFsC", "registry"],
    ["VOL-35", "distFsC", "volume"],
    ["VOL-35", "vendorEVolume", "gateway"],
    ["VOL-35", "vendorEVolume", "system"],
    ["VOL-35", "vendorEVolume", "secretRef"],
    ["VOL-35", "vendorGVolume", "volumePath"],
    ["DEC-48", "hostPath", "path"],
  ])("%s: %s without %s is refused", async (_, member, missing) => {
    const source = Object.fromEntries(Object.entries(minimal(member)).filter(([key]) => key !== missing));
    const { answer } = await made(member, source);
    expect([answer.status, answer.causes]).toEqual([422, [`FieldValueRequired spec.volumes[0].${member}.${missing}`]]);
  });
});

describe("members that are stored as they were sent", () => {
  test.each<[string, string, Source]>([
    ["VOL-4, AMB-29", "configMap", { name: "" }],
    ["CONV-2", "configMap", { optional: true }],
    ["VOL-7", "configMap", { items: [{ key: "k", path: "p", mode: 256 }] }],
    ["VOL-12", "secret", { items: [{ key: "k", path: "p" }], optional: true }],
    ["VOL-15", "downwardAPI", { items: [{ path: "p", fieldRef: { fieldPath: "metadata.name" } }] }],
    ["VOL-18, VOL-19", "cloudAElasticBlockStore", { volumeID: "v", fsType: "xfs", partition: 2, readOnly: true }],
    ["VOL-20", "cloudBDisk", { cachingMode: "None", fsType: "xfs", kind: "Managed", readOnly: true }],
    ["VOL-21", "cloudBFile", { readOnly: true }],
    ["VOL-22, VOL-36", "blockVolA", { volumeID: "v", fsType: "xfs", readOnly: true, secretRef: LOCAL }],
    ["CONV-2", "csi", { fsType: "xfs", readOnly: true, nodePublishSecretRef: LOCAL, volumeAttributes: { a: "b" } }],
    ["VOL-35, VOL-36", "flexVolume", { fsType: "xfs", options: { a: "b" }, readOnly: true, secretRef: LOCAL }],
    ["VOL-35", "fc", { fsType: "xfs", readOnly: true }],
    [
      "VOL-35, VOL-36",
      "iscsi",
      {
        chapAuthDiscovery: true,
        chapAuthSession: true,
        initiatorName: "iqn.2026-01.io.example:i",
        secretRef: LOCAL,
        portals: ["a:1"],
      },
    ],
    ["VOL-35", "distFsC", { group: "g", readOnly: true, tenant: "t", user: "u" }],
    [
      "VOL-35",
      "vendorEVolume",
      { storageMode: "ThickProvisioned", protectionDomain: "p", sslEnabled: true, storagePool: "s", volumeName: "v" },
    ],
    ["VOL-35, VOL-36", "vendorFVolume", { fsType: "xfs", volumeName: "v", volumeNamespace: "n", secretRef: LOCAL }],
    ["VOL-35", "vendorGVolume", { fsType: "xfs", storagePolicyID: "i", storagePolicyName: "n" }],
    [
      "DEC-49",
      "distFsA",
      { monitors: ["m"], path: "/p", user: "u", secretFile: "/f", secretRef: LOCAL, readOnly: true },
    ],
    ["DEC-50, VOL-37", "distFsB", { readOnly: true }],
    ["DEC-49", "persistentVolumeClaim", { readOnly: true }],
    ["VOL-39", "image", { pullPolicy: "Always" }],
    ["VOL-39", "image", { pullPolicy: "Never" }],
    ["VOL-39", "image", { pullPolicy: "IfNotPresent" }],
    ["VOL-47", "gitRepo", { directory: "." }],
    ["VOL-47, VOL-48", "gitRepo", { directory: "a/b", revision: "0123abc" }],
    ["DEC-48", "emptyDir", { medium: "Memory", sizeLimit: "1Gi" }],
    ["DEC-48, PVS-5", "hostPath", { type: "DirectoryOrCreate" }],
  ])("%s: %s with %j", async (_, member, extra) => {
    const { answer, item } = await made(member, { ...minimal(member), ...extra });
    expectStatus(answer, 201);
    const stored = (await api.get(item)).at(`spec.volumes.0.${member}`) as Source;
    expect(stored).toMatchObject(Object.fromEntries(Object.entries(extra).filter(([, value]) => value !== "")));
  });

  test("VOL-4, AMB-29: a configMap without a name is accepted", async () => {
    expect((await made("configMap", {})).answer.status).toBe(201);
  });

  test("DEC-51: so is a secret without a name", async () => {
    expect((await made("secret", {})).answer.status).toBe(201);
  });

  test("VOL-38: an image without a reference is accepted", async () => {
    expect((await made("image", {})).answer.status).toBe(201);
  });

  test("VOL-36: a secretRef has a name only", async () => {
    const { answer } = await made("vendorFVolume", { secretRef: { name: "s", namespace: "n" } });
    expect(answer.at("spec.volumes.0.vendorFVolume.secretRef")).toEqual(LOCAL);
    expect(answer.warnings).toContain('unknown field "spec.volumes[0].vendorFVolume.secretRef.namespace"');
  });

  test("PVS-2, VOL-21, DEC-50: members of the cluster's form are unknown here", async () => {
    const file = await made("cloudBFile", { ...minimal("cloudBFile"), secretNamespace: "n" });
    expect(file.answer.warnings).toContain('unknown field "spec.volumes[0].cloudBFile.secretNamespace"');
    const dist = await made("distFsB", { ...minimal("distFsB"), endpointsNamespace: "n" });
    expect(dist.answer.warnings).toContain('unknown field "spec.volumes[0].distFsB.endpointsNamespace"');
  });
});

describe("defaults", () => {
  test.each<[string, string, Source]>([
    ["VOL-6, LIM-16", "configMap", { defaultMode: 420 }],
    ["VOL-11, LIM-16", "secret", { defaultMode: 420 }],
    ["VOL-14, LIM-16", "downwardAPI", { defaultMode: 420 }],
    ["VOL-16, AMB-12, LIM-16", "projected", { defaultMode: 420 }],
    ["VOL-20", "cloudBDisk", { cachingMode: "ReadWrite", fsType: "ext4", kind: "Shared", readOnly: false }],
    ["VOL-35", "iscsi", { iscsiInterface: "default" }],
    ["VOL-35", "vendorEVolume", { storageMode: "ThinProvisioned", fsType: "xfs" }],
    ["DEC-48", "hostPath", { type: "" }],
  ])("%s, DEC-45: %s gets %j", async (_, member, defaults) => {
    expect((await made(member, minimal(member))).answer.at(`spec.volumes.0.${member}`)).toMatchObject(defaults);
  });

  test.each([
    ["r:1", "IfNotPresent"],
    ["r:latest", "Always"],
    ["r", "Always"],
    ["host:5000/r", "Always"],
    ["host:5000/r:latest", "Always"],
    [`r@sha256:${"0".repeat(64)}`, "IfNotPresent"],
  ])("VOL-40: an image %s is pulled %s", async (reference, pullPolicy) => {
    const { answer } = await made("image", { reference });
    expect(answer.at("spec.volumes.0.image")).toEqual({ reference, pullPolicy });
  });

  test.each(["csi", "distFsB", "fc", "vendorDVolume", "vendorGVolume", "cloudCPersistentDisk"])(
    "DEC-45: %s gets no fsType and no readOnly",
    async (member) => {
      const stored = (await made(member, minimal(member))).answer.at(`spec.volumes.0.${member}`);
      expect(stored).toEqual(minimal(member));
    },
  );
});

describe("values that are refused", () => {
  test.each<[string, string, Source]>([
    ["VOL-6, LIM-14", "configMap", { name: "c", defaultMode: 512 }],
    ["VOL-6, LIM-14", "configMap", { name: "c", defaultMode: -1 }],
    ["VOL-11, LIM-14", "secret", { secretName: "s", defaultMode: 512 }],
    ["VOL-14, LIM-14", "downwardAPI", { defaultMode: 512 }],
    ["VOL-16, LIM-14", "projected", { defaultMode: 512 }],
    ["VOL-18", "cloudAElasticBlockStore", { partition: 256 }],
    ["VOL-20", "cloudBDisk", { ...minimal("cloudBDisk"), kind: "Odd" }],
    ["VOL-20", "cloudBDisk", { ...minimal("cloudBDisk"), cachingMode: "Odd" }],
    ["VOL-23, DEC-39", "csi", { driver: "a_b" }],
    ["VOL-35", "fc", {}],
    ["VOL-35", "fc", { wwids: ["w"], targetWWNs: ["t"], lun: 1 }],
    ["VOL-35", "datasetVolA", {}],
    ["VOL-35", "datasetVolA", { datasetName: "d", datasetUUID: "u" }],
    ["VOL-35", "vendorEVolume", { ...minimal("vendorEVolume"), storageMode: "Odd" }],
    ["VOL-39", "image", { reference: "r", pullPolicy: "Sometimes" }],
    ["VOL-47", "gitRepo", { ...minimal("gitRepo"), directory: "../x" }],
    ["VOL-47", "gitRepo", { ...minimal("gitRepo"), directory: "a/../b" }],
    ["DEC-48", "emptyDir", { sizeLimit: "-1" }],
    ["DEC-48, PVS-5", "hostPath", { path: "/p", type: "Odd" }],
  ])("%s: %s of %j", async (_, member, source) => {
    const { answer } = await made(member, source);
    expect(answer.status).toBe(422);
    expect(answer.fields.every((field) => field.startsWith(`spec.volumes[0].${member}`))).toBe(true);
  });

  test.each([0, 1, 420, 511])("LIM-14: the mode %i is accepted", async (mode) => {
    const source = { name: "c", defaultMode: mode, items: [{ key: "k", path: "p", mode }] };
    expect((await made("configMap", source)).answer.at("spec.volumes.0.configMap")).toEqual(source);
  });

  test("LIM-15: JSON has decimal modes, YAML octal ones too", async () => {
    const ns = fresh("ns");
    const octal = `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],"volumes":[{"name":"v","configMap":{"defaultMode":0644}}]}}`;
    expect((await api.post(`/api/v1/namespaces/${ns}/pods`, octal)).status).toBe(400);
    const yaml = [
      "apiVersion: v1",
      "kind: Pod",
      "spec:",
      "  containers: [{name: c, image: i}]",
      "  volumes:",
      "  - name: v",
      "    configMap: {name: c, defaultMode: 0640}",
      "  - name: w",
      "    configMap: {name: c, defaultMode: 0o600}",
      "  - name: x",
      "    configMap: {name: c, defaultMode: 420}",
    ].join("\n");
    const applied = await api.apply(`/api/v1/namespaces/${ns}/pods/p`, "m", yaml);
    expectStatus(applied, 201);
    const modes = [0, 1, 2].map((i) => applied.at(`spec.volumes.${i}.configMap.defaultMode`));
    expect(modes).toEqual([0o640, 0o600, 420]);
  });
});

describe("ephemeral", () => {
  test("VOL-27, VOL-28: the template needs a spec, which is stored unchanged", async () => {
    expect((await made("ephemeral", {})).answer.status).toBe(422);
    expect((await made("ephemeral", { volumeClaimTemplate: null })).answer.status).toBe(422);
    expect((await made("ephemeral", { volumeClaimTemplate: {} })).answer.status).toBe(422);
    const { answer } = await made("ephemeral", minimal("ephemeral"));
    expect(answer.at("spec.volumes.0.ephemeral.volumeClaimTemplate")).toMatchObject(TEMPLATE);
  });

  test("VOL-30: its metadata has labels and annotations only", async () => {
    const template = (metadata: object) => made("ephemeral", { volumeClaimTemplate: { ...TEMPLATE, metadata } });
    const metadata = { labels: { a: "b" }, annotations: { c: "d" } };
    const kept = (await template(metadata)).answer;
    expect(kept.at("spec.volumes.0.ephemeral.volumeClaimTemplate.metadata")).toEqual(metadata);
    for (const wrong of [
      { name: "n" },
      { namespace: "n" },
      { finalizers: ["a.io/b"] },
      { generateName: "g" },
      { uid: "u" },
    ]) {
      const { answer } = await template(wrong);
      expect([JSON.stringify(wrong), answer.status]).toEqual([JSON.stringify(wrong), 422]);
    }
  });

  test("LIM-13, ERR-7: pod name and volume name must make the name of a claim", async () => {
    const create = async (podName: string, volume: string) =>
      (await withVolumes([{ name: volume, ephemeral: minimal("ephemeral") }], api, podName)).answer.status;
    expect(await create("p".repeat(63), "v".repeat(63))).toBe(201);
    expect(await create(`${"p".repeat(50)}.`.repeat(4).slice(0, 189) + "x", "v".repeat(62))).toBe(201);
    expect(await create(`${"p".repeat(50)}.`.repeat(4).slice(0, 189) + "xx", "v".repeat(62))).toBe(422);
  });

  test("DEC-49: a claim that an ephemeral volume of the same pod makes may not be named", async () => {
    const { answer } = await withVolumes([
      { name: "v", ephemeral: minimal("ephemeral") },
      { name: "w", persistentVolumeClaim: { claimName: "p-v" } },
    ]);
    expect(answer.status).toBe(422);
  });
});

describe("lists that one manager has as a whole", () => {
  test.each<[string, string, Source, string]>([
    ["VOL-7", "configMap", { name: "c", items: [{ key: "k", path: "p" }] }, "items"],
    ["VOL-12", "secret", { secretName: "s", items: [{ key: "k", path: "p" }] }, "items"],
    ["VOL-15", "downwardAPI", { items: [{ path: "p", fieldRef: { fieldPath: "metadata.name" } }] }, "items"],
    ["VOL-17", "projected", { sources: [{ configMap: { name: "c" } }] }, "sources"],
  ])("%s: the %s list", async (_, member, source, list) => {
    const ns = fresh("ns");
    const applied = await api.apply(`/api/v1/namespaces/${ns}/pods/p`, "a", pod([{ name: "v", [member]: source }]));
    expectStatus(applied, 201);
    expect(applied.owners["a Apply"]!.filter((path) => path.includes(`${member}.${list}`))).toEqual([
      `spec.volumes[k:{"name":"v"}].${member}.${list}`,
    ]);
  });
});

describe("gates and dialects", () => {
  test("VOL-38, DEC-38: without ImageVolume an image is dropped, which leaves no source", async () => {
    const { answer } = await made("image", { reference: "r" }, noImages);
    expect([answer.status, answer.fields]).toEqual([422, ["spec.volumes[0]"]]);
  });

  test("VOL-43: an image volume may be mounted by a path within it", async () => {
    const ns = fresh("ns");
    const volumeMounts = [{ name: "v", mountPath: "/m", subPath: "sub" }];
    const answer = await api.post(`/api/v1/namespaces/${ns}/pods`, {
      metadata: { name: "p" },
      spec: {
        volumes: [{ name: "v", image: { reference: "r" } }],
        containers: [{ name: "c", image: "i", volumeMounts }],
      },
    });
    expect([answer.status, answer.at("spec.containers.0.volumeMounts.0.subPath")]).toEqual([201, "sub"]);
  });

  test("AMB-29, DEC-51, VOL-38, kubernetes dialect: names and references are required", async () => {
    const create = async (member: string, source: Source) => {
      const answer = await kube.post(
        "/api/v1/namespaces/default/pods",
        pod([{ name: "v", [member]: source }], fresh("p")),
      );
      return answer.status;
    };
    expect(await create("configMap", {})).toBe(422);
    expect(await create("secret", {})).toBe(422);
    expect(await create("image", {})).toBe(422);
    expect(await create("glusterfs", minimal("distFsB"))).toBe(201);
    expect(await create("configMap", { name: "c" })).toBe(201);
  });

  test("SUP-5: a pod on a node goes in its own time", async () => {
    const ns = fresh("ns");
    const item = `/api/v1/namespaces/${ns}/pods/p`;
    await api.post(`/api/v1/namespaces/${ns}/pods`, {
      metadata: { name: "p" },
      spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] },
    });
    await api.delete(item);
    const going = await api.get(item);
    expect([going.at("metadata.deletionGracePeriodSeconds"), going.at("metadata.generation")]).toEqual([30, 2]);
    await api.delete(item, { gracePeriodSeconds: "0" });
    expect((await api.get(item)).status).toBe(404);
  });
});
