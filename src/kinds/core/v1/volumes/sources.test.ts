import { describe, expect, test } from "vitest";
import { type Bench, benches, wrong } from "../testing/volumes.ts";

type ReadBack = readonly [rule: string, source: object, neutral: object, kubernetes?: object];
type Refused = readonly [rule: string, source: object, neutral: readonly string[], kubernetes?: readonly string[]];

/** What a source reads back as; `kubernetes` where that dialect prints more. */
const READ_BACK: readonly ReadBack[] = [
  ["PVS-3, PVS-5: hostPath", { hostPath: { path: "/d" } }, { path: "/d", type: "" }],
  ["PVS-5: hostPath with a type", { hostPath: { path: "r", type: "Socket" } }, { path: "r", type: "Socket" }],
  [
    "PVS-16, DEC-46: cloudAElasticBlockStore",
    { cloudAElasticBlockStore: { volumeID: "v", partition: 0, readOnly: true } },
    { volumeID: "v", readOnly: true },
  ],
  [
    "PVS-20..22, DEC-45: cloudBDisk",
    { cloudBDisk: { diskName: "d", diskURI: "https://a/d" } },
    {
      diskName: "d",
      diskURI: "https://a/d",
      cachingMode: "ReadWrite",
      fsType: "ext4",
      kind: "Shared",
      readOnly: false,
    },
  ],
  [
    "PVS-28, VOL-22: blockVolA",
    { blockVolA: { volumeID: "v", fsType: "xfs", secretRef: { name: "s", namespace: "n" } } },
    { volumeID: "v", fsType: "xfs", secretRef: { name: "s", namespace: "n" } },
  ],
  [
    "PVS-29, PVS-30: fc by target",
    { fc: { targetWWNs: ["1"], lun: 0, fsType: "xfs", readOnly: false } },
    { targetWWNs: ["1"], lun: 0, fsType: "xfs" },
  ],
  ["PVS-31: fc by identifier", { fc: { wwids: ["w"] } }, { wwids: ["w"] }],
  [
    "PVS-33, PVS-34: flexVolume",
    { flexVolume: { driver: "any thing", options: { a: "b" }, readOnly: true } },
    { driver: "any thing", options: { a: "b" }, readOnly: true },
  ],
  ["PVS-35: datasetVolA", { datasetVolA: { datasetUUID: "u" } }, { datasetUUID: "u" }],
  [
    "PVS-37, PVS-38: distFsB",
    { distFsB: { endpoints: "e", path: "p", readOnly: false } },
    { endpoints: "e", path: "p" },
  ],
  [
    "PVS-39, PVS-42, AMB-28: iscsi",
    { iscsi: { targetPortal: "h", iqn: "iqn.2024-01.com.example:d", lun: 0 } },
    { targetPortal: "h", iqn: "iqn.2024-01.com.example:d", lun: 0, iscsiInterface: "default" },
  ],
  [
    "PVS-40, PVS-43: iscsi with CHAP",
    {
      iscsi: {
        targetPortal: "h",
        iqn: "eui.0123456789abcdef",
        lun: 255,
        portals: ["p"],
        chapAuthSession: true,
        secretRef: { name: "s" },
        initiatorName: "iqn.2024-01.com.example:i",
      },
    },
    {
      targetPortal: "h",
      iqn: "eui.0123456789abcdef",
      lun: 255,
      portals: ["p"],
      iscsiInterface: "default",
      chapAuthSession: true,
      secretRef: { name: "s" },
      initiatorName: "iqn.2024-01.com.example:i",
    },
  ],
  ["PVS-46: cloudCPersistentDisk", { cloudCPersistentDisk: { pdID: "p" } }, { pdID: "p" }],
  ["PVS-48: vendorDVolume", { vendorDVolume: { volumeID: "v", readOnly: true } }, { volumeID: "v", readOnly: true }],
  [
    "PVS-51: distFsC",
    { distFsC: { registry: "a:1,[::1]:2", volume: "v", group: "g", tenant: "t", user: "u" } },
    { registry: "a:1,[::1]:2", volume: "v", group: "g", tenant: "t", user: "u" },
  ],
  [
    "PVS-53..55: vendorEVolume",
    { vendorEVolume: { gateway: "g", system: "s", volumeName: "v", secretRef: { name: "s" } } },
    {
      gateway: "g",
      system: "s",
      volumeName: "v",
      secretRef: { name: "s" },
      storageMode: "ThinProvisioned",
      fsType: "xfs",
    },
  ],
  [
    "PVS-59: vendorGVolume",
    { vendorGVolume: { volumePath: "[d] p", storagePolicyID: "i", storagePolicyName: "n" } },
    { volumePath: "[d] p", storagePolicyID: "i", storagePolicyName: "n" },
  ],
  [
    "PVS-26, PVS-27, DEC-47: distFsA",
    { distFsA: { monitors: ["m"], secretRef: { name: "s" } } },
    { monitors: ["m"], secretRef: { name: "s" } },
  ],
  ["DEC-47: nfs", { nfs: { server: "s", path: "/a/../b" } }, { server: "s", path: "/a/../b" }],
];

