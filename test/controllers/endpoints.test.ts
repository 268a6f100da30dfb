import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { EndpointSlice, Endpoints, Namespace, Node, Pod, Service } from "../../src/client/kinds/index.ts";
import { endpointSliceMirroring } from "../../src/controllers/workloads/endpointslice-mirroring.ts";
import { endpointSlices } from "../../src/controllers/workloads/endpointslices.ts";
import { endpoints } from "../../src/controllers/workloads/endpoints.ts";
import { withLists } from "../../src/workloads/endpoints/slices.ts";
import { World } from "../runtime/world.ts";

let world: World;
beforeEach(async () => {
  world = await World.create();
  await world.resource(Node).create({ metadata: { name: "n", labels: { [ZONE]: "z" } } });
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  if (world.failures.length > 0) throw world.failures[0]!.error;
  if (world.warnings.length > 0) throw new Error(world.warnings.join("\n"));
});

const byFirst = (a: readonly unknown[], b: readonly unknown[]) => (String(a[0]) < String(b[0]) ? -1 : 1);
const ZONE = "topology.kubernetes.io/zone";
const TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";
/** What the controllers wrote. */
const written: string[] = [];
async function start(): Promise<void> {
  written.length = 0;
  const client = world.cluster.client("manager").with({
    through: (transport) => (request) => {
      if (request.method !== "GET") written.push(`${request.method} ${request.path.replace(/-[a-z0-9]{5}$/, "-x")}`);
      return transport(request);
    },
  });
  await world.manager({ client }).add(endpoints, endpointSlices, endpointSliceMirroring).start();
}
const at = (name: string) => ({ name, namespace: "default" });
const pods = () => world.resource(Pod);

const makePod = async (
  name: string,
  ip: string | undefined,
  { ready = true, nodeName = "n", spec = {}, labels = {} } = {},
) => {
  await pods().create({
    metadata: { ...at(name), labels: { app: "a", ...labels } },
    spec: { nodeName, containers: [{ name: "c", image: "i" }], ...spec },
  } as NewObject<Pod>);
  if (ip !== undefined) await setAddress(name, ip, ready);
  await world.settled();
};
const setAddress = (name: string, ip: string, ready: boolean) =>
  pods().status.patch(at(name), {
    status: {
      phase: "Running",
      podIP: ip,
      podIPs: [{ ip }],
      conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: now() }],
    },
  });
const now = () => new Date(world.clock.now()).toISOString().replace(/\.\d+/, "");
const setReady = async (name: string, ready: boolean) => {
  const conditions = [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: now() }];
  await pods().status.patch(at(name), { status: { conditions } });
  await world.settled();
};
const makeService = async (spec: object = {}, labels: Record<string, string> = {}, name = "s") => {
  const whole = { selector: { app: "a" }, ports: [{ port: 80 }], ...spec };
  await world.resource(Service).create({ metadata: { ...at(name), labels }, spec: whole } as NewObject<Service>);
  await world.settled();
};
const patchService = async (spec: object, metadata: object = {}) => {
  await world.resource(Service).patch(at("s"), { metadata, spec } as never);
  await world.settled();
};
const slices = async () => (await world.resource(EndpointSlice).list({ namespace: "default" })).items.map(withLists);
const only = async () => {
  const [slice, ...others] = await slices();
  expect(others).toEqual([]);
  return slice!;
};
const addresses = async () =>
  (await slices()).flatMap((slice) => slice.endpoints.flatMap((one) => one.addresses)).toSorted();
const subsets = async () => (await world.resource(Endpoints).get(at("s"))).subsets;

