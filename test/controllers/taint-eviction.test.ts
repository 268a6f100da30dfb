import { afterEach, beforeEach, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { CoreEvent, Node, Pod } from "../../src/client/kinds/index.ts";
import { taintEviction } from "../../src/controllers/pods/taint-eviction/controller.ts";
import type { Manager } from "../../src/runtime/index.ts";
import { World } from "../runtime/world.ts";

let world: World;
let manager: Manager;
const start = async (seed = 1) => {
  manager = world.manager({ countedEvents: true, seed }).add(taintEviction);
  await manager.start();
  await world.settled();
};
beforeEach(async () => {
  world = await World.create();
  await start();
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  if (world.warnings.length > 0) throw new Error(world.warnings.join("\n"));
});

const pods = () => world.resource(Pod);
const at = (name: string) => ({ name, namespace: "default" });
const evicts = (key = "t") => ({ key, effect: "NoExecute" });
const bears = (tolerationSeconds?: number, key = "t") => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds,
});
const taint = async (taints: readonly object[] | null, name = "n") => {
  await world.resource(Node).patch({ name }, { spec: { taints } } as never);
  await world.settled();
};
const makeNode = async (taints: readonly object[] = [], name = "n") => {
  await world.resource(Node).create({ metadata: { name }, spec: { taints } } as NewObject<Node>);
  await world.settled();
};
const makePod = async (name: string, tolerations: readonly object[] = [], nodeName = "n", metadata: object = {}) => {
  const spec = { nodeName, containers: [{ name: "c", image: "i" }], tolerations };
  await pods().create({ metadata: { ...at(name), ...metadata }, spec } as NewObject<Pod>);
  await pods().status.patch(at(name), { status: { phase: "Running" } });
  await world.settled();
};
const bear = async (name: string, ...tolerations: readonly object[]) => {
  await pods().patch(at(name), { spec: { tolerations } } as never);
  await world.settled();
};
const leaving = async () =>
  (await pods().list()).items.filter(({ metadata }) => metadata.deletionTimestamp).map(({ metadata }) => metadata.name);
const events = async () =>
  (await world.resource(CoreEvent).list()).items
    .map(({ type, reason, message, source, count }) => [type, reason, message, source.component, count].join(" "))
    .toSorted();
const marking = (name: string, count = 1) =>
  `Normal TaintManagerEviction Marking for deletion Pod default/${name} taint-eviction-controller ${count}`;
const cancelling = (name: string) =>
  `Normal TaintManagerEviction Cancelling deletion of Pod default/${name} taint-eviction-controller 1`;

test("WL-POD-2, CTL-TAINT-1, CTL-TAINT-2, CTL-TAINT-6: a taint evicts at once who does not bear it, with a mark and time to end", async () => {
  await makeNode();
  await makePod("goes");
  await makePod("bears", [bears()]);
  await makePod("elsewhere", [], "other");
  await taint([evicts()]);
  const { metadata, status } = await pods().get(at("goes"));
  expect(metadata).toMatchObject({ deletionGracePeriodSeconds: 30 });
  expect(status.conditions).toEqual([
    expect.objectContaining({
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByTaintManager",
      message: "Taint manager: deleting due to NoExecute taint",
      observedGeneration: 1,
      lastTransitionTime: "2026-01-01T00:00:00Z",
    }),
  ]);
  expect(status.phase).toBe("Running");
  expect(await leaving()).toEqual(["goes"]);
  expect(await events()).toEqual([marking("goes")]);
});

test("CTL-TAINT-1: a pod that comes to a node with a taint goes, and one that has no node does not", async () => {
  await makeNode([evicts()]);
  await makePod("comes");
  await makePod("waits", [], "");
  expect(await leaving()).toEqual(["comes"]);
});

test("WL-POD-2, CTL-TAINT-3: who bears it for a time goes after that, and not before", async () => {
  await makeNode();
  await makePod("p", [bears(60)]);
  await world.advance("1h");
  await taint([evicts()]);
  await world.advance("59s");
  expect(await leaving()).toEqual([]);
  expect(await events()).toEqual([]);
  await world.advance("2s");
  expect(await leaving()).toEqual(["p"]);
  expect(await events()).toEqual([marking("p")]);
});