/** Volumes that only a PersistentVolume can be, and those whose form differs there. */
const READ_BACK_PV: readonly ReadBack[] = [
  [
    "PVS-1, PVS-13, PVS-15: csi",
    {
      csi: {
        driver: "D.io",
        volumeHandle: "h",
        fsType: "",
        readOnly: true,
        volumeAttributes: { a: "b" },
        nodeStageSecretRef: {},
        controllerExpandSecretRef: { name: "s", namespace: "n" },
      },
    },
    {
      driver: "D.io",
      volumeHandle: "h",
      readOnly: true,
      volumeAttributes: { a: "b" },
      nodeStageSecretRef: {},
      controllerExpandSecretRef: { name: "s", namespace: "n" },
    },
  ],
  [
    "PVS-25, DEC-45: cloudBFile",
    { cloudBFile: { secretName: "s", shareName: "h" } },
    { secretName: "s", shareName: "h" },
    { secretName: "s", shareName: "h", secretNamespace: null },
  ],
  [
    "PVS-56, PVS-57: vendorFVolume",
    {
      vendorFVolume: {
        volumeName: "v",
        volumeNamespace: "n",
        secretRef: { kind: "Secret", apiVersion: "v1", name: "s", namespace: "n", uid: "u", fieldPath: "f" },
      },
    },
    {
      volumeName: "v",
      volumeNamespace: "n",
      secretRef: { kind: "Secret", apiVersion: "v1", name: "s", namespace: "n", uid: "u", fieldPath: "f" },
    },
  ],
];

/** Volumes that only a Pod can have, and those whose form differs there. */
const READ_BACK_INLINE: readonly ReadBack[] = [
  [
    "VOL-24..26: csi",
    { csi: { driver: "d", readOnly: false, volumeAttributes: { a: "b" }, nodePublishSecretRef: { name: "s" } } },
    { driver: "d", readOnly: false, volumeAttributes: { a: "b" }, nodePublishSecretRef: { name: "s" } },
  ],
  [
    "VOL-21: cloudBFile has no secretNamespace",
    { cloudBFile: { secretName: "s", shareName: "h", secretNamespace: "n" } },
    { secretName: "s", shareName: "h" },
  ],
  [
    "VOL-36: a secretRef is a local reference",
    { blockVolA: { volumeID: "v", secretRef: { name: "s", namespace: "n" } } },
    { volumeID: "v", secretRef: { name: "s" } },
  ],
  [
    "VOL-36: vendorFVolume, too",
    { vendorFVolume: { volumeName: "v", secretRef: { name: "s", kind: "Secret" } } },
    { volumeName: "v", secretRef: { name: "s" } },
  ],
  ["DEC-48: emptyDir", { emptyDir: { medium: "Any", sizeLimit: "1024Mi" } }, { medium: "Any", sizeLimit: "1Gi" }],
  ["DEC-49: persistentVolumeClaim", { persistentVolumeClaim: { claimName: "c", readOnly: false } }, { claimName: "c" }],
  [
    "DEC-50: distFsB has no endpointsNamespace",
    { distFsB: { endpoints: "e", path: "p", endpointsNamespace: "n" } },
    { endpoints: "e", path: "p" },
  ],
];

