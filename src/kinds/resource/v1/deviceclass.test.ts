import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { deviceClass } from "./deviceclass.ts";

const many = <T>(length: number, make: (i: number) => T): T[] => Array.from({ length }, (_, i) => make(i));
const select = (...expressions: string[]) => expressions.map((expression) => ({ cel: { expression } }));
const config = (parameters: object = { a: 1 }) => [{ opaque: { driver: "d.example.com", parameters } }];

describe.each([neutral, kubernetes])("a DeviceClass in the $name dialect", (dialect) => {
  const kindOf = (gates: Parameters<typeof contextOf>[1] = {}) => {
    const ctx = contextOf(dialect, gates);
    return new KindUnderTest(deviceClass, ctx);
  };
  const kind = kindOf();
  const named = kindOf({ DRAExtendedResource: true });
  const causes = (spec: object, of = kind) => of.create({ spec }).causes;

  test("KIND-DeviceClass-1: it is cluster-wide; selectors and configurations may change and count", () => {
    const spec = { selectors: select('device.driver == "d"'), config: config() };
    const made = kind.create({ spec });
    expect(made).toMatchObject({ causes: [], unknown: [], object: { spec, metadata: { generation: 1 } } });
    expect(kind.definition.scope).toBe("Cluster");
    const changed = kind.change(made.object, { spec: { selectors: select("true") } });
    expect(changed).toMatchObject({ causes: [], object: { metadata: { generation: 2 } } });
    expect(kind.create({}).causes).toEqual([]);
  });

  test("KIND-DeviceClass-1: selectors and configurations are as those of claims", () => {
    expect(causes({ selectors: [...select("nope(", ""), {}], config: [{}, ...config([])] })).toEqual([
      "FieldValueInvalid spec.config[1].opaque.parameters",
      "FieldValueInvalid spec.selectors[0].cel.expression",
      "FieldValueInvalid spec.selectors[1].cel.expression",
      "FieldValueRequired spec.config[0].opaque",
      "FieldValueRequired spec.selectors[2].cel",
    ]);
    expect(causes({ selectors: many(33, () => ({})), config: many(33, () => ({})) })).toEqual([
      "FieldValueTooMany spec.config",
      "FieldValueTooMany spec.selectors",
    ]);
    const { object } = kind.create({ spec: {} });
    expect(kind.change(object, { spec: { selectors: select("1") } }).causes).toEqual([
      "FieldValueInvalid spec.selectors[0].cel.expression",
    ]);
  });

  test("KIND-DeviceClass-1: parameters that are there already may be long", () => {
    const long = config({ a: "a".repeat(10 * 1024) });
    expect(causes({ config: long })).toEqual(["FieldValueTooLong spec.config[0].opaque.parameters"]);
    const { object } = kind.create({ spec: { config: long } });
    expect(kind.change(object, { spec: { config: long, selectors: select("true") } }).causes).toEqual([]);
    expect(kind.change(object, { spec: { config: [...long, ...config()] } }).causes).toHaveLength(1);
  });

  test("KIND-DeviceClass-1: selectors of a feature that was on are taken as long as they stay", () => {
    const shares = select("device.allowMultipleAllocations");
    const { object, causes: none } = kindOf({ DRAConsumableCapacity: true }).create({ spec: { selectors: shares } });
    expect(none).toEqual([]);
    expect(kind.change(object, { spec: { selectors: shares, config: config() } }).causes).toEqual([]);
    expect(kind.change(object, { spec: { selectors: [...shares, ...select("true")] } }).causes).toHaveLength(1);
  });

  test("KIND-All-23: the name of a resource is dropped, unless it is there", () => {
    const spec = { extendedResourceName: "example.com/gpu" };
    const made = kind.create({ spec });
    expect(made).toMatchObject({ causes: [], object: { spec: {} } });
    expect(made.object["spec"]).toEqual({});
    expect(made.warnings).toHaveLength(dialect === neutral ? 1 : 0);
    const stored = named.create({ spec });
    expect(stored).toMatchObject({ causes: [], object: { spec } });
    expect(kind.change(stored.object, {}).object["spec"]).toEqual(spec);
  });

  test("the name of a resource has a domain of its own", () => {
    const { labelDomain } = dialect;
    for (const extendedResourceName of ["gpu", `${labelDomain}/gpu`, "requests.a/gpu", "a b/gpu", "a/"]) {
      expect(causes({ extendedResourceName }, named)).toEqual(["FieldValueInvalid spec.extendedResourceName"]);
    }
  });
});
