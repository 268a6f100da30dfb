import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { SYSTEM_PRIORITIES, schedulingGroup } from "./priority-class.ts";

describe.each([neutral, kubernetes])("PriorityClass in the $name dialect", (dialect) => {
  const kind = KindUnderTest.of(schedulingGroup, "priorityclasses", contextOf(dialect));
  const named = (name: string, more: object): readonly string[] => kind.create({ metadata: { name }, ...more }).causes;

  test("KIND-PriorityClass-1: what is filled in, and the policies that there are", () => {
    const { object, causes } = kind.create({ value: 5, description: "d", globalDefault: true });
    expect(causes).toEqual([]);
    expect(object).toMatchObject({
      value: 5,
      description: "d",
      globalDefault: true,
      preemptionPolicy: "PreemptLowerPriority",
    });
    expect(object["spec"]).toBeUndefined();
    expect(kind.create({ preemptionPolicy: "Never" }).causes).toEqual([]);
    expect(kind.create({ preemptionPolicy: "" }).causes).toEqual(["FieldValueRequired preemptionPolicy"]);
    expect(kind.create({ preemptionPolicy: "Always" }).causes).toEqual(["FieldValueNotSupported preemptionPolicy"]);
  });

  test("KIND-PriorityClass-2: value and preemptionPolicy stay, everything else may change", () => {
    const { object } = kind.create({ value: 5 });
    expect(kind.change(object, { value: 6 }).causes).toEqual(["FieldValueForbidden value"]);
    expect(kind.change(object, { preemptionPolicy: "Never" }).causes).toEqual(["FieldValueInvalid preemptionPolicy"]);
    expect(kind.change(object, { description: "d", globalDefault: true }).causes).toEqual([]);
  });

  test("KIND-PriorityClass-3: values and names of the system are reserved, a missing value is 0", () => {
    expect(kind.create({}).object["value"]).toBe(0);
    expect(kind.create({ value: 1_000_000_000 }).causes).toEqual([]);
    expect(kind.create({ value: -2_147_483_648 }).causes).toEqual([]);
    expect(kind.create({ value: 1_000_000_001 }).causes).toEqual(["FieldValueForbidden value"]);
    expect(named("system-mine", { value: 1 })).toEqual(["FieldValueForbidden metadata.name"]);
    expect(named("system-node-critical", { value: 1 })).toEqual(["FieldValueForbidden metadata.name"]);
    for (const [name, { value }] of Object.entries(SYSTEM_PRIORITIES)) {
      expect(named(name, { value })).toEqual([]);
      expect(named(name, { value, globalDefault: true })).toEqual(["FieldValueForbidden metadata.name"]);
    }
  });

  test("KIND-PriorityClass-4: generation 1, which nothing that may change counts", () => {
    const { object } = kind.create({ value: 5 });
    expect(object.metadata.generation).toBe(1);
    expect(kind.change(object, { description: "d", globalDefault: true }).object.metadata.generation).toBe(1);
  });

  test("its columns", () => {
    const { object } = kind.create({ value: 5 });
    const cells = kind.columns(object).filter(([name]) => name !== "Age");
    expect(cells).toEqual([
      ["Value", 5],
      ["Global-Default", false],
      ["PreemptionPolicy", "PreemptLowerPriority"],
    ]);
  });
});