/** What is wrong with a source, behind its path; in a PersistentVolume and in a Pod alike. */
const REFUSED: readonly Refused[] = [
  ["PVS-3: hostPath needs a path", { hostPath: { type: "File" } }, ["Required hostPath.path"]],
  ["DEC-39: hostPath without '..'", { hostPath: { path: "/a/../b" } }, ["Invalid hostPath.path"]],
  ["PVS-5: types of hostPath", { hostPath: { path: "/a", type: "file" } }, ["NotSupported hostPath.type"]],
  ["PVS-11, VOL-23: csi needs a driver", { csi: { volumeHandle: "h" } }, ["Required csi.driver"]],
  [
    "DEC-39: csi drivers have short names",
    { csi: { volumeHandle: "h", driver: "a".repeat(64) } },
    ["TooLong csi.driver"],
  ],
  ["DEC-39: csi drivers are subdomains", { csi: { volumeHandle: "h", driver: "a_b" } }, ["Invalid csi.driver"]],
  [
    "POL-3: volumeID of cloudAElasticBlockStore",
    { cloudAElasticBlockStore: {} },
    [],
    ["Required cloudAElasticBlockStore.volumeID"],
  ],
  [
    "DEC-46: partitions",
    { cloudAElasticBlockStore: { volumeID: "v", partition: 256 } },
    ["Invalid cloudAElasticBlockStore.partition"],
  ],
  [
    "PVS-17, PVS-18, VOL-20: cloudBDisk needs name and URI",
    { cloudBDisk: {} },
    ["Required cloudBDisk.diskName", "Required cloudBDisk.diskURI"],
    ["NotSupported cloudBDisk.diskURI", "Required cloudBDisk.diskName", "Required cloudBDisk.diskURI"],
  ],
  [
    "PVS-19: caching modes",
    { cloudBDisk: { diskName: "d", diskURI: "https://", cachingMode: "" } },
    ["NotSupported cloudBDisk.cachingMode"],
  ],
  [
    "PVS-21: disk kinds",
    { cloudBDisk: { diskName: "d", diskURI: "https://", kind: "Other" } },
    ["NotSupported cloudBDisk.kind"],
  ],
  [
    "DEC-39: URI formats of cloudBDisk",
    { cloudBDisk: { diskName: "d", diskURI: "x", kind: "Managed" } },
    [],
    ["NotSupported cloudBDisk.diskURI"],
  ],
  [
    "PVS-23, VOL-21: cloudBFile",
    { cloudBFile: {} },
    ["Required cloudBFile.secretName", "Required cloudBFile.shareName"],
  ],
  ["POL-3: monitors of distFsA", { distFsA: { user: "u" } }, [], ["Required distFsA.monitors"]],
  ["POL-3: volumeID of blockVolA", { blockVolA: {} }, [], ["Required blockVolA.volumeID"]],
  ["PVS-31: fc with neither", { fc: { lun: 1 } }, ["Required fc.targetWWNs"]],
  ["PVS-31: fc with both", { fc: { targetWWNs: ["1"], lun: 1, wwids: ["w"] } }, ["Invalid fc.targetWWNs"]],
  ["PVS-31: fc target without lun", { fc: { targetWWNs: ["1"] } }, ["Required fc.lun"]],
  ["POL-4: range of fc lun", { fc: { targetWWNs: ["1"], lun: 256 } }, [], ["Invalid fc.lun"]],
  ["PVS-32: flexVolume needs a driver", { flexVolume: {} }, ["Required flexVolume.driver"]],
  [
    "POL-4: reserved options of flexVolume",
    { flexVolume: { driver: "d", options: { "Sub.K8S.io/x": "1", "a/b": "c" } } },
    [],
    ["Invalid flexVolume.options[Sub.K8S.io/x]"],
  ],
  ["PVS-35: datasetVolA with none", { datasetVolA: {} }, ["Required datasetVolA"]],
  ["PVS-35: datasetVolA with both", { datasetVolA: { datasetName: "n", datasetUUID: "u" } }, ["Invalid datasetVolA"]],
  ["POL-4: names of datasets", { datasetVolA: { datasetName: "a/b" } }, [], ["Invalid datasetVolA.datasetName"]],
  ["PVS-36, VOL-37: distFsB", { distFsB: {} }, ["Required distFsB.endpoints", "Required distFsB.path"]],
  [
    "PVS-39, AMB-28: iscsi",
    { iscsi: {} },
    ["Required iscsi.iqn", "Required iscsi.lun", "Required iscsi.targetPortal"],
    ["Required iscsi.iqn", "Required iscsi.targetPortal"],
  ],
  [
    "DEC-39: iscsi lun",
    { iscsi: { targetPortal: "h", iqn: "iqn.2024-01.com.example:d", lun: 256 } },
    ["Invalid iscsi.lun"],
  ],
  [
    "DEC-39: iscsi CHAP needs a Secret",
    { iscsi: { targetPortal: "h", iqn: "iqn.2024-01.com.example:d", lun: 1, chapAuthDiscovery: true } },
    ["Required iscsi.secretRef"],
  ],
  [
    "POL-4: iscsi names",
    { iscsi: { targetPortal: "h", iqn: "naa.1", lun: 1, initiatorName: "i" } },
    [],
    ["Invalid iscsi.initiatorname", "Invalid iscsi.iqn"],
  ],
  ["PVS-45: cloudCPersistentDisk", { cloudCPersistentDisk: {} }, ["Required cloudCPersistentDisk.pdID"]],
  ["PVS-47: vendorDVolume", { vendorDVolume: { fsType: "x" } }, ["Required vendorDVolume.volumeID"]],
  ["PVS-49, PVS-50: distFsC", { distFsC: {} }, ["Required distFsC.registry", "Required distFsC.volume"]],
  ["PVS-49: registry of distFsC", { distFsC: { registry: "a:1,b", volume: "v" } }, ["Invalid distFsC.registry"]],
  ["PVS-49: the port of a registry is not looked at", { distFsC: { registry: "a:x", volume: "v" } }, []],
  [
    "POL-4: tenants of distFsC",
    { distFsC: { registry: "a:1", volume: "v", tenant: "t".repeat(65) } },
    [],
    ["Required distFsC.tenant"],
  ],
  [
    "PVS-52: vendorEVolume",
    { vendorEVolume: {} },
    ["Required vendorEVolume.gateway", "Required vendorEVolume.secretRef", "Required vendorEVolume.system"],
    ["Required vendorEVolume.gateway", "Required vendorEVolume.system", "Required vendorEVolume.volumeName"],
  ],
  [
    "PVS-54: storage modes",
    { vendorEVolume: { gateway: "g", system: "s", volumeName: "v", secretRef: {}, storageMode: "Other" } },
    ["NotSupported vendorEVolume.storageMode"],
    [],
  ],
  [
    "PVS-56: vendorFVolume needs no name by the documents",
    { vendorFVolume: {} },
    [],
    ["Required vendorFVolume.volumeName"],
  ],
  [
    "POL-4: names of vendorFVolume",
    { vendorFVolume: { volumeName: "A", volumeNamespace: "B" } },
    [],
    ["Invalid vendorFVolume.volumeName", "Invalid vendorFVolume.volumeNamespace"],
  ],
  ["PVS-58: vendorGVolume", { vendorGVolume: {} }, ["Required vendorGVolume.volumePath"]],
  ["DEC-47: nfs", { nfs: {} }, [], ["Invalid nfs.path", "Required nfs.path", "Required nfs.server"]],
  ["DEC-47: nfs paths are absolute", { nfs: { server: "s", path: "a" } }, ["Invalid nfs.path"]],
];

