import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigMap, Namespace, ServiceAccount } from "../../src/client/kinds/index.ts";
import { defaultServiceAccount, rootCaPublisher } from "../../src/controllers/namespaces/defaults.ts";
import { World } from "../runtime/world.ts";

const CA = "-----BEGIN CERTIFICATE-----\n";

let world: World;
beforeEach(async () => {
  world = await World.create("kubernetes");
});
afterEach(() => world[Symbol.asyncDispose]());

const account = (namespace: string) => world.resource(ServiceAccount).find({ name: "default", namespace });
const rootCa = (namespace: string) => world.resource(ConfigMap).find({ name: "kube-root-ca.crt", namespace });

test("every namespace has the ServiceAccount default and the CA, old ones and new ones", async () => {
  await world.run(defaultServiceAccount);
  await world.run(rootCaPublisher(CA));
  for (const name of ["default", "kube-system", "new"]) {
    if (name === "new") await world.resource(Namespace).create({ metadata: { name: "new" } });
    await world.until(async () => (await account(name)) !== undefined && (await rootCa(name)) !== undefined);
    expect((await rootCa(name))!.data).toEqual({ "ca.crt": CA });
  }
});

test("CTL-SA-1, CTL-SA-2: what is deleted comes back, and what is changed is put right; labels stay", async () => {
  await world.run(defaultServiceAccount);
  await world.run(rootCaPublisher(CA));
  await world.until(async () => (await account("default")) !== undefined && (await rootCa("default")) !== undefined);
  const { uid } = (await account("default"))!.metadata;
  await world.resource(ServiceAccount).delete({ name: "default", namespace: "default" });
  await world.until(async () => ((await account("default"))?.metadata.uid ?? uid) !== uid);

  const data = { "ca.crt": "forged", more: "mine" };
  const metadata = { annotations: null, labels: { mine: "yes" } };
  await world.resource(ConfigMap).patch({ name: "kube-root-ca.crt", namespace: "default" }, { data, metadata });
  await world.settled();
  const right = (await rootCa("default"))!;
  expect(right.data).toEqual({ "ca.crt": CA });
  expect(right.metadata.labels).toEqual({ mine: "yes" });
  expect(right.metadata.annotations).toEqual({ "kubernetes.io/description": expect.any(String) });
  expect(world.warnings).toEqual([]);
});

test("a ServiceAccount that has more than its name is not written again", async () => {
  await world.run(defaultServiceAccount);
  await world.until(async () => (await account("default")) !== undefined);
  await world.resource(ServiceAccount).patch({ name: "default", namespace: "default" }, { secrets: [{ name: "x" }] });
  const before = await account("default");
  await world.advance(60_000);
  expect(await account("default")).toEqual(before);
});

test("CTL-SA-7: a namespace that is going gets nothing back", async () => {
  await world.resource(Namespace).create({ metadata: { name: "going" } });
  await world.run(defaultServiceAccount);
  await world.until(async () => (await account("going")) !== undefined);
  await world.resource(Namespace).delete({ name: "going" });
  await world.resource(ServiceAccount).delete({ name: "default", namespace: "going" });
  await world.advance(60_000);
  expect(await account("going")).toBeUndefined();
  expect(world.warnings).toEqual([]);
});

test("a controller that was stopped makes nothing", async () => {
  const running = await world.run(defaultServiceAccount);
  await world.until(async () => (await account("default")) !== undefined);
  await running.stop();
  await world.resource(Namespace).create({ metadata: { name: "late" } });
  await world.advance(10_000);
  expect(await account("late")).toBeUndefined();
});
