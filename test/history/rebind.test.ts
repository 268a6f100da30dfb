/** `keelson rebind`: a volume whose claim has gone is given to another one, beside the controllers of a server. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { rebind } from "../../src/cli/rebind-run.ts";
import type { NewObject } from "../../src/client/index.ts";
import { Namespace, PersistentVolume, PersistentVolumeClaim } from "../../src/client/kinds/index.ts";
import { type Cluster, conflict, createCluster } from "../../src/testing/index.ts";

let cluster: Cluster;
beforeEach(async () => {
  cluster = await createCluster({ controllers: "all" });
  await cluster
    .client("test")
    .resource(Namespace)
    .create({ metadata: { name: "team" } });
});
afterEach(() => cluster[Symbol.asyncDispose]());

const claims = () => cluster.client("test").resource(PersistentVolumeClaim);
const volumes = () => cluster.client("test").resource(PersistentVolume);
const volume = () => volumes().get({ name: "pv" });
const OLD = { namespace: "default", name: "old" };
const NEW = { namespace: "team", name: "new" };

const makeClaim = async (key: typeof OLD, spec: object = {}) => {
  await claims().create({
    metadata: key,
    spec: {
      storageClassName: "c",
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      ...spec,
    },
  } as NewObject<PersistentVolumeClaim>);
  await cluster.settled();
};
const makeVolume = async (name = "pv", spec: object = {}) => {
  await volumes().create({
    metadata: { name },
    spec: {
      storageClassName: "c",
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: "Retain",
      csi: { driver: "d.example.com", volumeHandle: name },
      ...spec,
    },
  } as NewObject<PersistentVolume>);
  await cluster.settled();
};
/** A volume whose claim has gone. */
async function released(): Promise<void> {
  await makeVolume();
  await makeClaim(OLD);
  await claims().delete(OLD);
  await cluster.settled();
  expect((await volume()).status.phase).toBe("Released");
}
const give = async (claim = "team/new", dryRun = false, client = cluster.client("keelson-cli")) => {
  const done = await rebind({ client, namespace: "default" }, { volume: "pv", claim, dryRun });
  await cluster.settled();
  return done;
};
const phases = async () => [(await claims().find(NEW))?.status.phase, (await volume()).status.phase];

describe("a volume whose claim has gone", () => {
  test("is bound to a claim of another namespace that waits", async () => {
    await released();
    await makeClaim(NEW, { storageClassName: "other" });
    expect(await phases()).toEqual(["Pending", "Released"]);
    expect((await give()).before).toBe("default/old");
    expect(await phases()).toEqual(["Bound", "Bound"]);
    const { spec, metadata } = await volume();
    expect(spec.claimRef).toMatchObject({ ...NEW, uid: (await claims().get(NEW)).metadata.uid });
    expect(metadata.annotations ?? {}).not.toHaveProperty(["pv.kubernetes.io/bound-by-controller"]);
    // Again is no change.
    const { resourceVersion } = metadata;
    await give();
    expect((await volume()).metadata.resourceVersion).toBe(resourceVersion);
  });

  test("is reserved for a claim that comes later, and no other of its class has it", async () => {
    await released();
    expect((await give("new", false)).claim).toBeUndefined();
    expect((await volume()).spec.claimRef).toMatchObject({ namespace: "default", name: "new" });
    await give();
    expect((await volume()).status.phase).toBe("Available");
    await makeClaim({ namespace: "default", name: "new" });
    expect((await volume()).status.phase).toBe("Available");
    await makeClaim(NEW);
    expect(await phases()).toEqual(["Bound", "Bound"]);
  });

  test("is given back to a claim of the same name that was made again", async () => {
    await released();
    await makeClaim(OLD);
    expect((await volume()).status.phase).toBe("Released");
    await give("default/old");
    expect([(await claims().get(OLD)).status.phase, (await volume()).status.phase]).toEqual(["Bound", "Bound"]);
  });

  test("is not written with dryRun", async () => {
    await released();
    const before = (await volume()).spec.claimRef;
    expect((await give("team/new", true)).volume.spec.claimRef).toMatchObject(NEW);
    expect((await volume()).spec.claimRef).toEqual(before);
  });

  test("is written again after a conflict", async () => {
    await released();
    await makeClaim(NEW);
    using refused = cluster.faults.next({ verb: "update", kind: PersistentVolume }, conflict(), 2);
    await give("team/new", false, cluster.as({ user: "me", groups: ["system:masters"] }));
    expect(refused.hits).toBe(2);
    expect(await phases()).toEqual(["Bound", "Bound"]);
  });
});

describe("nothing is written, and it is said why,", () => {
  test.each<[string, () => Promise<unknown>, string, RegExp]>([
    ["when there is no such volume", async () => {}, "team/new", /persistentvolume\/pv does not exist/],
    [
      "when its claim is there",
      () => makeVolume().then(() => makeClaim(OLD)),
      "team/new",
      /belongs to the claim default\/old, which exists/,
    ],
    [
      "when it is being deleted",
      async () => {
        await makeVolume();
        await volumes().patch({ name: "pv" }, { metadata: { finalizers: ["example.com/guard"] } });
        await volumes().delete({ name: "pv" });
      },
      "team/new",
      /is being deleted/,
    ],
    [
      "when the claim has another one",
      async () => {
        await released();
        await makeVolume("pv-2");
        await makeClaim(NEW);
      },
      "team/new",
      /it has the volume pv-2/,
    ],
    [
      "when it is too small and of another mode",
      async () => {
        await released();
        await makeClaim(NEW, { resources: { requests: { storage: "2Gi" } }, volumeMode: "Block" });
      },
      "team/new",
      /does not fit the claim team\/new: expected at least 2Gi, it has 1Gi; expected volumeMode "Block"/,
    ],
    ["when the claim is no name", released, "a/b/c", /expected a claim as NAMESPACE\/NAME, got a\/b\/c/],
  ])("%s", async (_, prepare, claim, message) => {
    await prepare();
    await cluster.settled();
    const before = (await volumes().find({ name: "pv" }))?.metadata.resourceVersion;
    await expect(give(claim)).rejects.toThrow(message);
    expect((await volumes().find({ name: "pv" }))?.metadata.resourceVersion).toBe(before);
  });
});
