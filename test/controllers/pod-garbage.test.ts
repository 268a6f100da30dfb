import { afterEach, beforeEach, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { Node, Pod } from "../../src/client/kinds/index.ts";
import { podGarbage } from "../../src/controllers/pods/garbage/controller.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { createCluster, watchLags } from "../../src/testing/index.ts";
import { World } from "../runtime/world.ts";

let world: World;
beforeEach(async () => {
  world = await World.create();
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  if (world.warnings.length > 0) throw new Error(world.warnings.join("\n"));
});
const start = (endedPods?: number) => world.run(podGarbage(kubernetes, endedPods === undefined ? {} : { endedPods }));

const HELD = { finalizers: ["example.com/x"] };
const OFF = [{ key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" }];
const pods = () => world.resource(Pod);
const at = (name: string) => ({ name, namespace: "default" });
const makePod = async (name: string, nodeName = "n", metadata: object = {}, phase = "Running") => {
  const spec = { nodeName, containers: [{ name: "c", image: "i" }] };
  await pods().create({ metadata: { ...at(name), ...metadata }, spec } as NewObject<Pod>);
  await pods().status.patch(at(name), { status: { phase } });
  await world.settled();
};
const makeNode = async (status = "True", name = "n") => {
  await world.resource(Node).create({ metadata: { name } } as NewObject<Node>);
  await setReady(status, name);
};
const setReady = async (status: string, name = "n") => {
  await world.resource(Node).status.patch({ name }, { status: { conditions: [{ type: "Ready", status }] } });
  await world.settled();
};
const taint = async (taints: readonly object[] | null, name = "n") => {
  await world.resource(Node).patch({ name }, { spec: { taints } } as never);
  await world.settled();
};
const remove = async (name: string) => {
  await pods().delete(at(name));
  await world.settled();
};
const left = async () => (await pods().list()).items.map(({ metadata }) => metadata.name);

test("WL-POD-1, CTL-PODGC-1, CTL-PODGC-3: pods of a node that is gone have failed and go after 40 seconds", async () => {
  await makeNode();
  await makePod("p");
  await makePod("held", "n", HELD);
  await makePod("elsewhere", "");
  await start();
  await world.advance("1h");
  await world.resource(Node).delete({ name: "n" });
  await world.advance("39s");
  expect(await left()).toEqual(["elsewhere", "held", "p"]);
  await world.advance("2s");
  expect(await left()).toEqual(["elsewhere", "held"]);
  const { metadata, status } = await pods().get(at("held"));
  expect(metadata).toMatchObject({ deletionGracePeriodSeconds: 0 });
  expect(status).toMatchObject({ phase: "Failed", observedGeneration: 1 });
  expect(status.conditions).toEqual([
    expect.objectContaining({
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByPodGC",
      message: "PodGC: node no longer exists",
      observedGeneration: 1,
    }),
  ]);
  await world.advance("1h");
  expect((await pods().get(at("held"))).metadata.resourceVersion).toBe(metadata.resourceVersion);
});

test("CTL-PODGC-2: a node that comes back in time keeps its pods, and is waited for as long the next time", async () => {
  await makePod("p");
  await start();
  await world.advance("39s");
  await makeNode();
  await world.advance("1h");
  await world.resource(Node).delete({ name: "n" });
  await world.advance("39s");
  expect(await left()).toEqual(["p"]);
  await world.advance("2s");
  expect(await left()).toEqual([]);
});

test("CTL-PODGC-2: a pod that comes to a node which was gone before is given as long as others", async () => {
  await start();
  await makePod("first", "never");
  await world.advance("41s");
  await makePod("second", "never");
  await world.advance("39s");
  expect(await left()).toEqual(["second"]);
  await world.advance("2s");
  expect(await left()).toEqual([]);
});

test("CTL-PODGC-2: a node that is not seen yet is asked for before its pods are removed", async () => {
  await using cluster = await createCluster();
  await cluster.run(podGarbage(kubernetes));
  cluster.faults.open({ kind: Node }, watchLags("70s"));
  await cluster.apply(Node, { metadata: { name: "late" } });
  const spec = { nodeName: "late", containers: [{ name: "c", image: "i" }] };
  await cluster.apply(Pod, { metadata: at("p"), spec });
  await cluster.clock.advance("41s");
  expect(cluster.requests({ kind: Node, verb: "get" }).length).toBeGreaterThan(0);
  await cluster.clock.advance("10m");
  expect(await cluster.client().resource(Pod).find(at("p"))).toBeDefined();
});

test("WL-POD-1, CTL-PODGC-4: a pod that leaves without ever having had a node has failed within 20 seconds, and goes but for its finalizers", async () => {
  await start();
  await makePod("held", "", HELD, "Pending");
  await makePod("stays", "", HELD, "Pending");
  await world.advance("1h");
  await world.advance("5s");
  await remove("held");
  await world.advance("14s");
  expect((await pods().get(at("held"))).status.phase).toBe("Pending");
  await world.advance("2s");
  const { metadata, status } = await pods().get(at("held"));
  expect(status.phase).toBe("Failed");
  expect(status.conditions?.some(({ type }) => type === "DisruptionTarget") ?? false).toBe(false);
  expect((await pods().get(at("stays"))).status.phase).toBe("Pending");
  await world.advance("1h");
  expect((await pods().get(at("held"))).metadata.resourceVersion).toBe(metadata.resourceVersion);
});

test("WL-POD-1, CTL-PODGC-5: of pods that have ended a number is kept, and they are counted every 20 seconds", async () => {
  await start(2);
  for (const name of ["a", "b"]) {
    await makePod(name, "", {}, "Succeeded");
    await world.advance("30s");
  }
  await makePod("runs", "");
  await makePod("c", "", {}, "Failed");
  expect(await left()).toEqual(["b", "c", "runs"]);
  await makePod("d", "", {}, "Failed");
  await world.advance("19s");
  expect(await left()).toEqual(["b", "c", "d", "runs"]);
  await world.advance("2s");
  expect(await left()).toEqual(["c", "d", "runs"]);
});

test("CTL-PODGC-5: with 0 all of them are kept", async () => {
  await makePod("a", "", {}, "Failed");
  await start(0);
  await world.advance("1h");
  expect(await left()).toEqual(["a"]);
});

test("WL-POD-1, CTL-PODGC-6: pods that leave go within 20 seconds where their node is out of service and not ready", async () => {
  await makeNode("Unknown");
  await start();
  await makePod("first");
  await makePod("second");
  await makePod("stays");
  await remove("first");
  await world.advance("10s");
  expect((await pods().get(at("first"))).metadata.deletionTimestamp).toBeDefined();
  await taint(OFF);
  expect(await left()).toEqual(["first", "second", "stays"]);
  await world.advance("20s");
  expect(await left()).toEqual(["second", "stays"]);
  await remove("second");
  await world.advance("1h");
  expect(await left()).toEqual(["stays"]);
});

test("CTL-PODGC-6: a node that is ready keeps them in spite of the taint, until it is so no more", async () => {
  await makeNode();
  await taint(OFF);
  await start();
  await makePod("p");
  await remove("p");
  await world.advance("1h");
  expect(await left()).toEqual(["p"]);
  await setReady("Unknown");
  await world.advance("20s");
  expect(await left()).toEqual([]);
});

test("CTL-PODGC-8: a new leader removes the rest", async () => {
  await makeNode("False");
  await taint(OFF);
  await makePod("leaves");
  await pods().delete(at("leaves"));
  await makePod("orphan", "never");
  await makePod("unplaced", "", HELD, "Pending");
  await pods().delete(at("unplaced"));
  await start();
  await world.advance("41s");
  expect(await left()).toEqual(["unplaced"]);
  expect((await pods().get(at("unplaced"))).status.phase).toBe("Failed");
});
