/** Two clusters in one process share nothing by accident. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigMap } from "../client/kinds/index.ts";
import { kubernetes } from "../meta/dialect.ts";
import { openMemoryStore } from "../storage/memory/store.ts";
import { ManualClock } from "../util/clock.ts";
import { type Cluster, createCluster } from "./index.ts";

let first: Cluster;
let second: Cluster;

beforeEach(async () => {
  first = await createCluster({ store: await openMemoryStore(), dialect: kubernetes });
  second = await createCluster({ store: await openMemoryStore(), dialect: kubernetes });
});

afterEach(async () => {
  await Promise.all([first.close(0), second.close(0)]);
});

const ADMIN = { user: "admin", groups: ["system:masters"] };
const mapsOf = (cluster: Cluster) => cluster.client("test").resource(ConfigMap);
const loopOf = (cluster: Cluster) => cluster.client("test").clock.loop;
const at = (name: string) => ({ namespace: "default", name });

/** How many ConfigMaps a server has counted that were created. */
async function createsOf(cluster: Cluster): Promise<number> {
  const response = await cluster.server.inject({ method: "GET", url: "/metrics", identity: ADMIN, headers: {} });
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("apiserver_request_total{"));
  const line = lines.find((one) => one.includes('resource="configmaps"') && one.includes('verb="create"'));
  return Number(line?.split(" ").at(-1) ?? 0);
}

test("a busy cluster ends no slice of the other one and delays none of its requests", async () => {
  const [busy, quiet] = [loopOf(first), loopOf(second)];
  expect(busy).not.toBe(quiet);
  const order: string[] = [];
  const waits = Array.from({ length: 20 }, () => busy.yield().then(() => order.push("busy")));
  // The first of those that wait in the other loop continues in the first pass.
  await quiet.yield().then(() => order.push("quiet"));
  expect(order.indexOf("quiet")).toBeLessThan(3);
  const floods = Array.from({ length: 40 }, () => busy.admit("flood"));
  expect([quiet.admit("one"), quiet.admitInternal()]).toEqual([undefined, undefined]);
  await Promise.all([...waits, ...floods]);
});

test("objects, caches and metrics are of one cluster", async () => {
  const [mine, other] = [mapsOf(first), mapsOf(second)];
  await mine.create({ metadata: at("a"), data: { of: "first" } });
  expect(await other.find(at("a"))).toBeUndefined();
  await other.create({ metadata: at("a"), data: { of: "second" } });
  expect((await mine.get(at("a"))).data).toEqual({ of: "first" });
  await other.create({ metadata: at("b") });
  expect([await createsOf(first), await createsOf(second)]).toEqual([1, 2]);
});

test("the clock of one moves nothing in the other", async () => {
  const clock = new ManualClock(Date.UTC(2030, 0, 1));
  await using third = await createCluster({ store: await openMemoryStore(), dialect: kubernetes, clock });
  const created = await mapsOf(third).create({ metadata: at("later") });
  expect(created.metadata.creationTimestamp).toBe("2030-01-01T00:00:00Z");
  const now = await mapsOf(first).create({ metadata: at("now") });
  expect(now.metadata.creationTimestamp).not.toContain("2030");
});

test("where one closes, the other still responds, with its watches and what waits in its loop", async () => {
  const maps = mapsOf(second);
  const events = maps.watch({ namespace: "default" });
  await events.next();
  const wait = loopOf(second).yield();
  await first.close(0);
  await wait;
  await maps.create({ metadata: at("after") });
  const { value } = await events.next();
  expect(value).toMatchObject({ type: "ADDED", object: { metadata: at("after") } });
  await events.return(undefined);
});
