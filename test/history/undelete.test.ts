/** `keelson undelete` beside controllers: claims and volumes come back as pairs, and what meets a conflict is tried again. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resolveObject } from "../../src/cli/object-history.ts";
import { undelete } from "../../src/client/objects/undelete.ts";
import type { NewObject, Transport } from "../../src/client/index.ts";
import { ConfigMap, PersistentVolume, PersistentVolumeClaim, VolumeAttachment } from "../../src/client/kinds/index.ts";
import { type Cluster, conflict, createCluster } from "../../src/testing/index.ts";

let cluster: Cluster;
beforeEach(async () => {
  cluster = await createCluster({ controllers: "all" });
});
afterEach(() => cluster[Symbol.asyncDispose]());

const KEY = { name: "data", namespace: "default" };
const claims = () => cluster.client("test").resource(PersistentVolumeClaim);
const volumes = () => cluster.client("test").resource(PersistentVolume);
const DRIVER = "external-provisioner.volume.kubernetes.io/finalizer";

const back = async (kind: string, name: string, dryRun = false, client = cluster.client("keelson-cli")) => {
  const ref = await resolveObject({ client, namespace: "default" }, kind, name);
  const { now, losses } = await undelete(ref, { fieldManager: "keelson", dryRun });
  if (!dryRun) await cluster.settled();
  return { uid: now.metadata.uid, losses: losses.map(({ what, why }) => `${what}: ${why}`) };
};

/** A claim and the volume that a driver made for it, both Bound. */
async function pair(policy = "Retain"): Promise<void> {
  const { metadata } = await claims().create({
    metadata: KEY,
    spec: { storageClassName: "c", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  } as NewObject<PersistentVolumeClaim>);
  await volumes().create({
    metadata: {
      name: "pv",
      annotations: { "pv.kubernetes.io/provisioned-by": "d.example.com" },
      finalizers: [DRIVER],
    },
    spec: {
      storageClassName: "c",
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: policy,
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", ...KEY, uid: metadata.uid },
      csi: { driver: "d.example.com", volumeHandle: "h" },
    },
  } as NewObject<PersistentVolume>);
  await cluster.settled();
  expect(await phases()).toEqual(["Bound", "Bound"]);
}

const phases = async () => [
  (await claims().find(KEY))?.status.phase,
  (await volumes().find({ name: "pv" }))?.status.phase,
];
const claimRef = async () => (await volumes().get({ name: "pv" })).spec.claimRef;

async function dropClaim(): Promise<void> {
  await claims().delete(KEY);
  await cluster.settled();
  expect(await claims().find(KEY)).toBeUndefined();
}

/** The volume object goes, its disk stays. */
async function dropVolume(): Promise<void> {
  await volumes().delete({ name: "pv" });
  await volumes().patch({ name: "pv" }, { metadata: { finalizers: null } });
  await cluster.settled();
  expect(await volumes().find({ name: "pv" })).toBeUndefined();
}

/** What is said of every object. */
const IDENTITY = [/^metadata\.uid/, /^metadata\.resourceVersion/, /^metadata\.creationTimestamp/];
const besides = (losses: readonly string[]): readonly string[] =>
  losses.filter((loss) => !IDENTITY.some((one) => one.test(loss)));

describe("a claim that is undeleted", () => {
  test.each(["Retain", "Delete"])("is bound to its volume with policy %s, which is not deleted yet", async (policy) => {
    await pair(policy);
    const before = await claims().get(KEY);
    await dropClaim();
    expect(await phases()).toEqual([undefined, "Released"]);
    const { uid, losses } = await back("pvc", "data");
    expect(besides(losses)).toEqual([]);
    expect(await phases()).toEqual(["Bound", "Bound"]);
    expect(await claimRef()).toMatchObject({ ...KEY, uid });
    const { metadata, status } = await claims().get(KEY);
    expect([metadata.annotations, status]).toEqual([before.metadata.annotations, before.status]);
  });

  test("is bound again however often it was deleted", async () => {
    await pair();
    for (let i = 0; i < 3; i++) {
      await dropClaim();
      await back("pvc", "data");
      expect(await phases()).toEqual(["Bound", "Bound"]);
    }
  });

  test("has its marks, its status and its volume again where no controllers run", async () => {
    await using bare = await createCluster({ controllers: "none" });
    const client = bare.client("test");
    const annotations = { "pv.kubernetes.io/bind-completed": "yes", mine: "too" };
    const own = client.resource(PersistentVolumeClaim);
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, volumeName: "pv" };
    const { metadata } = await own.create({ metadata: { ...KEY, annotations, finalizers: [] }, spec } as never);
    await own.status.patch(KEY, { status: { phase: "Bound", capacity: { storage: "1Gi" } } });
    await client.resource(PersistentVolume).create({
      metadata: { name: "pv" },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        claimRef: { ...KEY, uid: metadata.uid },
        hostPath: { path: "/data" },
      },
    } as NewObject<PersistentVolume>);
    const before = await own.get(KEY);
    await own.patch(KEY, { metadata: { finalizers: null } });
    await own.delete(KEY);
    const object = await resolveObject({ client, namespace: "default" }, "pvc", "data");
    const { now } = await undelete(object, { fieldManager: "keelson" });
    expect(now).toMatchObject({ metadata: { annotations }, status: before.status });
    expect(now.metadata.managedFields).toEqual(before.metadata.managedFields);
    const { claimRef: ref } = (await client.resource(PersistentVolume).get({ name: "pv" })).spec;
    expect(ref?.uid).toBe(now.metadata.uid);
  });

  test("is Lost where its volume is gone, and Bound once that is undeleted", async () => {
    await pair();
    await dropClaim();
    await dropVolume();
    const { uid, losses } = await back("pvc", "data");
    expect(besides(losses)).toEqual([expect.stringMatching(/^binding: its volume pv does not exist.*undelete pv pv/)]);
    expect(await phases()).toEqual(["Lost", undefined]);
    expect(besides((await back("pv", "pv")).losses)).toEqual([]);
    expect(await phases()).toEqual(["Bound", "Bound"]);
    expect(await claimRef()).toMatchObject({ uid });
  });

  test("comes back without a volume that another claim has, or that is being deleted, and says so", async () => {
    await pair();
    await dropClaim();
    await volumes().patch({ name: "pv" }, { spec: { claimRef: { name: "other", uid: null } } });
    await cluster.settled();
    expect(besides((await back("pvc", "data", true)).losses)).toEqual([
      "binding: its volume pv belongs to the claim default/other now",
    ]);
    await volumes().delete({ name: "pv" });
    expect(besides((await back("pvc", "data")).losses)).toEqual(["binding: its volume pv is being deleted"]);
    expect((await claims().get(KEY)).status.phase).toBe("Lost");
    expect((await claimRef())?.name).toBe("other");
  });

  test("is only looked at with dryRun: its volume stays as it is", async () => {
    await pair();
    await dropClaim();
    const before = await claimRef();
    expect(besides((await back("pvc", "data", true)).losses)).toEqual([]);
    expect([await claimRef(), await claims().find(KEY)]).toEqual([before, undefined]);
  });
});

