import { afterEach, beforeEach, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { Event, Service } from "../../src/client/kinds/index.ts";
import { loadBalancers } from "../../src/controllers/workloads/load-balancers.ts";
import { World } from "../runtime/world.ts";

let world: World;
beforeEach(async () => {
  world = await World.create();
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  if (world.failures.length > 0) throw world.failures[0]!.error;
});

const start = (...loadBalancerAddresses: readonly string[]) => world.run(loadBalancers({ loadBalancerAddresses }));
const at = (name: string) => ({ name, namespace: "default" });
const services = () => world.resource(Service);
const make = async (name: string, spec: object = {}) => {
  const whole = { type: "LoadBalancer", ports: [{ port: 80 }], ...spec };
  await services().create({ metadata: at(name), spec: whole } as NewObject<Service>);
};
const addresses = async () => {
  await world.settled();
  const all = (await services().list({ namespace: "default" })).items;
  const items = all.filter(({ metadata }) => metadata.name !== "kubernetes");
  return Object.fromEntries(
    items.map(({ metadata, status }) => [
      metadata.name,
      (status.loadBalancer.ingress ?? []).map(({ ip }) => ip).join(),
    ]),
  );
};

test("Services of the type LoadBalancer get addresses, each once, and they are freed with the Service", async () => {
  await start("192.0.2.0/29");
  await Promise.all(["a", "b", "c"].map((name) => make(name)));
  await make("plain", { type: "ClusterIP" });
  await make("other", { loadBalancerClass: "example.com/lb" });
  const first = await addresses();
  expect(Object.values(first).toSorted()).toEqual(["", "", "192.0.2.1", "192.0.2.2", "192.0.2.3"]);
  expect([first["plain"], first["other"]]).toEqual(["", ""]);
  const [taken] = [first["a"]];
  await services().delete(at("a"));
  await world.settled();
  await make("d");
  expect((await addresses())["d"]).toBe(taken);
  expect((await services().get(at("d"))).status.loadBalancer.ingress).toEqual([{ ip: taken, ipMode: "VIP" }]);
  await world.advance("1h");
  const { items } = await world.resource(Event).list();
  expect(items.every(({ reason }) => reason === "EnsuredLoadBalancer")).toBe(true);
});

test("who has an address keeps it when another server takes over, and one that is asked for is given where it is free", async () => {
  const first = await start("192.0.2.0/29");
  await make("a", { loadBalancerIP: "192.0.2.3" });
  await make("b", { loadBalancerIP: "192.0.2.3" });
  expect(await addresses()).toEqual({ a: "192.0.2.3", b: "192.0.2.1" });
  await first.stop({ grace: 0 });
  await make("c");
  await start("192.0.2.0/29");
  expect(await addresses()).toEqual({ a: "192.0.2.3", b: "192.0.2.1", c: "192.0.2.2" });
});

test("without a free address an Event tells, and it is given when one is freed; another type gives it back", async () => {
  await start("192.0.2.0/31");
  for (const name of ["a", "b", "c"]) await make(name);
  const before = await addresses();
  const left = Object.keys(before).find((name) => before[name] === "")!;
  const { items } = await world.resource(Event).list();
  expect(items.map(({ reason }) => reason)).toContain("SyncLoadBalancerFailed");
  const [holder] = Object.keys(before).filter((name) => before[name] !== "");
  await services().patch(at(holder!), { spec: { type: "ClusterIP" } });
  await world.advance("1m");
  const after = await addresses();
  expect(after[holder!]).toBe("");
  expect(after[left]).toBe(before[holder!]);
});
