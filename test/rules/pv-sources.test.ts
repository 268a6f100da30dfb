/** The sources of a PersistentVolume, member by member: PVS-1..59, and those of DEC-46 and DEC-47. */
import { describe, expect, test } from "vitest";
import { expectStatus } from "./answer.ts";
import { serve } from "./api.ts";
import { place } from "./resources.ts";

const api = serve();
const kube = serve({ dialect: "kubernetes" });

/** A reference to a Secret as volumes of the cluster have it (PVS-1). */
const SECRET = { name: "s", namespace: "n" };

type Source = Readonly<Record<string, unknown>>;

/** The smallest source of each kind that the documents allow. */
const MINIMAL: Readonly<Record<string, Source>> = {
  hostPath: { path: "/p" },
  local: { path: "/p" },
  csi: { driver: "d", volumeHandle: "h" },
  nfs: { server: "s", path: "/p" },
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
  vendorEVolume: { gateway: "g", secretRef: SECRET, system: "s" },
  vendorFVolume: {},
  vendorGVolume: { volumePath: "p" },
};

/** What the server writes into such a source (DEC-45). */
const DEFAULTS: Readonly<Record<string, Source>> = {
  hostPath: { type: "" },
  cloudBDisk: { cachingMode: "ReadWrite", fsType: "ext4", kind: "Shared", readOnly: false },
  iscsi: { iscsiInterface: "default" },
  vendorEVolume: { storageMode: "ThinProvisioned", fsType: "xfs" },
};

const minimal = (member: string): Source => {
  const source = MINIMAL[member];
  if (!source) throw new Error(`expected the name of a source, got ${member}`);
  return source;
};

async function made(member: string, source: Source) {
  const at = place("PersistentVolume");
  const answer = await api.post(at.collection, { metadata: { name: at.name }, spec: { [member]: source } });
  return { ...at, answer };
}

const IDS: Readonly<Record<string, string>> = {
  hostPath: "PVS-3, PVS-5",
  local: "PVS-9, PVS-10",
  csi: "PVS-11, PVS-12",
  nfs: "DEC-47, AMB-33",
  cloudAElasticBlockStore: "PVS-16, DEC-46, POL-3",
  cloudBDisk: "PVS-17, PVS-18, PVS-20, PVS-21, PVS-22",
  cloudBFile: "PVS-23, PVS-25",
  distFsA: "PVS-26, POL-3",
  blockVolA: "PVS-28, POL-3",
  fc: "PVS-29, PVS-31",
  flexVolume: "PVS-32, PVS-33, PVS-34",
  datasetVolA: "PVS-35",
  distFsB: "PVS-36, PVS-37",
  iscsi: "PVS-39, PVS-42, AMB-28",
  cloudCPersistentDisk: "PVS-45, AMB-32",
  vendorDVolume: "PVS-47",
  distFsC: "PVS-49, PVS-50, PVS-51",
  vendorEVolume: "PVS-52, PVS-53, PVS-54",
  vendorFVolume: "PVS-56, POL-3",
  vendorGVolume: "PVS-58, PVS-59",
};

describe("the smallest source of each kind", () => {
  test.each(Object.entries(MINIMAL).map(([member, source]) => [IDS[member]!, member, source] as const))(
    "%s, DEC-45: %s is accepted with what is required, gets its defaults and no more",
    async (_, member, source) => {
      const { answer, item } = await made(member, source);
      expectStatus(answer, 201);
      const stored = (await api.get(item)).at(`spec.${member}`);
      // A text that was not sent may be printed as an empty one.
      const given = Object.entries(stored as Source).filter(([key, value]) => value !== "" || key === "type");
      expect(Object.fromEntries(given)).toEqual({ ...source, ...DEFAULTS[member] });
    },
  );
});

