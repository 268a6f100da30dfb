import { describe, expect, test } from "vitest";
import type { CSINode, Node } from "../../client/kinds/index.ts";
import { PlaceError, type PlaceQuestion, affinityOf, allowedPlaces, placesFor } from "./topology.ts";

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
const question = (more: Partial<PlaceQuestion> = {}): PlaceQuestion => ({
  driver: DRIVER,
  claim: "claim",
  allowed: undefined,
  selectedNode: undefined,
  isStrict: false,
  tellsAll: true,
  nodes,
  csiNodes: [csiNode("a", ["zone"]), csiNode("b", ["zone"]), csiNode("c", ["zone"]), csiNode("d", [])],
  ...more,
});
const zones = (...values: string[]) => [{ matchLabelExpressions: [{ key: "zone", values }] }];
const segments = (places: readonly { segments: object }[] = []) => places.map((place) => place.segments);

describe("where a volume is made", () => {
  test("SC-4: anywhere that a node of the driver is, where nothing is said", () => {
    expect(segments(placesFor(question())?.requisite)).toEqual([{ zone: "1" }, { zone: "2" }]);
    expect(placesFor(question({ tellsAll: false }))).toBeUndefined();
  });

  test("SC-20: nowhere, where the only term of the class is empty", () => {
    expect(() => placesFor(question({ allowed: [{}] }))).toThrow(PlaceError);
    expect(() => placesFor(question({ allowed: [{ matchLabelExpressions: [] }] }))).toThrow("terms are empty");
  });

  test("SC-3, SC-21: where the class allows: its terms are alternatives, and so are values of a key", () => {
    const allowed = [
      {
        matchLabelExpressions: [
          { key: "zone", values: ["1", "2"] },
          { key: "rack", values: ["x"] },
        ],
      },
      { matchLabelExpressions: [{ key: "zone", values: ["3"] }] },
    ];
    expect(allowedPlaces(allowed)).toEqual([{ zone: "1", rack: "x" }, { zone: "2", rack: "x" }, { zone: "3" }]);
    expect(segments(placesFor(question({ allowed }))?.requisite)).toEqual([
      { zone: "3" },
      { zone: "1", rack: "x" },
      { zone: "2", rack: "x" },
    ]);
  });

  test("the place of a node that was selected comes first", () => {
    expect(segments(placesFor(question({ selectedNode: "c" }))?.preferred)).toEqual([{ zone: "2" }, { zone: "1" }]);
    const wish = placesFor(question({ selectedNode: "c", isStrict: true }));
    expect([segments(wish?.requisite), segments(wish?.preferred)]).toEqual([[{ zone: "2" }], [{ zone: "2" }]]);
  });

  test("a node that cannot be used is told apart from one that cannot be used yet", () => {
    const errorOf = (more: Partial<PlaceQuestion>) => {
      try {
        return placesFor(question(more));
      } catch (error) {
        return (error as PlaceError).isOfNode;
      }
    };
    expect(errorOf({ selectedNode: "none" })).toBe(true);
    expect(errorOf({ selectedNode: "d" })).toBe(false);
    expect(errorOf({ selectedNode: "c", allowed: zones("1"), isStrict: true })).toBe(true);
    expect(errorOf({ selectedNode: "c", allowed: zones("1") })).toBe(true);
    expect(errorOf({ csiNodes: [] })).toBe(false);
  });
});

test("the nodes that reach a volume are those of its places; without places all", () => {
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

test("SC-21: topologies that would be millions of places are refused at once, a node or not", () => {
  const values = Array.from({ length: 60 }, (_, number) => String(number));
  const allowed = [{ matchLabelExpressions: ["a", "b", "c", "d", "e"].map((key) => ({ key, values })) }];
  expect(() => placesFor(question({ allowed }))).toThrow("expected at most 10000 topologies that the class allows");
});