test("WL-EP-1: a Service has a slice and Endpoints with its labels, before it has a Pod", async () => {
  await start();
  await makeService({}, { team: "x" });
  const slice = await only();
  const { uid } = (await world.resource(Service).get(at("s"))).metadata;
  expect(slice.metadata).toMatchObject({
    generateName: "s-",
    labels: {
      team: "x",
      "kubernetes.io/service-name": "s",
      "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
    },
    ownerReferences: [
      { apiVersion: "v1", kind: "Service", name: "s", uid, controller: true, blockOwnerDeletion: true },
    ],
  });
  expect(slice).toMatchObject({ addressType: "IPv4", endpoints: [], ports: [] });
  const { metadata } = await world.resource(Endpoints).get(at("s"));
  expect(metadata.labels).toEqual({ team: "x", "endpoints.kubernetes.io/managed-by": "endpoint-controller" });
});

test("WL-EP-2, WL-EP-3: a Pod comes when it has an address, and its conditions follow it", async () => {
  await start();
  await makeService();
  await makePod("p", undefined);
  expect(await addresses()).toEqual([]);
  await setAddress("p", "10.1.0.1", false);
  await world.settled();
  const { uid } = (await pods().get(at("p"))).metadata;
  const targetRef = { kind: "Pod", name: "p", namespace: "default", uid };
  const address = { ip: "10.1.0.1", nodeName: "n", targetRef };
  const ports = [{ port: 80, protocol: "TCP" }];
  expect((await only()).endpoints).toEqual([
    {
      addresses: ["10.1.0.1"],
      conditions: { ready: false, serving: false, terminating: false },
      nodeName: "n",
      zone: "z",
      targetRef,
    },
  ]);
  expect(await subsets()).toEqual([{ notReadyAddresses: [address], ports }]);
  await setReady("p", true);
  expect((await only()).endpoints[0]!.conditions).toEqual({ ready: true, serving: true, terminating: false });
  expect(await subsets()).toEqual([{ addresses: [address], ports }]);
  await pods().delete(at("p"));
  await world.settled();
  expect((await only()).endpoints[0]!.conditions).toEqual({ ready: false, serving: true, terminating: true });
  expect(await subsets()).toBeUndefined();
  await pods().delete(at("p"), { gracePeriodSeconds: 0 });
  await world.settled();
  expect(await only()).toMatchObject({ endpoints: [], ports: [] });
});

test("WL-EP-2: without its node a Pod is left out until the node is there, unless the Service publishes all", async () => {
  await start();
  await makeService();
  await makeService({ publishNotReadyAddresses: true }, {}, "all");
  await makePod("p", "10.1.0.1", { nodeName: "late", ready: false });
  const of = async (name: string) =>
    (await slices()).filter(({ metadata }) => metadata.name.startsWith(`${name}-`)).flatMap((slice) => slice.endpoints);
  expect(await of("s")).toEqual([]);
  expect(await of("all")).toMatchObject([{ conditions: { ready: true, serving: false } }]);
  await world.resource(Node).create({ metadata: { name: "late", labels: { [ZONE]: "y" } } });
  await world.settled();
  expect(await of("s")).toMatchObject([{ zone: "y", conditions: { ready: false } }]);
  await world.resource(Node).patch({ name: "late" }, { metadata: { labels: { [ZONE]: "x" } } });
  await world.settled();
  expect(await of("s")).toMatchObject([{ zone: "x" }]);
});