describe("required members", () => {
  test.each([
    ["PVS-3", "hostPath", "path"],
    ["PVS-9", "local", "path"],
    ["PVS-11", "csi", "driver"],
    ["PVS-12", "csi", "volumeHandle"],
    ["PVS-17", "cloudBDisk", "diskName"],
    ["PVS-18", "cloudBDisk", "diskURI"],
    ["PVS-23", "cloudBFile", "secretName"],
    ["PVS-23", "cloudBFile", "shareName"],
    ["PVS-32", "flexVolume", "driver"],
    ["PVS-36", "distFsB", "endpoints"],
    ["PVS-36", "distFsB", "path"],
    ["PVS-39", "iscsi", "targetPortal"],
    ["PVS-39", "iscsi", "iqn"],
    ["PVS-39, AMB-28", "iscsi", "lun"],
    ["PVS-45", "cloudCPersistentDisk", "pdID"],
    ["PVS-47", "vendorDVolume", "volumeID"],
    ["PVS-49", "distFsC", "registry"],
    ["PVS-50", "distFsC", "volume"],
    ["PVS-52", "vendorEVolume", "gateway"],
    ["PVS-52", "vendorEVolume", "secretRef"],
    ["PVS-52", "vendorEVolume", "system"],
    ["PVS-58", "vendorGVolume", "volumePath"],
  ])("%s: %s without %s is refused", async (_, member, missing) => {
    const source = Object.fromEntries(Object.entries(minimal(member)).filter(([key]) => key !== missing));
    const { answer, item } = await made(member, source);
    expect([answer.status, answer.causes]).toEqual([422, [`FieldValueRequired spec.${member}.${missing}`]]);
    expect((await api.get(item)).status).toBe(404);
  });
});

const fc = (source: Source): Source => source;

describe("members that are stored as they were sent", () => {
  test.each<[string, string, Source]>([
    ...["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"].map(
      (type): [string, string, Source] => ["PVS-5", "hostPath", { type }],
    ),
    ["PVS-10", "local", { fsType: "xfs" }],
    [
      "PVS-1, PVS-13",
      "csi",
      {
        controllerExpandSecretRef: SECRET,
        controllerPublishSecretRef: SECRET,
        nodeExpandSecretRef: SECRET,
        nodePublishSecretRef: SECRET,
        nodeStageSecretRef: SECRET,
      },
    ],
    ["PVS-15", "csi", { fsType: "xfs", readOnly: true, volumeAttributes: { a: "b" } }],
    ["DEC-47", "nfs", { readOnly: true }],
    ["DEC-46", "cloudAElasticBlockStore", { volumeID: "v", fsType: "xfs", partition: 3, readOnly: true }],
    ["PVS-19", "cloudBDisk", { cachingMode: "None" }],
    ["PVS-19", "cloudBDisk", { cachingMode: "ReadOnly" }],
    ["PVS-19", "cloudBDisk", { cachingMode: "ReadWrite" }],
    ["PVS-20, PVS-22", "cloudBDisk", { fsType: "xfs", readOnly: true }],
    ["PVS-21", "cloudBDisk", { kind: "Dedicated" }],
    ["PVS-21", "cloudBDisk", { kind: "Managed", diskURI: "/subscriptions/x" }],
    ["PVS-25", "cloudBFile", { readOnly: true, secretNamespace: "n" }],
    ["PVS-1, PVS-26", "distFsA", { secretRef: SECRET, user: "u" }],
    ["DEC-47", "distFsA", { monitors: ["a", "b"], path: "/p", secretFile: "/f", readOnly: true }],
    ["PVS-1, PVS-28, DEC-47", "blockVolA", { secretRef: SECRET, volumeID: "v", fsType: "xfs", readOnly: true }],
    ["PVS-29", "fc", { fsType: "xfs", readOnly: true }],
    ["PVS-33", "flexVolume", { fsType: "xfs", options: { a: "b" }, readOnly: true, secretRef: SECRET }],
    ["PVS-37", "distFsB", { endpointsNamespace: "n", readOnly: true }],
    [
      "PVS-40, PVS-42, PVS-43",
      "iscsi",
      {
        chapAuthDiscovery: true,
        chapAuthSession: true,
        initiatorName: "iqn.2026-01.io.example:i",
        secretRef: SECRET,
        fsType: "xfs",
        iscsiInterface: "iser",
        portals: ["1.2.3.5:3260"],
        readOnly: true,
        lun: 255,
      },
    ],
    ["CONV-2", "cloudCPersistentDisk", { fsType: "xfs" }],
    ["CONV-2", "vendorDVolume", { fsType: "xfs", readOnly: true }],
    ["PVS-49", "distFsC", { registry: "a:1,b:2" }],
    ["PVS-51", "distFsC", { group: "g", readOnly: true, tenant: "t", user: "u" }],
    ["PVS-53, PVS-54", "vendorEVolume", { fsType: "ext4", storageMode: "ThickProvisioned" }],
    [
      "PVS-55",
      "vendorEVolume",
      { protectionDomain: "p", readOnly: true, sslEnabled: true, storagePool: "s", volumeName: "v" },
    ],
    ["PVS-56", "vendorFVolume", { fsType: "xfs", readOnly: true, volumeName: "v", volumeNamespace: "n" }],
    [
      "PVS-57, DEC-6",
      "vendorFVolume",
      { secretRef: { kind: "Secret", apiVersion: "v1", name: "s", namespace: "n", uid: "u", fieldPath: "f" } },
    ],
    ["PVS-59", "vendorGVolume", { fsType: "xfs", storagePolicyID: "i", storagePolicyName: "n" }],
  ])("%s: %s with %j", async (_, member, extra) => {
    const source = { ...minimal(member), ...extra };
    const { answer, item } = await made(member, source);
    expectStatus(answer, 201);
    expect((await api.get(item)).at(`spec.${member}`)).toEqual({ ...DEFAULTS[member], ...source });
  });

  test.each([[{ targetWWNs: ["a", "b"], lun: 2 }], [{ targetWWNs: ["a"], lun: 0 }], [{ wwids: ["w", "x"] }]])(
    "PVS-29, PVS-30, PVS-31: fc with %j",
    async (source) => {
      const { answer, item } = await made("fc", fc(source));
      expectStatus(answer, 201);
      expect((await api.get(item)).at("spec.fc")).toEqual(source);
    },
  );

  test("PVS-35: datasetVolA by its UUID", async () => {
    expect((await made("datasetVolA", { datasetUUID: "u" })).answer.at("spec.datasetVolA")).toEqual({
      datasetUUID: "u",
    });
  });
});

