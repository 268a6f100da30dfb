import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { kindOfType } from "../../src/client/index.ts";
import {
  CustomResourceDefinition,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Secret,
  StorageClass,
} from "../../src/client/kinds/index.ts";
import type { ReferenceGrant } from "../../src/sidecars/specs.ts";
import { DiskWorld, PLACE } from "./disk-world.ts";
import { DRIVER, MadeUpDriver } from "./made-up-driver.ts";

const PROVISIONED = "external-provisioner.volume.kubernetes.io/finalizer";
const SELECTED = "volume.kubernetes.io/selected-node";
const PROVISIONING = `external-provisioner/${DRIVER.replaceAll(".", "-")}`;
const CLONING = "provisioner.storage.kubernetes.io/cloning-protection";
const LATE = { volumeBindingMode: "WaitForFirstConsumer" };
const GIB = 2n ** 30n;

let disks: DiskWorld;
const begin = async (settings = {}, driver = new MadeUpDriver()) => {
  disks = await DiskWorld.create(driver);
  await disks.makeNodes("one", "two");
  await disks.start(settings);
};
beforeEach(() => begin());
afterEach(() => disks[Symbol.asyncDispose]());
const again = async (...options: Parameters<typeof begin>) => {
  await disks[Symbol.asyncDispose]();
  await begin(...options);
};
const asked = () => disks.driver.asked("createVolume");
const makeSecret = (name: string, value = "v") =>
  disks.create(Secret, { metadata: { namespace: "default", name }, stringData: { key: value } });
const phaseOf = async (name: string) => (await disks.claim(name)).status.phase;
const allowing = (...values: string[]) => ({
  allowedTopologies: [{ matchLabelExpressions: [{ key: PLACE, values }] }],
});