test("WL-EP-4: ports by name are looked up in each Pod; Pods with other ports have slices and subsets of their own", async () => {
  await start();
  await makeService({
    ports: [
      { name: "web", port: 80, targetPort: "http" },
      { name: "dns", port: 53, protocol: "UDP", targetPort: "dns", appProtocol: "dns" },
    ],
  });
  const container = (...ports: object[]) => ({ containers: [{ name: "c", image: "i", ports }] });
  const [http, dns] = [
    { name: "http", containerPort: 8080 },
    { name: "dns", containerPort: 5353, protocol: "UDP" },
  ];
  await makePod("both", "10.1.0.1", { spec: container(http, dns) });
  await makePod("web", "10.1.0.2", { spec: container({ ...http, containerPort: 8081 }) });
  const sidecar = { name: "s", image: "i", restartPolicy: "Always", ports: [http] };
  await makePod("sidecar", "10.1.0.4", { spec: { ...container(), initContainers: [sidecar] } });
  await makePod("none", "10.1.0.3", { spec: container({ ...http, protocol: "UDP" }) });
  const found = (await slices()).map(({ endpoints: all, ports }) => [
    all.flatMap((one) => one.addresses).join(),
    ports.map(({ name, port }) => `${name}:${port}`).join(),
  ]);
  expect(found.toSorted(byFirst)).toEqual([
    ["10.1.0.1", "web:8080,dns:5353"],
    ["10.1.0.2", "web:8081"],
    ["10.1.0.3", ""],
    ["10.1.0.4", "web:8080"],
  ]);
  const inEndpoints = (await subsets())!.map(({ addresses: all, ports }) => [all![0]!.ip, ports!.length]);
  expect(inEndpoints.toSorted(byFirst)).toEqual([
    ["10.1.0.1", 2],
    ["10.1.0.2", 1],
    ["10.1.0.4", 1],
  ]);
});

test("WL-EP-4: headless without ports has none, and names of its Pods", async () => {
  await start();
  await makeService({ clusterIP: "None", ports: undefined });
  await makePod("p", "10.1.0.1", { ready: false, spec: { hostname: "h", subdomain: "s" } });
  expect(await only()).toMatchObject({
    ports: [],
    endpoints: [{ addresses: ["10.1.0.1"], hostname: "h" }],
    metadata: { labels: { "service.kubernetes.io/headless": "" } },
  });
  expect(await subsets()).toMatchObject([{ notReadyAddresses: [{ ip: "10.1.0.1", hostname: "h" }] }]);
});

describe("WL-EP-6: they follow what they follow from", () => {
  test("each change is one write of the slice and one of the Endpoints, and at rest nothing is written", async () => {
    await start();
    await makeService({ trafficDistribution: "PreferSameNode" }, { l: "1" });
    await makePod("p", undefined, { spec: { hostname: "h", subdomain: "s" } });
    await setAddress("p", "10.1.0.1", true);
    await world.settled();
    expect(written.toSorted()).toEqual([
      "POST /api/v1/namespaces/default/endpoints",
      "POST /apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
      "PUT /api/v1/namespaces/default/endpoints/s",
      "PUT /apis/discovery.k8s.io/v1/namespaces/default/endpointslices/s-x",
    ]);
    written.length = 0;
    await pods().patch(at("p"), { metadata: { annotations: { a: "b" } } });
    await pods().status.patch(at("p"), { status: { message: "m" } });
    await world.advance("1h");
    expect(written).toEqual([]);
  });

  test("labels, selectors, ports, deletions by hand", async () => {
    await start();
    await makeService();
    await makePod("p", "10.1.0.1");
    await makePod("q", "10.1.0.2", { labels: { app: "b" } });
    await patchService({ ports: [{ port: 81 }] }, { labels: { l: "1" } });
    expect(await only()).toMatchObject({ ports: [{ port: 81 }], metadata: { labels: { l: "1" } } });
    await patchService({ selector: { app: "b" } });
    expect(await addresses()).toEqual(["10.1.0.2"]);
    await pods().patch(at("p"), { metadata: { labels: { app: "b" } } });
    await world.settled();
    expect(await addresses()).toEqual(["10.1.0.1", "10.1.0.2"]);
    const { metadata } = await only();
    await world.resource(EndpointSlice).patch({ name: metadata.name, namespace: "default" }, { endpoints: [] });
    await world.resource(Endpoints).patch(at("s"), { subsets: null });
    await world.settled();
    expect(await addresses()).toEqual(["10.1.0.1", "10.1.0.2"]);
    expect(await subsets()).toMatchObject([{ addresses: [{ ip: "10.1.0.1" }, { ip: "10.1.0.2" }] }]);
    await world.resource(EndpointSlice).delete({ name: metadata.name, namespace: "default" });
    await world.resource(Endpoints).delete(at("s"));
    await world.settled();
    expect(await addresses()).toEqual(["10.1.0.1", "10.1.0.2"]);
    expect(await subsets()).toHaveLength(1);
  });

  test("a change of the phase alone is not noticed; with the readiness it is", async () => {
    await start();
    await makeService();
    await makePod("p", "10.1.0.1");
    await pods().status.patch(at("p"), { status: { phase: "Succeeded" } });
    await world.settled();
    expect(await addresses()).toEqual(["10.1.0.1"]);
    await setReady("p", false);
    expect(await addresses()).toEqual([]);
  });

  test("Endpoints go with the Service, also those that were made before the controller ran", async () => {
    await makeService();
    await world.resource(Endpoints).create({
      metadata: { ...at("left"), labels: { "endpoints.kubernetes.io/managed-by": "endpoint-controller" } },
    });
    await world.resource(Endpoints).create({ metadata: at("theirs") });
    await start();
    await world.settled();
    await world.resource(Service).delete(at("s"));
    await world.settled();
    const left = (await world.resource(Endpoints).list({ namespace: "default" })).items.map(
      ({ metadata }) => metadata.name,
    );
    expect(left).toEqual(["theirs"]);
  });

  test("nothing is made in a namespace that is about to go", async () => {
    await world.resource(Namespace).create({ metadata: { name: "going", finalizers: ["example.com/x"] } });
    const spec = { selector: { app: "a" }, ports: [{ port: 80 }] };
    await world.resource(Service).create({ metadata: { name: "s", namespace: "going" }, spec } as NewObject<Service>);
    await world.resource(Namespace).delete({ name: "going" });
    await start();
    await world.advance("10m");
    expect((await world.resource(EndpointSlice).list({ namespace: "going" })).items).toEqual([]);
    expect(world.failures).toEqual([]);
  });
});

