import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { lease } from "./lease.ts";

describe.each([neutral, kubernetes])("SUP-2: a Lease in the $name dialect", (dialect) => {
  const ctx = contextOf(dialect);
  const kind = new KindUnderTest(lease(ctx), ctx);
  const create = (spec: object): readonly string[] => kind.create({ spec }).causes;

  test("says who holds something and since when", () => {
    const spec = {
      holderIdentity: "h",
      leaseDurationSeconds: 15,
      acquireTime: "2024-01-01T00:00:00.123456Z",
      renewTime: "2024-01-01T00:00:00.123456Z",
      leaseTransitions: 0,
      strategy: "OldestEmulationVersion",
      preferredHolder: "p",
    };
    const { object, causes } = kind.create({ spec });
    expect(causes).toEqual([]);
    expect(object["spec"]).toEqual(spec);
    expect(kind.cells(object)).toEqual(["h", "0s"]);
  });

  test("needs no spec, and always has one", () => {
    for (const body of [{}, { spec: null }, { spec: { holderIdentity: null } }]) {
      expect(kind.create(body).object["spec"]).toEqual({});
    }
  });

  test.each([
    [{ leaseDurationSeconds: 0 }, ["FieldValueInvalid spec.leaseDurationSeconds"]],
    [{ leaseDurationSeconds: -1 }, ["FieldValueInvalid spec.leaseDurationSeconds"]],
    [{ leaseTransitions: -1 }, ["FieldValueInvalid spec.leaseTransitions"]],
    [{ strategy: "Odd" }, ["FieldValueNotSupported spec.strategy.strategy"]],
    [{ preferredHolder: "p" }, ["FieldValueForbidden spec.preferredHolder"]],
    [{ holderIdentity: "" }, []],
  ])("%j has the faults %j, on create and on update", (spec, faults) => {
    expect(create(spec)).toEqual(faults);
    const { object } = kind.create({ spec: {} });
    expect(kind.change(object, { spec }).causes).toEqual(faults);
  });
});
