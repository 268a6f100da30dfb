/**
 * Snapshots as the sidecars of Kubernetes make them (snapshot-controller and csi-snapshotter of external-snapshotter, with
 * external-provisioner), unmodified, with a driver: their kinds are custom resources of this server, from the definitions of
 * their module.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Found } from "./beside.ts";
import { built } from "./built.ts";
import { SIDECARS_SOURCE, defineSnapshots } from "./sidecars/programs.ts";
import { DRIVER, World } from "./sidecars/world.ts";

const bin = await built(SIDECARS_SOURCE);

const GROUP = "snapshot.storage.k8s.io";
const SNAPSHOTS = `/apis/${GROUP}/v1/namespaces/default/volumesnapshots`;
const CONTENTS = `/apis/${GROUP}/v1/volumesnapshotcontents`;
const SNAPSHOT_CLASSES = `/apis/${GROUP}/v1/volumesnapshotclasses`;
const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
const VOLUMES = "/api/v1/persistentvolumes";
const CLASSES = "/apis/storage.k8s.io/v1/storageclasses";
const PLACE = `topology.${DRIVER}/node`;

const isReady = ({ status }: Found): boolean => status?.readyToUse === true;
const isBound = ({ status }: Found): boolean => status.phase === "Bound";

describe.skipIf(bin === undefined)("SUP-13: sidecars of snapshots", { timeout: 120_000 }, () => {
  let world: World;

  const claim = async (name: string, spec: object = {}): Promise<Found> => {
    const resources = { requests: { storage: "1Gi" } };
    const common = { accessModes: ["ReadWriteOnce"], storageClassName: "immediate", resources };
    await world.create(CLAIMS, { metadata: { name }, spec: { ...common, ...spec } });
    return world.once(`${CLAIMS}/${name}`, isBound);
  };
  const volumeOf = ({ spec }: Found): Promise<Found> => world.get(`${VOLUMES}/${spec.volumeName}`);
  const makeSnapshot = (name: string, of: string, volumeSnapshotClassName?: string): Promise<Found> =>
    world.create(SNAPSHOTS, {
      apiVersion: `${GROUP}/v1`,
      kind: "VolumeSnapshot",
      metadata: { name },
      spec: { source: { persistentVolumeClaimName: of }, ...(volumeSnapshotClassName && { volumeSnapshotClassName }) },
    });
  const makeClass = (name: string, more: object, marks: object = {}): Promise<Found> =>
    world.create(SNAPSHOT_CLASSES, {
      apiVersion: `${GROUP}/v1`,
      kind: "VolumeSnapshotClass",
      metadata: { name, annotations: marks },
      driver: DRIVER,
      deletionPolicy: "Delete",
      ...more,
    });
  const from = (name: string): object => ({ dataSource: { apiGroup: GROUP, kind: "VolumeSnapshot", name } });

  beforeAll(async () => {
    world = await World.start(bin!);
    await defineSnapshots(world, bin!);
    await world.create("/api/v1/nodes", { metadata: { name: "one", labels: { [PLACE]: "one" } } });
    const drivers = [{ name: DRIVER, nodeID: "one", topologyKeys: [PLACE] }];
    await world.create("/apis/storage.k8s.io/v1/csinodes", { metadata: { name: "one" }, spec: { drivers } });
    await world.create("/apis/storage.k8s.io/v1/csidrivers", { metadata: { name: DRIVER }, spec: {} });
    await world.create(CLASSES, { metadata: { name: "immediate" }, provisioner: DRIVER });
    await makeClass("usual", {}, { "snapshot.storage.kubernetes.io/is-default-class": "true" });
    await makeClass("slow", { parameters: { ready: "later" } });
    await makeClass("kept", { deletionPolicy: "Retain" });
    for (const one of ["provisioner", "snapshotter", "snapshot-controller"] as const) world.sidecar(one);
  });
  afterAll(() => world?.stop());

  test("SUP-13: a snapshot of a claim is cut, bound to its content and ready", async () => {
    const original = await volumeOf(await claim("original"));
    await makeSnapshot("first", "original");
    const ready = await world.once(`${SNAPSHOTS}/first`, isReady);
    expect(ready.spec.volumeSnapshotClassName).toBe("usual");
    expect(ready.status.restoreSize).toBe("1Gi");
    const content = await world.get(`${CONTENTS}/${ready.status.boundVolumeSnapshotContentName}`);
    expect(content.spec.volumeSnapshotRef).toMatchObject({
      namespace: "default",
      name: "first",
      uid: ready.metadata.uid,
    });
    expect(content.spec.source).toEqual({ volumeHandle: original.spec.csi.volumeHandle });
    const [asked] = world.calls("CreateSnapshot");
    expect(asked.source_volume_id).toBe(original.spec.csi.volumeHandle);
    expect(asked.parameters).toMatchObject({ [`csi.storage.k8s.io/volumesnapshot/name`]: "first" });
    expect((await world.event("default", "first", "SnapshotReady")).type).toBe("Normal");
  });

  test("PVC-7, PVC-26, SUP-13: a claim with a snapshot as its source has the content that the other one had", async () => {
    const original = await volumeOf(await world.get(`${CLAIMS}/original`));
    const restored = await claim("restored", from("first"));
    const volume = await volumeOf(restored);
    expect(volume.spec.csi.volumeHandle).not.toBe(original.spec.csi.volumeHandle);
    expect(volume.spec.csi.volumeAttributes.content).toBe(original.spec.csi.volumeAttributes.content);
    expect(restored.spec.dataSourceRef).toEqual({ apiGroup: GROUP, kind: "VolumeSnapshot", name: "first" });
    const { snapshot_id } = world.calls("CreateVolume").at(-1).volume_content_source.Type.Snapshot;
    expect(snapshot_id).toMatch(/^snap-snapshot-/);
  });

  test("PVC-7: a claim whose snapshot is not there waits until it is, and is filled from it", async () => {
    const spec = { accessModes: ["ReadWriteOnce"], storageClassName: "immediate" };
    const resources = { requests: { storage: "1Gi" } };
    await world.create(CLAIMS, { metadata: { name: "early" }, spec: { ...spec, resources, ...from("late") } });
    await world.event("default", "early", "ProvisioningFailed");
    expect((await world.get(`${CLAIMS}/early`)).status.phase).toBe("Pending");
    await makeSnapshot("late", "original", "slow");
    await world.once(`${CLAIMS}/early`, isBound);
    expect(isReady(await world.get(`${SNAPSHOTS}/late`))).toBe(true);
  });

  test("a snapshot that fails says why, and is cut when the driver is well", async () => {
    world.fail("CreateSnapshot", "INTERNAL");
    await makeSnapshot("stubborn", "original");
    const failed = await world.once(`${SNAPSHOTS}/stubborn`, ({ status }) => status?.error !== undefined);
    expect(failed.status.error.message).toContain("told to fail");
    expect(failed.status.readyToUse).toBe(false);
    world.fail("CreateSnapshot", undefined);
    const ready = await world.once(`${SNAPSHOTS}/stubborn`, isReady);
    expect(ready.status.error).toBeUndefined();
  });

  test("a snapshot that is deleted goes with its content and what the driver keeps", async () => {
    const { status } = await world.get(`${SNAPSHOTS}/stubborn`);
    const content = await world.get(`${CONTENTS}/${status.boundVolumeSnapshotContentName}`);
    await world.delete(`${SNAPSHOTS}/stubborn`);
    await world.gone(`${SNAPSHOTS}/stubborn`);
    await world.gone(`${CONTENTS}/${content.metadata.name}`);
    expect(world.calls("DeleteSnapshot").at(-1).snapshot_id).toBe(content.status.snapshotHandle);
  });

  test("a snapshot of a class that retains leaves its content, which another snapshot can be made of", async () => {
    await makeSnapshot("kept", "original", "kept");
    const ready = await world.once(`${SNAPSHOTS}/kept`, isReady);
    const asked = world.calls("DeleteSnapshot").length;
    await world.delete(`${SNAPSHOTS}/kept`);
    await world.gone(`${SNAPSHOTS}/kept`);
    const content = await world.get(`${CONTENTS}/${ready.status.boundVolumeSnapshotContentName}`);
    expect(content.spec.deletionPolicy).toBe("Retain");
    expect(world.calls("DeleteSnapshot")).toHaveLength(asked);
    const { snapshotHandle } = content.status;
    await world.create(CONTENTS, {
      apiVersion: `${GROUP}/v1`,
      kind: "VolumeSnapshotContent",
      metadata: { name: "found" },
      spec: {
        driver: DRIVER,
        deletionPolicy: "Retain",
        source: { snapshotHandle },
        volumeSnapshotRef: { namespace: "default", name: "again" },
      },
    });
    await world.create(SNAPSHOTS, {
      apiVersion: `${GROUP}/v1`,
      kind: "VolumeSnapshot",
      metadata: { name: "again" },
      spec: { source: { volumeSnapshotContentName: "found" } },
    });
    await world.once(`${SNAPSHOTS}/again`, isReady);
    await claim("from-found", from("again"));
    expect(world.calls("CreateVolume").at(-1).volume_content_source.Type.Snapshot.snapshot_id).toBe(snapshotHandle);
  });

  test("what a snapshot may not be the definitions of the module refuse", async () => {
    const refused = world.create(SNAPSHOTS, {
      apiVersion: `${GROUP}/v1`,
      kind: "VolumeSnapshot",
      metadata: { name: "both" },
      spec: { source: { persistentVolumeClaimName: "original", volumeSnapshotContentName: "found" } },
    });
    await expect(refused).rejects.toThrow("422");
    const changed = world.merge(`${SNAPSHOTS}/first`, { spec: { source: { persistentVolumeClaimName: "restored" } } });
    await expect(changed).rejects.toThrow("immutable");
  });

  test("a claim that is the source of a snapshot is held while that is cut", async () => {
    await claim("source");
    world.fail("CreateSnapshot", "UNAVAILABLE");
    await makeSnapshot("cutting", "source");
    await world.once(`${CLAIMS}/source`, ({ metadata }) =>
      metadata.finalizers.includes("snapshot.storage.kubernetes.io/pvc-as-source-protection"),
    );
    await world.delete(`${CLAIMS}/source`);
    expect((await world.get(`${CLAIMS}/source`)).metadata.deletionTimestamp).toBeDefined();
    world.fail("CreateSnapshot", undefined);
    await world.once(`${SNAPSHOTS}/cutting`, isReady);
    await world.gone(`${CLAIMS}/source`);
  });
});
