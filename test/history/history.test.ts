import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiObject } from "../../src/schema/definition.ts";
import { StatusError } from "../../src/client/index.ts";
import { VolumeAttachment, neutral } from "../../src/client/kinds/index.ts";
import type { HistoryReport } from "../../src/meta/history-report.ts";
import { at } from "../rules/answer.ts";
import { fresh } from "../rules/api.ts";
import { PLACE, World, configMap } from "./world.ts";

const ANY = expect.anything() as unknown;
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const path = (query: Readonly<Record<string, string>>): string =>
  `/keelson/v1/history?${new URLSearchParams({ version: "v1", resource: "configmaps", ...PLACE, ...query }).toString()}`;

/** What each version is, and what it changed. */
const told = ({ versions }: HistoryReport): string[] =>
  versions.map(({ event, managers, changes }) => {
    const who = managers.map((m) => `${m.manager} ${m.operation}${m.subresource ? ` ${m.subresource}` : ""}`);
    return [event, ...who, ...changes.map(({ op, pointer }) => `${op} ${pointer}`)].join(", ");
  });

describe.each(["neutral", "kubernetes"] as const)("history in the %s dialect", (dialect) => {
  let world: World;
  beforeAll(async () => {
    world = await World.start({ dialect });
  });
  afterAll(() => world.end());

  /** A ConfigMap that was created, changed, applied to and deleted; its versions, oldest first. */
  async function lived(): Promise<{ name: string; versions: string[] }> {
    const name = fresh("lived");
    const { configMaps } = world;
    const created = await configMaps.create(configMap(name, { colour: "red" }), { fieldManager: "alice" });
    const updated = await configMaps.update({ ...created, data: { colour: "blue" } }, { fieldManager: "bob" });
    const { data: _, ...intent } = configMap(name);
    const applied = await configMaps.apply({ ...intent, data: { size: "big" } }, { fieldManager: "carol" });
    await configMaps.delete({ name, ...PLACE });
    return { name, versions: [created, updated, applied].map(({ metadata }) => metadata.resourceVersion!) };
  }

  test("names each version with who made it and what it changed, newest first, also of a deleted object", async () => {
    const { name, versions } = await lived();
    const report = await world.configMaps.history({ name, ...PLACE });
    expect(told(report)).toEqual([
      "deleted",
      "updated, carol Apply, add /data/size",
      "updated, bob Update, replace /data/colour",
      "created, alice Update",
    ]);
    expect(report).toMatchObject({ kind: "History", apiVersion: "keelson.dev/v1", more: false, since: ANY });
    expect(report.object).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", name, ...PLACE });
    expect(
      report.versions
        .map(({ resourceVersion }) => resourceVersion)
        .toReversed()
        .slice(0, 3),
    ).toEqual(versions);
    expect(report.versions.map(({ time }) => time)).toEqual([TIME, TIME, TIME, TIME]);
    expect(report.versions[2]!.changes).toEqual([
      { op: "replace", pointer: "/data/colour", before: "red", after: "blue" },
    ]);
    expect(report.versions.every(({ object }) => object === undefined)).toBe(true);
  });

  test("shows objects where that is asked for, each as it was", async () => {
    const { name, versions } = await lived();
    const { versions: found } = await world.configMaps.history({ name, ...PLACE }, { objects: true });
    const objects = found.map(({ object }) => object as unknown as ApiObject);
    expect(objects.map(({ data }) => data)).toEqual([
      { colour: "blue", size: "big" },
      { colour: "blue", size: "big" },
      { colour: "blue" },
      { colour: "red" },
    ]);
    expect(objects.map(({ metadata }) => metadata.resourceVersion).slice(1)).toEqual(versions.toReversed());
  });

  test("shows the one version that an object had at a resourceVersion, its own or a later one", async () => {
    const { name, versions } = await lived();
    const between = fresh("between");
    const { metadata } = await world.configMaps.create(configMap(between));
    await world.configMaps.patch({ name: between, ...PLACE }, { data: { a: "b" } });
    const one = await world.configMaps.history({ name, ...PLACE }, { at: versions[1]!, objects: true });
    expect(one.versions).toMatchObject([{ resourceVersion: versions[1], object: { data: { colour: "blue" } } }]);
    const { versions: later } = await world.configMaps.history(
      { name: between, ...PLACE },
      {
        at: String(world.server.store.revision),
      },
    );
    expect(later).toMatchObject([{ event: "kept" }]);
    expect(Number(later[0]!.resourceVersion)).toBeGreaterThan(Number(metadata.resourceVersion));
    const before = await world.ask(path({ name: between, at: versions[0]! }));
    expect(before).toMatchObject({
      status: 404,
      body: { kind: "Status", reason: "NotFound", details: { name: between } },
    });
  });

  test("of an object that was made again it goes on below the delete; `limit` says how far, `more` whether that is all", async () => {
    const { name } = await lived();
    await world.configMaps.create(configMap(name, { colour: "green" }));
    const all = await world.configMaps.history({ name, ...PLACE });
    expect(told(all).map((line) => line.split(",")[0])).toEqual([
      "created",
      "deleted",
      "updated",
      "updated",
      "created",
    ]);
    expect(new Set(all.versions.map(({ uid }) => uid)).size).toBe(2);
    const two = await world.configMaps.history({ name, ...PLACE }, { limit: 2 });
    expect([two.versions, two.more]).toEqual([all.versions.slice(0, 2), true]);
    expect((await world.configMaps.history({ name, ...PLACE }, { limit: 5 })).more).toBe(false);
  });

  test("a write of the status, an apply that only shares, and finalizers are reported as such", async () => {
    const kind = dialect === "neutral" ? neutral(VolumeAttachment) : VolumeAttachment;
    const attachments = world.resource(kind);
    const name = fresh("attachment");
    const spec = { attacher: "a", nodeName: "n", source: { persistentVolumeName: "pv" } };
    const intent = { metadata: { name }, spec };
    await attachments.create({ ...intent, metadata: { name, finalizers: ["example.com/guard"] } });
    await attachments.status.patch({ name }, { status: { attached: true } });
    await attachments.apply(intent, { fieldManager: "sharer" });
    await attachments.delete({ name });
    await attachments.patch({ name }, { metadata: { finalizers: null } });
    const report = await attachments.history({ name });
    expect(report.object).toMatchObject({ apiVersion: `${kind.group}/v1`, kind: "VolumeAttachment" });
    const lines = told(report);
    expect(lines.filter((line) => !line.includes("deletionTimestamp"))).toEqual([
      expect.stringMatching(/^deleted/),
      "updated, sharer Apply",
      "updated, test Update status, replace /status/attached",
      "created, test Update",
    ]);
    expect(lines.join()).toContain("add /metadata/deletionTimestamp");
  });

  test.each<[string, Readonly<Record<string, string>>, number, string]>([
    ["no such object", { name: "nobody" }, 404, "NotFound"],
    ["no name", {}, 400, "BadRequest"],
    ["a namespace that is missing", { name: "a", namespace: "" }, 400, "BadRequest"],
    ["a namespace that is too much", { name: "a", resource: "namespaces" }, 400, "BadRequest"],
    ["a resource that is not served", { name: "a", resource: "nothings" }, 400, "BadRequest"],
    ["a version that is not served", { name: "a", version: "v9" }, 400, "BadRequest"],
    ["a name that is no segment of a path", { name: "../b" }, 400, "BadRequest"],
    ["a limit of nothing", { name: "a", limit: "0" }, 400, "BadRequest"],
    ["a limit that is too large", { name: "a", limit: "501" }, 400, "BadRequest"],
    ["a version that is no number", { name: "a", at: "1e3" }, 400, "BadRequest"],
    ["a version that was never reached", { name: "a", at: "999999999" }, 400, "BadRequest"],
    ["a resource that is only asked", { name: "a", resource: "tokenreviews", namespace: "" }, 400, "BadRequest"],
  ])("%s is refused with a Status", async (_what, query, status, reason) => {
    const answer = await world.ask(path(query));
    expect(answer).toMatchObject({ status, body: { kind: "Status", status: "Failure", reason, code: status } });
    expect(String(at(answer.body, "message")).length).toBeGreaterThan(10);
  });

  test("a kind that is asked and never stored has no history, and nothing is written here", async () => {
    const review = { group: "authorization.k8s.io", resource: "selfsubjectaccessreviews", namespace: "", name: "a" };
    const refused = await world.ask(
      path(dialect === "neutral" ? { ...review, group: "authorization.svc.io" } : review),
    );
    expect([405, 400]).toContain(refused.status);
    const posted = await world.ask(path({ name: "a" }), { "content-type": "application/json" }, "POST");
    expect(posted).toMatchObject({ status: 405, body: { reason: "MethodNotAllowed" } });
  });

  test("who may not get the object may not see its past", async () => {
    const { name } = await lived();
    const answer = await world.ask(path({ name }), { "impersonate-user": "nobody" });
    expect(answer).toMatchObject({ status: 403, body: { reason: "Forbidden" } });
    expect((await world.ask(path({ name }))).status).toBe(200);
  });

  test("survives a restart; a watch goes on from a version of before it, and old versions are gone with 410", async () => {
    const { name, versions } = await lived();
    const before = await world.configMaps.history({ name, ...PLACE });
    await world.restart();
    expect(await world.configMaps.history({ name, ...PLACE })).toEqual(before);

    const seen: string[] = [];
    const query = { ...PLACE, resourceVersion: versions[0]!, timeoutSeconds: 60 };
    for await (const { type, object } of world.configMaps.watch(query)) {
      if (object.metadata.name === name) seen.push(`${type} ${JSON.stringify(object["data"])}`);
      if (type === "DELETED" && object.metadata.name === name) break;
    }
    expect(seen).toEqual([
      'MODIFIED {"colour":"blue"}',
      'MODIFIED {"colour":"blue","size":"big"}',
      'DELETED {"colour":"blue","size":"big"}',
    ]);

    await world.server.store.compact(world.server.store.revision);
    expect((await world.ask(path({ name }))).status).toBe(404);
    expect(await world.ask(path({ name, at: versions[0]! }))).toMatchObject({
      status: 410,
      body: { kind: "Status", status: "Failure", reason: "Expired", code: 410 },
    });
    // The cache has begun above the old version, and the store does not have it any more.
    await world.restart();
    const watch = world.configMaps.watch({ ...PLACE, resourceVersion: versions[0]!, timeoutSeconds: 60 });
    const refused = await watch.next().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(StatusError);
    expect((refused as StatusError).status).toMatchObject({
      kind: "Status",
      status: "Failure",
      reason: "Expired",
      code: 410,
    });
  });
});