describe("a volume that is undeleted", () => {
  test("is bound again to its claim, which was Lost", async () => {
    await pair();
    await dropVolume();
    expect(await phases()).toEqual(["Lost", undefined]);
    expect(besides((await back("pv", "pv")).losses)).toEqual([]);
    expect(await phases()).toEqual(["Bound", "Bound"]);
  });

  test("is bound to a claim that was made again since", async () => {
    await pair();
    await dropVolume();
    await dropClaim();
    const { uid } = await back("pvc", "data");
    expect(await phases()).toEqual(["Lost", undefined]);
    await back("pv", "pv");
    expect(await phases()).toEqual(["Bound", "Bound"]);
    expect(await claimRef()).toMatchObject({ uid });
  });

  test("is reserved for its claim while that is gone, in place of being deleted by its driver, and bound when it comes", async () => {
    await pair("Delete");
    await dropVolume();
    await dropClaim();
    expect(besides((await back("pv", "pv")).losses)).toEqual([
      expect.stringMatching(/^spec\.claimRef\.uid: .*the claim default\/data does not exist: .*reserved/),
    ]);
    expect(await phases()).toEqual([undefined, "Available"]);
    await back("pvc", "data");
    expect(await phases()).toEqual(["Bound", "Bound"]);
  });

  test("is reserved where its claim has another volume by now", async () => {
    await pair();
    const { uid } = (await claims().get(KEY)).metadata;
    await dropVolume();
    await dropClaim();
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, volumeName: "pv-2" };
    await claims().create({ metadata: KEY, spec } as NewObject<PersistentVolumeClaim>);
    expect(besides((await back("pv", "pv")).losses)).toEqual([
      `spec.claimRef.uid: was ${uid}; the claim default/data has the volume pv-2: the volume is reserved for a claim of that name`,
    ]);
    expect((await claimRef())?.uid).toBeUndefined();
  });

  test("that was Released is so again, and its disk may go when its policy is Delete", async () => {
    await pair("Delete");
    await dropClaim();
    const before = await claimRef();
    await dropVolume();
    expect(besides((await back("pv", "pv")).losses)).toEqual([expect.stringMatching(/^disk: .*policy is Delete/)]);
    expect([(await phases())[1], await claimRef()]).toEqual(["Released", before]);
  });
});

