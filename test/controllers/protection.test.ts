import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject, Transport } from "../../src/client/index.ts";
import { PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttributesClass } from "../../src/client/kinds/index.ts";
import {
  attributesClassProtection,
  claimProtection,
  volumeProtection,
} from "../../src/controllers/storage/protection.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import type { Manager } from "../../src/runtime/index.ts";
import { World } from "../runtime/world.ts";

let world: World;
let manager: Manager;
beforeEach(async () => {
  world = await World.create();
  manager = await world.run(
    claimProtection(kubernetes),
    volumeProtection(kubernetes),
    attributesClassProtection(kubernetes),
  );
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  if (world.warnings.length > 0) throw new Error(world.warnings.join("\n"));
});

const at = (name: string) => ({ name, namespace: "default" });
const claims = () => world.resource(PersistentVolumeClaim);
const findClaim = () => claims().find(at("data"));
const makeClaim = (more: object = {}, metadata: object = {}) => {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...more };
  return claims().create({ metadata: { ...at("data"), ...metadata }, spec } as NewObject<PersistentVolumeClaim>);
};
const makePod = (nodeName?: string, volume: object = { persistentVolumeClaim: { claimName: "data" } }) =>
  world.resource(Pod).create({
    metadata: at("web"),
    spec: { nodeName, containers: [{ name: "c", image: "i" }], volumes: [{ name: "v", ...volume }] },
  } as NewObject<Pod>);

describe("claims", () => {
  test("CTL-PVCP-1: the finalizer that a user took off comes back", async () => {
    await makeClaim();
    await claims().patch(at("data"), { metadata: { finalizers: null } });
    await world.settled();
    expect((await findClaim())?.metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
  });

  test("CTL-PVCP-2, CTL-PVCP-4: a claim that a pod on a node uses stays until the pod is gone, finished or not", async () => {
    await makeClaim();
    await makePod("n1");
    await claims().delete(at("data"));
    await world.settled();
    expect((await findClaim())?.metadata.deletionTimestamp).toBeDefined();
    await world.resource(Pod).status.patch(at("web"), { status: { phase: "Succeeded" } });
    await world.settled();
    expect(await findClaim()).toBeDefined();
    await world.resource(Pod).delete(at("web"), { gracePeriodSeconds: 0 });
    await world.settled();
    const isThere = (await world.resource(Pod).find(at("web"))) !== undefined;
    expect((await findClaim()) !== undefined).toBe(isThere);
  });

  test("CTL-PVCP-3: a pod without a node does not count", async () => {
    await makeClaim();
    await makePod();
    await claims().delete(at("data"));
    await world.settled();
    expect(await findClaim()).toBeUndefined();
  });

  test("CTL-PVCP-6: a pod that was made just before the delete counts, although memory does not show it", async () => {
    const late =
      (transport: Transport): Transport =>
      async (request) => {
        // The first list is that of memory.
        const isAsked = request.method === "GET" && request.path.startsWith("/api/v1/namespaces/default/pods");
        if (isAsked && !(await world.resource(Pod).find(at("web")))) await makePod("n1");
        return transport(request);
      };
    await makeClaim();
    await world.settled();
    await manager.stop({ grace: 0 });
    const client = world.cluster.client("manager").with({ through: late });
    await world.manager({ client }).add(claimProtection(kubernetes)).start();
    await world.settled();
    await claims().delete(at("data"));
    await world.settled();
    expect(await world.resource(Pod).find(at("web"))).toBeDefined();
    expect((await findClaim())?.metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
  });

  test("CTL-PVCP-5: another finalizer holds the claim after this one is off, and this one does not come back", async () => {
    await makeClaim({}, { finalizers: ["example.com/mine"] });
    await claims().delete(at("data"));
    await world.settled();
    expect((await findClaim())?.metadata.finalizers).toEqual(["example.com/mine"]);
    await makePod("n1");
    await world.settled();
    expect((await findClaim())?.metadata.finalizers).toEqual(["example.com/mine"]);
  });

  test("CTL-PVCP-2: the claim of an ephemeral volume is kept by its own pod, and by no pod that only has the name", async () => {
    const template = { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } };
    const pod = await makePod("n1", { ephemeral: { volumeClaimTemplate: template } });
    const owner = { apiVersion: "v1", kind: "Pod", name: "web", uid: pod.metadata.uid, controller: true };
    const own = { name: "web-v", ownerReferences: [owner] };
    await makeClaim({}, own);
    await claims().delete(at("web-v"));
    await world.settled();
    expect((await claims().find(at("web-v")))?.metadata.deletionTimestamp).toBeDefined();
    await claims().patch(at("web-v"), { metadata: { ownerReferences: null } });
    await world.settled();
    expect(await claims().find(at("web-v"))).toBeUndefined();
  });
});

describe("volumes", () => {
  const volumes = () => world.resource(PersistentVolume);
  const make = () =>
    volumes().create({
      metadata: { name: "pv" },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        hostPath: { path: "/tmp/x" },
        persistentVolumeReclaimPolicy: "Retain",
      },
    } as NewObject<PersistentVolume>);

  test("CTL-PVP-1: the finalizer that a user took off comes back", async () => {
    await make();
    await volumes().patch({ name: "pv" }, { metadata: { finalizers: null } });
    await world.settled();
    expect((await volumes().get({ name: "pv" })).metadata.finalizers).toEqual(["kubernetes.io/pv-protection"]);
  });

  test("CTL-PVP-2: one that is bound stays until it is not, any other goes at once", async () => {
    await make();
    await volumes().status.patch({ name: "pv" }, { status: { phase: "Bound" } });
    await volumes().delete({ name: "pv" });
    await world.settled();
    expect((await volumes().get({ name: "pv" })).metadata.deletionTimestamp).toBeDefined();
    await volumes().status.patch({ name: "pv" }, { status: { phase: "Released" } });
    await world.settled();
    expect(await volumes().find({ name: "pv" })).toBeUndefined();
  });
});

describe("attributes classes", () => {
  const classes = () => world.resource(VolumeAttributesClass);
  const find = () => classes().find({ name: "gold" });
  const make = () =>
    classes().create({ metadata: { name: "gold" }, driverName: "d.example.com", parameters: { a: "b" } });

  test("CTL-VACP-1: it has the finalizer, and gets it back", async () => {
    await make();
    await classes().patch({ name: "gold" }, { metadata: { finalizers: null } });
    await world.settled();
    expect((await find())?.metadata.finalizers).toEqual(["kubernetes.io/vac-protection"]);
  });

  test("CTL-VACP-2, CTL-VACP-3: one that a claim names, has or is changed to stays until the last of these is gone", async () => {
    await make();
    await makeClaim({ volumeAttributesClassName: "gold" });
    await claims().status.patch(at("data"), { status: { phase: "Bound", currentVolumeAttributesClassName: "gold" } });
    await classes().delete({ name: "gold" });
    await claims().patch(at("data"), { spec: { volumeAttributesClassName: "silver" } });
    await world.settled();
    expect((await find())?.metadata.deletionTimestamp).toBeDefined();
    const modifyVolumeStatus = { targetVolumeAttributesClassName: "gold", status: "Pending" };
    await claims().status.patch(at("data"), {
      status: { currentVolumeAttributesClassName: "silver", modifyVolumeStatus },
    });
    await world.settled();
    expect(await find()).toBeDefined();
    await claims().status.patch(at("data"), { status: { modifyVolumeStatus: null } });
    await world.settled();
    expect(await find()).toBeUndefined();
  });
});