test("a server in memory has a history as long as it runs, with the times of its writes", async () => {
  const world = await World.start({ store: "memory" });
  const { configMaps } = world;
  await configMaps.create(configMap("web", { colour: "red" }));
  await configMaps.patch({ name: "web", ...PLACE }, { data: { colour: "blue" } });
  const report = await configMaps.history({ name: "web", ...PLACE });
  expect(told(report)).toEqual(["updated, test Update, replace /data/colour", "created, test Update"]);
  expect(report.versions.map(({ time }) => time?.length)).toEqual([24, 24]);
  await world.end();
});

test("an answer about large versions ends early, says so, and does not keep other requests waiting", async () => {
  const world = await World.start();
  const { configMaps } = world;
  const lines = Array.from({ length: 16_000 }, (_, i) => [`k${i}`, `${"v".repeat(28)}${i}`]);
  const data = Object.fromEntries(lines) as Record<string, string>;
  let object = await configMaps.create(configMap("large", data));
  for (let i = 0; i < 8; i++) object = await configMaps.update({ ...object, data: { ...data, k0: `${i}` } });
  const report = await configMaps.history({ name: "large", ...PLACE }, { objects: true });
  expect(report.more).toBe(true);
  expect(report.versions.length).toBeGreaterThanOrEqual(3);
  expect(report.versions.length).toBeLessThan(9);
  expect(report.versions[0]!.changes).toHaveLength(1);
  await world.end();
});