describe("values that are refused", () => {
  test.each<[string, string, Source]>([
    ["PVS-5", "hostPath", { path: "/p", type: "Folder" }],
    ["DEC-39", "hostPath", { path: "/a/../b" }],
    ["DEC-39", "local", { path: "/a/../b" }],
    ["DEC-39", "csi", { driver: "a_b", volumeHandle: "h" }],
    ["DEC-39", "csi", { driver: "d", volumeHandle: "h", controllerPublishSecretRef: { name: "s" } }],
    ["DEC-39", "csi", { driver: "d", volumeHandle: "h", nodePublishSecretRef: { namespace: "n" } }],
    ["DEC-47", "nfs", { server: "s", path: "relative" }],
    ["DEC-46", "cloudAElasticBlockStore", { partition: 256 }],
    ["DEC-46", "cloudAElasticBlockStore", { partition: -1 }],
    ["PVS-19", "cloudBDisk", { ...minimal("cloudBDisk"), cachingMode: "Some" }],
    ["PVS-21", "cloudBDisk", { ...minimal("cloudBDisk"), kind: "Other" }],
    ["PVS-31", "fc", {}],
    ["PVS-31", "fc", { wwids: ["w"], targetWWNs: ["t"], lun: 1 }],
    ["PVS-31", "fc", { targetWWNs: ["t"] }],
    ["PVS-31", "fc", { lun: 1 }],
    ["PVS-35", "datasetVolA", {}],
    ["PVS-35", "datasetVolA", { datasetName: "d", datasetUUID: "u" }],
    ["DEC-39", "iscsi", { ...minimal("iscsi"), lun: 256 }],
    ["DEC-39", "iscsi", { ...minimal("iscsi"), lun: -1 }],
    ["DEC-39", "iscsi", { ...minimal("iscsi"), chapAuthSession: true }],
    ["PVS-49", "distFsC", { registry: "host", volume: "v" }],
    ["PVS-49", "distFsC", { registry: "a:1,b", volume: "v" }],
    ["PVS-54", "vendorEVolume", { ...minimal("vendorEVolume"), storageMode: "Odd" }],
  ])("%s: %s of %j", async (_, member, source) => {
    const { answer, item } = await made(member, source);
    expect(answer.status).toBe(422);
    expect(answer.fields.every((field) => field.startsWith(`spec.${member}`))).toBe(true);
    expect((await api.get(item)).status).toBe(404);
  });

  test("PVS-49: the port of a registry is not looked at", async () => {
    expect((await made("distFsC", { registry: "a:x", volume: "v" })).answer.status).toBe(201);
  });

  test("PVS-39, PVS-29: lun is a number", async () => {
    expect((await made("iscsi", { ...minimal("iscsi"), lun: "0" })).answer.status).toBe(400);
    expect((await made("fc", { targetWWNs: ["t"], lun: 1.5 })).answer.status).toBe(400);
  });
});

