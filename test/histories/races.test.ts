import { expect, test } from "vitest";
import { createCluster } from "../../src/cluster/index.ts";
import { neutral } from "../../src/meta/dialect.ts";
import type { Store, Write } from "../../src/storage/contract.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import type { Value } from "../../src/value/value.ts";
import { SYSTEM } from "../../src/registry/build.ts";

const target = { namespace: "default", name: "c", subresource: "" };
const options = { dryRun: false, fieldManager: "test", fieldValidation: "Ignore" } as const;
const forced = { ...options, type: "apply", force: true } as const;
const bodyOf = (value: string) => ({
  value: {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "c", namespace: "default" },
    data: { value },
  } as Value,
  duplicates: [],
});

/** The ConfigMaps of a server on a store. */
async function configMaps(store: Store) {
  const { kinds } = await createCluster({ store, dialect: neutral });
  return kinds.find("", "v1", "configmaps")!;
}

/** Two servers on one store. What `meanwhile` does happens around the next write of the first one. */
async function twoServers() {
  const store = await openMemoryStore();
  const around: { before?: () => Promise<unknown>; after?: () => Promise<unknown> } = {};
  const write = async (wanted: Write): Promise<number> => {
    const { before, after } = around;
    delete around.before;
    delete around.after;
    await before?.();
    const revision = await store.write(wanted);
    await after?.();
    return revision;
  };
  const first = new Proxy(store, {
    get(from, name) {
      const value: unknown = name === "write" ? write : Reflect.get(from, name, from);
      return typeof value === "function" ? value.bind(from) : value;
    },
  });
  return { one: await configMaps(first), other: await configMaps(store), around };
}

test("APPLY-1: an apply of what another server deletes meanwhile creates it again", async () => {
  const { one, other, around } = await twoServers();
  await one.create(target, bodyOf("0"), options, SYSTEM);
  around.before = () => other.delete(target, { dryRun: false }, SYSTEM);
  const applied = await one.patch(target, bodyOf("1"), forced, SYSTEM);
  expect([applied.code, applied.object["data"]]).toEqual([201, { value: "1" }]);
});

test("APPLY-1: an apply of what another server creates meanwhile changes it", async () => {
  const { one, other, around } = await twoServers();
  around.before = () => other.create(target, bodyOf("0"), options, SYSTEM);
  const applied = await one.patch(target, bodyOf("1"), forced, SYSTEM);
  expect([applied.code, applied.object["data"]]).toEqual([200, { value: "1" }]);
});

test("a write that another server follows at once is answered with what it wrote itself, under its own version", async () => {
  const { one, other, around } = await twoServers();
  const follow = (): Promise<unknown> => other.update(target, bodyOf("of the other"), options, SYSTEM);
  around.after = follow;
  const created = await one.create(target, bodyOf("1"), options, SYSTEM);
  around.after = follow;
  const updated = await one.update(target, bodyOf("2"), options, SYSTEM);
  around.after = () => other.delete(target, { dryRun: false }, SYSTEM);
  const last = await one.update(target, bodyOf("3"), options, SYSTEM);
  around.after = () => other.delete(target, { dryRun: false }, SYSTEM);
  const gone = await one.create(target, bodyOf("4"), options, SYSTEM);
  const answers = [created, updated, last, gone];
  expect(answers.map(({ object }) => object["data"])).toEqual(["1", "2", "3", "4"].map((value) => ({ value })));
  const versions = answers.map(({ object }) => Number(object.metadata.resourceVersion));
  expect(versions.map((version) => version - versions[0]!)).toEqual([0, 2, 4, 6]);
  expect(
    answers.map(({ bytes }) => Number(JSON.parse(Buffer.from(bytes).toString()).metadata.resourceVersion)),
  ).toEqual(versions);
});
