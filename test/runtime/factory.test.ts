import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigMap, Secret } from "../../src/client/kinds/index.ts";
import type { Kind } from "../../src/client/index.ts";
import { type Informer, type InformerFactory, createInformers, sharedInformer } from "../../src/runtime/index.ts";
import { systemClock } from "../../src/util/clock.ts";
import { type Cluster, createCluster, forbidden, hang } from "../../src/testing/index.ts";

let cluster: Cluster;
let informers: InformerFactory;
const failures: unknown[] = [];
beforeEach(async () => {
  cluster = await createCluster();
  const client = cluster.as({ user: "reader", groups: ["system:masters"] });
  informers = createInformers({ client, clock: systemClock, failed: (error) => failures.push(error) });
});
afterEach(async () => {
  await informers.stop();
  failures.length = 0;
  await cluster.close();
});

const map = (name: string, data = {}) => ({ metadata: { name, namespace: "default", labels: { own: "yes" } }, data });

test("informers follow without a manager, and share what is equal", async () => {
  await cluster.apply(ConfigMap, map("a"));
  const maps = informers.informer(
    sharedInformer(ConfigMap, { labelSelector: "own", indexes: { colour: (object) => object.data?.["colour"] } }),
  );
  const same = informers.informer(sharedInformer(ConfigMap, { labelSelector: "own" }));
  const heard: string[] = [];
  maps.on(({ type, object }) => heard.push(`${type} ${object.metadata.name}`));
  await informers.synced();
  expect([maps.state, maps.reflector === same.reflector]).toEqual(["synced", true]);
  await cluster.apply(ConfigMap, map("b", { colour: "red" }));
  await cluster.client().resource(ConfigMap).delete({ name: "a", namespace: "default" });
  await expect.poll(() => heard).toEqual(["added a", "added b", "deleted a"]);
  expect(maps.by("colour", "red").map(({ metadata }) => metadata.name)).toEqual(["b"]);
  expect(same.list().map(({ metadata }) => metadata.name)).toEqual(["b"]);
});

test("one of several kinds is applied and followed: what they have in common is known", async () => {
  for (const kind of [ConfigMap, Secret]) {
    const applied: readonly (ConfigMap | Secret)[] = await cluster.apply(kind, { metadata: { name: "one" } });
    expect(applied[0]!.kind).toBe(kind.kind);
    const indexes = { name: ({ metadata }: ConfigMap | Secret) => metadata.name };
    const byKind: Informer<ConfigMap | Secret, "Namespaced"> = informers.informer(kind);
    const bySpec = informers.informer(sharedInformer(kind, { namespace: "default", indexes }));
    await informers.synced();
    const found: ConfigMap | Secret | undefined = byKind.get({ name: "one", namespace: "default" });
    expect(found?.kind).toBe(kind.kind);
    expect(bySpec.by("name", "one").map((object) => object.kind)).toEqual([kind.kind]);
    // @ts-expect-error: no such index
    expect(() => bySpec.by("colour", "red")).toThrow("that its informer names");
    // @ts-expect-error: an object of a namespace has one
    byKind.get({ name: "one" });
  }
});

test("a kind that is not served is awaited, and delays no other", async () => {
  const Thing: Kind = { group: "example.com", version: "v1", kind: "Thing", plural: "things", scope: "Namespaced" };
  const things = informers.informer(Thing);
  await informers.synced();
  expect(things.state).toBe("absent");
});

test("a refusal ends the wait, and is reported", async () => {
  cluster.faults.always({ verb: "list", kind: Secret }, forbidden());
  informers.informer(Secret);
  await expect(informers.synced()).rejects.toMatchObject({ status: { code: 403 } });
  expect(failures).toHaveLength(1);
});

test("a wait ends when its time is over, it is given up, or the factory is stopped", async () => {
  cluster.faults.always({ verb: "list", kind: Secret }, hang());
  informers.informer(Secret);
  await expect(informers.synced({ timeout: 10 })).rejects.toThrow(
    "expected informers to be synced within 0.01 s, waiting for secrets",
  );
  const abort = new AbortController();
  const given = informers.synced({ signal: abort.signal });
  abort.abort(new Error("enough"));
  await expect(given).rejects.toThrow("enough");
  const waiting = informers.synced();
  await informers.stop();
  await expect(waiting).resolves.toBeUndefined();
});