describe("a claim", () => {
  test("CTL-OUT-1, CTL-PROV-3, CTL-PROV-10, SC-4, SC-9, SC-12: gets a volume of its class, and is bound to it", async () => {
    await disks.makeClass("fast", {
      parameters: { kind: "ssd", "csi.storage.k8s.io/fstype": "xfs" },
      mountOptions: ["noatime"],
    });
    const { metadata } = await disks.makeClaim("a");
    const claim = await disks.claim("a");
    expect(claim.status).toMatchObject({ phase: "Bound", capacity: { storage: "1Gi" } });
    expect(claim.metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
    const volume = await disks.volumeOf("a");
    expect(volume.metadata).toMatchObject({
      name: `pvc-${metadata.uid}`,
      annotations: {
        "pv.kubernetes.io/provisioned-by": DRIVER,
        "volume.kubernetes.io/provisioner-deletion-secret-name": "",
        "volume.kubernetes.io/provisioner-deletion-secret-namespace": "",
      },
    });
    expect(volume.metadata.finalizers).toContain(PROVISIONED);
    const [disk] = disks.driver.disks.values();
    expect(volume.spec).toMatchObject({
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      mountOptions: ["noatime"],
      persistentVolumeReclaimPolicy: "Delete",
      storageClassName: "fast",
      volumeMode: "Filesystem",
      claimRef: { namespace: "default", name: "a", uid: metadata.uid },
      csi: {
        driver: DRIVER,
        volumeHandle: disk!.id,
        fsType: "xfs",
        volumeAttributes: { content: disk!.content, "storage.kubernetes.io/csiProvisionerIdentity": DRIVER },
      },
    });
    expect(asked()).toEqual([
      {
        name: volume.metadata.name,
        capacityRange: { requiredBytes: GIB },
        parameters: { kind: "ssd" },
        secrets: {},
        mutableParameters: {},
        volumeCapabilities: [
          {
            accessMode: { mode: 7 },
            accessType: { case: "mount", value: { fsType: "xfs", mountFlags: ["noatime"] } },
          },
        ],
        accessibilityRequirements: {
          requisite: [{ segments: { [PLACE]: "one" } }, { segments: { [PLACE]: "two" } }],
          preferred: expect.arrayContaining([{ segments: { [PLACE]: "one" } }, { segments: { [PLACE]: "two" } }]),
        },
      },
    ]);
    expect(await disks.told("a")).toEqual(["Normal Provisioning", "Normal ProvisioningSucceeded"]);
  });

  test("of a class that is another's, that is not there, or of none waits", async () => {
    await disks.makeClass("other", { provisioner: "other.example.com" });
    await disks.makeClaim("a", { storageClassName: "other" });
    await disks.makeClaim("b", { storageClassName: "later" });
    await disks.makeClaim("c", { storageClassName: "" });
    expect(asked()).toEqual([]);
    await disks.makeClass("later");
    await disks.world.advance("20s");
    expect(await phaseOf("b")).toBe("Bound");
  });

  test("of a driver without topology gets none", async () => {
    const driver = new MadeUpDriver(["CREATE_DELETE_VOLUME"]);
    await again({}, driver);
    await disks.makeClass("fast", allowing("one"));
    await disks.makeClaim("a", { accessModes: ["ReadWriteOnce", "ReadOnlyMany"] });
    const [request] = asked();
    expect(request).not.toHaveProperty("accessibilityRequirements");
    expect(request!.volumeCapabilities.map(({ accessMode }) => accessMode.mode)).toEqual([1, 3]);
    expect((await disks.volumeOf("a")).spec.nodeAffinity).toBeUndefined();
  });

  test("for a raw device asks for one, without a file system", async () => {
    await disks.makeClass("fast", { parameters: { fstype: "ext4" } });
    await disks.makeClaim("a", { volumeMode: "Block", accessModes: ["ReadWriteMany"] });
    expect(asked()[0]!.volumeCapabilities).toEqual([
      { accessMode: { mode: 5 }, accessType: { case: "block", value: {} } },
    ]);
    const { spec } = await disks.volumeOf("a");
    expect(spec.volumeMode).toBe("Block");
    expect(spec.csi).not.toHaveProperty("fsType");
  });

  test("with a selector, or of a class with an unknown parameter, gets an Event with the reason", async () => {
    await disks.makeClass("fast");
    await disks.makeClass("wrong", { parameters: { "csi.storage.k8s.io/nothing": "x" } });
    await disks.makeClaim("a", { selector: { matchLabels: { a: "b" } } });
    await disks.makeClaim("b", { storageClassName: "wrong" });
    for (const name of ["a", "b"]) expect(await disks.told(name)).toEqual(["Warning ProvisioningFailed"]);
    expect((await disks.messages("b", "ProvisioningFailed")).join("")).toContain("csi.storage.k8s.io/nothing");
    expect(asked()).toEqual([]);
    expect((await disks.claim("a")).metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
  });

  test("gets the names of claim and volume where that is configured", async () => {
    await again({ extraCreateMetadata: true, volumeNamePrefix: "vol", identity: "me", defaultFsType: "ext4" });
    await disks.makeClass("fast");
    await disks.makeClaim("a");
    const { metadata, spec } = await disks.volumeOf("a");
    expect(metadata.name).toMatch(/^vol-/);
    expect(spec.csi).toMatchObject({
      fsType: "ext4",
      volumeAttributes: { "storage.kubernetes.io/csiProvisionerIdentity": "me" },
    });
    expect(asked()[0]!.parameters).toEqual({
      "csi.storage.k8s.io/pvc/name": "a",
      "csi.storage.k8s.io/pvc/namespace": "default",
      "csi.storage.k8s.io/pv/name": metadata.name,
    });
  });

  test("PVC-12, VAC-3: with an attributes class is made with its parameters", async () => {
    await disks.makeClass("fast");
    await disks.makeAttributes("silver");
    await disks.makeClaim("a", { volumeAttributesClassName: "silver" });
    expect(asked()[0]!.mutableParameters).toEqual({ metal: "silver" });
    expect((await disks.volumeOf("a")).spec.volumeAttributesClassName).toBe("silver");
    expect((await disks.claim("a")).status.currentVolumeAttributesClassName).toBe("silver");
    await disks.makeAttributes("foreign", { driverName: "other.example.com" });
    await disks.makeClaim("b", { volumeAttributesClassName: "foreign" });
    expect(await disks.told("b")).toEqual(["Warning ProvisioningFailed"]);
  });

  test("that only is read has a volume that says so, where that is wanted", async () => {
    await again({ controllerPublishReadOnly: true });
    await disks.makeClass("fast");
    await disks.makeClaim("a", { accessModes: ["ReadOnlyMany"] });
    expect((await disks.volumeOf("a")).spec.csi?.readOnly).toBe(true);
  });
});

describe("secrets", () => {
  const parameters = {
    "csi.storage.k8s.io/provisioner-secret-name": "of-${pvc.name}",
    "csi.storage.k8s.io/provisioner-secret-namespace": "${pvc.namespace}",
    "csi.storage.k8s.io/node-publish-secret-name": "${pvc.annotations['team']}",
    "csi.storage.k8s.io/node-publish-secret-namespace": "teams",
    "csi.storage.k8s.io/controller-expand-secret-name": "grow-${pv.name}",
    "csi.storage.k8s.io/controller-expand-secret-namespace": "default",
    "csi.storage.k8s.io/controller-modify-secret-name": "modify",
    "csi.storage.k8s.io/controller-modify-secret-namespace": "default",
    csiNodeStageSecretName: "stage",
    csiNodeStageSecretNamespace: "default",
  };

  test("are named by parameters with places for names, given to the driver, and kept for later calls", async () => {
    await makeSecret("of-a", "of claim a");
    await disks.makeClass("fast", { parameters });
    await disks.makeClaim("a", {}, { annotations: { team: "red" } });
    expect(asked()[0]!.secrets).toEqual({ key: "of claim a" });
    expect(asked()[0]!.parameters).toEqual({ csiNodeStageSecretName: "stage", csiNodeStageSecretNamespace: "default" });
    const { metadata, spec } = await disks.volumeOf("a");
    expect(spec.csi).toMatchObject({
      nodePublishSecretRef: { name: "red", namespace: "teams" },
      nodeStageSecretRef: { name: "stage", namespace: "default" },
      controllerExpandSecretRef: { name: `grow-${metadata.name}`, namespace: "default" },
    });
    expect(metadata.annotations).toMatchObject({
      "volume.kubernetes.io/provisioner-deletion-secret-name": "of-a",
      "volume.kubernetes.io/provisioner-deletion-secret-namespace": "default",
      "volume.kubernetes.io/controller-modify-secret-name": "modify",
    });
    await disks.deleteClaim("a");
    expect(disks.driver.asked("deleteVolume")).toEqual([
      { volumeId: spec.csi!.volumeHandle, secrets: { key: "of claim a" } },
    ]);
  });

  test("that are for all purposes count where none is named; one that is gone does not keep a volume from going", async () => {
    await makeSecret("all");
    await disks.makeClass("fast", {
      parameters: { "csi.storage.k8s.io/secret-name": "all", "csi.storage.k8s.io/secret-namespace": "default" },
    });
    await disks.makeClaim("a");
    expect(asked()[0]!.secrets).toEqual({ key: "v" });
    expect((await disks.volumeOf("a")).spec.csi?.controllerPublishSecretRef).toEqual({
      name: "all",
      namespace: "default",
    });
    await disks.resource(Secret).delete({ namespace: "default", name: "all" });
    await disks.deleteClaim("a");
    expect(disks.driver.disks.size).toBe(0);
  });

  test("that are missing, or whose names are invalid, are reported; the claim is tried again", async () => {
    await disks.makeClass("fast", { parameters });
    await disks.makeClaim("a", {}, { annotations: { team: "red" } });
    await disks.makeClaim("b");
    expect(await disks.told("a")).toEqual(["Warning ProvisioningFailed"]);
    expect((await disks.messages("b", "ProvisioningFailed")).join("")).toContain("pvc.annotations['team']");
    await makeSecret("of-a");
    await disks.world.advance("2s");
    expect(await phaseOf("a")).toBe("Bound");
    expect(asked()).toHaveLength(1);
  });
});

describe("places", () => {
  test("SC-3, SC-21: a class that allows some places only is provisioned there", async () => {
    await disks.makeClass("fast", allowing("two"));
    await disks.makeClaim("a");
    expect(asked()[0]!.accessibilityRequirements).toEqual({
      requisite: [{ segments: { [PLACE]: "two" } }],
      preferred: [{ segments: { [PLACE]: "two" } }],
    });
    expect((await disks.volumeOf("a")).spec.nodeAffinity).toEqual({
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key: PLACE, operator: "In", values: ["two"] }] }] },
    });
  });

  test("SC-16, CTL-MODE-4: a claim of a class that waits is provisioned where a scheduler has chosen", async () => {
    await disks.makeClass("fast", LATE);
    await disks.makeClaim("a");
    expect(asked()).toEqual([]);
    await disks.patchClaim("a", { metadata: { annotations: { [SELECTED]: "two" } } });
    expect(asked()[0]!.accessibilityRequirements).toEqual({
      requisite: [{ segments: { [PLACE]: "one" } }, { segments: { [PLACE]: "two" } }],
      preferred: [{ segments: { [PLACE]: "two" } }, { segments: { [PLACE]: "one" } }],
    });
    expect(JSON.stringify((await disks.volumeOf("a")).spec.nodeAffinity)).toContain('"two"');
  });

  test("only the topology of the selected node is passed where that is configured", async () => {
    await again({ strictTopology: true });
    await disks.makeClass("fast", { ...LATE, ...allowing("one", "two") });
    await disks.makeClaim("a", {}, { annotations: { [SELECTED]: "two" } });
    const there = [{ segments: { [PLACE]: "two" } }];
    expect(asked()[0]!.accessibilityRequirements).toEqual({ requisite: there, preferred: there });
    await disks.makeClass("narrow", { ...LATE, ...allowing("one") });
    await disks.makeClaim("b", { storageClassName: "narrow" }, { annotations: { [SELECTED]: "two" } });
    expect(asked()).toHaveLength(1);
    expect((await disks.claim("b")).metadata.annotations?.[SELECTED]).toBeUndefined();
  });

  test("claims that do not wait get no topology where that is configured", async () => {
    await again({ immediateTopology: false });
    await disks.makeClass("fast");
    await disks.makeClaim("a");
    expect(asked()[0]).not.toHaveProperty("accessibilityRequirements");
  });

  test("CTL-OUT-2, CTL-MODE-5: a node without room is given back, and another one may be chosen", async () => {
    await disks.makeClass("fast", LATE);
    disks.driver.fail("createVolume", { code: 8 });
    await disks.makeClaim("a", {}, { annotations: { [SELECTED]: "one" } });
    const waiting = await disks.claim("a");
    expect(waiting.metadata.annotations?.[SELECTED]).toBeUndefined();
    expect(await disks.told("a")).toContain("Warning ProvisioningFailed");
    disks.driver.fail("createVolume", undefined);
    await disks.world.advance("10m");
    expect(asked()).toHaveLength(1);
    await disks.patchClaim("a", { metadata: { annotations: { [SELECTED]: "two" } } });
    expect(await phaseOf("a")).toBe("Bound");
    expect(disks.driver.disks.size).toBe(1);
  });

  test("CTL-OUT-2: a chosen node that is gone is given back", async () => {
    await disks.makeClass("fast", LATE);
    await disks.makeClaim("a", {}, { annotations: { [SELECTED]: "none" } });
    expect((await disks.claim("a")).metadata.annotations?.[SELECTED]).toBeUndefined();
    expect(asked()).toEqual([]);
  });

  test("a node without the labels that the driver names is waited for", async () => {
    await disks.makeClass("fast", LATE);
    await disks.resource(Node).patch({ name: "two" }, { metadata: { labels: { [PLACE]: null } } });
    await disks.makeClaim("a", {}, { annotations: { [SELECTED]: "two" } });
    expect(asked()).toEqual([]);
    await disks.resource(Node).patch({ name: "two" }, { metadata: { labels: { [PLACE]: "two" } } });
    await disks.world.advance("2s");
    expect(await phaseOf("a")).toBe("Bound");
  });
});

