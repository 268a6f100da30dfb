import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { Event, Pod, ResourceClaim, ResourceClaimTemplate } from "../../src/client/kinds/index.ts";
import { garbageCollector } from "../../src/controllers/garbage/collector.ts";
import { deviceClaims } from "../../src/controllers/workloads/device-claims.ts";
import { DELETE_PROTECTION, baseName } from "../../src/workloads/device-claims/plan.ts";
import { World } from "../runtime/world.ts";

let world: World;
beforeEach(async () => {
  world = await World.create();
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  if (world.warnings.length > 0) throw new Error(world.warnings.join("\n"));
});

const at = (name: string) => ({ namespace: "default", name });
const DEVICES = { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] };
const makeTemplate = async (name = "t") => {
  const spec = { metadata: { labels: { a: "b" }, annotations: { c: "d" } }, spec: { devices: DEVICES } };
  await world.resource(ResourceClaimTemplate).create({ metadata: at(name), spec } as NewObject<ResourceClaimTemplate>);
  await world.settled();
};
const makePod = async (name: string, claim: object, nodeName?: string) => {
  const resourceClaims = [{ name: "dev", ...claim }];
  const spec = { resourceClaims, containers: [{ name: "c", image: "i" }], ...(nodeName ? { nodeName } : {}) };
  await world.resource(Pod).create({ metadata: at(name), spec } as NewObject<Pod>);
  await world.settled();
  return world.resource(Pod).get(at(name));
};
const template = { resourceClaimTemplateName: "t" };
const claims = async () => (await world.resource(ResourceClaim).list()).items;
const ends = async (name: string) => {
  await world.resource(Pod).status.patch(at(name), { status: { phase: "Succeeded" } });
  await world.settled();
};
const allocate = async (name: string, ...consumers: readonly Pod[]) => {
  await world.resource(ResourceClaim).patch(at(name), { metadata: { finalizers: [DELETE_PROTECTION] } });
  const reservedFor = consumers.map(({ metadata }) => ({ resource: "pods", name: metadata.name, uid: metadata.uid }));
  const results = [{ request: "r", driver: "d.example.com", pool: "p", device: "x" }];
  const status = { allocation: { devices: { results } }, ...(consumers.length > 0 ? { reservedFor } : {}) };
  await world.resource(ResourceClaim).status.patch(at(name), { status } as never);
  await world.settled();
};
const own = async (name: string) => {
  const spec = { devices: DEVICES };
  await world.resource(ResourceClaim).create({ metadata: at(name), spec } as NewObject<ResourceClaim>);
};