const REFUSED_PV: readonly Refused[] = [
  [
    "PVS-9: local needs a path",
    { local: {}, nodeAffinity: { required: { nodeSelectorTerms: [{}] } } },
    ["Required local.path"],
  ],
  [
    "DEC-39: local without '..'",
    { local: { path: "/../a" }, nodeAffinity: { required: { nodeSelectorTerms: [{}] } } },
    ["Invalid local.path"],
  ],
  [
    "DEC-39: local needs a nodeAffinity in Kubernetes only",
    { local: { path: "/a", fsType: "xfs" } },
    [],
    ["Required nodeAffinity"],
  ],
  ["PVS-12: csi needs a handle", { csi: { driver: "d" } }, ["Required csi.volumeHandle"]],
  [
    "PVS-13, DEC-39: secrets of csi are named in full",
    {
      csi: {
        driver: "d",
        volumeHandle: "h",
        nodeExpandSecretRef: {},
        nodePublishSecretRef: { name: "s", namespace: "a.b" },
        controllerPublishSecretRef: { name: "S", namespace: "n" },
        nodeStageSecretRef: { name: "S" },
      },
    },
    [
      "Invalid csi.controllerPublishSecretRef.name",
      "Invalid csi.nodePublishSecretRef.namespace",
      "Required csi.nodeExpandSecretRef.name",
      "Required csi.nodeExpandSecretRef.namespace",
    ],
  ],
  [
    "POL-4: secretNamespace of cloudBFile",
    { cloudBFile: { secretName: "s", shareName: "h", secretNamespace: "" } },
    [],
    ["Required cloudBFile.secretNamespace"],
  ],
  [
    "POL-4: secrets of blockVolA",
    { blockVolA: { volumeID: "v", secretRef: { name: "s" } } },
    [],
    ["Required blockVolA.secretRef.namespace"],
  ],
  [
    "POL-4: secrets of vendorFVolume",
    { vendorFVolume: { volumeName: "v", secretRef: {} } },
    [],
    ["Required vendorFVolume.secretRef.name", "Required vendorFVolume.secretRef.namespace"],
  ],
  [
    "POL-4: secrets of iscsi",
    { iscsi: { targetPortal: "h", iqn: "iqn.2024-01.com.example:d", lun: 1, secretRef: {} } },
    [],
    ["Required iscsi.secretRef.name"],
  ],
  [
    "POL-4: endpointsNamespace",
    { distFsB: { endpoints: "e", path: "p", endpointsNamespace: "" } },
    [],
    ["Invalid distFsB.endpointsNamespace"],
  ],
  [
    "POL-4: length of name and portal",
    {
      iscsi: {
        targetPortal: "h".repeat(64),
        iqn: "iqn.2024-01.com.example:d",
        lun: 1,
        initiatorName: "iqn.2024-01.com.example:i",
      },
    },
    [],
    ["Invalid iscsi.targetportal"],
  ],
];

