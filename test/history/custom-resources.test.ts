/** What custom kinds have of everything that built-in ones have: SUP-8, CRD-1. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Kind, type UntypedObject, isStatus } from "../../src/client/index.ts";
import { CustomResourceDefinition } from "../../src/client/kinds/index.ts";
import { type EtcdCluster, hasEtcd, startEtcd } from "../etcd/start.ts";
import { PLACE, World } from "./world.ts";

const Thing: Kind<UntypedObject> = {
  group: "example.com",
  version: "v1",
  kind: "Thing",
  plural: "things",
  scope: "Namespaced",
};
const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList", shortNames: ["th"] };
const schema = { type: "object", properties: { spec: { type: "object", properties: { size: { type: "integer" } } } } };

async function define(world: World): Promise<void> {
  const definitions = world.resource(CustomResourceDefinition);
  await definitions.create({
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names,
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
}

/** Waits until a server serves, or no longer serves, the kind. */
async function untilServed(world: World, isServed = true): Promise<void> {
  const path = "/apis/example.com/v1/namespaces/default/things";
  await expect.poll(async () => (await world.ask(path)).status, { timeout: 10_000 }).toBe(isServed ? 200 : 404);
}

const thing = (name: string, size: number) => ({ metadata: { name, ...PLACE }, spec: { size } });

test("history, diff, blame and undelete know custom kinds, also after a restart", async () => {
  const world = await World.start();
  try {
    await define(world);
    await untilServed(world);
    const things = () => world.resource(Thing);
    const { resourceVersion } = (await things().create(thing("a", 1))).metadata;
    await things().patch({ name: "a", ...PLACE }, { spec: { size: 2 } });
    await world.restart();
    await untilServed(world);
    const different = await world.keelson(["diff", "th", `a@${resourceVersion}`]);
    expect([different.code, different.stdout]).toEqual([1, expect.stringContaining("-  size: 1\n+  size: 2\n")]);
    expect((await world.keelson(["blame", "thing", "a"])).stdout).toMatch(/test +Update .*size: 2/);
    await things().delete({ name: "a", ...PLACE });
    expect((await world.keelson(["history", "things.example.com", "a"])).stdout).toMatch(/deleted/i);
    expect((await world.keelson(["undelete", "th", "a"])).code).toBe(0);
    expect(await things().get({ name: "a", ...PLACE })).toMatchObject({ spec: { size: 2 } });
  } finally {
    await world.end();
  }
}, 60_000);

describe.skipIf(!(await hasEtcd()))("two servers over one etcd", { timeout: 120_000 }, () => {
  let etcd: EtcdCluster;
  let [one, other]: World[] = [];
  beforeAll(async () => {
    etcd = await startEtcd({});
    [one, other] = await Promise.all([0, 1].map(() => World.start({ store: "etcd", etcdServers: etcd.endpoints })));
  });
  afterAll(async () => {
    await one?.end();
    await other?.end();
    await etcd?.close();
  });

  test("CRD-1: both serve a definition that one of them gets; rules and watches work in both; it is removed from both", async () => {
    await define(one!);
    await untilServed(one!);
    await untilServed(other!);
    await one!.resource(Thing).create(thing("a", 1));
    expect(await other!.resource(Thing).get({ name: "a", ...PLACE })).toMatchObject({ spec: { size: 1 } });
    const wrong = other!.resource(Thing).create({ ...thing("b", 1), spec: { size: "large" } } as never);
    await expect(wrong).rejects.toSatisfy((error) => isStatus(error, "Invalid"));
    await other!.resource(CustomResourceDefinition).delete({ name: "things.example.com" });
    await untilServed(one!, false);
    await untilServed(other!, false);
  });
});
