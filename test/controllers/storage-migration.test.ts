import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type ApiObject,
  Discovery,
  type NewObject,
  type Transport,
  inDomain,
  kindOfType,
} from "../../src/client/index.ts";
import {
  ConfigMap,
  Pod,
  StorageClass,
  StorageVersionMigration,
  StorageVersionMigrationV1alpha1,
} from "../../src/client/kinds/index.ts";
import { type MigratorSettings, storageVersionMigrator } from "../../src/controllers/storage-versions/migrator.ts";
import { type Dialect, dialectOf } from "../../src/meta/dialect.ts";
import { int32, optional, struct } from "../../src/meta/types.ts";
import type { Manager } from "../../src/runtime/index.ts";
import type { ResourceDefinition } from "../../src/schema/definition.ts";
import { objectSchema } from "../../src/schema/object-schema.ts";
import { type LogFacts, silentLog } from "../../src/util/log.ts";
import { World } from "../runtime/world.ts";

type Migration = StorageVersionMigrationV1alpha1;

const widgets = (version: string) =>
  kindOfType<ApiObject & { readonly spec: { readonly size: number } }>()({
    group: "example.com",
    version,
    kind: "Widget",
    plural: "widgets",
    scope: "Namespaced",
  });
/** The versions of a kind, of which the first is stored. */
const storing = (first: string, second: string): ResourceDefinition[] => {
  const as = (version: string) => (object: object) => ({ ...object, apiVersion: `example.com/${version}` }) as never;
  const names = { group: "example.com", kind: "Widget", plural: "widgets", singular: "widget" };
  const spec = optional(struct("What is wanted.", { size: optional(int32("How big.")) }));
  const schema = objectSchema("A kind of the test.", { spec });
  const common = { ...names, scope: "Namespaced", description: "A kind of the test.", schema } as const;
  const stored: ResourceDefinition = { ...common, version: first, deleteReturns: "object" };
  const storedAs = { definition: `widgets.example.com/${first}`, toStored: as(first), fromStored: as(second) };
  return [stored, { ...stored, version: second, storedAs }];
};

