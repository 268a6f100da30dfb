import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import {
  ConfigMap,
  CoreEvent,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
} from "../../src/client/kinds/index.ts";
import { builtInControllers } from "../../src/controllers/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { World } from "../runtime/world.ts";

let world: World;
beforeEach(async () => {
  world = await World.create();
  const { usual } = builtInControllers({ dialect: kubernetes, eventTtlMillis: 3_600_000, caCertificate: "" });
  await world.run(...usual);
});
afterEach(() => world[Symbol.asyncDispose]());

const at = (name: string) => ({ name, namespace: "default" });
const claims = () => world.resource(PersistentVolumeClaim);
const volumes = () => world.resource(PersistentVolume);
const makeClaim = (name: string, spec: object = {}) =>
  claims().create({
    metadata: at(name),
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "2Gi" } },
      storageClassName: "c",
      ...spec,
    },
  } as NewObject<PersistentVolumeClaim>);
const makeVolume = (name: string, spec: object = {}) =>
  volumes().create({
    metadata: { name },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      storageClassName: "c",
      hostPath: { path: "/data" },
      ...spec,
    },
  } as NewObject<PersistentVolume>);
const makeClass = (more: object = {}) =>
  world.resource(StorageClass).create({ metadata: { name: "c" }, provisioner: "p.example.com", ...more } as never);
const makePod = (nodeName?: string) =>
  world.resource(Pod).create({
    metadata: at("web"),
    spec: {
      nodeName,
      containers: [{ name: "c", image: "i" }],
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
    },
  } as NewObject<Pod>);
const whyClaim = async (query = {}) => {
  await world.settled();
  return claims().why(at("data"), query);
};

describe("a claim that waits", () => {
  test("lists every volume and what it lacks, those of its class first, and that its class does not exist", async () => {
    await makeVolume("other", { storageClassName: "d" });
    await makeVolume("small");
    await makeVolume("block", { volumeMode: "Block", capacity: { storage: "2Gi" } });
    await makeClaim("data");
    expect(await whyClaim()).toMatchObject({
      kind: "Why",
      phase: "Pending",
      isTerminating: false,
      reasons: [{ says: 'storageclass.storage.k8s.io "c" not found', who: expect.stringContaining("StorageClass") }],
      considered: [
        { volume: "block", lacks: ['expected volumeMode "Filesystem", it has "Block"'] },
        { volume: "small", lacks: ["expected at least 2Gi, it has 1Gi"] },
        {
          volume: "other",
          lacks: ["expected at least 2Gi, it has 1Gi", 'expected storageClassName "c", it has "d"'],
        },
      ],
      leftOut: 0,
    });
    expect(await whyClaim({ limit: 1 })).toMatchObject({ considered: [{ volume: "block" }], leftOut: 2 });
  });

  test("CTL-PROV-1: waits for the provisioner of its class", async () => {
    await makeClass();
    await makeClaim("data");
    expect((await whyClaim()).reasons).toEqual([
      {
        says: "it waits for the provisioner p.example.com to create a volume; it has reported nothing yet",
        who: "the provisioner p.example.com: is it running?",
        about: expect.objectContaining({ kind: "StorageClass", name: "c" }),
      },
    ]);
  });

  test("CTL-MODE-2: waits for a consumer, then for the scheduler", async () => {
    await makeClass({ volumeBindingMode: "WaitForFirstConsumer" });
    await makeClaim("data");
    expect((await whyClaim()).reasons).toMatchObject([{ who: "a user who creates a Pod that uses it" }]);
    await makePod();
    expect((await whyClaim()).reasons).toMatchObject([{ who: "the scheduler", about: { kind: "Pod", name: "web" } }]);
    const { items } = await world.resource(CoreEvent).list();
    expect(Object.fromEntries(items.map(({ reason, message }) => [reason, message]))).toEqual({
      WaitForFirstConsumer: "waiting for first consumer to be created before binding",
      WaitForPodScheduled: "waiting for pod web to be scheduled",
    });
  });

  test("CTL-BIND-24: waits for the volume that it names", async () => {
    await makeClaim("data", { volumeName: "small" });
    expect((await whyClaim()).reasons).toMatchObject([{ says: expect.stringContaining("does not exist") }]);
    await makeVolume("small");
    expect((await whyClaim()).reasons).toMatchObject([{ says: expect.stringContaining("it has 1Gi") }]);
  });

  test("lists nothing that the user may not read", async () => {
    await makeClaim("data");
    await world.settled();
    const nobody = world.cluster.client("test", { user: "nobody", groups: [], extra: {} } as never);
    await expect(nobody.resource(PersistentVolumeClaim).why(at("data"))).rejects.toThrow("cannot get");
  });

  test("of more volumes than a page has the best ones are listed", async () => {
    for (let i = 0; i < 600; i++) await makeVolume(`v${i}`);
    await makeClaim("data");
    const { considered, leftOut } = await whyClaim({ limit: 5 });
    expect([considered?.length, leftOut]).toEqual([5, 595]);
  });
});