test("WL-POD-2, CTL-TAINT-4: a taint that is removed in time cancels the eviction, and the next one starts a new period", async () => {
  await makeNode([evicts()]);
  await makePod("p", [bears(60)]);
  await world.advance("50s");
  await taint(null);
  expect(await events()).toEqual([cancelling("p")]);
  await world.advance("1h");
  await taint([evicts()]);
  await world.advance("50s");
  expect(await leaving()).toEqual([]);
  await world.advance("11s");
  expect(await leaving()).toEqual(["p"]);
});

test("CTL-TAINT-4: a pod that comes to bear it for ever is let stay", async () => {
  await makeNode([evicts()]);
  await makePod("p", [bears(60)]);
  await world.advance("59s");
  await bear("p", bears());
  await world.advance("1h");
  expect(await leaving()).toEqual([]);
  expect(await events()).toEqual([cancelling("p")]);
});

test("CTL-TAINT-5: other tolerations and more taints that it bears for a time change nothing of its time", async () => {
  await makeNode([evicts("a")]);
  await makePod("p", [bears(60, "a")]);
  await world.advance("30s");
  await bear("p", bears(600, "a"), bears(5, "b"));
  await taint([evicts("a"), evicts("b")]);
  await world.advance("29s");
  expect(await leaving()).toEqual([]);
  await world.advance("2s");
  expect(await leaving()).toEqual(["p"]);
  expect(await events()).toEqual([marking("p")]);
});

test("CTL-TAINT-4: what it does not bear does not wait for the time of what it bears", async () => {
  await makeNode([evicts("a")]);
  await makePod("p", [bears(60, "a")]);
  await taint([evicts("a"), evicts("b")]);
  expect(await leaving()).toEqual(["p"]);
  expect(await events()).toEqual([cancelling("p"), marking("p")]);
});

test("CTL-TAINT-4: a Pod that another client deletes is not waited for, and one with its name has its own time", async () => {
  await makeNode([evicts()]);
  await makePod("p", [bears(60)]);
  await world.advance("50s");
  await pods().delete(at("p"), { gracePeriodSeconds: 0 });
  await makePod("p", [bears(60)]);
  await world.advance("50s");
  expect(await leaving()).toEqual([]);
  expect(await events()).toEqual([cancelling("p")]);
  await world.advance("11s");
  expect(await leaving()).toEqual(["p"]);
});

test("CTL-TAINT-5: a node that goes meanwhile does not save its pod, and one that comes back without taints does", async () => {
  await makeNode([evicts()]);
  await makeNode([evicts()], "m");
  await makePod("p", [bears(60)]);
  await makePod("q", [bears(60)], "m");
  await world.advance("30s");
  await world.resource(Node).delete({ name: "n" });
  await world.resource(Node).delete({ name: "m" });
  await world.settled();
  await makeNode([], "m");
  expect(await events()).toEqual([cancelling("q")]);
  await world.advance("31s");
  expect(await leaving()).toEqual(["p"]);
});

test("CTL-TAINT-7: a new leader evicts the remaining Pods, and counts again", async () => {
  await makeNode([evicts()]);
  await makePod("p", [bears(60)]);
  await world.advance("50s");
  await manager.stop();
  await makePod("q");
  await start(2);
  expect(await leaving()).toEqual(["q"]);
  await world.advance("59s");
  expect(await leaving()).toEqual(["q"]);
  await world.advance("2s");
  expect(await leaving()).toEqual(["p", "q"]);
});

test("CTL-TAINT-6: a pod that finalizers keep is marked once, and nothing more is written of it", async () => {
  await makeNode([evicts()]);
  await makePod("p", [], "n", { finalizers: ["example.com/x"] });
  const { resourceVersion } = (await pods().get(at("p"))).metadata;
  await world.advance("1h");
  expect((await pods().get(at("p"))).metadata.resourceVersion).toBe(resourceVersion);
  expect(await events()).toEqual([marking("p")]);
});