describe("WL-EP-5: many Pods", () => {
  const makeMany = async (count: number) => {
    for (let i = 0; i < count; i++) await makePod(`p${i}`, `10.1.${i >> 8}.${i & 255}`);
  };

  test("slices hold 100 each, and a change of one Pod writes one slice", async () => {
    await start();
    await makeService();
    await makeMany(250);
    expect((await slices()).map((slice) => slice.endpoints.length).toSorted((a, b) => b - a)).toEqual([100, 100, 50]);
    const before = new Map((await slices()).map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    await setReady("p120", false);
    const after = (await slices()).filter(({ metadata }) => before.get(metadata.name) !== metadata.resourceVersion);
    expect(after).toHaveLength(1);
  });

  test("Endpoints over 1,000 addresses are truncated, ready ones first, and written no more", async () => {
    await makeService();
    for (let i = 0; i < 1003; i++) await makePod(`p${i}`, `10.1.${i >> 8}.${i & 255}`, { ready: i !== 5 });
    await start();
    await world.settled();
    const read = () => world.resource(Endpoints).get(at("s"));
    const { metadata, subsets: found } = await read();
    expect(metadata.annotations!["endpoints.kubernetes.io/over-capacity"]).toBe("truncated");
    expect(found![0]!.addresses).toHaveLength(1000);
    expect(found![0]!.notReadyAddresses).toBeUndefined();
    await world.advance("1h");
    expect((await read()).metadata.resourceVersion).toBe(metadata.resourceVersion);
    for (const name of ["p1000", "p1001", "p1002"]) await pods().delete(at(name), { gracePeriodSeconds: 0 });
    await world.settled();
    expect((await read()).metadata.annotations?.["endpoints.kubernetes.io/over-capacity"]).toBeUndefined();
  });
});

test("the annotation of the trigger time tells the first change that is followed", async () => {
  await start();
  const time = async () => (await only()).metadata.annotations?.[TRIGGER_TIME];
  await makeService();
  const created = now();
  expect(await time()).toBe(created);
  await makePod("p", undefined);
  await world.advance("10s");
  await setAddress("p", "10.1.0.1", true);
  await world.settled();
  expect(await time()).toBe(now());
  expect((await world.resource(Endpoints).get(at("s"))).metadata.annotations).toEqual({ [TRIGGER_TIME]: now() });
  await patchService({ ports: [{ port: 81 }] });
  expect(await time()).toBeUndefined();
});

test("trafficDistribution gives ready endpoints hints of their zone and node; without it they go", async () => {
  await start();
  await makeService({ trafficDistribution: "PreferClose" });
  await makePod("p", "10.1.0.1");
  await makePod("q", "10.1.0.2", { ready: false });
  const hints = async () => (await only()).endpoints.map((one) => one.hints);
  expect(await hints()).toEqual([{ forZones: [{ name: "z" }] }, undefined]);
  await patchService({ trafficDistribution: "PreferSameNode" });
  expect(await hints()).toEqual([{ forZones: [{ name: "z" }], forNodes: [{ name: "n" }] }, undefined]);
  await patchService({ trafficDistribution: "PreferSameZone" });
  expect(await hints()).toEqual([{ forZones: [{ name: "z" }] }, undefined]);
  await patchService({ trafficDistribution: null });
  expect(await hints()).toEqual([undefined, undefined]);
});

describe("WL-EP-7: Services without a selector", () => {
  const SUBSETS = [
    {
      addresses: [{ ip: "10.9.0.1", hostname: "h" }],
      notReadyAddresses: [{ ip: "fd00::9" }],
      ports: [{ name: "w", port: 90 }],
    },
  ];
  const mirrors = async () => (await slices()).toSorted((a, b) => (a.addressType < b.addressType ? -1 : 1));

  test("nothing is made for them, and Endpoints by hand are mirrored, follow and go", async () => {
    await start();
    await makeService({ selector: undefined });
    expect(await slices()).toEqual([]);
    const all = world.resource(Endpoints);
    expect((await all.list()).items).toEqual([]);
    const metadata = { ...at("s"), labels: { l: "1" }, annotations: { note: "x" } };
    await all.create({ metadata, subsets: SUBSETS });
    await world.settled();
    expect(await mirrors()).toMatchObject([
      {
        addressType: "IPv4",
        metadata: {
          labels: {
            l: "1",
            "kubernetes.io/service-name": "s",
            "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
          },
          annotations: { note: "x" },
          ownerReferences: [{ kind: "Endpoints", name: "s", controller: true }],
        },
        endpoints: [{ addresses: ["10.9.0.1"], hostname: "h", conditions: { ready: true } }],
        ports: [{ name: "w", port: 90, protocol: "TCP" }],
      },
      { addressType: "IPv6", endpoints: [{ addresses: ["fd00::9"], conditions: { ready: false } }] },
    ]);
    const names = (await mirrors()).map((slice) => slice.metadata.name);
    await all.patch(at("s"), { subsets: [{ addresses: [{ ip: "10.9.0.2" }], ports: [{ port: 91 }] }] });
    await world.settled();
    expect(await mirrors()).toMatchObject([{ metadata: { name: names[0] }, endpoints: [{ addresses: ["10.9.0.2"] }] }]);
    await all.delete(at("s"));
    await world.settled();
    expect(await slices()).toEqual([]);
  });

  test("not with skip-mirror, nor once the Service has a selector", async () => {
    await start();
    await makeService({ selector: undefined });
    const labels = { "endpointslice.kubernetes.io/skip-mirror": "true" };
    await world.resource(Endpoints).create({ metadata: { ...at("s"), labels }, subsets: SUBSETS });
    await world.settled();
    expect(await slices()).toEqual([]);
    await world.resource(Endpoints).patch(at("s"), { metadata: { labels: null } } as never);
    await world.settled();
    expect(await slices()).toHaveLength(2);
    await patchService({ selector: { app: "a" } });
    expect(await only()).toMatchObject({
      metadata: { labels: { "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io" } },
    });
  });
});
