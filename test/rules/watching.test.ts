/** Watches: CONV-6, EVT-2, DEC-28. */
import { describe, expect, test } from "vitest";
import { at } from "./answer.ts";
import { fresh, serve } from "./api.ts";

const api = serve();

const maps = (ns: string): string => `/api/v1/namespaces/${ns}/configmaps`;

const items = (): string => maps(fresh("ns"));

test("DEC-28, AMB-11: one JSON text per line, chunked", async () => {
  const path = items();
  await api.post(path, { metadata: { name: "a" }, data: { k: "two\nlines" } });
  using watch = await api.watch(path, {}, { "user-agent": "curl/8" });
  expect(watch.status).toBe(200);
  expect(watch.headers.get("content-type")).toMatch(/^application\/json/);
  expect(watch.headers.get("content-length")).toBeNull();
  const event = await watch.next();
  expect(Object.keys(event!)).toEqual(["type", "object"]);
  expect(event).toMatchObject({
    type: "ADDED",
    object: { kind: "ConfigMap", apiVersion: "v1", data: { k: "two\nlines" } },
  });
  expect(watch.lines).toHaveLength(1);
});

test("DEC-28: without a version first what is there, then what changes", async () => {
  const path = items();
  await api.post(path, { metadata: { name: "b" } });
  await api.post(path, { metadata: { name: "a" } });
  for (const resourceVersion of [undefined, "0"]) {
    using watch = await api.watch(path, { resourceVersion });
    expect((await watch.take(2)).sort()).toEqual(["ADDED a", "ADDED b"]);
    await api.post(path, { metadata: { name: "c" } });
    await api.merge(`${path}/c`, { data: { k: "v" } });
    await api.delete(`${path}/c`);
    expect(await watch.take(3)).toEqual(["ADDED c", "MODIFIED c", "DELETED c"]);
  }
});

test("DEC-28: with a version only what came later, each with its own version", async () => {
  const path = items();
  await api.post(path, { metadata: { name: "a" } });
  const resourceVersion = String((await api.get(path)).at("metadata.resourceVersion"));
  const versions = [];
  versions.push((await api.merge(`${path}/a`, { data: { k: "1" } })).resourceVersion);
  versions.push((await api.merge(`${path}/a`, { data: { k: "2" } })).resourceVersion);
  using watch = await api.watch(path, { resourceVersion });
  const events = [await watch.next(), await watch.next()];
  expect(events.map((event) => event?.type)).toEqual(["MODIFIED", "MODIFIED"]);
  expect(events.map((event) => at(event?.object, "metadata.resourceVersion"))).toEqual(versions);
  expect(events.map((event) => at(event?.object, "data.k"))).toEqual(["1", "2"]);
});

test("DEC-28: DELETED has the last state and the version of the deletion", async () => {
  const path = items();
  const made = await api.post(path, { metadata: { name: "a" }, data: { k: "last" } });
  using watch = await api.watch(path, { resourceVersion: made.resourceVersion });
  await api.delete(`${path}/a`);
  const event = await watch.next();
  expect([event?.type, at(event?.object, "data.k")]).toEqual(["DELETED", "last"]);
  expect(Number(at(event?.object, "metadata.resourceVersion"))).toBeGreaterThan(Number(made.resourceVersion));
});

test("DEC-28: what begins or ends to match a selector is ADDED or DELETED, with the last matching state", async () => {
  const path = items();
  const made = await api.post(path, { metadata: { name: "a", labels: { on: "no" } } });
  using watch = await api.watch(path, { labelSelector: "on=yes", resourceVersion: made.resourceVersion });
  const label = (on: string) => api.merge(`${path}/a`, { metadata: { labels: { on } } });
  await label("yes");
  await api.merge(`${path}/a`, { data: { k: "v" } });
  const off = await label("no");
  await api.merge(`${path}/a`, { data: { k: "unseen" } });
  await label("yes");
  const events = [await watch.next(), await watch.next(), await watch.next(), await watch.next()];
  expect(events.map((event) => event?.type)).toEqual(["ADDED", "MODIFIED", "DELETED", "ADDED"]);
  expect(at(events[2]?.object, "metadata.labels.on")).toBe("yes");
  expect(at(events[2]?.object, "metadata.resourceVersion")).toBe(off.resourceVersion);
});

