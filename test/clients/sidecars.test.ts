/**
 * The sidecars of CSI drivers as Kubernetes has them (external-provisioner, -attacher, -resizer), unmodified, with a driver,
 * against a server with its own controllers and nothing else. Node agent and scheduler are played by requests.
 */
import type { ChildProcess } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Found } from "./beside.ts";
import { built } from "./built.ts";
import { SIDECARS_SOURCE, canBeElsewhere } from "./sidecars/programs.ts";
import { DRIVER, World } from "./sidecars/world.ts";

const bin = await built(SIDECARS_SOURCE);

const CLASSES = "/apis/storage.k8s.io/v1/storageclasses";
const ATTRIBUTES = "/apis/storage.k8s.io/v1/volumeattributesclasses";
const ATTACHMENTS = "/apis/storage.k8s.io/v1/volumeattachments";
const CAPACITIES = "/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities";
const VOLUMES = "/api/v1/persistentvolumes";
const NODES = "/api/v1/nodes";
const PLACE = `topology.${DRIVER}/node`;
const PROVISIONED = "external-provisioner.volume.kubernetes.io/finalizer";
const ATTACHED = `external-attacher/${DRIVER.replaceAll(".", "-")}`;
const SELECTED = "volume.kubernetes.io/selected-node";

const claimsOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
const podsOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;
const CLAIMS = claimsOf("default");
const PODS = podsOf("default");
const at = (name: string): string => `${CLAIMS}/${name}`;

const isBound = ({ status }: Found): boolean => status.phase === "Bound";
const isAttached = ({ status }: Found): boolean => status?.attached === true;