describe("lists that one manager has as a whole", () => {
  test.each<[string, string, Source, Source, string]>([
    ["PVS-30", "fc", { wwids: ["a", "b"] }, { wwids: ["b"] }, "wwids"],
    ["PVS-30", "fc", { targetWWNs: ["a"], lun: 1 }, { targetWWNs: ["b"] }, "targetWWNs"],
    ["PVS-43", "iscsi", { ...minimal("iscsi"), portals: ["a"] }, { portals: ["a", "b"] }, "portals"],
    ["DEC-47", "distFsA", { monitors: ["a"] }, { monitors: ["b"] }, "monitors"],
  ])("%s: %s", async (_, member, first, second, list) => {
    const at = place("PersistentVolume");
    const body = (source: Source): object => ({
      apiVersion: "v1",
      kind: "PersistentVolume",
      spec: { [member]: source },
    });
    const applied = await api.apply(at.item, "a", body(first));
    expect(applied.owners["a Apply"]).toContain(`spec.${member}.${list}`);
    const conflict = await api.apply(at.item, "b", body(second));
    expect([conflict.status, conflict.causes]).toEqual([409, [`FieldManagerConflict .spec.${member}.${list}`]]);
  });

  test("PVS-1, DEC-16, MARK-13: a reference to a Secret has one owner", async () => {
    const at = place("PersistentVolume");
    const spec = { csi: { ...minimal("csi"), nodeStageSecretRef: SECRET } };
    const applied = await api.apply(at.item, "a", { apiVersion: "v1", kind: "PersistentVolume", spec });
    expect(applied.owners["a Apply"]).toContain("spec.csi.nodeStageSecretRef");
  });

  test("DEC-16: claimRef is owned member by member", async () => {
    const at = place("PersistentVolume");
    const spec = { hostPath: { path: "/p" }, claimRef: { name: "c", namespace: "n" } };
    const applied = await api.apply(at.item, "a", { apiVersion: "v1", kind: "PersistentVolume", spec });
    expect(applied.owners["a Apply"]).toEqual(
      expect.arrayContaining(["spec.claimRef.name", "spec.claimRef.namespace"]),
    );
  });
});

describe("the kubernetes dialect", () => {
  const create = (member: string, source: Source, fieldValidation = "Warn") => {
    const at = place("PersistentVolume");
    const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], [member]: source };
    return kube.post(at.collection, { metadata: { name: at.name }, spec }, { fieldValidation });
  };

  test("CONV-12: vendor members have their names of old, and those of the documents are unknown", async () => {
    expect((await create("azureFile", minimal("cloudBFile"))).status).toBe(201);
    expect((await create("cloudBFile", minimal("cloudBFile"))).status).toBe(422);
    const neutral = await create("cloudBFile", minimal("cloudBFile"), "Strict");
    expect([neutral.status, neutral.text]).toEqual([
      400,
      expect.stringContaining('unknown field \\"spec.cloudBFile\\"'),
    ]);
  });

  test("PVS-39, AMB-28: a lun that is absent is 0", async () => {
    const { lun: _, ...source } = minimal("iscsi");
    const answer = await create("iscsi", source);
    expect([answer.status, answer.at("spec.iscsi.lun")]).toEqual([201, 0]);
  });

  test("PVS-52, PVS-54, AMB-49: scaleIO needs a volumeName, but no secretRef and any mode", async () => {
    const source = { gateway: "g", system: "s", volumeName: "v", storageMode: "Odd" };
    expect((await create("scaleIO", source)).status).toBe(201);
    expect((await create("scaleIO", { gateway: "g", system: "s", secretRef: SECRET })).status).toBe(422);
  });

  test("AMB-49: what the documents do not require is required", async () => {
    expect((await create("awsElasticBlockStore", {})).status).toBe(422);
    expect((await create("cinder", {})).status).toBe(422);
    expect((await create("cephfs", {})).status).toBe(422);
  });
});
