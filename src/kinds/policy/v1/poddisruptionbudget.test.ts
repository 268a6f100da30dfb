import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { podDisruptionBudget } from "./poddisruptionbudget.ts";

const spec = { minAvailable: 1, selector: { matchLabels: { app: "a" } } };
const NOTHING = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
const lastTransitionTime = "2026-01-01T00:00:00Z";
const condition = { type: "DisruptionAllowed", status: "True", reason: "Enough", message: "", lastTransitionTime };

describe.each([neutral, kubernetes])("a PodDisruptionBudget in the $name dialect", (dialect) => {
  const kind = new KindUnderTest(podDisruptionBudget, contextOf(dialect));
  const causesOf = (sent: object): readonly string[] => kind.create({ spec: sent }).causes;
  const { object } = kind.create({ spec });
  const statusCauses = (status: object): readonly string[] =>
    kind.update(object, { ...object, status }, "status").causes;

  test("KIND-PodDisruptionBudget-1: nothing is filled in but the numbers of the status", () => {
    const made = kind.create({ spec: {}, status: { ...NOTHING, disruptionsAllowed: 3 } });
    expect(made).toMatchObject({ causes: [], unknown: [] });
    expect(made.object).toMatchObject({ spec: {}, status: NOTHING });
    expect(Object.keys(made.object["spec"] as object)).toEqual([]);
  });

  test.each(["minAvailable", "maxUnavailable"])(
    "KIND-PodDisruptionBudget-2: %s is a number or a percentage",
    (member) => {
      for (const share of [0, 7, "0%", "100%"]) expect(causesOf({ [member]: share })).toEqual([]);
      for (const share of [-1, "7", "1.5%", "101%", "some", ""]) {
        expect(causesOf({ [member]: share })).toEqual([`FieldValueInvalid spec.${member}`]);
      }
    },
  );

  test("KIND-PodDisruptionBudget-2: not both; the selector may be empty, or not be there", () => {
    expect(causesOf({ minAvailable: 1, maxUnavailable: 1 })).toEqual(["FieldValueInvalid spec"]);
    for (const selector of [undefined, {}]) expect(causesOf({ ...(selector && { selector }) })).toEqual([]);
    expect(causesOf({ selector: { matchLabels: { "a b": "c d" } } })).toEqual([
      "FieldValueInvalid spec.selector.matchLabels",
    ]);
    expect(causesOf({ selector: { matchExpressions: [{ key: "a", operator: "In" }] } })).toEqual([
      "FieldValueRequired spec.selector.matchExpressions[0].values",
    ]);
  });

  test("KIND-PodDisruptionBudget-3: which Pods that are not Ready may be evicted", () => {
    for (const unhealthyPodEvictionPolicy of ["IfHealthyBudget", "AlwaysAllow"]) {
      expect(causesOf({ unhealthyPodEvictionPolicy })).toEqual([]);
    }
    for (const unhealthyPodEvictionPolicy of ["", "Never"]) {
      expect(causesOf({ unhealthyPodEvictionPolicy })).toEqual([
        "FieldValueNotSupported spec.unhealthyPodEvictionPolicy",
      ]);
    }
  });

  test("DEC-2: it may be called anything that a path can hold; Kubernetes tells of metadata where nothing else is wrong", () => {
    expect(kind.create({ metadata: { name: "A_b" }, spec }).causes).toEqual([]);
    const metadata = { name: "x", labels: { "a b": "c" } };
    const labels = "FieldValueInvalid metadata.labels";
    expect(kind.create({ metadata, spec }).causes).toEqual([labels]);
    const both = kind.create({ metadata, spec: { minAvailable: -1 } }).causes;
    const own = "FieldValueInvalid spec.minAvailable";
    expect(both).toEqual(dialect === kubernetes ? [own] : [labels, own]);
  });

  test("KIND-PodDisruptionBudget-4: everything may change and counts; a PUT says which version it changes", () => {
    const changed = kind.change(object, { spec: { maxUnavailable: "10%", selector: {} }, status: { expectedPods: 9 } });
    expect(changed).toMatchObject({ causes: [], object: { metadata: { generation: 2 }, status: NOTHING } });
    expect(kind.change(object, { spec: { minAvailable: -1 } }).causes).toEqual(["FieldValueInvalid spec.minAvailable"]);
    expect(podDisruptionBudget.versionedUpdate).toBe(true);
  });

  test("KIND-PodDisruptionBudget-6: a status, which leaves the spec alone", () => {
    const status = { ...NOTHING, disruptedPods: { p: lastTransitionTime }, conditions: [condition] };
    expect(kind.update(object, { ...object, spec: { minAvailable: 9 }, status }, "status")).toMatchObject({
      causes: [],
      unknown: [],
      object: { metadata: { generation: 1 }, spec, status },
    });
  });

  test.each(["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"])(
    "KIND-PodDisruptionBudget-6: %s is not negative",
    (member) => {
      expect(statusCauses({ ...NOTHING, [member]: -1 })).toEqual([`FieldValueInvalid status.${member}`]);
    },
  );

  test("KIND-PodDisruptionBudget-6: conditions", () => {
    const of = (changes: object): readonly string[] =>
      statusCauses({ conditions: [{ ...condition, ...changes }] }).map((cause) =>
        cause.replace("status.conditions", ""),
      );
    expect(of({ type: "" })).toEqual(["FieldValueInvalid [0].type"]);
    expect(of({ type: "a b" })).toEqual(["FieldValueInvalid [0].type"]);
    expect(of({ status: "Maybe" })).toEqual(["FieldValueNotSupported [0].status"]);
    expect(of({ reason: "" })).toEqual(["FieldValueRequired [0].reason"]);
    expect(of({ reason: "x y" })).toEqual(["FieldValueInvalid [0].reason"]);
    expect(of({ reason: "r".repeat(1025) })).toEqual(["FieldValueTooLong [0].reason"]);
    expect(of({ message: "m".repeat(32 * 1024 + 1) })).toEqual(["FieldValueTooLong [0].message"]);
    expect(of({ observedGeneration: -1 })).toEqual(["FieldValueInvalid [0].observedGeneration"]);
    expect(of({ lastTransitionTime: null })).toEqual(["FieldValueRequired [0].lastTransitionTime"]);
    expect(statusCauses({ conditions: [condition, condition] })).toEqual([
      "FieldValueDuplicate status.conditions[1].type",
    ]);
  });

  test("its columns", () => {
    expect(kind.cells(object)).toEqual(["1", "N/A", 0, "0s"]);
    expect(kind.cells(kind.create({ spec: { maxUnavailable: "10%" } }).object)).toEqual(["N/A", "10%", 0, "0s"]);
  });
});
