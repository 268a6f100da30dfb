import { afterEach, beforeEach, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { CoreEvent, PersistentVolumeClaim, Pod } from "../../src/client/kinds/index.ts";
import { ephemeralVolumes } from "../../src/controllers/storage/ephemeral-volumes.ts";
import { garbageCollector } from "../../src/controllers/garbage/collector.ts";
import { claimProtection } from "../../src/controllers/storage/protection.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { World } from "../runtime/world.ts";

let world: World;
beforeEach(async () => {
  world = await World.create();
  await world.manager({ countedEvents: true }).add(ephemeralVolumes, claimProtection(kubernetes)).start();
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  if (world.warnings.length > 0) throw new Error(world.warnings.join("\n"));
});

const at = (name: string) => ({ name, namespace: "default" });
const claims = () => world.resource(PersistentVolumeClaim);
const find = (name: string) => claims().find(at(name));
const spec = (storage = "1Gi") => ({ accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } });
const own = (name: string, template: object = { spec: spec() }) => ({
  name,
  ephemeral: { volumeClaimTemplate: template },
});
const makePod = (volumes: readonly object[] = [own("x")], more: object = {}, metadata: object = {}) =>
  world.resource(Pod).create({
    metadata: { ...at("web"), ...metadata },
    spec: { containers: [{ name: "c", image: "i" }], volumes, ...more },
  } as NewObject<Pod>);
const eventsOf = async (name: string) => {
  const { items } = await world.resource(CoreEvent).list();
  return items
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ type, reason, source }) => [type, reason, source.component]);
};

test("CTL-EPH-1, VOL-28, VOL-29, VOL-32: a Pod without a node gets a claim as its volume describes it, and owns it", async () => {
  const metadata = { labels: { a: "b" }, annotations: { c: "d" } };
  const pod = await makePod([own("x", { metadata, spec: { ...spec("2Gi"), storageClassName: "c" } })]);
  await world.settled();
  const claim = (await find("web-x"))!;
  expect(claim.metadata).toMatchObject(metadata);
  expect(claim.metadata.ownerReferences).toEqual([
    {
      apiVersion: "v1",
      kind: "Pod",
      name: "web",
      uid: pod.metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    },
  ]);
  expect(claim.spec).toEqual({ ...spec("2Gi"), storageClassName: "c", volumeMode: "Filesystem" });
});

test("CTL-EPH-2: every such volume gets a claim, others get none", async () => {
  await makePod([
    own("x"),
    own("y", { spec: { ...spec(), volumeMode: "Block" } }),
    { name: "z", persistentVolumeClaim: { claimName: "other" } },
    { name: "e", emptyDir: {} },
  ]);
  await world.settled();
  const { items } = await claims().list();
  expect(items.map(({ metadata }) => metadata.name).toSorted()).toEqual(["web-x", "web-y"]);
});

test.each([
  ["of nobody", []],
  ["of another Pod of that name", [{ apiVersion: "v1", kind: "Pod", name: "web", uid: "u-1", controller: true }]],
])("CTL-EPH-3: a claim of that name %s is left alone, and blocks until it is gone", async (_, ownerReferences) => {
  await claims().create({
    metadata: { ...at("web-x"), ownerReferences },
    spec: spec("3Gi"),
  } as NewObject<PersistentVolumeClaim>);
  const before = await find("web-x");
  const pod = await makePod([own("x"), own("y")]);
  await world.settled();
  expect(await find("web-x")).toEqual(before);
  expect(await find("web-y")).toBeDefined();
  expect(await eventsOf("web")).toEqual([["Warning", "FailedBinding", "ephemeral_volume"]]);
  await claims().delete(at("web-x"));
  await world.settled();
  expect((await find("web-x"))?.metadata.ownerReferences?.[0]?.uid).toBe(pod.metadata.uid);
});

test("CTL-EPH-4: a claim that is deleted before the Pod has a node is made again, later it is held", async () => {
  await makePod();
  await world.settled();
  const first = await find("web-x");
  await claims().delete(at("web-x"));
  await world.settled();
  const second = await find("web-x");
  expect(second?.metadata.uid).toBeDefined();
  expect(second?.metadata.uid).not.toBe(first?.metadata.uid);
  await world.resource(Pod).delete(at("web"), { gracePeriodSeconds: 0 });
  await claims().delete(at("web-x"));
  await world.settled();
  await makePod([own("x")], { nodeName: "n1" });
  await world.settled();
  await claims().delete(at("web-x"));
  await world.settled();
  expect((await find("web-x"))?.metadata.deletionTimestamp).toBeDefined();
});

test("CTL-EPH-5: a Pod that is leaving gets no claim", async () => {
  await makePod([own("x")], {}, { finalizers: ["example.com/hold"] });
  await world.settled();
  await world.resource(Pod).delete(at("web"), { gracePeriodSeconds: 0 });
  await claims().delete(at("web-x"));
  await world.settled();
  expect(await find("web-x")).toBeUndefined();
});

test("CTL-EPH-6, VOL-31: the claim goes with the Pod", async () => {
  await world.run(garbageCollector);
  await makePod();
  await world.settled();
  expect(await find("web-x")).toBeDefined();
  await world.resource(Pod).delete(at("web"), { gracePeriodSeconds: 0 });
  await world.settled();
  expect(await find("web-x")).toBeUndefined();
});

test("CTL-EPH-7, VOL-34: the claim stays as it was made, whatever becomes of either", async () => {
  await makePod();
  await world.settled();
  await claims().patch(at("web-x"), { metadata: { labels: { mine: "yes" } } });
  await world.resource(Pod).patch(at("web"), { metadata: { labels: { a: "b" } } });
  await world.settled();
  expect((await find("web-x"))?.metadata.labels).toEqual({ mine: "yes" });
});

test("CTL-GEN-1: two of this controller create one claim, and no collision is reported", async () => {
  await world.manager({ countedEvents: true, name: "other" }).add(ephemeralVolumes).start();
  const pod = await makePod();
  await world.advance("1s");
  expect((await find("web-x"))?.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([pod.metadata.uid]);
  expect(await eventsOf("web")).toEqual([]);
});