const REFUSED_INLINE: readonly Refused[] = [
  ["DEC-48: emptyDir is not smaller than nothing", { emptyDir: { sizeLimit: "-1" } }, ["Forbidden emptyDir.sizeLimit"]],
  [
    "DEC-49: persistentVolumeClaim needs a name",
    { persistentVolumeClaim: {} },
    ["Required persistentVolumeClaim.claimName"],
  ],
  ["POL-4: secrets of csi", { csi: { driver: "d", nodePublishSecretRef: { name: "S" } } }, [], ["Invalid csi.name"]],
  [
    "POL-3: secrets of csi",
    { csi: { driver: "d", nodePublishSecretRef: {} } },
    [],
    ["Required csi.nodePublishSecretRef.name"],
  ],
  [
    "POL-4: secrets of blockVolA",
    { blockVolA: { volumeID: "v", secretRef: {} } },
    [],
    ["Required blockVolA.secretRef.name"],
  ],
  [
    "POL-4: length of name and portal",
    {
      iscsi: {
        targetPortal: "h".repeat(64),
        iqn: "iqn.2024-01.com.example:d",
        lun: 1,
        initiatorName: "iqn.2024-01.com.example:i",
      },
    },
    [],
    ["Invalid name"],
  ],
];

const expected = <T>(bench: Bench, neutral: T, kubernetes: T | undefined): T =>
  bench.names(bench.dialect.name === "kubernetes" ? (kubernetes ?? neutral) : neutral);

