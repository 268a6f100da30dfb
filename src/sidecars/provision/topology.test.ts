import { describe, expect, test } from "vitest";
import type { CSINode, Node } from "../../client/kinds/index.ts";
import { TopologyError, type TopologyInput, affinityOf, allowedTopologies, requirementFor } from "./topology.ts";

const DRIVER = "d.example.com";
const node = (name: string, labels: Record<string, string>) => ({ metadata: { name, labels } }) as unknown as Node;
const csiNode = (name: string, topologyKeys: string[]) =>
  ({ metadata: { name }, spec: { drivers: [{ name: DRIVER, nodeID: name, topologyKeys }] } }) as unknown as CSINode;
const nodes = [
  node("a", { zone: "1", rack: "x" }),
  node("b", { zone: "1", rack: "y" }),
  node("c", { zone: "2", rack: "x" }),
  node("d", {}),
];
const input = (more: Partial<TopologyInput> = {}): TopologyInput => ({
  driver: DRIVER,
  claim: "claim",
  allowed: undefined,
  selectedNode: undefined,
  isStrict: false,
  hasImmediate: true,
  nodes,
  csiNodes: [csiNode("a", ["zone"]), csiNode("b", ["zone"]), csiNode("c", ["zone"]), csiNode("d", [])],
  ...more,
});
const zones = (...values: string[]) => [{ matchLabelExpressions: [{ key: "zone", values }] }];
const segments = (topologies: readonly { segments: object }[] = []) => topologies.map((one) => one.segments);

describe("the topologies of a new volume", () => {
  test("SC-4: those of all nodes with the driver, where nothing restricts them", () => {
    expect(segments(requirementFor(input())?.requisite)).toEqual([{ zone: "1" }, { zone: "2" }]);
    expect(requirementFor(input({ hasImmediate: false }))).toBeUndefined();
  });

  test("SC-20: none, where the only term of the class is empty", () => {
    expect(() => requirementFor(input({ allowed: [{}] }))).toThrow(TopologyError);
    expect(() => requirementFor(input({ allowed: [{ matchLabelExpressions: [] }] }))).toThrow("class are empty");
  });

  test("SC-3, SC-21: those that the class allows: its terms are alternatives, and so are values of a key", () => {
    const allowed = [
      {
        matchLabelExpressions: [
          { key: "zone", values: ["1", "2"] },
          { key: "rack", values: ["x"] },
        ],
      },
      { matchLabelExpressions: [{ key: "zone", values: ["3"] }] },
    ];
    expect(allowedTopologies(allowed)).toEqual([{ zone: "1", rack: "x" }, { zone: "2", rack: "x" }, { zone: "3" }]);
    expect(segments(requirementFor(input({ allowed }))?.requisite)).toEqual([
      { zone: "3" },
      { zone: "1", rack: "x" },
      { zone: "2", rack: "x" },
    ]);
  });

  test("the topology of a selected node comes first", () => {
    expect(segments(requirementFor(input({ selectedNode: "c" }))?.preferred)).toEqual([{ zone: "2" }, { zone: "1" }]);
    const strict = requirementFor(input({ selectedNode: "c", isStrict: true }));
    expect([segments(strict?.requisite), segments(strict?.preferred)]).toEqual([[{ zone: "2" }], [{ zone: "2" }]]);
  });

  test("an error says whether another node may fit", () => {
    const errorOf = (more: Partial<TopologyInput>) => {
      try {
        return requirementFor(input(more));
      } catch (error) {
        return (error as TopologyError).isOfNode;
      }
    };
    expect(errorOf({ selectedNode: "none" })).toBe(true);
    expect(errorOf({ selectedNode: "d" })).toBe(false);
    expect(errorOf({ selectedNode: "c", allowed: zones("1"), isStrict: true })).toBe(true);
    expect(errorOf({ selectedNode: "c", allowed: zones("1") })).toBe(true);
    expect(errorOf({ csiNodes: [] })).toBe(false);
  });
});

test("a volume is accessible from the nodes of its topologies; without topologies from all", () => {
  expect(affinityOf([])).toBeUndefined();
  expect(affinityOf([{ segments: {} }])).toBeUndefined();
  expect(affinityOf([{ segments: { zone: "1", rack: "x" } }])).toEqual({
    required: {
      nodeSelectorTerms: [
        {
          matchExpressions: [
            { key: "rack", operator: "In", values: ["x"] },
            { key: "zone", operator: "In", values: ["1"] },
          ],
        },
      ],
    },
  });
});

test("SC-21: millions of topologies are refused at once, with a node or without", () => {
  const values = Array.from({ length: 60 }, (_, number) => String(number));
  const allowed = [{ matchLabelExpressions: ["a", "b", "c", "d", "e"].map((key) => ({ key, values })) }];
  expect(() => requirementFor(input({ allowed }))).toThrow("expected at most 10000 topologies that the class allows");
});