describe("the claims of a Pod", () => {
  test("are made from the template, belong to the Pod, and are named in its status", async () => {
    await world.run(deviceClaims);
    await makeTemplate();
    const pod = await makePod("p", template);
    const [claim] = await claims();
    expect(claim!.metadata).toMatchObject({
      name: expect.stringMatching(/^p-dev-[a-z0-9]{5}$/),
      labels: { a: "b" },
      annotations: { c: "d", "resource.kubernetes.io/pod-claim-name": "dev" },
      ownerReferences: [{ kind: "Pod", name: "p", uid: pod.metadata.uid, controller: true, blockOwnerDeletion: true }],
    });
    const { status } = await world.resource(Pod).get(at("p"));
    expect(status.resourceClaimStatuses).toEqual([{ name: "dev", resourceClaimName: claim!.metadata.name }]);
    await world.advance("1h");
    expect(await claims()).toHaveLength(1);
  });

  test("wait for a template that comes later, with an Event", async () => {
    await world.run(deviceClaims);
    await makePod("p", template);
    const { items } = await world.resource(Event).list();
    expect(items.map(({ reason, note }) => `${reason} ${note}`)).toEqual([
      'FailedResourceClaimCreation PodResourceClaim dev: resource claim template "t": resourceclaimtemplate.resource.k8s.io "t" not found',
    ]);
    await makeTemplate();
    expect(await claims()).toHaveLength(1);
  });

  test("are found again by a new leader before the status was written, and made again when one is deleted", async () => {
    await makeTemplate();
    const { metadata } = await makePod("p", template);
    const reference = { apiVersion: "v1", kind: "Pod", name: "p", uid: metadata.uid, controller: true };
    const annotations = { "resource.kubernetes.io/pod-claim-name": "dev" };
    const orphan = {
      metadata: { ...at("p-dev-x"), annotations, ownerReferences: [reference] },
      spec: { devices: DEVICES },
    };
    await world.resource(ResourceClaim).create(orphan as NewObject<ResourceClaim>);
    await world.run(deviceClaims);
    await world.settled();
    expect((await claims()).map((claim) => claim.metadata.name)).toEqual(["p-dev-x"]);
    const named = async () =>
      (await world.resource(Pod).get(at("p"))).status.resourceClaimStatuses?.[0]?.resourceClaimName;
    expect(await named()).toBe("p-dev-x");
    await world.resource(ResourceClaim).delete(at("p-dev-x"));
    await world.settled();
    const again = await claims();
    expect(again).toHaveLength(1);
    expect(await named()).toBe(again[0]!.metadata.name);
  });

  test("of a Pod that ended go, and with a Pod that is deleted by the garbage collector", async () => {
    await world.run(deviceClaims, garbageCollector);
    await makeTemplate();
    await makePod("p", template);
    await makePod("q", template);
    expect(await claims()).toHaveLength(2);
    await ends("p");
    expect((await claims()).map((claim) => claim.metadata.ownerReferences?.[0]?.name)).toEqual(["q"]);
    await world.resource(Pod).delete(at("q"));
    await world.advance("1m");
    expect(await claims()).toEqual([]);
  });

  test("have names of at most 63 characters, of which both parts keep a share", () => {
    expect(baseName("p", "c")).toBe("p-c-");
    const long = baseName("p".repeat(200), "c".repeat(50));
    expect(long.length).toBeLessThanOrEqual(57);
    expect(long).toMatch(/^p{40,}-c{10,}$/);
  });
});

describe("the consumers of a claim", () => {
  test("leave it when they end, and with the last one it gives its devices back", async () => {
    await world.run(deviceClaims);
    await own("c");
    const use = { resourceClaimName: "c" };
    const [p, q] = [await makePod("p", use, "n"), await makePod("q", use, "n")];
    await allocate("c", p, q);
    await ends("p");
    const claim = await world.resource(ResourceClaim).get(at("c"));
    expect(claim.status.reservedFor?.map(({ name }) => name)).toEqual(["q"]);
    expect(claim.status.allocation).toBeDefined();
    await world.resource(Pod).delete(at("q"), { gracePeriodSeconds: 0 });
    await world.settled();
    const free = await world.resource(ResourceClaim).get(at("c"));
    expect(free.status.reservedFor ?? []).toEqual([]);
    expect(free.status.allocation).toBeUndefined();
    expect(free.metadata.finalizers ?? []).toEqual([]);
  });

  test("a Pod that was bound by hand is added to those of an allocated claim", async () => {
    await world.run(deviceClaims);
    await own("c");
    await makePod("p", { resourceClaimName: "c" }, "n");
    await allocate("c");
    expect((await world.resource(ResourceClaim).get(at("c"))).status.reservedFor).toMatchObject([{ name: "p" }]);
  });

  test("one that was deleted and made again with the same name is another", async () => {
    await own("c");
    const pod = await makePod("p", { resourceClaimName: "c" });
    await allocate("c", pod);
    await world.resource(Pod).delete(at("p"));
    await makePod("p", { resourceClaimName: "c" });
    await world.run(deviceClaims);
    await world.settled();
    const { status } = await world.resource(ResourceClaim).get(at("c"));
    expect([status.reservedFor ?? [], status.allocation]).toEqual([[], undefined]);
  });
});