test("DEC-28: one object by its name, also across namespaces", async () => {
  const path = items();
  await api.post(path, { metadata: { name: "other" } });
  const name = fresh("only");
  using watch = await api.watch(path, { fieldSelector: `metadata.name=${name}` });
  using wide = await api.watch("/api/v1/configmaps", { fieldSelector: `metadata.name=${name}` });
  await api.post(path, { metadata: { name } });
  expect(await watch.take(1)).toEqual([`ADDED ${name}`]);
  expect(await wide.take(1)).toEqual([`ADDED ${name}`]);
});

test("DEC-28: a namespace's watch sees nothing of others", async () => {
  const [path, other] = [items(), items()];
  using watch = await api.watch(path);
  await api.post(other, { metadata: { name: "foreign" } });
  await api.post(path, { metadata: { name: "own" } });
  expect(await watch.take(1)).toEqual(["ADDED own"]);
});

describe("bookmarks", () => {
  test("DEC-28: sendInitialEvents ends the first part with an annotated bookmark", async () => {
    const path = items();
    await api.post(path, { metadata: { name: "a" } });
    const query = { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: "true" };
    using watch = await api.watch(path, query);
    expect((await watch.next())?.type).toBe("ADDED");
    const bookmark = await watch.next();
    expect(bookmark).toEqual({
      type: "BOOKMARK",
      object: {
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: {
          resourceVersion: expect.stringMatching(/^\d+$/),
          annotations: expect.objectContaining({ "svc.io/initial-events-end": "true" }) as object,
        },
      },
    });
  });

  test("DEC-28: without allowWatchBookmarks there are none", async () => {
    const path = items();
    await api.post(path, { metadata: { name: "a" } });
    using watch = await api.watch(path, { timeoutSeconds: "7200" });
    await api.pass(7_201_000);
    expect(watch.ended).toBe(true);
    expect(watch.lines.some((line) => line.includes("BOOKMARK"))).toBe(false);
  });
});

describe("the end", () => {
  test("DEC-28: timeoutSeconds ends the stream, a negative one at once", async () => {
    const path = items();
    using watch = await api.watch(path, { timeoutSeconds: "60" });
    await api.pass(59_000);
    expect(watch.ended).toBe(false);
    await api.pass(2000);
    expect(watch.ended).toBe(true);
    using none = await api.watch(path, { timeoutSeconds: "-1" });
    await api.pass(1000);
    expect(none.ended).toBe(true);
  });
});

describe("options", () => {
  test("DEC-28: limit is ignored, continue is 422", async () => {
    const path = items();
    for (const name of ["a", "b"]) await api.post(path, { metadata: { name } });
    using watch = await api.watch(path, { limit: "1" });
    expect((await watch.take(2)).sort()).toEqual(["ADDED a", "ADDED b"]);
    expect((await api.get(path, { watch: "true", continue: "x" })).status).toBe(422);
  });

  test.each([
    [{ resourceVersionMatch: "NotOlderThan" }],
    [{ sendInitialEvents: "true" }],
    [{ sendInitialEvents: "true", resourceVersionMatch: "Exact" }],
  ])("DEC-28: a watch with %j is 422", async (query) => {
    expect((await api.get(maps("default"), { watch: "true", ...query })).status).toBe(422);
  });

  test.each(["true", "1", "", "yes"])("DEC-18: watch=%s is a watch", async (value) => {
    const path = items();
    await api.post(path, { metadata: { name: "a" } });
    using watch = await api.watch(path, { watch: value });
    expect(await watch.take(1)).toEqual(["ADDED a"]);
  });

  test.each(["0", "false", "False"])("DEC-18: watch=%s is a list", async (value) => {
    expect((await api.get(items(), { watch: value })).body["kind"]).toBe("ConfigMapList");
  });

  test("DEC-28: a version beyond the present waits for it", async () => {
    const path = items();
    const made = await api.post(path, { metadata: { name: "a" } });
    const beyond = String(Number(made.resourceVersion) + 1000);
    using watch = await api.watch(path, { resourceVersion: beyond, timeoutSeconds: "1" });
    expect(watch.status).toBe(200);
    expect(await watch.next()).toBeUndefined();
  });

  test("DEC-17: a watch in YAML is 406", async () => {
    using watch = await api.watch(items(), {}, { accept: "application/yaml" });
    expect(watch.status).toBe(406);
  });

  test("DEC-23: dry runs are not seen", async () => {
    const path = items();
    using watch = await api.watch(path);
    await api.post(path, { metadata: { name: "dry" } }, { dryRun: "All" });
    await api.post(path, { metadata: { name: "real" } });
    expect(await watch.take(1)).toEqual(["ADDED real"]);
  });
});