describe.each<Dialect["name"]>(["neutral", "kubernetes"])("the migrator in the %s dialect", (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await World.create(dialect, { StorageVersionMigrator: true });
  });
  afterEach(async () => {
    await world[Symbol.asyncDispose]();
    if (world.warnings.length > 0) throw new Error(world.warnings.join("\n"));
  });

  const { domain } = dialectOf(dialect)!;
  const migrations = () => world.resource(inDomain(StorageVersionMigrationV1alpha1, domain));
  const run = (settings?: MigratorSettings): Promise<Manager> =>
    world.run(storageVersionMigrator(dialectOf(dialect)!, settings));
  const migrate = (resource: object, name = "m", more: object = {}) =>
    migrations().create({ metadata: { name }, spec: { resource, ...more } } as NewObject<Migration>);
  const find = (name = "m") => migrations().get({ name });
  const said = ({ status }: Migration) => (status.conditions ?? []).map((c) => [c.type, c.status, c.reason]);
  const SUCCEEDED = [
    ["Running", "False", "StorageVersionMigrationInProgress"],
    ["Succeeded", "True", "StorageVersionMigrationSucceeded"],
  ];
  const configMaps = { resource: "configmaps", version: "v1" };
  const makeMaps = async (count: number) => {
    for (let i = 0; i < count; i++)
      await world.resource(ConfigMap).create({ metadata: { name: `c-${i}`, namespace: "default" } });
  };
  /** A kind that is stored in v1, a number of objects, then the same kind stored in v2. */
  const makeWidgets = async (count: number) => {
    await world.cluster.kinds.set({ versions: storing("v1", "v2") });
    for (let i = 0; i < count; i++)
      await world
        .resource(widgets("v1"))
        .create({ metadata: { name: `w-${i}`, namespace: "default" }, spec: { size: i + 1 } });
    await world.cluster.kinds.set({ versions: storing("v2", "v1") });
    await world.settled();
  };
  /** A migrator of its own, whose requests are meddled with. */
  const startThrough = (through: (transport: Transport) => Transport) =>
    world
      .manager({ client: world.cluster.client("manager").with({ through }) })
      .add(storageVersionMigrator(dialectOf(dialect)!))
      .start();
  const listWidgets = async () => (await world.resource(widgets("v2")).list()).items;

  test("SUP-25, SVM-5, CTL-SVM-3, CTL-SVM-4, DEC-55: every object is stored in the version of today afterwards, and says what it said", async () => {
    await makeWidgets(3);
    const before = await listWidgets();
    await run();
    await migrate({ group: "example.com", resource: "widgets", version: "v2" });
    await world.advance("10s");
    expect(said(await find())).toEqual(SUCCEEDED);
    const after = await listWidgets();
    expect(after.map(({ spec }) => spec.size)).toEqual([1, 2, 3]);
    for (const [i, { metadata }] of after.entries()) {
      expect(metadata.resourceVersion).not.toBe(before[i]!.metadata.resourceVersion);
      expect(metadata.managedFields).toEqual(before[i]!.metadata.managedFields);
      expect(metadata.generation).toBe(before[i]!.metadata.generation);
    }
  });

  test("CTL-SVM-3: an object that is stored as it should be keeps its version and its owners", async () => {
    await makeMaps(2);
    const before = await world.resource(ConfigMap).list({ namespace: "default" });
    await run();
    await migrate(configMaps);
    await world.advance("10s");
    expect(said(await find())).toEqual(SUCCEEDED);
    expect((await world.resource(ConfigMap).list({ namespace: "default" })).items).toEqual(before.items);
  });

  test("SVM-14, SVM-15, CTL-SVM-1, CTL-SVM-2: first the version is noted, then it runs, then it has succeeded", async () => {
    await makeMaps(1);
    await run();
    const seen: unknown[] = [];
    const stop = new AbortController();
    const watch = migrations().watch({
      signal: stop.signal,
      resourceVersion: (await migrations().list()).metadata.resourceVersion,
    });
    const heard = (async () => {
      for await (const { object } of watch) seen.push([object.status.resourceVersion !== undefined, said(object)]);
    })();
    await migrate(configMaps);
    await world.advance("10s");
    const { status } = await find();
    expect(seen).toEqual([
      [false, []],
      [true, []],
      [true, [["Running", "True", "StorageVersionMigrationInProgress"]]],
      [true, SUCCEEDED],
    ]);
    expect(status.conditions!.every(({ lastUpdateTime }) => lastUpdateTime !== undefined)).toBe(true);
    stop.abort();
    await heard.catch(() => {});
  });

  test("SVM-2, SVM-3: the token says how far it is, goes on from there after a restart, and is taken off at the end", async () => {
    await makeWidgets(403);
    const asked: string[] = [];
    const logged: unknown[] = [];
    const log = {
      ...silentLog,
      info: (message: string, facts?: LogFacts) => {
        if (message.includes("migrat")) logged.push(facts?.["remaining"] ?? message);
      },
    };
    const counting =
      (transport: Transport): Transport =>
      (request) => {
        if (request.method === "PATCH" && request.path.includes("/widgets/"))
          asked.push(request.path.replace(/^.*\/widgets\/([^?]*).*$/, "$1"));
        return transport(request);
      };
    const start = async (): Promise<Manager> => {
      const client = world.cluster.client("manager").with({ through: counting });
      const manager = world.manager({ client, log }).add(storageVersionMigrator(dialectOf(dialect)!));
      await manager.start();
      return manager;
    };
    const first = await start();
    await migrate({ group: "example.com", resource: "widgets", version: "v2" });
    await world.advance(250);
    const { spec, status } = await find();
    expect(spec.continueToken).toBeTypeOf("string");
    expect(said(await find())).toEqual([["Running", "True", "StorageVersionMigrationInProgress"]]);
    const rest = await world.resource(widgets("v2")).list({ continue: spec.continueToken! });
    await first.stop({ grace: 0 });
    const before = asked.length;
    expect(before).toBeGreaterThanOrEqual(100);
    await start();
    await world.advance("30s");
    expect(said(await find())).toEqual(SUCCEEDED);
    expect((await find()).spec).not.toHaveProperty("continueToken");
    expect((await find()).status.resourceVersion).toBe(status.resourceVersion);
    expect(asked.length - before).toBeLessThanOrEqual(rest.items.length);
    expect(new Set(asked).size).toBe(403);
    // A page may be read twice around the restart.
    expect([...new Set(logged)]).toEqual([303, 203, 103, 3, "the stored objects of a resource have been migrated"]);
    const old = (await listWidgets()).filter(
      ({ metadata }) => Number(metadata.resourceVersion) <= Number(status.resourceVersion),
    );
    expect(old).toEqual([]);
  });

  test("no more objects are written in a second than is set, of all migrations together", async () => {
    await makeMaps(250);
    await run({ perSecond: 100 });
    await migrate(configMaps);
    await migrate(configMaps, "n");
    await world.advance("3s");
    expect([said(await find()), said(await find("n"))]).not.toContainEqual(SUCCEEDED);
    await world.advance("2s");
    expect(said(await find())).toEqual(SUCCEEDED);
    expect(said(await find("n"))).toEqual(SUCCEEDED);
  });

  test("CTL-SVM-3, CTL-SVM-8: who writes or deletes an object meanwhile has done it; two migrations do not disturb each other", async () => {
    await makeWidgets(5);
    const meddling =
      (transport: Transport): Transport =>
      async (request) => {
        if (request.method === "PATCH" && request.path.includes("/widgets/w-1"))
          await world.resource(widgets("v2")).patch({ name: "w-1", namespace: "default" }, { spec: { size: 10 } });
        if (request.method === "PATCH" && request.path.includes("/widgets/w-2"))
          await world
            .resource(widgets("v2"))
            .delete({ name: "w-2", namespace: "default" })
            .catch(() => {});
        return transport(request);
      };
    await startThrough(meddling);
    const resource = { group: "example.com", resource: "widgets", version: "v2" };
    await Promise.all([migrate(resource, "m"), migrate(resource, "n")]);
    await world.advance("10s");
    expect([said(await find("m")), said(await find("n"))]).toEqual([SUCCEEDED, SUCCEEDED]);
    expect((await listWidgets()).map(({ spec }) => spec.size)).toEqual([1, 10, 4, 5]);
  });

  test("APPLY-23: what it applies it applies by force", async () => {
    await makeMaps(3);
    const applied: string[] = [];
    await startThrough((transport) => (request) => {
      if (request.method === "PATCH" && request.path.includes("/configmaps/")) applied.push(request.path);
      return transport(request);
    });
    await migrate(configMaps);
    await world.advance("10s");
    expect(said(await find())).toEqual(SUCCEEDED);
    expect(applied.length).toBeGreaterThanOrEqual(3);
    expect(applied.filter((path) => !path.includes("force=true"))).toEqual([]);
  });

  test("CTL-SVM-5, DEC-55: an error that no retry mends ends it, with what it was", async () => {
    await makeMaps(1);
    const refusing =
      (transport: Transport): Transport =>
      (request) => {
        const isApply = request.method === "PATCH" && request.path.includes("/configmaps/");
        return transport(
          isApply ? { ...request, path: request.path.replace("fieldManager=", "fieldManager=%0A") } : request,
        );
      };
    await startThrough(refusing);
    await migrate(configMaps);
    await world.advance("10s");
    const migration = await find();
    expect(said(migration)).toEqual([
      ["Running", "False", "StorageVersionMigrationInProgress"],
      ["Failed", "True", "StorageVersionMigrationFailed"],
    ]);
    expect(migration.status.conditions![1]!.message).toMatch(/configmaps/);
  });

  test("CTL-SVM-6: what has ended is never begun again", async () => {
    await run();
    await migrate(configMaps);
    await world.advance("10s");
    await makeMaps(1);
    const before = await find();
    await migrations().patch({ name: "m" }, { metadata: { labels: { a: "b" } } });
    await world.advance("1m");
    expect((await find()).status).toEqual(before.status);
  });

  test("CTL-SVM-7, DEC-55: a resource that is not served is waited for, then it has failed", async () => {
    await run();
    await migrate({ resource: "nosuch", version: "v1" });
    await world.advance("59s");
    expect((await find()).status).toEqual({});
    await world.advance("2s");
    const { status } = await find();
    expect(status).toMatchObject({
      conditions: [
        {
          type: "Failed",
          status: "True",
          reason: "StorageVersionMigrationFailed",
          message: "nosuch in version v1 is not served",
        },
      ],
    });
  });

  test("CTL-SVM-7: a resource that comes meanwhile is migrated at once", async () => {
    await run();
    await migrate({ group: "example.com", resource: "widgets", version: "v2" });
    await world.advance("40s");
    await makeWidgets(1);
    await world.advance("500ms");
    expect(said(await find())).toEqual(SUCCEEDED);
  });

  test("CTL-SVM-7: a resource that cannot be listed fails", async () => {
    await run();
    const { group, version, plural } = (await new Discovery(world.client).read()).find(
      ({ verbs }) => !verbs.includes("list"),
    )!;
    await migrate({ group, resource: plural, version });
    await world.advance("5s");
    expect(said(await find())).toEqual([["Failed", "True", "StorageVersionMigrationFailed"]]);
    expect((await find()).status.conditions![0]!.message).toMatch(/ has no list and no patch$/);
  });

  test("CTL-SVM-9: resources of the cluster and those in all namespaces are migrated alike", async () => {
    await world
      .resource(inDomain(StorageClass, domain))
      .create({ metadata: { name: "c" }, provisioner: "p.example.com" } as NewObject<StorageClass>);
    await run();
    await migrate({ group: `storage.${domain}`, resource: "storageclasses", version: "v1" });
    await migrate({ resource: "pods", version: "v1" }, "pods");
    await world.advance("5s");
    expect([said(await find()), said(await find("pods"))]).toEqual([SUCCEEDED, SUCCEEDED]);
    expect((await world.resource(Pod).list()).items).toEqual([]);
  });

  test("CTL-SVM-10: what the server cannot do now is tried again", async () => {
    await makeMaps(30);
    let failures = 3;
    const failing =
      (transport: Transport): Transport =>
      (request) => {
        if (request.method === "PATCH" && request.path.includes("/configmaps/c-7") && failures-- > 0)
          return Promise.reject(new Error("cut off"));
        return transport(request);
      };
    await startThrough(failing);
    await migrate(configMaps);
    await world.advance("10s");
    expect(said(await find())).toEqual(SUCCEEDED);
    expect(world.failures).toHaveLength(3);
    world.warnings.length = 0;
  });

  test("SVM-2: a token from before is not continued, and a damaged one starts from the beginning", async () => {
    await makeMaps(3);
    await run({ perSecond: 2 });
    await migrate(configMaps, "m", { continueToken: "nonsense" });
    await world.settled();
    expect((await find()).spec).not.toHaveProperty("continueToken");
    await migrations().patch({ name: "m" }, { spec: { continueToken: "nonsense" } });
    await world.advance("1m");
    expect(said(await find())).toEqual(SUCCEEDED);
  });
});

test("a migration that was made in the version of today's clusters names no version, and is done in the preferred one", async () => {
  await using world = await World.create("kubernetes", { StorageVersionMigrator: true });
  await world.run(storageVersionMigrator(dialectOf("kubernetes")!));
  const migrations = world.resource(StorageVersionMigration);
  await migrations.create({ metadata: { name: "m" }, spec: { resource: { group: "", resource: "configmaps" } } });
  await world.advance("10s");
  const { status } = await migrations.get({ name: "m" });
  expect(status.conditions!.map((c) => [c.type, c.status, c.message])).toEqual([
    ["Running", "False", ""],
    ["Succeeded", "True", ""],
  ]);
});