test("CTL-BIND-28: a volume names the claim that it is reserved for, and what it lacks for waiting claims", async () => {
  const whyVolume = async (name: string) => {
    await world.settled();
    return (await volumes().why({ name })).reasons;
  };
  await makeVolume("free");
  expect(await whyVolume("free")).toMatchObject([{ says: "no claim waits for a volume" }]);
  await makeClaim("data");
  const lacks = "it does not fit PersistentVolumeClaim default/data: expected at least 2Gi, it has 1Gi";
  expect(await whyVolume("free")).toMatchObject([{ says: lacks, about: { name: "data" } }]);
  await makeVolume("reserved", { claimRef: { namespace: "default", name: "nobody" } });
  const absent = "it is reserved for the claim default/nobody, which does not exist";
  expect(await whyVolume("reserved")).toEqual([{ says: absent, who: "a user who creates that claim" }]);
  await makeVolume("odd", { claimRef: { name: "nobody" } });
  expect(await whyVolume("odd")).toMatchObject([{ says: "its spec.claimRef names no claim of a namespace" }]);
});

describe("what is being deleted", () => {
  test("CTL-PVCP-2: a claim is held by the pods that use it", async () => {
    await makeClaim("data");
    await makePod("n1");
    await claims().delete(at("data"));
    expect(await whyClaim()).toMatchObject({
      isTerminating: true,
      reasons: [{ says: expect.stringContaining("Pod default/web uses it") }, {}],
    });
  });

  test("CTL-PVP-1, CTL-RECLAIM-3: a volume is held by its claim; without it, it is kept", async () => {
    await makeVolume("small", { capacity: { storage: "2Gi" } });
    await makeClaim("data");
    await world.settled();
    expect(await whyClaim()).toMatchObject({ phase: "Bound", reasons: [] });
    await claims().delete(at("data"));
    await world.settled();
    const released = await volumes().why({ name: "small" });
    expect(released).toMatchObject({ phase: "Released", reasons: [{ says: expect.stringContaining("Retain") }] });
  });

  test("CTL-GC-1: an owner is held by the dependents that block it, and a foreign finalizer by its program", async () => {
    const maps = world.resource(ConfigMap);
    const { metadata } = await maps.create({ metadata: at("owner") });
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: metadata.uid, blockOwnerDeletion: true };
    await maps.create(
      { metadata: { ...at("child"), ownerReferences: [owner], finalizers: ["example.com/guard"] } },
      { fieldManager: "guardian" },
    );
    await maps.delete(at("owner"), { propagationPolicy: "Foreground" });
    await world.settled();
    expect((await maps.why(at("owner"))).reasons).toEqual([
      {
        says: "ConfigMap default/child belongs to it and blocks its deletion in the foreground (finalizer foregroundDeletion)",
        who: "the holder of that one, which is being deleted",
        about: expect.objectContaining({ name: "child" }),
      },
    ]);
    expect((await maps.why(at("child"))).reasons).toEqual([
      {
        says: "the finalizer example.com/guard keeps it",
        who: "the program of example.com (guardian put it there)",
      },
    ]);
  });

  test("CTL-NS-4: a namespace lists its remaining objects", async () => {
    const namespaces = world.resource(Namespace);
    await namespaces.create({ metadata: { name: "team" } });
    await world
      .resource(ConfigMap)
      .create({ metadata: { name: "kept", namespace: "team", finalizers: ["example.com/guard"] } });
    await namespaces.delete({ name: "team" });
    await world.settled();
    const { content, reasons, isTerminating, command } = await namespaces.why({ name: "team" });
    expect(isTerminating).toBe(true);
    const objects = ["team/kept"];
    expect(content).toEqual([
      { group: "", resource: "configmaps", count: 1, finalizers: { "example.com/guard": 1 }, objects },
    ]);
    expect(reasons).toMatchObject([
      { says: "1 of configmaps have the finalizer example.com/guard" },
      {
        says: "ConfigMap team/kept: the finalizer example.com/guard keeps it",
        who: "the program of example.com (test put it there)",
      },
    ]);
    expect(command).toBe(
      "kubectl get configmaps -n team -o custom-columns=KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name,FINALIZERS:.metadata.finalizers",
    );
  });
});