describe.skipIf(bin === undefined)("SUP-18: sidecars", { timeout: 120_000 }, () => {
  let world: World;
  let attacher: ChildProcess;
  let resizer: ChildProcess;

  const makeClass = (name: string, more: object = {}): Promise<Found> =>
    world.create(CLASSES, {
      metadata: { name },
      provisioner: DRIVER,
      allowVolumeExpansion: true,
      volumeBindingMode: "Immediate",
      ...more,
    });
  const claimOf = (name: string, spec: object = {}): object => ({
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "immediate",
      resources: { requests: { storage: "1Gi" } },
      ...spec,
    },
  });
  /** A claim and its volume, when they have each other. */
  const provision = async (name: string, spec?: object, namespace = "default"): Promise<[Found, Found]> => {
    await world.create(claimsOf(namespace), claimOf(name, spec));
    const claim = await world.once(`${claimsOf(namespace)}/${name}`, isBound);
    return [claim, await world.get(`${VOLUMES}/${claim.spec.volumeName}`)];
  };
  const makePod = (name: string, claim: string, nodeName: string, namespace = "default"): Promise<Found> =>
    world.create(podsOf(namespace), {
      metadata: { name },
      spec: {
        nodeName,
        terminationGracePeriodSeconds: 0,
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "v", persistentVolumeClaim: { claimName: claim } }],
      },
    });
  const deletePod = (name: string): Promise<Found> => world.delete(`${PODS}/${name}`, { gracePeriodSeconds: 0 });
  /** The attachment of a volume to a node, once there is one that suits. */
  const attachment = async (volume: string, node: string, suits = isAttached): Promise<Found> => {
    const isIt = ({ spec }: Found): boolean => spec.source.persistentVolumeName === volume && spec.nodeName === node;
    const { items } = await world.once(ATTACHMENTS, (list) => list.items.some((one: Found) => isIt(one) && suits(one)));
    return items.find(isIt);
  };
  const ask = (name: string, storage: string): Promise<Found> =>
    world.merge(at(name), { spec: { resources: { requests: { storage } } } });
  const resize = ({ status }: Found): string | undefined => status.allocatedResourceStatuses?.storage;
  const conditions = ({ status }: Found): readonly string[] =>
    (status.conditions ?? []).filter((one: Found) => one.status === "True").map((one: Found) => one.type);
  /** What a node agent writes when it has enlarged the file system. */
  const enlargeOnNode = (name: string, storage: string): Promise<Found> =>
    world.merge(`${at(name)}/status`, {
      status: { capacity: { storage }, conditions: null, allocatedResourceStatuses: null },
    });

  beforeAll(async () => {
    world = await World.start(bin!);
    for (const name of ["one", "two"]) {
      const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };
      // oxlint-disable-next-line no-await-in-loop -- a node before what it has
      await world.create(NODES, { metadata: { name, annotations, labels: { [PLACE]: name } } });
      const drivers = [{ name: DRIVER, nodeID: name, topologyKeys: [PLACE] }];
      // oxlint-disable-next-line no-await-in-loop -- a node before what it has
      await world.create("/apis/storage.k8s.io/v1/csinodes", { metadata: { name }, spec: { drivers } });
    }
    await world.create("/apis/storage.k8s.io/v1/csidrivers", {
      metadata: { name: DRIVER },
      spec: { attachRequired: true, storageCapacity: true },
    });
    await makeClass("immediate", { parameters: { kind: "fast" } });
    await makeClass("waiting", { volumeBindingMode: "WaitForFirstConsumer" });
    world.sidecar("provisioner");
    attacher = world.sidecar("attacher");
    resizer = world.sidecar("resizer");
  });
  afterAll(() => world?.stop());

  test("CTL-PROV-1, CTL-PROV-3, CTL-PROV-10, CTL-OUT-1, SC-4: a claim is handed to the provisioner, and bound to what it makes", async () => {
    const [claim, volume] = await provision("first");
    expect(volume.metadata.name).toBe(`pvc-${claim.metadata.uid}`);
    expect(volume.metadata.annotations["pv.kubernetes.io/provisioned-by"]).toBe(DRIVER);
    expect(volume.metadata.finalizers).toContain(PROVISIONED);
    expect(volume.spec.claimRef).toMatchObject({ namespace: "default", name: "first", uid: claim.metadata.uid });
    expect((await world.once(`${VOLUMES}/${volume.metadata.name}`, isBound)).status.phase).toBe("Bound");
    expect(claim.status.capacity).toEqual({ storage: "1Gi" });
    expect(claim.metadata.annotations).toMatchObject({
      "volume.kubernetes.io/storage-provisioner": DRIVER,
      "pv.kubernetes.io/bind-completed": "yes",
      "pv.kubernetes.io/bound-by-controller": "yes",
    });
    const [made] = world.calls("CreateVolume");
    expect(made.parameters).toMatchObject({ kind: "fast", "csi.storage.k8s.io/pvc/name": "first" });
    // Nothing restricts it: it may be on either node.
    expect(made.accessibility_requirements.requisite).toHaveLength(2);
    for (const reason of ["ExternalProvisioning", "Provisioning", "ProvisioningSucceeded"]) {
      // oxlint-disable-next-line no-await-in-loop -- three looks
      expect((await world.event("default", "first", reason)).type).toBe("Normal");
    }
  });

  test("SC-3: a class that allows some places only is provisioned there", async () => {
    const allowedTopologies = [{ matchLabelExpressions: [{ key: PLACE, values: ["two"] }] }];
    await makeClass("there", { allowedTopologies });
    const [, volume] = await provision("placed", { storageClassName: "there" });
    expect(world.calls("CreateVolume").at(-1).accessibility_requirements.requisite).toEqual([
      { segments: { [PLACE]: "two" } },
    ]);
    expect(volume.spec.nodeAffinity.required.nodeSelectorTerms).toEqual([
      { matchExpressions: [{ key: PLACE, operator: "In", values: ["two"] }] },
    ]);
  });

  test("CTL-MODE-2, CTL-MODE-4: a claim of a class that waits is provisioned where the scheduler has chosen", async () => {
    await world.create(CLAIMS, claimOf("later", { storageClassName: "waiting" }));
    await world.event("default", "later", "WaitForFirstConsumer");
    const before = world.calls("CreateVolume").length;
    await world.merge(at("later"), { metadata: { annotations: { [SELECTED]: "two" } } });
    const claim = await world.once(at("later"), isBound);
    expect(world.calls("CreateVolume").slice(before)[0].accessibility_requirements.preferred[0]).toEqual({
      segments: { [PLACE]: "two" },
    });
    const volume = await world.get(`${VOLUMES}/${claim.spec.volumeName}`);
    expect(JSON.stringify(volume.spec.nodeAffinity)).toContain('"two"');
  });

  test("CTL-OUT-2, CTL-MODE-5: where a node has no room the claim waits for another choice", async () => {
    world.fail("CreateVolume", "RESOURCE_EXHAUSTED");
    await world.create(CLAIMS, claimOf("roomless", { storageClassName: "waiting" }));
    await world.event("default", "roomless", "WaitForFirstConsumer");
    await world.merge(at("roomless"), { metadata: { annotations: { [SELECTED]: "one" } } });
    await world.event("default", "roomless", "ProvisioningFailed");
    const claim = await world.once(at("roomless"), ({ metadata }) => metadata.annotations[SELECTED] === undefined);
    expect(claim.status).toEqual({ phase: "Pending" });
    world.fail("CreateVolume", undefined);
    await world.merge(at("roomless"), { metadata: { annotations: { [SELECTED]: "two" } } });
    expect((await world.once(at("roomless"), isBound)).metadata.annotations[SELECTED]).toBe("two");
  });

  test("CTL-GEN-3: a refusal of the driver is reported, tried again, and succeeds", async () => {
    world.fail("CreateVolume", "INTERNAL");
    await world.create(CLAIMS, claimOf("patient"));
    const told = await world.event("default", "patient", "ProvisioningFailed");
    expect(told).toMatchObject({ type: "Warning", involvedObject: { kind: "PersistentVolumeClaim" } });
    expect((await world.get(at("patient"))).status).toEqual({ phase: "Pending" });
    world.fail("CreateVolume", undefined);
    await world.once(at("patient"), isBound);
  });

  test("PVC-8, CTL-PROV-7: a claim with another one as its source has the content of that", async () => {
    const [, original] = await provision("original");
    const [, copy] = await provision("copy", {
      dataSource: { kind: "PersistentVolumeClaim", name: "original" },
    });
    const content = original.spec.csi.volumeAttributes.content;
    expect(copy.spec.csi.volumeAttributes.content).toBe(content);
    expect(copy.spec.csi.volumeHandle).not.toBe(original.spec.csi.volumeHandle);
    // The provisioner holds the source while it is copied.
    await world.delete(at("original"));
    await world.gone(at("original"));
  });

  test("PVC-10: a claim whose source no provisioner here fills waits", async () => {
    const dataSourceRef = { apiGroup: "fillers.example.com", kind: "Filler", name: "f" };
    await world.create(CLAIMS, claimOf("unfilled", { dataSourceRef }));
    await world.event("default", "unfilled", "Provisioning");
    await provision("after-unfilled");
    const claim = await world.get(at("unfilled"));
    expect(claim.status).toEqual({ phase: "Pending" });
    expect(claim.spec.dataSourceRef).toEqual(dataSourceRef);
    expect(world.calls("CreateVolume").filter(({ name }) => name === `pvc-${claim.metadata.uid}`)).toEqual([]);
    await world.delete(at("unfilled"));
    await world.gone(at("unfilled"));
  });

  test("CAP-2: the room in each place is written for each class", async () => {
    const isOf = (name: string) => (one: Found) => one.storageClassName === name;
    const { items } = await world.once(
      CAPACITIES,
      (list) => list.items.filter((one: Found) => isOf("waiting")(one) && one.capacity).length === 2,
    );
    const places = items
      .filter(isOf("waiting"))
      .map((one: Found) => [one.nodeTopology.matchLabels[PLACE], one.capacity]);
    expect(places.toSorted()).toEqual([
      ["one", "100Gi"],
      ["two", "100Gi"],
    ]);
  });

  test("VA-16, CTL-AD-1, CTL-AD-3, CTL-OUT-4: the volume of a Pod is attached to its node, and taken off when the Pod is gone", async () => {
    const [claim] = await provision("used");
    await makePod("user", "used", "one");
    const { volumeName } = claim.spec;
    const attached = await attachment(volumeName, "one");
    const { volumeHandle } = (await world.get(`${VOLUMES}/${volumeName}`)).spec.csi;
    expect(attached.status).toEqual({ attached: true, attachmentMetadata: { device: `of ${volumeHandle}` } });
    expect(attached.metadata.finalizers).toEqual([ATTACHED]);
    expect((await world.get(`${VOLUMES}/${volumeName}`)).metadata.finalizers).toContain(ATTACHED);
    const unique = `kubernetes.io/csi/${DRIVER}^${volumeHandle}`;
    const isListed = ({ status }: Found): boolean =>
      (status.volumesAttached ?? []).some((one: Found) => one.name === unique);
    await world.once(`${NODES}/one`, isListed);
    await world.event("default", "user", "SuccessfulAttachVolume");
    // A claim that is deleted is held by the Pod, and its volume by the claim.
    await world.delete(at("used"));
    expect((await world.get(at("used"))).metadata.deletionTimestamp).toBeDefined();
    await deletePod("user");
    await world.gone(`${ATTACHMENTS}/${attached.metadata.name}`);
    expect(isListed(await world.get(`${NODES}/one`))).toBe(false);
    expect(world.calls("ControllerUnpublishVolume").at(-1)).toMatchObject({ volume_id: volumeHandle, node_id: "one" });
    await world.gone(at("used"));
    await world.gone(`${VOLUMES}/${volumeName}`);
    expect(world.calls("DeleteVolume").at(-1).volume_id).toBe(volumeHandle);
  });

  test("VA-17, CTL-AD-9: an attach that fails is reported on the Pod, and tried again on the same object", async () => {
    const [claim] = await provision("stubborn");
    world.fail("ControllerPublishVolume", "INTERNAL");
    await makePod("stubborn", "stubborn", "one");
    const { volumeName } = claim.spec;
    const failed = await attachment(volumeName, "one", ({ status }) => status?.attachError !== undefined);
    expect(failed.status.attached).toBe(false);
    expect(failed.status.attachError.message).toContain("told to fail");
    expect((await world.event("default", "stubborn", "FailedAttachVolume")).type).toBe("Warning");
    world.fail("ControllerPublishVolume", undefined);
    const attached = await attachment(volumeName, "one");
    expect(attached.metadata.uid).toBe(failed.metadata.uid);
    expect(attached.status.attachError).toBeUndefined();
  });

  test("VA-18, VA-19, DEC-54, SUP-21, CTL-AD-11, CTL-AD-20: a detach that fails leaves it attached, and is tried again until it goes", async () => {
    const { volumeName } = (await world.get(at("stubborn"))).spec;
    world.fail("ControllerUnpublishVolume", "INTERNAL");
    await deletePod("stubborn");
    const failed = await attachment(volumeName, "one", ({ status }) => status.detachError !== undefined);
    expect(failed.metadata.deletionTimestamp).toBeDefined();
    expect(failed.status).toMatchObject({ attached: true });
    world.fail("ControllerUnpublishVolume", undefined);
    await world.gone(`${ATTACHMENTS}/${failed.metadata.name}`);
  });

  test("CTL-AD-12, CTL-AD-13, CTL-AD-14: a volume for one node moves when the first lets it go, or is out of service", async () => {
    const [claim] = await provision("moving");
    const { volumeName } = claim.spec;
    await makePod("stays", "moving", "one");
    const first = await attachment(volumeName, "one");
    const volumesInUse = [
      `kubernetes.io/csi/${DRIVER}^${(await world.get(`${VOLUMES}/${volumeName}`)).spec.csi.volumeHandle}`,
    ];
    await world.merge(`${NODES}/one/status`, { status: { volumesInUse } });
    await makePod("comes", "moving", "two");
    await world.event("default", "comes", "FailedAttachVolume");
    await deletePod("stays");
    await world.event("default", "comes", "FailedAttachVolume");
    expect((await world.get(`${ATTACHMENTS}/${first.metadata.name}`)).metadata.deletionTimestamp).toBeUndefined();
    const taints = [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute", value: "nodeshutdown" }];
    await world.merge(`${NODES}/one`, { spec: { taints } });
    await world.gone(`${ATTACHMENTS}/${first.metadata.name}`);
    await attachment(volumeName, "two");
    await world.merge(`${NODES}/one`, { spec: { taints: null } });
    await world.merge(`${NODES}/one/status`, { status: { volumesInUse: null } });
    await deletePod("comes");
    await world.once(ATTACHMENTS, ({ items }) => items.length === 0);
  });

  test("CTL-RECLAIM-4, CTL-RECLAIM-7: what is retained is Released, and the driver is not asked", async () => {
    await makeClass("kept", { reclaimPolicy: "Retain" });
    const [claim, volume] = await provision("kept", { storageClassName: "kept" });
    await world.delete(at("kept"));
    const released = await world.once(
      `${VOLUMES}/${volume.metadata.name}`,
      ({ status }) => status.phase === "Released",
    );
    expect(released.spec.claimRef.uid).toBe(claim.metadata.uid);
    const [, another] = await provision("after-kept");
    await world.delete(at("after-kept"));
    await world.gone(`${VOLUMES}/${another.metadata.name}`);
    const asked = world.calls("DeleteVolume").map(({ volume_id }) => volume_id);
    expect(asked).toContain(another.spec.csi.volumeHandle);
    expect(asked).not.toContain(volume.spec.csi.volumeHandle);
    // Its policy is looked at when it is changed, too (CTL-RECLAIM-3).
    await world.merge(`${VOLUMES}/${volume.metadata.name}`, { spec: { persistentVolumeReclaimPolicy: "Delete" } });
    await world.gone(`${VOLUMES}/${volume.metadata.name}`);
  });

  test("CTL-RECLAIM-19, CTL-RECLAIM-20, CTL-PVP-2: a volume that is deleted before its claim goes with it, and its disk does", async () => {
    const [, volume] = await provision("hasty");
    const path = `${VOLUMES}/${volume.metadata.name}`;
    await world.delete(path);
    expect(await world.get(path)).toMatchObject({ status: { phase: "Bound" } });
    await world.delete(at("hasty"));
    await world.gone(path);
    expect(world.calls("DeleteVolume").at(-1).volume_id).toBe(volume.spec.csi.volumeHandle);
  });

  test("CTL-OUT-3: a disk that cannot be deleted is reported, tried again, and deleted", async () => {
    const [, volume] = await provision("sticky");
    const { name } = volume.metadata;
    world.fail("DeleteVolume", "INTERNAL");
    await world.delete(at("sticky"));
    expect((await world.event("default", name, "VolumeFailedDelete")).type).toBe("Warning");
    expect((await world.get(`${VOLUMES}/${name}`)).metadata.finalizers).toContain(PROVISIONED);
    world.fail("DeleteVolume", undefined);
    await world.gone(`${VOLUMES}/${name}`);
  });

  test("DEC-58, SUP-22, CTL-EXP-1, CTL-EXP-8, CTL-OUT-5: a claim that asks for more grows, on the node at last", async () => {
    const [claim] = await provision("growing");
    await ask("growing", "2Gi");
    expect((await world.event("default", "growing", "ExternalExpanding")).type).toBe("Normal");
    const pending = await world.once(at("growing"), (found) => resize(found) === "NodeResizePending");
    expect(pending.status).toMatchObject({ capacity: { storage: "1Gi" }, allocatedResources: { storage: "2Gi" } });
    expect(conditions(pending)).toContain("FileSystemResizePending");
    expect((await world.get(`${VOLUMES}/${claim.spec.volumeName}`)).spec.capacity).toEqual({ storage: "2Gi" });
    const { status } = await enlargeOnNode("growing", "2Gi");
    expect(status).toMatchObject({ capacity: { storage: "2Gi" }, allocatedResources: { storage: "2Gi" } });
    // A second time is like the first.
    await ask("growing", "3Gi");
    await world.once(at("growing"), (found) => resize(found) === "NodeResizePending");
    await enlargeOnNode("growing", "3Gi");
    await world.once(at("growing"), (found) => found.status.capacity.storage === "3Gi" && !resize(found));
  });

  test("DEC-58: where the node has nothing to do the controller's half is all", async () => {
    await makeClass("thin", { parameters: { growsOn: "controller" } });
    await provision("thin", { storageClassName: "thin" });
    await ask("thin", "2Gi");
    const grown = await world.once(at("thin"), ({ status }) => status.capacity.storage === "2Gi");
    expect(grown.status.allocatedResources).toEqual({ storage: "2Gi" });
    expect(resize(grown)).toBeUndefined();
    expect(conditions(grown)).toEqual([]);
  });

  test("RSZ-3, DEC-58, CTL-EXP-12, CTL-EXP-14: what cannot grow so far is infeasible, and grows to what is asked for then", async () => {
    await provision("greedy", { storageClassName: "thin" });
    await ask("greedy", "50Gi");
    const refused = await world.once(at("greedy"), (found) => resize(found) === "ControllerResizeInfeasible");
    expect(refused.status).toMatchObject({ capacity: { storage: "1Gi" }, allocatedResources: { storage: "50Gi" } });
    expect((await world.event("default", "greedy", "VolumeResizeFailed")).type).toBe("Warning");
    await ask("greedy", "2Gi");
    const grown = await world.once(at("greedy"), ({ status }) => status.capacity.storage === "2Gi");
    expect(grown.status.allocatedResources).toEqual({ storage: "2Gi" });
    expect(resize(grown)).toBeUndefined();
  });

  test("DEC-58, CTL-EXP-11: what fails for a moment stays in progress, and is tried again", async () => {
    await provision("shaky", { storageClassName: "thin" });
    world.fail("ControllerExpandVolume", "UNAVAILABLE");
    await ask("shaky", "2Gi");
    const trying = await world.once(at("shaky"), (found) => resize(found) === "ControllerResizeInProgress");
    expect(conditions(trying)).toContain("Resizing");
    await world.event("default", "shaky", "VolumeResizeFailed");
    expect(resize(await world.get(at("shaky")))).toBe("ControllerResizeInProgress");
    world.fail("ControllerExpandVolume", undefined);
    await world.once(at("shaky"), ({ status }) => status.capacity.storage === "2Gi");
  });

  test("DEC-58, CTL-EXP-10: what the node refuses is asked for again, and grows", async ({ task }) => {
    // Run once more it needs a claim of its own.
    const name = `noderefuses${task.result?.retryCount ?? 0}`;
    await provision(name);
    await ask(name, "2Gi");
    await world.once(at(name), (found) => resize(found) === "NodeResizePending");
    await world.merge(`${at(name)}/status`, {
      status: { allocatedResourceStatuses: { storage: "NodeResizeInfeasible" } },
    });
    await ask(name, "3Gi");
    const again = await world.once(at(name), (found) => resize(found) === "NodeResizePending");
    expect(again.status.allocatedResources.storage).toMatch(/^[23]Gi$/);
  });

  describe("attributes", () => {
    const modify = (name: string, volumeAttributesClassName: string | null): Promise<Found> =>
      world.merge(at(name), { spec: { volumeAttributesClassName } });
    const isOfClass =
      (name: string) =>
      ({ status }: Found): boolean =>
        status.currentVolumeAttributesClassName === name && status.modifyVolumeStatus === undefined;
    const modifying =
      (status: string) =>
      (found: Found): boolean =>
        found.status.modifyVolumeStatus?.status === status;

    beforeAll(async () => {
      for (const name of ["silver", "gold", "lead"]) {
        // oxlint-disable-next-line no-await-in-loop -- few
        await world.create(ATTRIBUTES, { metadata: { name }, driverName: DRIVER, parameters: { metal: name } });
      }
    });

    test("PVC-12, CTL-BIND-16: a claim with a class is made with its parameters", async () => {
      const [claim, volume] = await provision("plated", { volumeAttributesClassName: "silver" });
      expect(world.calls("CreateVolume").at(-1).mutable_parameters).toEqual({ metal: "silver" });
      expect(volume.spec.volumeAttributesClassName).toBe("silver");
      expect(claim.status.currentVolumeAttributesClassName).toBe("silver");
    });

    test("PVC-15: a claim without a class, or with an empty one, is not modified", async () => {
      const asked = world.calls("ControllerModifyVolume").length;
      await provision("plain");
      await provision("empty", { volumeAttributesClassName: "" });
      await ask("plain", "2Gi");
      await world.once(at("plain"), (found) => resize(found) === "NodeResizePending");
      expect(world.calls("ControllerModifyVolume")).toHaveLength(asked);
      expect((await world.get(at("plain"))).status.modifyVolumeStatus).toBeUndefined();
    });

    test("VAC-5, VAC-10, PVC-48, CTL-MOD-1, CTL-MOD-2, CTL-OUT-9: a claim that names another class has its volume modified in place", async () => {
      await modify("plated", "gold");
      const claim = await world.once(at("plated"), isOfClass("gold"));
      const { volume_id, mutable_parameters } = world.calls("ControllerModifyVolume").at(-1);
      expect(mutable_parameters).toEqual({ metal: "gold" });
      const volume = await world.get(`${VOLUMES}/${claim.spec.volumeName}`);
      expect(volume.spec).toMatchObject({ volumeAttributesClassName: "gold", csi: { volumeHandle: volume_id } });
      expect(claim.status.phase).toBe("Bound");
      await world.event("default", "plated", "VolumeModifySuccessful");
    });

    test("PVC-16, MVS-1, AMB-24, DEC-59: a class that is not there is waited for, and the claim stays Bound", async () => {
      await modify("plated", "tin");
      const waiting = await world.once(at("plated"), modifying("Pending"));
      expect(waiting.status).toMatchObject({
        phase: "Bound",
        currentVolumeAttributesClassName: "gold",
      });
      await world.create(ATTRIBUTES, { metadata: { name: "tin" }, driverName: DRIVER, parameters: { metal: "tin" } });
      // This resizer looks again when it starts.
      resizer.kill("SIGKILL");
      resizer = world.sidecar("resizer");
      await world.once(at("plated"), isOfClass("tin"));
    });

    test("MVS-2, PVC-48, DEC-59: while the driver fails for a moment it is in progress, and the old class is the current one", async () => {
      world.fail("ControllerModifyVolume", "UNAVAILABLE");
      await modify("plated", "gold");
      const trying = await world.once(at("plated"), modifying("InProgress"));
      expect(trying.status.currentVolumeAttributesClassName).toBe("tin");
      expect(conditions(trying)).toContain("ModifyingVolume");
      world.fail("ControllerModifyVolume", undefined);
      await world.once(at("plated"), isOfClass("gold"));
    });

    test("VAC-11, MVS-3, MVS-4, DEC-59: what the driver refuses is infeasible, until another class is named", async () => {
      world.fail("ControllerModifyVolume", "INVALID_ARGUMENT");
      await modify("plated", "lead");
      const refused = await world.once(at("plated"), modifying("Infeasible"));
      expect(refused.status.currentVolumeAttributesClassName).toBe("gold");
      await world.event("default", "plated", "VolumeModifyFailed");
      world.fail("ControllerModifyVolume", undefined);
      await modify("plated", "silver");
      await world.once(at("plated"), isOfClass("silver"));
    });

    test("MVS-4: naming the class that it had takes it back", async () => {
      world.fail("ControllerModifyVolume", "INVALID_ARGUMENT");
      await modify("plated", "lead");
      await world.once(at("plated"), modifying("Infeasible"));
      world.fail("ControllerModifyVolume", undefined);
      await modify("plated", "silver");
      await world.once(at("plated"), isOfClass("silver"));
      expect(world.calls("ControllerModifyVolume").at(-1).mutable_parameters).toEqual({ metal: "silver" });
    });

    test("CTL-VACP-2, CTL-VACP-3: a class that is deleted stays until no claim and no volume has it", async () => {
      await world.delete(`${ATTRIBUTES}/silver`);
      expect((await world.get(`${ATTRIBUTES}/silver`)).metadata.deletionTimestamp).toBeDefined();
      await modify("plated", "gold");
      await world.gone(`${ATTRIBUTES}/silver`);
    });
  });

  test("CTL-GEN-1, CTL-OUT-4: an attacher that is killed in the middle goes on when it is back", async () => {
    const [claim] = await provision("interrupted");
    const { volumeName } = claim.spec;
    world.fail("ControllerPublishVolume", "INTERNAL");
    await makePod("interrupted", "interrupted", "two");
    await attachment(volumeName, "two", ({ status }) => status?.attachError !== undefined);
    attacher.kill("SIGKILL");
    world.fail("ControllerPublishVolume", undefined);
    await deletePod("interrupted");
    const left = await attachment(volumeName, "two", ({ metadata }) => metadata.deletionTimestamp !== undefined);
    expect(left.metadata.finalizers).toEqual([ATTACHED]);
    await makePod("again", "interrupted", "two");
    attacher = world.sidecar("attacher");
    await attachment(volumeName, "two", (found) => isAttached(found) && found.metadata.uid !== left.metadata.uid);
    await deletePod("again");
    await world.once(ATTACHMENTS, ({ items }) => items.length === 0);
  });

  test("CTL-NS-3, CTL-RECLAIM-22, CTL-EPH-6: a namespace goes with Pods and claims, and their disks do", async () => {
    await world.create("/api/v1/namespaces", { metadata: { name: "leaving" } });
    const [claim, volume] = await provision("inside", {}, "leaving");
    const volumeClaimTemplate = { spec: (claimOf("", {}) as { spec: object }).spec };
    await world.create(podsOf("leaving"), {
      metadata: { name: "pod" },
      spec: {
        nodeName: "one",
        terminationGracePeriodSeconds: 0,
        containers: [{ name: "c", image: "i" }],
        volumes: [
          { name: "v", persistentVolumeClaim: { claimName: "inside" } },
          { name: "scratch", ephemeral: { volumeClaimTemplate } },
        ],
      },
    });
    await attachment(claim.spec.volumeName, "one");
    const scratch = await world.once(`${claimsOf("leaving")}/pod-scratch`, isBound);
    await attachment(scratch.spec.volumeName, "one");
    await world.delete("/api/v1/namespaces/leaving");
    await world.gone("/api/v1/namespaces/leaving");
    await world.gone(`${VOLUMES}/${volume.metadata.name}`);
    await world.gone(`${VOLUMES}/${scratch.spec.volumeName}`);
    const handles = world.calls("DeleteVolume").map(({ volume_id }) => volume_id);
    expect(handles).toContain(volume.spec.csi.volumeHandle);
  });
});