describe("sources", () => {
  const from = (name: string, more = {}) => ({ dataSource: { kind: "PersistentVolumeClaim", name }, ...more });

  test("PVC-8, CTL-PROV-7: a claim with another one as its source has the content of that, which is held meanwhile", async () => {
    await disks.makeClass("fast");
    await disks.makeClaim("original");
    disks.driver.fail("createVolume", { code: 14 });
    await disks.makeClaim("copy", from("original"));
    expect((await disks.claim("original")).metadata.finalizers).toContain(CLONING);
    await disks.deleteClaim("original");
    expect(await disks.findClaim("original")).toBeDefined();
    disks.driver.fail("createVolume", undefined);
    await disks.world.advance("5s");
    const { spec } = await disks.volumeOf("copy");
    expect(spec.csi!.volumeAttributes!["content"]).toBe("content of disk-1");
    expect(spec.csi!.volumeHandle).not.toBe("disk-1");
    expect(await disks.findClaim("original")).toBeUndefined();
  });

  test("a source that is not there, or smaller than asked for, is waited for", async () => {
    await disks.makeClass("fast");
    await disks.makeClaim("copy", from("original"));
    expect(await disks.told("copy")).toEqual(["Warning ProvisioningFailed"]);
    await disks.makeClaim("original", { resources: { requests: { storage: "2Gi" } } });
    await disks.world.advance("3s");
    expect(asked()).toHaveLength(1);
    expect((await disks.messages("copy", "ProvisioningFailed")).join("")).toContain("2Gi");
    await disks.makeClaim("good", from("original", { resources: { requests: { storage: "2Gi" } } }));
    expect(await phaseOf("good")).toBe("Bound");
    await disks.deleteClaim("copy");
    expect((await disks.claim("original")).metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
  });

  test("PVC-8: a volume that a driver did not fill is not given to a claim", async () => {
    await disks.makeClass("fast");
    await disks.makeClaim("original");
    const { calls } = disks.driver;
    const create = calls.createVolume.bind(calls);
    Object.assign(calls, {
      async createVolume(...told: Parameters<typeof create>) {
        const { volume } = await create(...told);
        return { volume: { ...volume!, contentSource: undefined } };
      },
    });
    await disks.makeClaim("copy", from("original"));
    expect(await phaseOf("copy")).toBe("Pending");
    expect(disks.driver.disks.size).toBe(1);
  });

  test("a driver that cannot clone is not asked to", async () => {
    await again({}, new MadeUpDriver(["CREATE_DELETE_VOLUME"]));
    await disks.makeClass("fast");
    await disks.makeClaim("original");
    await disks.makeClaim("copy", from("original"));
    expect(asked()).toHaveLength(1);
    expect(await disks.told("copy")).toEqual(["Warning ProvisioningFailed"]);
  });

  test("SUP-17, PVC-10: a claim whose source no provisioner here fills is left to who does", async () => {
    await disks.makeClass("fast");
    await disks.makeClaim("a", { dataSourceRef: { apiGroup: "fillers.example.com", kind: "Filler", name: "f" } });
    expect(asked()).toEqual([]);
    expect((await disks.claim("a")).status).toEqual({ phase: "Pending" });
    expect(await disks.told("a")).toEqual(["Normal Provisioning"]);
  });

  test("SUP-14, PVC-22: a source of another namespace has to be granted there", async () => {
    await disks.makeClass("fast");
    await disks.create(
      kindOfType<never>()({ group: "", version: "v1", kind: "Namespace", plural: "namespaces", scope: "Cluster" }),
      { metadata: { name: "there" } },
    );
    await disks.makeClaim("original", {}, { namespace: "there" });
    await disks.makeClaim("copy", {
      dataSourceRef: { kind: "PersistentVolumeClaim", name: "original", namespace: "there" },
    });
    expect(asked()).toHaveLength(1);
    expect((await disks.messages("copy", "ProvisioningFailed")).join("")).toContain("isn't allowed");
    const group = "gateway.networking.k8s.io";
    const names = {
      kind: "ReferenceGrant",
      plural: "referencegrants",
      singular: "referencegrant",
      listKind: "ReferenceGrantList",
    };
    await disks.world.resource(CustomResourceDefinition).create({
      metadata: { name: `referencegrants.${group}`, annotations: { "api-approved.kubernetes.io": "unapproved" } },
      spec: {
        group,
        names,
        scope: "Namespaced",
        versions: [
          {
            name: "v1beta1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        ],
      },
    } as never);
    await disks.world.advance("10s");
    const grant = kindOfType<ReferenceGrant>()({ ...names, group, version: "v1beta1", scope: "Namespaced" });
    const to = [{ group: "", kind: "PersistentVolumeClaim", name: "original" }];
    await disks.create(grant, {
      metadata: { namespace: "there", name: "other" },
      spec: { from: [{ group: "", kind: "PersistentVolumeClaim", namespace: "elsewhere" }], to },
    });
    await disks.world.advance("1m");
    expect(asked()).toHaveLength(1);
    await disks.create(grant, {
      metadata: { namespace: "there", name: "ours" },
      spec: { from: [{ group: "", kind: "PersistentVolumeClaim", namespace: "default" }], to },
    });
    await disks.world.advance("5m");
    expect(await phaseOf("copy")).toBe("Bound");
  });
});

describe("what fails", () => {
  test("CTL-GEN-3: is reported, and tried again with growing waits", async () => {
    await disks.makeClass("fast");
    disks.driver.fail("createVolume", { code: 13 });
    await disks.makeClaim("a");
    await disks.world.advance("30s");
    const times = asked().length;
    expect(times).toBeGreaterThan(3);
    expect(times).toBeLessThan(8);
    expect(await disks.told("a")).toEqual(["Normal Provisioning", "Warning ProvisioningFailed"]);
    disks.driver.fail("createVolume", undefined);
    await disks.world.advance("1m");
    expect(await phaseOf("a")).toBe("Bound");
  });

  test("is not asked for again soon where it was refused", async () => {
    await disks.makeClass("fast");
    disks.driver.fail("createVolume", { code: 3 });
    await disks.makeClaim("a");
    await disks.world.advance("4m");
    // Once more soon, for who says so falsely.
    expect(asked()).toHaveLength(2);
    disks.driver.fail("createVolume", undefined);
    await disks.world.advance("2m");
    expect(await phaseOf("a")).toBe("Bound");
  });

  test("is asked for in the same words while the driver may be at work, and a volume is made once", async () => {
    await disks.makeClass("fast");
    disks.driver.fail("createVolume", { code: 4, isAfter: true, hangs: true });
    await disks.makeClaim("a");
    await disks.world.advance("12s");
    await disks.makeNodes("three");
    disks.driver.fail("createVolume", undefined);
    await disks.world.advance("30s");
    expect(await phaseOf("a")).toBe("Bound");
    expect(disks.driver.disks.size).toBe(1);
    expect(asked().length).toBeGreaterThan(1);
    expect(asked().at(-1)).toEqual(asked()[0]);
  });

  test("a volume that is too small is deleted, and asked for again", async () => {
    await disks.makeClass("fast");
    const { calls } = disks.driver;
    const create = calls.createVolume.bind(calls);
    let isSmall = true;
    Object.assign(calls, {
      async createVolume(...told: Parameters<typeof create>) {
        const { volume } = await create(...told);
        return { volume: { ...volume!, capacityBytes: isSmall ? 5n : 0n } };
      },
    });
    await disks.makeClaim("a");
    expect(disks.driver.disks.size).toBe(0);
    isSmall = false;
    await disks.world.advance("5s");
    expect((await disks.volumeOf("a")).spec.capacity).toEqual({ storage: "1Gi" });
  });

  test("CTL-PROV-11: a claim that is deleted meanwhile stays until it is sure that there is no volume of it", async () => {
    await disks.makeClass("fast");
    disks.driver.fail("createVolume", { code: 14, isAfter: true });
    await disks.makeClaim("a");
    expect((await disks.claim("a")).metadata.finalizers).toContain(PROVISIONING);
    await disks.deleteClaim("a");
    await disks.world.advance("10s");
    expect(await disks.findClaim("a")).toBeDefined();
    disks.driver.fail("createVolume", undefined);
    await disks.world.advance("1m");
    expect(await disks.findClaim("a")).toBeUndefined();
    expect(disks.driver.disks.size).toBe(0);
    expect(await disks.volumes()).toEqual([]);
  });

  describe.each([
    [3, "is refused"],
    [8, "has no room"],
    [11, "is out of range"],
  ])("with code %i a claim %s", (code) => {
    beforeEach(async () => {
      await disks.makeClass("fast");
      disks.driver.fail("createVolume", { code });
      await disks.makeClaim("a");
    });
    const finalizers = async () => (await disks.findClaim("a"))?.metadata.finalizers;

    test("CTL-PROV-11: and is not held once that is believed: class and driver may go before it", async () => {
      expect(asked()).toHaveLength(1);
      expect(await finalizers()).toContain(PROVISIONING);
      await disks.world.advance("5s");
      expect(asked().length).toBeGreaterThan(1);
      expect(await finalizers()).toEqual(["kubernetes.io/pvc-protection"]);
      disks.manager.crash();
      await disks.resource(StorageClass).delete({ name: "fast" });
      await disks.deleteClaim("a");
      expect(await finalizers()).toBeUndefined();
    });

    test("CTL-PROV-11: and is asked for once more when its class goes before, and then not held", async () => {
      await disks.resource(StorageClass).delete({ name: "fast" });
      await disks.world.advance("2s");
      expect(asked()).toHaveLength(2);
      expect(await finalizers()).toEqual(["kubernetes.io/pvc-protection"]);
      await disks.world.advance("10m");
      expect(asked()).toHaveLength(2);
    });

    test("CTL-PROV-11: and not held when its class becomes that of another driver", async () => {
      await disks.resource(StorageClass).delete({ name: "fast" });
      await disks.makeClass("fast", { provisioner: "other.example.com" });
      await disks.world.advance("10s");
      expect(await finalizers()).toEqual(["kubernetes.io/pvc-protection"]);
      await disks.deleteClaim("a");
      expect(await finalizers()).toBeUndefined();
    });
  });

  test("CTL-PROV-11: a claim whose class has gone meanwhile leaves no volume behind that its driver may have made", async () => {
    await disks.makeClass("fast");
    disks.driver.fail("createVolume", { code: 13, isAfter: true });
    await disks.makeClaim("a");
    expect((await disks.claim("a")).metadata.finalizers).toContain(PROVISIONING);
    await disks.resource(StorageClass).delete({ name: "fast" });
    disks.driver.fail("createVolume", undefined);
    await disks.deleteClaim("a");
    await disks.world.advance("1m");
    expect(await disks.findClaim("a")).toBeUndefined();
    expect(disks.driver.disks.size).toBe(0);
  });

  test("a claim that is given another volume meanwhile leaves none behind", async () => {
    await disks.makeClass("fast");
    disks.driver.fail("createVolume", { code: 14, isAfter: true });
    await disks.makeClaim("a");
    await disks.create(PersistentVolume, {
      metadata: { name: "by-hand" },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "fast",
        persistentVolumeReclaimPolicy: "Retain",
        hostPath: { path: "/x" },
        claimRef: { namespace: "default", name: "a" },
      },
    });
    expect((await disks.claim("a")).spec.volumeName).toBe("by-hand");
    disks.driver.fail("createVolume", undefined);
    await disks.world.advance("1m");
    expect(disks.driver.disks.size).toBe(0);
    expect((await disks.claim("a")).metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
  });

  test("a disk is kept whose volume was stored, and was deleted by hand before its claim was seen again", async () => {
    await disks.makeClass("fast", { reclaimPolicy: "Retain" });
    await disks.makeClaim("a");
    const { metadata } = await disks.volumeOf("a");
    disks.manager.crash();
    // As if the crash had come before the finalizer went.
    await disks
      .resource(PersistentVolumeClaim)
      .patch({ name: "a", namespace: "default" }, { metadata: { finalizers: [PROVISIONING] } });
    await disks.resource(PersistentVolume).delete({ name: metadata.name });
    await disks.resource(PersistentVolume).patch({ name: metadata.name }, { metadata: { finalizers: null } });
    expect(await disks.volumes()).toEqual([]);
    await disks.start();
    await disks.world.advance("1m");
    expect((await disks.claim("a")).metadata.finalizers).not.toContain(PROVISIONING);
    expect(disks.driver.disks.size).toBe(1);
  });

  test("a claim is held, and says why, where its driver cannot be asked any more", async () => {
    await disks.makeClass("fast");
    disks.driver.fail("createVolume", { code: 14, isAfter: true });
    await disks.makeClaim("a");
    disks.manager.crash();
    await disks.resource(StorageClass).delete({ name: "fast" });
    disks.driver.fail("createVolume", undefined);
    await disks.start();
    await disks.deleteClaim("a");
    expect((await disks.messages("a", "ProvisioningCleanupFailed")).join("")).toContain(PROVISIONING);
    await disks.makeClass("fast");
    await disks.world.advance("1m");
    expect(await disks.findClaim("a")).toBeUndefined();
    expect(disks.driver.disks.size).toBe(0);
  });
});

describe("released volumes", () => {
  test("CTL-OUT-3, CTL-RECLAIM-20, CTL-PVP-2: go with their disks", async () => {
    await disks.makeClass("fast");
    await disks.makeClaim("a");
    await disks.deleteClaim("a");
    expect(disks.driver.disks.size).toBe(0);
    expect(await disks.volumes()).toEqual([]);
  });

  test("CTL-RECLAIM-3, CTL-RECLAIM-4: stay where they are to be kept, until that changes", async () => {
    await disks.makeClass("fast", { reclaimPolicy: "Retain" });
    await disks.makeClaim("a");
    const { metadata } = await disks.volumeOf("a");
    expect((await disks.resource(PersistentVolume).get({ name: metadata.name })).metadata.finalizers).not.toContain(
      PROVISIONED,
    );
    await disks.deleteClaim("a");
    expect(disks.driver.disks.size).toBe(1);
    await disks
      .resource(PersistentVolume)
      .patch({ name: metadata.name }, { spec: { persistentVolumeReclaimPolicy: "Delete" } });
    await disks.settled();
    expect(disks.driver.disks.size).toBe(0);
  });

  test.each([
    ["is to be kept", { spec: { persistentVolumeReclaimPolicy: "Retain" } }, false],
    ["is given to nobody any more", { spec: { claimRef: null } }, true],
  ])("CTL-RECLAIM-3: one that %s since memory last heard of it keeps its disk", async (_, patch, isFree) => {
    await disks.makeClass("fast");
    await disks.makeClaim("a");
    const { metadata } = await disks.volumeOf("a");
    const { name } = metadata;
    let isChanged = false;
    disks.reads = async (path) => {
      if (isChanged || !path.endsWith(`/persistentvolumes/${name}`)) return;
      isChanged = true;
      await disks.resource(PersistentVolume).patch({ name }, patch);
      if (isFree) {
        await disks.resource(PersistentVolume).status.patch({ name }, { status: { phase: "Available" } });
      }
    };
    await disks.deleteClaim("a");
    await disks.world.advance("1m");
    expect(isChanged).toBe(true);
    expect(disks.driver.asked("deleteVolume")).toEqual([]);
    expect(disks.driver.disks.size).toBe(1);
  });

  test("CTL-RECLAIM-19: one that is deleted before its claim goes with it, and its disk does", async () => {
    await disks.makeClass("fast");
    await disks.makeClaim("a");
    const { metadata } = await disks.volumeOf("a");
    await disks.resource(PersistentVolume).delete({ name: metadata.name });
    await disks.settled();
    expect(disks.driver.disks.size).toBe(1);
    await disks.deleteClaim("a");
    expect(disks.driver.disks.size).toBe(0);
    expect(await disks.volumes()).toEqual([]);
  });

  test("CTL-OUT-3: a disk that cannot be deleted is reported, tried again, and deleted", async () => {
    await disks.makeClass("fast");
    await disks.makeClaim("a");
    const { metadata } = await disks.volumeOf("a");
    disks.driver.fail("deleteVolume", { code: 13 });
    await disks.deleteClaim("a");
    await disks.world.advance("5s");
    expect(await disks.told(metadata.name)).toEqual(["Warning VolumeFailedDelete"]);
    disks.driver.fail("deleteVolume", undefined);
    await disks.world.advance("1m");
    expect(disks.driver.disks.size).toBe(0);
    expect(await disks.volumes()).toEqual([]);
  });

  test("one of another driver, or made by hand, is left alone; one of this driver that was made by hand is not", async () => {
    const make = (name: string, driver: string) =>
      disks.create(PersistentVolume, {
        metadata: { name },
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          storageClassName: "",
          persistentVolumeReclaimPolicy: "Delete",
          csi: { driver, volumeHandle: `disk of ${name}` },
          claimRef: { namespace: "default", name },
        },
      });
    for (const [name, driver] of [
      ["ours", DRIVER],
      ["theirs", "other.example.com"],
    ] as const) {
      await make(name, driver);
      await disks.makeClaim(name, { storageClassName: "", volumeName: name });
      await disks.deleteClaim(name);
    }
    await disks.world.advance("1m");
    expect(disks.driver.asked("deleteVolume")).toEqual([{ volumeId: "disk of ours", secrets: {} }]);
    expect((await disks.volumes()).map(({ metadata }) => metadata.name)).toEqual(["theirs"]);
  });
});

test("claims of a StatefulSet are spread over places by their numbers", async () => {
  await disks.makeNodes("three");
  await disks.makeClass("fast");
  for (const number of [0, 1, 2, 3]) await disks.makeClaim(`data-web-${number}`);
  const first = asked().map(
    ({ accessibilityRequirements }) => accessibilityRequirements!.preferred[0]!.segments[PLACE],
  );
  expect(new Set(first.slice(0, 3)).size).toBe(3);
  expect(first[3]).toBe(first[0]);
  expect((await disks.resource(PersistentVolumeClaim).list()).items).toHaveLength(4);
});
