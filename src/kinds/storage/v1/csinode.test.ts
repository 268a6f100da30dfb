import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { storageGroup } from "./index.ts";

const DRIVER = { name: "a.example.com", nodeID: "id" };

describe.each([neutral, kubernetes])("CSINode in the $name dialect", (dialect) => {
  const node = KindUnderTest.of(storageGroup, "csinodes", contextOf(dialect));
  const create = (...drivers: object[]) => node.create({ spec: { drivers } });

  test("CSIN-13, CSIN-14, CSIN-15, CSIN-19: every field is kept", () => {
    const full = {
      ...DRIVER,
      nodeID: "any thing/ä:1",
      topologyKeys: ["example.com/zone", "rack"],
      allocatable: { count: 8 },
    };
    expect(create(full)).toMatchObject({ causes: [], object: { spec: { drivers: [full] } } });
  });

  test.each([
    ["CSIN-12: a driver without a name", [{ nodeID: "x" }], ["FieldValueRequired spec.drivers[0].name"]],
    ["CSIN-13: a driver without a nodeID", [{ name: "a" }], ["FieldValueRequired spec.drivers[0].nodeID"]],
    [
      "ERR-5: an empty driver",
      [DRIVER, {}],
      ["FieldValueRequired spec.drivers[1].name", "FieldValueRequired spec.drivers[1].nodeID"],
    ],
    ["CSIN-10: a name that stands there twice", [DRIVER, DRIVER], ["FieldValueDuplicate spec.drivers[1].name"]],
    ["DEC-39: a name of 64 bytes", [{ ...DRIVER, name: "a".repeat(64) }], ["FieldValueTooLong spec.drivers[0].name"]],
    ["DEC-39: a name with a slash", [{ ...DRIVER, name: "a/b" }], ["FieldValueInvalid spec.drivers[0].name"]],
    [
      "DEC-39: a nodeID of 257 bytes",
      [{ ...DRIVER, nodeID: `ä${"x".repeat(255)}` }],
      ["FieldValueInvalid spec.drivers[0].nodeID"],
    ],
    [
      "DEC-39: a negative count",
      [{ ...DRIVER, allocatable: { count: -1 } }],
      ["FieldValueInvalid spec.drivers[0].allocatable.count"],
    ],
  ])("%s is refused", (_, drivers, causes) => {
    expect(create(...drivers).causes).toEqual(causes);
  });

  test("DEC-39: topology keys are qualified and unique", () => {
    const field =
      dialect === kubernetes ? () => "spec.drivers[0]" : (i: number) => `spec.drivers[0].topologyKeys[${i}]`;
    const { causes } = create({ ...DRIVER, topologyKeys: ["ok", "", "a b", "ok"] });
    expect(new Set(causes)).toEqual(
      new Set([
        `FieldValueRequired ${field(1)}`,
        `FieldValueInvalid ${field(1)}`,
        `FieldValueInvalid ${field(2)}`,
        `FieldValueDuplicate ${field(3)}`,
      ]),
    );
  });

  test.each([
    ["CSIN-11: no driver", []],
    ["CSIN-10: names that differ in case", [DRIVER, { ...DRIVER, name: "A.example.com" }]],
    ["CSIN-17: no limit", [{ ...DRIVER, allocatable: {} }]],
    ["CSIN-15: a limit of 0", [{ ...DRIVER, allocatable: { count: 0 } }]],
    ["CSIN-19: no topology keys", [{ ...DRIVER, topologyKeys: [] }]],
    ["DEC-39: names and IDs of full length", [{ name: "a".repeat(63), nodeID: "x".repeat(256) }]],
  ])("%s is accepted", (_, drivers) => {
    expect(create(...drivers).causes).toEqual([]);
  });

  test.each([2 ** 31, 1.5, "1"])("CSIN-15: a count of %s does not fit an int32", (count) => {
    expect(create({ ...DRIVER, allocatable: { count } }).mismatch).toBe("spec.drivers[0].allocatable.count");
  });

  test("CSIN-10, CSIN-11: drivers come and go", () => {
    const { object: two } = create(DRIVER, { ...DRIVER, name: "b" });
    const one = node.update(two, { spec: { drivers: [{ ...DRIVER, name: "b" }] } });
    const none = node.update(one.object, { spec: { drivers: [] } });
    const again = node.update(none.object, { spec: { drivers: [{ ...DRIVER, name: "b", nodeID: "new" }] } });
    expect([one.causes, none.causes, again.causes]).toEqual([[], [], []]);
  });

  test("AMB-52: only Kubernetes freezes what is known of a driver; allocatable changes in both", () => {
    const { object } = create({ ...DRIVER, topologyKeys: ["rack"], allocatable: { count: 1 } });
    const put = (driver: object) =>
      node.update(object, { spec: { drivers: [{ ...DRIVER, topologyKeys: ["rack"], ...driver }] } });
    const frozen = dialect === kubernetes ? ["FieldValueInvalid spec.drivers"] : [];
    expect(put({ nodeID: "other" }).causes).toEqual(frozen);
    expect(put({ topologyKeys: [] }).causes).toEqual(frozen);
    expect(put({ allocatable: { count: 2 } }).causes).toEqual([]);
    expect(put({}).causes).toEqual([]);
  });

  test("the column counts the drivers", () => {
    const cell = (object: ReturnType<typeof create>["object"]) => node.cells(object)[0];
    expect(cell(create(DRIVER, { ...DRIVER, name: "b" }).object)).toBe(2);
    expect(cell(create().object)).toBe(0);
  });
});

const bodies: [string, object][] = [
  ["no spec", {}],
  ["an empty spec", { spec: {} }],
  ["drivers of null", { spec: { drivers: null } }],
];

test.each(bodies)("CSIN-8, CSIN-9, AMB-44: %s is refused by the documents", (_, body) => {
  const node = KindUnderTest.of(storageGroup, "csinodes", contextOf(neutral));
  expect(node.create(body).causes).toEqual(["FieldValueRequired spec.drivers"]);
  const { object } = node.create({ spec: { drivers: [] } });
  expect(object["spec"]).toEqual({ drivers: [] });
  expect(node.update(object, body).causes).toEqual(["FieldValueRequired spec.drivers"]);
});

test.each([...bodies, ["no driver", { spec: { drivers: [] } }] as [string, object]])(
  "AMB-44: %s reads back as null from Kubernetes",
  (_, body) => {
    const node = KindUnderTest.of(storageGroup, "csinodes", contextOf(kubernetes));
    expect(node.create(body)).toMatchObject({ causes: [], object: { spec: { drivers: null } } });
  },
);

test("CSIN-19: topology keys that were not sent are null only in the kubernetes dialect (DEC-45)", () => {
  const drivers = (dialect: typeof neutral) =>
    KindUnderTest.of(storageGroup, "csinodes", contextOf(dialect)).create({ spec: { drivers: [DRIVER] } }).object[
      "spec"
    ];
  expect(drivers(kubernetes)).toEqual({ drivers: [{ ...DRIVER, topologyKeys: null }] });
  expect(drivers(neutral)).toEqual({ drivers: [DRIVER] });
});

test("DEC-38: allocatable is frozen too where Kubernetes has its gate off", () => {
  const node = KindUnderTest.of(
    storageGroup,
    "csinodes",
    contextOf(kubernetes, { MutableCSINodeAllocatableCount: false }),
  );
  const { object } = node.create({ spec: { drivers: [DRIVER] } });
  const { causes } = node.update(object, { spec: { drivers: [{ ...DRIVER, allocatable: { count: 1 } }] } });
  expect(causes).toEqual(["FieldValueInvalid spec.drivers"]);
});