describe.skipIf(bin === undefined || !canBeElsewhere)("sidecars that elect a leader", { timeout: 120_000 }, () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start(bin!);
  });
  afterAll(() => world?.stop());

  test("CTL-OUT-8: when the leader is killed the other one goes on", async () => {
    await world.create("/apis/storage.k8s.io/v1/csidrivers", { metadata: { name: DRIVER }, spec: {} });
    await world.create(CLASSES, { metadata: { name: "immediate" }, provisioner: DRIVER });
    const claim = (name: string): object => ({
      metadata: { name },
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "immediate",
        resources: { requests: { storage: "1Gi" } },
      },
    });
    const lease = `/apis/coordination.k8s.io/v1/namespaces/default/leases/${DRIVER.replaceAll(".", "-")}`;
    const node = { metadata: { name: "one", labels: { [PLACE]: "one" } } };
    await world.create(NODES, node);
    const drivers = [{ name: DRIVER, nodeID: "one", topologyKeys: [PLACE] }];
    await world.create("/apis/storage.k8s.io/v1/csinodes", { metadata: { name: "one" }, spec: { drivers } });
    const first = world.sidecar("provisioner", { electsOn: "host-a" });
    await world.once(lease, ({ spec }) => spec.holderIdentity === "host-a");
    world.sidecar("provisioner", { electsOn: "host-b" });
    await world.create(CLAIMS, claim("before"));
    await world.once(at("before"), isBound);
    first.kill("SIGKILL");
    await world.create(CLAIMS, claim("after"));
    await world.once(at("after"), isBound);
    expect((await world.get(lease)).spec).toMatchObject({ holderIdentity: "host-b", leaseTransitions: 1 });
    expect(world.calls("CreateVolume")).toHaveLength(2);
  });
});
