import { describe, expect, test } from "vitest";
import { type Dialect, kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { coordinationGroup } from "../index.ts";
import { leaseCandidate } from "./lease-candidate.ts";

const kindOf = (dialect: Dialect): KindUnderTest => {
  const ctx = contextOf(dialect);
  return new KindUnderTest(leaseCandidate(ctx), ctx);
};

const spec = { leaseName: "x", binaryVersion: "1.35.0", strategy: "example.com/x" };

describe.each([neutral, kubernetes])("a LeaseCandidate in the $name dialect", (dialect) => {
  const kind = kindOf(dialect);
  const create = (changes: object): readonly string[] => kind.create({ spec: { ...spec, ...changes } }).causes;

  test.each(["binaryVersion", "leaseName", "strategy"])("LC-3, LC-5, LC-7: %s is required", (member) => {
    for (const value of ["", null]) expect(create({ [member]: value })).toEqual([`FieldValueRequired spec.${member}`]);
  });

  test("ERR-5: all missing members are reported at once, also without a spec", () => {
    const all = ["binaryVersion", "leaseName", "strategy"].map((member) => `FieldValueRequired spec.${member}`);
    expect(kind.create({}).causes).toEqual(all);
  });

  test.each(["1.35.0", "1.35.0-alpha.1"])("LC-4: binaryVersion may be %j", (binaryVersion) => {
    expect(create({ binaryVersion })).toEqual([]);
  });

  test.each(["v1.33.0", "abc", "1.35"])("LC-4: binaryVersion may not be %j", (binaryVersion) => {
    expect(create({ binaryVersion })).toEqual(["FieldValueInvalid spec.binaryVersion"]);
  });

  test.each(["v1.32.0", "1.34", "x"])("LC-9: emulationVersion may not be %j", (emulationVersion) => {
    expect(create({ emulationVersion })).toEqual(["FieldValueInvalid spec.emulationVersion"]);
  });

  test("LC-10: emulationVersion is at most binaryVersion", () => {
    for (const emulationVersion of ["1.35.0", "1.34.9", "1.35.0-alpha.1"])
      expect(create({ emulationVersion })).toEqual([]);
    for (const emulationVersion of ["1.35.1", "2.0.0"]) {
      expect(create({ emulationVersion })).toEqual(["FieldValueInvalid spec.binaryVersion"]);
    }
  });

  test("LC-11: emulationVersion is required by OldestEmulationVersion only", () => {
    const strategy = "OldestEmulationVersion";
    expect(create({ strategy })).toEqual(["FieldValueRequired spec.emulationVersion"]);
    expect(create({ strategy, emulationVersion: "1.34.0" })).toEqual([]);
    expect(create({})).toEqual([]);
  });

  test("DEC-11: a strategy is the known one or a qualified name with a domain", () => {
    for (const strategy of ["Other", "oldestEmulationVersion", "x.y"]) {
      expect(create({ strategy })).toEqual(["FieldValueNotSupported spec.strategy.strategy"]);
    }
    for (const strategy of ["a/b/c", "/x", "example.com/", "Example.com/x", "example.com/not a name"]) {
      expect(create({ strategy })).toEqual(["FieldValueInvalid spec.strategy.strategy"]);
    }
  });

  test("LC-12, LC-13, META-14: pingTime and renewTime are optional and keep their microseconds", () => {
    const { object } = kind.create({ spec: { ...spec, renewTime: "2026-01-01T00:00:00.123456Z" } });
    expect(object["spec"]).toMatchObject({ renewTime: "2026-01-01T00:00:00.123456Z" });
    expect(object["spec"]).not.toHaveProperty("pingTime");
  });

  test("LC-6: leaseName is immutable", () => {
    const { object } = kind.create({ spec });
    expect(kind.change(object, { spec: { ...spec, leaseName: "y" } }).causes).toEqual([
      "FieldValueInvalid spec.leaseName",
    ]);
    expect(kind.change(object, { spec: { ...spec, leaseName: "" } }).causes).toEqual([
      "FieldValueInvalid spec.leaseName",
      "FieldValueRequired spec.leaseName",
    ]);
    const changed = { leaseName: "x", binaryVersion: "1.36.0", emulationVersion: "1.35.0", strategy: "example.com/y" };
    expect(kind.change(object, { spec: changed }).causes).toEqual([]);
    expect(kind.change(object, { spec: { ...spec, binaryVersion: "x" } }).causes).toEqual([
      "FieldValueInvalid spec.binaryVersion",
    ]);
  });

  test("LC-20: has no status", () => {
    expect(kind.create({ spec, status: {} }).unknown).toEqual(["status"]);
    expect(kind.definition.subresources).toBeUndefined();
  });

  test("DEC-2: its name may be any key of a ConfigMap", () => {
    expect(kind.create({ metadata: { name: "A_b" }, spec }).causes).toEqual([]);
    for (const name of ["..", "a b"]) {
      expect(kind.create({ metadata: { name }, spec }).causes).toEqual(["FieldValueInvalid metadata.name"]);
    }
  });

  test("DEC-32: PUT creates it", () => {
    expect(kind.definition.createOnUpdate).toBe(true);
  });
});

test("DEC-25: spec.leaseName can be selected where the documents say so", () => {
  const { selectableFields } = kindOf(neutral).definition;
  expect(selectableFields!["spec.leaseName"]!(kindOf(neutral).create({ spec }).object)).toBe("x");
  expect(kindOf(kubernetes).definition.selectableFields).toBeUndefined();
});

test("LC-1, DEC-37: v1alpha2 is a view of the same objects in the kubernetes dialect, and not there in the neutral one", () => {
  const versions = (dialect: Dialect) =>
    coordinationGroup(contextOf(dialect)).filter((d) => d.kind === "LeaseCandidate");
  expect(versions(neutral).map((d) => d.version)).toEqual(["v1beta1"]);
  const [beta, alpha] = versions(kubernetes);
  expect(alpha!.storedAs!.definition).toBe(`leasecandidates.${beta!.group}/v1beta1`);
  const stored = kindOf(kubernetes).create({ spec }).object;
  const view = alpha!.storedAs!.fromStored(stored);
  expect(view).toEqual({ ...stored, apiVersion: "coordination.k8s.io/v1alpha2" });
  expect(alpha!.storedAs!.toStored(view).apiVersion).toBe("coordination.k8s.io/v1beta1");
});

test("VER-2: the kind is always served in the neutral dialect, and with its gate in the other", () => {
  expect(leaseCandidate(contextOf(neutral, { CoordinatedLeaderElection: false })).served).toBe(true);
  expect(leaseCandidate(contextOf(kubernetes)).served).toBe(false);
  expect(leaseCandidate(contextOf(kubernetes, { CoordinatedLeaderElection: true })).served).toBe(true);
});
