/** Revisions older than the history: 410, and how a client continues. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSqliteStore } from "../../src/storage/sqlite/store.ts";
import { systemClock } from "../../src/util/clock.ts";
import { at } from "../rules/answer.ts";
import { Api, worldOf } from "../rules/api.ts";

const ITEMS = "/api/v1/namespaces/default/configmaps";
const api = new Api();
let directory: string;
/** The version of the list before the first page was read. */
let old: string;
let token: string;
let compacted: string;
/** What a new start answered for the rest of the list, and for its version, when only the store still had that. */
let recalled: Awaited<ReturnType<Api["get"]>>[];

async function start(): Promise<void> {
  const store = await openSqliteStore({ directory, clock: systemClock });
  api.use(await worldOf({ controllers: "none" }, { store }));
}

async function stop(): Promise<void> {
  const { cluster } = api.world;
  await cluster.close(0);
  await cluster.store.close();
}

/** A cluster that has forgotten: its store was compacted and its memory is of a new start. */
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "keelson-expired-"));
  await start();
  for (const name of ["a", "b", "c", "d"]) await api.post(ITEMS, { metadata: { name } });
  const page = await api.get(ITEMS, { limit: "2" });
  [old, token] = [page.resourceVersion, String(page.at("metadata.continue"))];
  await api.delete(`${ITEMS}/c`);
  await api.post(ITEMS, { metadata: { name: "bb" } });
  compacted = (await api.get(ITEMS)).resourceVersion;
  await stop();
  await start();
  recalled = [
    await api.get(ITEMS, { limit: "2", continue: token }),
    await api.get(ITEMS, { resourceVersion: old, resourceVersionMatch: "Exact" }),
  ];
  const { store } = api.world.cluster;
  await store.compact(store.revision);
  await stop();
  await start();
});
afterAll(async () => {
  await stop();
  rmSync(directory, { recursive: true, force: true });
});

test("DEC-25: a page token and a version that memory has forgotten are served from the store's history", () => {
  expect(recalled.map((answer) => answer.names)).toEqual([
    ["c", "d"],
    ["a", "b", "c", "d"],
  ]);
  expect(recalled.map((answer) => answer.resourceVersion)).toEqual([old, old]);
});

describe("a version before the history", () => {
  test("ends a watch with 410 Expired, and nothing follows", async () => {
    using watch = await api.watch(ITEMS, { resourceVersion: old });
    const event = await watch.next();
    expect(event).toMatchObject({ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } });
    await api.post(ITEMS, { metadata: { name: "after-the-error" } });
    expect([await watch.next(), watch.ended]).toEqual([undefined, true]);
    expect(watch.lines).toHaveLength(1);
    await api.delete(`${ITEMS}/after-the-error`);
  });

  test("that is asked for exactly is 410 Expired", async () => {
    const answer = await api.get(ITEMS, { resourceVersion: old, resourceVersionMatch: "Exact" });
    expect(answer.status).toBe(410);
    expect(answer.at("reason")).toBe("Expired");
    expect(answer.at("message")).toMatch(/too old/);
  });

  test("is good enough for who wants nothing older", async () => {
    for (const resourceVersionMatch of [undefined, "NotOlderThan"]) {
      expect((await api.get(ITEMS, { resourceVersion: old, resourceVersionMatch })).names).toEqual([
        "a",
        "b",
        "bb",
        "d",
      ]);
    }
    expect((await api.get(`${ITEMS}/a`, { resourceVersion: old })).status).toBe(200);
  });

  test("in a continue token is 410 with a token that goes on after the same key in the present", async () => {
    const answer = await api.get(ITEMS, { limit: "2", continue: token });
    expect([answer.status, answer.at("reason")]).toEqual([410, "Expired"]);
    expect(answer.at("message")).toMatch(/continue token is too old/);
    const next = String(answer.at("metadata.continue"));
    const rest = await api.get(ITEMS, { limit: "1", continue: next });
    expect(rest.names).toEqual(["bb"]);
    expect(BigInt(rest.resourceVersion)).toBeGreaterThanOrEqual(BigInt(compacted));
    const last = await api.get(ITEMS, { limit: "5", continue: String(rest.at("metadata.continue")) });
    expect([last.names, last.resourceVersion]).toEqual([["d"], rest.resourceVersion]);
  });

  test("does not stop a watch from the present, or from exactly where the history begins", async () => {
    using fromNow = await api.watch(ITEMS);
    using fromStart = await api.watch(ITEMS, { resourceVersion: compacted });
    expect(await fromNow.take(4)).toEqual(["ADDED a", "ADDED b", "ADDED bb", "ADDED d"]);
    const made = await api.post(ITEMS, { metadata: { name: "new" } });
    expect(await fromNow.take(1)).toEqual(["ADDED new"]);
    for (let event = await fromStart.next(); ; event = await fromStart.next()) {
      expect(event?.type).not.toBe("ERROR");
      if (at(event?.object, "metadata.resourceVersion") === made.resourceVersion) break;
    }
  });
});
