import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Node } from "../../src/client/kinds/index.ts";
import { nodeLifecycle } from "../../src/controllers/nodes/lifecycle.ts";
import { taintsOf } from "../../src/controllers/nodes/taints.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { World } from "../runtime/world.ts";

const DOMAIN = "node.kubernetes.io/";
const NOW = "2026-01-01T00:00:00Z";

const nodeOf = (conditions: Readonly<Record<string, string>>, spec: object = {}): Node =>
  ({
    metadata: { name: "n" },
    spec,
    status: { conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
  }) as unknown as Node;

/** The taints of a node as `key:effect`, without the domain; undefined where nothing has to change. */
const taints = (node: Node): string[] | undefined =>
  taintsOf(node, DOMAIN, NOW)?.map(({ key, effect }) => `${key.replace(DOMAIN, "")}:${effect}`);

describe("the taints of a node", () => {
  test.each([
    ["Ready", "False", "not-ready"],
    ["Ready", "Unknown", "unreachable"],
    ["MemoryPressure", "True", "memory-pressure"],
    ["DiskPressure", "True", "disk-pressure"],
    ["NetworkUnavailable", "True", "network-unavailable"],
    ["PIDPressure", "True", "pid-pressure"],
  ])("follow from %s %s", (type, status, name) => {
    expect(taints(nodeOf({ [type]: status }))).toEqual([`${name}:NoSchedule`]);
    const other = status === "True" ? "False" : "True";
    expect(taints(nodeOf({ [type]: other }))).toBeUndefined();
  });

  test("follow from unschedulable, and stay as they are where nothing changes", () => {
    expect(taints(nodeOf({}, { unschedulable: true }))).toEqual(["unschedulable:NoSchedule"]);
    const own = [{ key: `${DOMAIN}unschedulable`, effect: "NoSchedule" }];
    expect(taints(nodeOf({}, { unschedulable: true, taints: own }))).toBeUndefined();
    expect(taints(nodeOf({}, { taints: own }))).toEqual([]);
  });

  test("of other keys and effects are left alone", () => {
    const others = [
      { key: "team", effect: "NoSchedule" },
      { key: `${DOMAIN}not-ready`, effect: "NoExecute" },
      { key: `${DOMAIN}out-of-service`, effect: "NoSchedule" },
    ];
    expect(taints(nodeOf({ Ready: "True" }, { taints: others }))).toBeUndefined();
    const more = [...others, { key: `${DOMAIN}not-ready`, effect: "NoSchedule" }];
    expect(taints(nodeOf({ Ready: "True" }, { taints: more }))).toEqual([
      "team:NoSchedule",
      "not-ready:NoExecute",
      "out-of-service:NoSchedule",
    ]);
    expect(taints(nodeOf({ Ready: "False" }, { taints: others }))).toContain("not-ready:NoSchedule");
  });
});

describe("the controller", () => {
  let world: World;
  beforeEach(async () => {
    world = await World.create();
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const stored = async () => (await world.resource(Node).get({ name: "n" })).spec?.taints;

  test("removes the taint of a new node when its agent reports that it is ready, and writes nothing more", async () => {
    await world.run(nodeLifecycle(kubernetes, { plainNodesLive: true }));
    const taint = { key: `${DOMAIN}not-ready`, effect: "NoSchedule" };
    const report = (status: string) =>
      world.resource(Node).status.patch({ name: "n" }, { status: { conditions: [{ type: "Ready", status }] } });
    await world
      .resource(Node)
      .create({ metadata: { name: "n" }, spec: { taints: [taint, { key: "team", effect: "NoSchedule" }] } });
    await report("False");
    await world.settled();
    expect((await stored())?.map(({ key }) => key)).toContain(taint.key);
    await report("True");
    await world.settled();
    expect(await stored()).toEqual([{ key: "team", effect: "NoSchedule" }]);
    const { resourceVersion } = (await world.resource(Node).get({ name: "n" })).metadata;
    await world.advance(60_000);
    expect((await world.resource(Node).get({ name: "n" })).metadata.resourceVersion).toBe(resourceVersion);
    await report("Unknown");
    await world.settled();
    expect(await stored()).toMatchObject([
      { key: "team" },
      { key: `${DOMAIN}unreachable`, effect: "NoSchedule", timeAdded: expect.any(String) },
    ]);
    expect(world.failures).toEqual([]);
  });
});