describe("what meets a conflict", () => {
  /** Faults meet it, which spare the test's own client. */
  const mine = () => cluster.as({ user: "me", groups: ["system:masters"] });

  /** Another client writes the ConfigMap before each of the first patches. */
  const overtaken =
    (times: number): ((transport: Transport) => Transport) =>
    (transport) => {
      let writes = 0;
      return async (request) => {
        if (request.method === "PATCH" && writes < times) {
          const labels = { [`label-${writes++}`]: "x" };
          const key = { name: "web", namespace: "default" };
          const configMaps = cluster.client("test").resource(ConfigMap);
          await configMaps.patch(key, { metadata: { labels } }, { fieldManager: "labeller" });
        }
        return transport(request);
      };
    };

  test("a status is written again, in the version that is there then", async () => {
    const attachments = () => cluster.client("test").resource(VolumeAttachment);
    await attachments().create({
      metadata: { name: "a" },
      spec: { attacher: "d", nodeName: "n", source: { persistentVolumeName: "pv" } },
    } as NewObject<VolumeAttachment>);
    await attachments().status.patch({ name: "a" }, { status: { attached: true } });
    await attachments().delete({ name: "a" });
    using refused = cluster.faults.next({ verb: "update", kind: VolumeAttachment }, conflict(), 3);
    expect(besides((await back("volumeattachment", "a", false, mine())).losses)).toEqual([]);
    expect(refused.hits).toBe(3);
    expect((await attachments().get({ name: "a" })).status?.attached).toBe(true);
  });

  test("owners get their fields again, and who has come to own some since keeps them", async () => {
    const configMaps = () => cluster.client("test").resource(ConfigMap);
    const key = { name: "web", namespace: "default" };
    await configMaps().create({ metadata: key, data: { a: "1" } } as NewObject<ConfigMap>, { fieldManager: "alice" });
    await configMaps().delete(key);
    const client = cluster.client("keelson-cli").with({ through: overtaken(2) });
    expect(besides((await back("cm", "web", false, client)).losses)).toEqual([]);
    const managers = (await configMaps().get(key)).metadata.managedFields!.map(({ manager }) => manager);
    expect(new Set(managers)).toEqual(new Set(["alice", "labeller"]));
  });

  test("that never ends is reported, and the object is back", async () => {
    const key = { name: "web", namespace: "default" };
    await cluster
      .client("test")
      .resource(ConfigMap)
      .create({ metadata: key, data: { a: "1" } } as NewObject<ConfigMap>);
    await cluster.client("test").resource(ConfigMap).delete(key);
    const client = cluster.client("keelson-cli").with({ through: overtaken(Infinity) });
    const { losses, uid } = await back("cm", "web", false, client);
    expect(losses.at(-1)).toMatch(/^metadata\.managedFields: Operation cannot be fulfilled/);
    expect((await cluster.client("test").resource(ConfigMap).get(key)).metadata.uid).toBe(uid);
  });
});
