/** The explanations of a Pod without a node, with the filters of the scheduler. */
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CoreEvent, Node, Pod } from "../../src/client/kinds/index.ts";
import { whyLines } from "../../src/cli/why-lines.ts";
import { explain } from "../../src/why/index.ts";
import { DRIVER, HOSTNAME, Stage, at, only } from "../controllers/model/stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.create();
});
afterEach(() => stage[Symbol.asyncDispose]());

const why = (name = "p", limit = 20) => stage.world.resource(Pod).why(at(name), { limit });
const reasons = async (name = "p") => (await why(name)).reasons.map(({ says, who }) => [says, who]);

describe("a Pod that waits wherever it could go", () => {
  test("gates, and who has put them there", async () => {
    await stage.pod("p", { schedulingGates: [{ name: "example.com/g" }] });
    expect(await reasons()).toEqual([
      [
        "it has no node, and is not scheduled before its scheduling gates are removed: example.com/g",
        "the user or program that set the gates",
      ],
    ]);
  });

  test("another scheduler", async () => {
    await stage.pod("p", { schedulerName: "another" });
    expect(await reasons()).toEqual([["it has no node yet", "the scheduler another"]]);
    const pods = stage.world.resource(Pod);
    const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "no GPU" }];
    await pods.status.patch(at("p"), { status: { conditions } } as never);
    expect(await reasons()).toEqual([["the scheduler another says: no GPU", "the scheduler another"]]);
    const { uid } = (await pods.get(at("p"))).metadata;
    await stage.world.resource(CoreEvent).create({
      metadata: at("e"),
      involvedObject: { kind: "Pod", ...at("p"), uid },
      type: "Warning",
      reason: "FailedScheduling",
      message: "0/2 nodes have a GPU",
      source: { component: "another" },
      lastTimestamp: new Date(stage.world.clock.now()).toISOString(),
    } as never);
    expect(await reasons()).toEqual([["the scheduler another says: 0/2 nodes have a GPU", "the scheduler another"]]);
  });

  test("each claim that is not ready, and who would have to act for it", async () => {
    await stage.node("a");
    await stage.claim("none", { storageClassName: "" });
    await stage.pod("p", { claims: ["absent", "none"] });
    const told = await reasons();
    expect(told[0]).toEqual(['persistentvolumeclaim "absent" not found', "a user who creates that claim"]);
    expect(told[1]).toEqual([
      "its claim none: no persistent volumes available for this claim and no storage class is set",
      "a user who creates a volume that fits, or a default StorageClass",
    ]);
    expect((await why()).nodes).toBeUndefined();
  });
});

describe("a Pod that fits nowhere", () => {
  test("each node and all that it lacks, the nearest first", async () => {
    await stage.node("a", { spec: { unschedulable: true }, room: { cpu: "1" } });
    await stage.node("b");
    await stage.bound("c", only("a"));
    await stage.pod("p", { claims: ["c"], requests: { cpu: "2" } });
    const report = await why();
    const affinity = "node(s) didn't match PersistentVolume's node affinity";
    expect(report.nodes).toEqual([
      { node: "b", lacks: [affinity] },
      { node: "a", lacks: ["node(s) were unschedulable", "Insufficient cpu"] },
    ]);
    expect(report.reasons.map(({ says }) => says).toSorted()).toEqual([
      "of 2 nodes 1: Insufficient cpu",
      `of 2 nodes 1: ${affinity}`,
      "of 2 nodes 1: node(s) were unschedulable",
    ]);
    expect(report.reasons.every(({ who }) => who !== undefined)).toBe(true);
    const lines = whyLines(report, "pod/p", { paint: (_, text) => text });
    expect(lines.join("\n")).toContain("NODE  LACKS\nb     node(s) didn't match PersistentVolume's node affinity");
  });

  test("no more nodes than are asked for", async () => {
    for (const name of ["a", "b", "c"]) await stage.node(name);
    await stage.pod("p", { nodeSelector: { x: "y" } });
    const report = await why("p", 2);
    expect(report.nodes).toHaveLength(2);
    expect(report.leftOut).toBe(1);
    const lines = whyLines(report, "pod/p", { paint: (_, text) => text });
    expect(lines.join("\n")).toContain("1 more nodes are left out; --limit shows more");
  });

  test("limits of a node, which the claims of others fill", async () => {
    await stage.node("a");
    await stage.csiNode("a", 1);
    await stage.bound("c");
    await stage.bound("d");
    await stage.pod("q", { claims: ["c"] });
    await stage.pod("p", { claims: ["d"] });
    expect((await why()).nodes).toEqual([{ node: "a", lacks: ["node(s) exceed max volume count"] }]);
  });

  test("no node at all", async () => {
    await stage.pod("p");
    expect(await reasons()).toEqual([["there is no node", "an administrator who adds nodes"]]);
  });
});

describe("a Pod that waits for its claims", () => {
  test("the provisioner that is to make a volume, and where", async () => {
    await stage.node("a");
    await stage.lateClass();
    await stage.claim("c", { storageClassName: "late" });
    await stage.pod("p", { claims: ["c"] });
    expect(await reasons()).toEqual([
      [
        `its claim c waits for a volume for the node a: it waits for the provisioner ${DRIVER} to create a volume; it has reported nothing yet`,
        `the provisioner ${DRIVER}: is it running?`,
      ],
    ]);
    expect((await why()).nodes).toBeUndefined();
  });

  test("a Pod that has its node waits for the agent of that, until it runs", async () => {
    await stage.node("a");
    await stage.pod("p", { nodeSelector: { [HOSTNAME]: "a" } });
    expect(await reasons()).toEqual([
      ["it is on the node a, which is not Ready", "the operator of the agent of the node a"],
    ]);
    const ready = { conditions: [{ type: "Ready", status: "True" }] };
    await stage.world.resource(Node).status.patch({ name: "a" }, { status: ready } as never);
    expect(await reasons()).toEqual([
      [
        "it is on the node a, and some of its containers do not run yet; the agent of the node has reported nothing",
        "the agent of the node a",
      ],
    ]);
    await stage.world.resource(Pod).status.patch(at("p"), { status: { phase: "Running" } });
    expect(await reasons()).toEqual([]);
  });
});

test("a user who may not read nodes gets that as the reason, and no more", async () => {
  await stage.node("secret");
  await stage.pod("p", { nodeSelector: { x: "y" } });
  const refusal = { kind: "Status", status: "Failure", reason: "Forbidden", code: 403, message: "no nodes for you" };
  const client = stage.world.client.with({
    through: (transport) => async (request) =>
      request.path.startsWith("/api/v1/nodes")
        ? { status: 403, headers: {}, body: Readable.from([Buffer.from(JSON.stringify(refusal))]) }
        : transport(request),
  });
  const { reasons: told, nodes } = await explain(client, stage.dialect, { kind: Pod, key: at("p") });
  expect(told).toEqual([{ says: "the report is incomplete: no nodes for you" }]);
  expect(nodes).toBeUndefined();
});

test("of more objects than are looked at it says so, and of no claim that it is not there", async () => {
  await stage.node("a");
  await stage.bound("c", only("gone"));
  for (let i = 0; i < 5; i++) await stage.volume(`v${i}`);
  await stage.pod("p", { claims: ["c"] });
  const { reasons: told } = await explain(
    stage.world.client,
    stage.dialect,
    { kind: Pod, key: at("p") },
    { maxRead: 3 },
  );
  expect(told.map(({ says }) => says)).toEqual([
    "there is no node that was read",
    "there are more than the 3 objects that were read",
  ]);
});