describe.each(benches.map((bench) => [bench.dialect.name, bench] as const))("volumes, %s", (_name, bench) => {
  test.for<ReadBack>([...READ_BACK, ...READ_BACK_PV])(
    "%s reads back as a PersistentVolume",
    ([, source, neutral, kubernetes]) => {
      expect(bench.volume(source).causes).toEqual([]);
      expect(bench.readVolume(source)).toEqual(expected(bench, neutral, kubernetes));
    },
  );

  test.for<ReadBack>([
    ...READ_BACK.filter(([, source]) => !JSON.stringify(source).includes("namespace")),
    ...READ_BACK_INLINE,
  ])("VOL-35: %s reads back in a Pod", ([, source, neutral, kubernetes]) => {
    expect(bench.inline(source).causes).toEqual([]);
    expect(bench.readInline(source)).toEqual(expected(bench, neutral, kubernetes));
  });

  test.for<Refused>([...REFUSED, ...REFUSED_PV])("%s, in a PersistentVolume", ([, source, neutral, kubernetes]) => {
    expect(wrong(bench.volume(source), "spec.")).toEqual(expected(bench, neutral, kubernetes).toSorted());
  });

  test.for<Refused>([...REFUSED, ...REFUSED_INLINE])("VOL-35: %s, in a Pod", ([, source, neutral, kubernetes]) => {
    expect(wrong(bench.inline(source), "spec.volumes[0].")).toEqual(expected(bench, neutral, kubernetes).toSorted());
  });

  test("PV-2: a PersistentVolume has exactly one source", () => {
    expect(wrong(bench.volume({}), "")).toEqual(["Required spec"]);
    expect(wrong(bench.volume({ hostPath: { path: "/a" }, nfs: { server: "s", path: "/" } }), "spec.")).toEqual([
      "Forbidden nfs",
    ]);
    const second = bench.volume({
      hostPath: { path: "/a" },
      flexVolume: { driver: "" },
      nfs: { server: "s", path: "/" },
    });
    const isTaken = !bench.dialect.rules.enforceDocumented;
    expect(wrong(second, "spec.").toSorted()).toEqual(
      ["Forbidden nfs", isTaken ? "Required flexVolume.driver" : "Forbidden flexVolume"].toSorted(),
    );
  });

  test("VOL-3, DEC-52: a volume has one source, an empty directory when it has none", () => {
    expect(bench.inline({}).object["spec"]).toMatchObject({ volumes: [{ name: "v", emptyDir: {} }] });
    const two = bench.inline({ emptyDir: {}, hostPath: { path: "/a" } });
    expect(wrong(two, "spec.volumes[0].")).toEqual(["Forbidden hostPath"]);
  });

  test("DEC-52: names of volumes are labels and differ", () => {
    const outcome = bench.pods([
      { name: "a", emptyDir: {} },
      { name: "a", emptyDir: {} },
      { emptyDir: {} },
      { name: "A.b", emptyDir: {} },
    ]);
    expect(wrong(outcome, "spec.volumes")).toEqual(["Duplicate [1].name", "Invalid [3].name", "Required [2].name"]);
  });

  test.each([
    ["PVS-34: flexVolume", { flexVolume: { driver: "d" } }, 0, 0],
    ["distFsA", { distFsA: { monitors: ["m"] } }, 1, 1],
    ["datasetVolA", { datasetVolA: { datasetName: "n" } }, 0, 1],
    ["distFsC", { distFsC: { registry: "a:1", volume: "v" } }, 0, 1],
    ["vendorFVolume", { vendorFVolume: { volumeName: "v" } }, 1, 1],
    ["csi", { csi: { driver: "d", volumeHandle: "h" } }, 0, 0],
  ])("DEC-37: Warnings about %s: the volume, the Pod", (_kind, source, volume, inline) => {
    expect(bench.volume(source).warnings).toHaveLength(volume);
    expect(bench.inline(source).warnings).toHaveLength(inline);
  });
});

test("DEC-47: gcePersistentDisk and rbd are known to Kubernetes only", () => {
  const [neutral, kubernetes] = benches as [Bench, Bench];
  const disk = { gcePersistentDisk: { partition: 256 } };
  expect(neutral.volume(disk).unknown.join()).toContain("gcePersistentDisk");
  expect(wrong(kubernetes.volume(disk), "spec.")).toEqual([
    "Invalid persistentDisk.partition",
    "Required persistentDisk.pdName",
  ]);
  expect(kubernetes.readInline({ rbd: { monitors: ["m"], image: "i" } })).toEqual({
    monitors: ["m"],
    image: "i",
    pool: "rbd",
    user: "admin",
    keyring: "/etc/ceph/keyring",
  });
  expect(wrong(kubernetes.volume({ rbd: {} }), "spec.")).toEqual(["Required rbd.image", "Required rbd.monitors"]);
});

test("DEC-45: Kubernetes prints an unset secretRef of vendorEVolume as null", () => {
  const [, kubernetes] = benches as [Bench, Bench];
  const read = kubernetes.readVolume({ vendorEVolume: { gateway: "g", system: "s", volumeName: "v" } });
  expect(read).toMatchObject({ secretRef: null });
});
