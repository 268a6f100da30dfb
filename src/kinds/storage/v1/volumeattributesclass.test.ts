import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { storageGroup } from "./index.ts";

const BODY = { driverName: "d.example.com", parameters: { iops: "100" } };
const entries = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "v"]));

describe.each([neutral, kubernetes])("VolumeAttributesClass in the $name dialect", (dialect) => {
  const attributes = KindUnderTest.of(storageGroup, "volumeattributesclasses", contextOf(dialect));
  const strict = dialect === kubernetes;

  test("AMB-8: it is served whatever the gate of its name says", () => {
    for (const VolumeAttributesClass of [true, false]) {
      const { definition } = KindUnderTest.of(
        storageGroup,
        "volumeattributesclasses",
        contextOf(dialect, { VolumeAttributesClass }),
      );
      expect(definition.served ?? true).toBe(true);
    }
  });

  test("VAC-3: parameters are opaque and kept", () => {
    const parameters = { "a b": "", "ä/ö": "x" };
    expect(attributes.create({ ...BODY, parameters })).toMatchObject({ causes: [], object: { parameters } });
  });

  test.each([
    ["VAC-2: no parameters", null, "FieldValueRequired parameters"],
    ["VAC-6, LIM-4: an empty map", {}, "FieldValueRequired parameters"],
    ["VAC-7, LIM-4: an empty key", { "": "x", a: "b" }, "FieldValueInvalid parameters"],
    ["VAC-8, LIM-4: 513 entries", entries(513), "FieldValueTooLong parameters"],
    ["VAC-9, AMB-16: 262145 bytes", { ä: "x".repeat(262143) }, "FieldValueTooLong parameters"],
  ])("%s: refused", (_, parameters, cause) => {
    expect(attributes.create({ ...BODY, parameters }).causes).toEqual([cause]);
  });

  test.each([
    ["VAC-8: 512 entries", entries(512)],
    ["VAC-9, AMB-16: 262144 bytes", { ä: "x".repeat(262142) }],
  ])("%s: accepted", (_, parameters) => {
    expect(attributes.create({ ...BODY, parameters }).causes).toEqual([]);
  });

  test("POL-3, AMB-49: the driver is required only by Kubernetes", () => {
    const causes = (driverName?: string) => attributes.create({ ...BODY, driverName }).causes;
    expect(causes("")).toEqual(strict ? ["FieldValueRequired driverName"] : []);
    expect(attributes.create({ parameters: BODY.parameters }).causes).toEqual(causes(""));
  });

  test("DEC-40: a driver is a qualified name, whatever its case", () => {
    const causes = (driverName: string) => attributes.create({ ...BODY, driverName }).causes;
    for (const name of ["Upper.Example.COM", "a", "a/b", "a_b", "a".repeat(63)]) expect(causes(name)).toEqual([]);
    for (const name of ["-a", "a b", "a".repeat(64)]) expect(causes(name)).toEqual(["FieldValueInvalid driverName"]);
  });

  test("VAC-4, DEC-40: parameters and driver are immutable", () => {
    const { object } = attributes.create(BODY);
    const causes = (body: object) => attributes.update(object, { ...BODY, ...body }).causes;
    expect(causes({})).toEqual([]);
    expect(causes({ parameters: { iops: "200" } })).toEqual(["FieldValueForbidden parameters"]);
    expect(causes({ parameters: null })).toEqual(["FieldValueForbidden parameters", "FieldValueRequired parameters"]);
    expect(causes({ driverName: "e" })).toEqual(["FieldValueForbidden driverName"]);
    expect(causes({ driverName: null })).toEqual([
      "FieldValueForbidden driverName",
      ...(strict ? ["FieldValueRequired driverName"] : []),
    ]);
  });

  test("the columns are those of kubectl get", () => {
    const { object } = attributes.create(BODY);
    expect(attributes.columns(object)).toEqual([
      ["DriverName", "d.example.com"],
      ["Age", "0s"],
    ]);
  });
});

test("DEC-40: a class that was made from the documents alone may get its driver once", () => {
  const attributes = KindUnderTest.of(storageGroup, "volumeattributesclasses", contextOf(neutral));
  const { object } = attributes.create({ parameters: BODY.parameters });
  const named = attributes.update(object, BODY);
  expect(named.causes).toEqual([]);
  expect(attributes.update(named.object, { ...BODY, driverName: "e" }).causes).toEqual([
    "FieldValueForbidden driverName",
  ]);
});
