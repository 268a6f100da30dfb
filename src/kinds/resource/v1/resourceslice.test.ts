import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { resourceSlice } from "./resourceslice.ts";

const many = <T>(length: number, make: (i: number) => T): T[] => Array.from({ length }, (_, i) => make(i));
const pool = { name: "p", generation: 1, resourceSliceCount: 1 };
const anywhere = { driver: "d.example.com", pool };
const spec = { ...anywhere, nodeName: "n" };
const spread = { ...anywhere, perDeviceNodeSelection: true };
const ALL = {
  DRAConsumableCapacity: true,
  DRADeviceBindingConditions: true,
  DRADeviceTaints: true,
  DRAPartitionableDevices: true,
} as const;

describe.each([neutral, kubernetes])("a ResourceSlice in the $name dialect", (dialect) => {
  const kindOf = (gates: Parameters<typeof contextOf>[1] = {}) => {
    const ctx = contextOf(dialect, gates);
    return new KindUnderTest(resourceSlice, ctx);
  };
  const kind = kindOf();
  const open = kindOf(ALL);
  const create = (members: object = {}, of = kind, on: object = spec) => of.create({ spec: { ...on, ...members } });
  const causes = (members: object, of = kind, on: object = spec) =>
    create(members, of, on).causes.map((cause) => cause.replace(/ spec\.?/, " "));
  const device = (members: object, on: object = spec) =>
    causes({ devices: [{ name: "x", ...members }] }, open, on).map((cause) => cause.replace("devices[0]", ""));

  test("KIND-ResourceSlice-1: the driver, the pool and who has the devices are required", () => {
    expect(create({ devices: [{ name: "x" }] })).toMatchObject({
      causes: [],
      unknown: [],
      warnings: [],
      object: { metadata: { generation: 1 } },
    });
    expect(kind.create({ spec: {} }).causes).toEqual([
      "FieldValueInvalid spec.pool.resourceSliceCount",
      "FieldValueRequired spec",
      "FieldValueRequired spec.driver",
      "FieldValueRequired spec.pool.name",
    ]);
    expect(causes({ driver: "d_", pool: { name: "a//b", generation: -1, resourceSliceCount: 0 } })).toEqual([
      "FieldValueInvalid driver",
      "FieldValueInvalid pool.generation",
      "FieldValueInvalid pool.name",
      "FieldValueInvalid pool.resourceSliceCount",
    ]);
    expect(create({ driver: "D.example.com" })).toMatchObject({
      causes: [],
      warnings: [expect.stringContaining("D.example.com")],
    });
  });

  test("KIND-ResourceSlice-1: exactly one says who has the devices", () => {
    const nodeSelector = { nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists" }] }] };
    const own = (members: object) => open.create({ spec: { ...anywhere, ...members } }).causes;
    for (const one of [{ nodeName: "n" }, { nodeSelector }, { allNodes: true }, { perDeviceNodeSelection: true }]) {
      expect(own(one)).toEqual([]);
    }
    expect(own({ nodeName: "n", nodeSelector, allNodes: true })).toEqual(["FieldValueInvalid spec"]);
    expect(own({ nodeName: "n", perDeviceNodeSelection: true })).toEqual(["FieldValueInvalid spec"]);
    expect(own({ nodeName: "", allNodes: false, perDeviceNodeSelection: false })).toEqual([
      "FieldValueInvalid spec.allNodes",
      "FieldValueInvalid spec.nodeName",
      "FieldValueInvalid spec.perDeviceNodeSelection",
      "FieldValueRequired spec",
    ]);
    expect(own({ nodeName: "A" })).toEqual(["FieldValueInvalid spec.nodeName"]);
    expect(own({ nodeSelector: { nodeSelectorTerms: [{}, {}] } })).toEqual([
      "FieldValueInvalid spec.nodeSelector.nodeSelectorTerms",
    ]);
    expect(own({ nodeSelector: {} })).toEqual([
      "FieldValueInvalid spec.nodeSelector.nodeSelectorTerms",
      "FieldValueRequired spec.nodeSelector.nodeSelectorTerms",
    ]);
  });

  test("KIND-ResourceSlice-1: the names and the node stay, the generation and count of the pool may change", () => {
    const { object } = create();
    const change = (members: object) => kind.change(object, { spec: { ...spec, ...members } });
    const next = change({ pool: { ...pool, generation: 2, resourceSliceCount: 3 }, devices: [{ name: "y" }] });
    expect(next).toMatchObject({ causes: [], object: { metadata: { generation: 2 } } });
    expect(change({}).object.metadata.generation).toBe(1);
    expect(change({ driver: "e", pool: { ...pool, name: "q" }, nodeName: "m" }).causes).toEqual([
      "FieldValueInvalid spec.driver",
      "FieldValueInvalid spec.nodeName",
      "FieldValueInvalid spec.pool.name",
    ]);
    const moved = kind.change(object, { spec: { ...anywhere, allNodes: true } });
    expect(moved.causes).toEqual(["FieldValueInvalid spec.nodeName"]);
  });

  test("KIND-ResourceSlice-1: devices have DNS labels as names, each once, and are not too many", () => {
    expect(causes({ devices: [{ name: "A_" }, { name: "a" }, { name: "a" }] })).toEqual([
      "FieldValueDuplicate devices[2]",
      "FieldValueInvalid devices[0].name",
    ]);
    const named = (count: number, members: object = {}) => ({
      devices: many(count, (i) => ({ name: `x${i}`, ...members })),
    });
    expect(causes(named(128))).toEqual([]);
    expect(causes(named(129, { attributes: { a: {} } }))).toEqual(["FieldValueTooMany devices"]);
    const taints = [{ key: "k", effect: "None" }];
    expect(causes(named(64, { taints }), open)).toEqual([]);
    expect(causes(named(65, { taints }), open)).toEqual(["FieldValueTooMany devices"]);
    expect(causes(named(65, { taints }))).toEqual([]);
  });

  test("KIND-ResourceSlice-1: an attribute has one value", () => {
    const attribute = (value: object) =>
      device({ attributes: { a: value } }).map((cause) => cause.replace(".attributes[a]", ""));
    for (const value of [{ int: 0 }, { bool: false }, { string: "" }, { version: "1.2.3-a.1+b.02" }]) {
      expect(attribute(value)).toEqual([]);
    }
    expect(attribute({})).toEqual(["FieldValueInvalid "]);
    expect(attribute({ int: 1, string: "s" })).toEqual(["FieldValueInvalid "]);
    for (const version of ["", "1.2", "01.2.3", "1.2.3-", "1.2.3-01", "v1.2.3", "1.2.3+"]) {
      expect(attribute({ version })).toEqual(["FieldValueInvalid .version"]);
    }
    expect(attribute({ string: "ä".repeat(33) })).toEqual(["FieldValueTooLong .string"]);
    expect(attribute({ version: `1.2.3-${"a".repeat(64)}` })).toEqual(["FieldValueTooLong .version"]);
  });

  test("KIND-ResourceSlice-1: attributes and capacities have names, and are 32 in all", () => {
    const value = { int: 1 };
    const amount = { value: "1Gi" };
    expect(device({ attributes: { _a1: value, "d/x": value, "a/b/c": value }, capacity: { memory: amount } })).toEqual(
      [],
    );
    expect(device({ attributes: { "a-b": value, "/x": value, "d/": value }, capacity: { "d_/x": amount } })).toEqual([
      "FieldValueInvalid .attributes[/x]",
      "FieldValueInvalid .attributes[a-b]",
      "FieldValueInvalid .attributes[d/]",
      "FieldValueInvalid .capacity[d_/x]",
    ]);
    const long = `${"a".repeat(60)}${"b".repeat(60)}`;
    expect(device({ attributes: { [long]: value } })).toEqual([
      `FieldValueTooLong .attributes[${"a".repeat(47)}...${"b".repeat(46)}]`,
    ]);
    const so = (count: number) => Object.fromEntries(many(count, (i) => [`a${i}`, value]));
    expect(device({ attributes: so(31), capacity: { a: amount } })).toEqual([]);
    expect(device({ attributes: so(32), capacity: { a: amount } })).toEqual(["FieldValueInvalid "]);
  });

  test("KIND-ResourceSlice-1: selectable by driver and node name, and a table shows both", () => {
    const { selectableFields = {} } = kind.definition;
    const fields = (members: object) => {
      const { object } = create(members);
      return Object.fromEntries(Object.entries(selectableFields).map(([name, read]) => [name, read(object)]));
    };
    expect(fields({})).toEqual({ "spec.driver": "d.example.com", "spec.nodeName": "n" });
    const { object } = kind.create({ spec: { ...anywhere, allNodes: true } });
    expect(selectableFields["spec.nodeName"]!(object)).toBe("");
    expect(kind.columns(create().object).slice(0, 3)).toEqual([
      ["Node", "n"],
      ["Driver", "d.example.com"],
      ["Pool", "p"],
    ]);
  });

  describe("KIND-All-23: features that are off", () => {
    const taints = [{ key: "k", effect: "NoSchedule" }];
    const conditions = { bindsToNode: true, bindingConditions: ["a"], bindingFailureConditions: ["b"] };
    const counters = { memory: { value: "1Gi" } };
    const requestPolicy = { default: "1", validValues: ["1", "2"] };
    const shared = { allowMultipleAllocations: true, capacity: { a: { value: "4", requestPolicy } } };
    const full = {
      name: "x",
      taints,
      ...conditions,
      ...shared,
      allNodes: true,
      consumesCounters: [{ counterSet: "c", counters }],
    };

    test("what belongs to them is dropped, and counts nevertheless", () => {
      const made = create({ devices: [full], sharedCounters: [{ name: "c", counters }] });
      expect(made.causes).toEqual([]);
      const kept = { name: "x", capacity: { a: { value: "4" } } };
      expect(made.object["spec"]).toEqual({ ...spec, devices: [kept] });
      expect(made.warnings).toHaveLength(dialect === neutral ? 9 : 0);
      const changed = kind.change(made.object, { spec: { ...spec, devices: [full] } });
      expect(changed.object).toMatchObject({ spec: made.object["spec"], metadata: { generation: 2 } });
    });

    test("what the stored slice has stays", () => {
      const made = create({ devices: [full] }, open, spread);
      expect(made.causes).toEqual([]);
      expect(kind.change(made.object, {})).toMatchObject({
        causes: [],
        object: { spec: made.object["spec"], metadata: { generation: 1 } },
      });
    });

    test("conditions to wait for want the status of devices", () => {
      const half = kindOf({ ...ALL, DRAResourceClaimDeviceStatus: false });
      expect(JSON.stringify(create({ devices: [full] }, half).object)).not.toMatch(/bind/);
      expect(device({ bindingConditions: ["a b"] })).toEqual([
        "FieldValueInvalid .bindingConditions[0]",
        "FieldValueInvalid .bindingFailureConditions",
      ]);
    });

    test("taints are there from now on, and are as those of nodes", () => {
      const made = create({ devices: [full] }, open).object;
      const timeAdded = (made["spec"] as { devices: { taints: { timeAdded: string }[] }[] }).devices[0]!.taints[0]!
        .timeAdded;
      expect(timeAdded).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(device({ taints: [{}, { key: "a b", value: "c d", effect: "Never" }] })).toEqual([
        "FieldValueInvalid .taints[0].key",
        "FieldValueInvalid .taints[1].key",
        "FieldValueInvalid .taints[1].value",
        "FieldValueNotSupported .taints[1].effect",
        "FieldValueRequired .taints[0].effect",
      ]);
      expect(device({ taints: many(17, () => ({})) })).toEqual(["FieldValueTooMany .taints"]);
      const old = {
        ...made,
        spec: { ...spec, devices: [{ name: "x", taints: [{ key: "", effect: "", timeAdded }] }] },
      };
      expect(open.change(old, { spec: { ...old.spec, pool: { ...pool, generation: 2 } } }).causes).toEqual([]);
    });

    test("devices take of shared amounts", () => {
      const takes = (...consumesCounters: object[]) =>
        device({ consumesCounters }).map((cause) => cause.replace(".consumesCounters", ""));
      const c = { counterSet: "c", counters };
      expect(takes(c, { ...c, counterSet: "d" })).toEqual([]);
      expect(takes(c, c)).toEqual(["FieldValueDuplicate [1]"]);
      expect(takes({}, { counterSet: "A", counters: { B: {} } })).toEqual([
        "FieldValueInvalid [1].counterSet",
        "FieldValueInvalid [1].counters[B]",
        "FieldValueRequired [0].counterSet",
        "FieldValueRequired [0].counters",
      ]);
      expect(takes(c, c, c)).toEqual(["FieldValueTooMany "]);
      const most = Object.fromEntries(many(33, (i) => [`A${i}`, { value: "1" }]));
      expect(takes({ ...c, counters: most })).toEqual(["FieldValueTooMany [0].counters"]);
    });

    test("shared amounts stand in a slice of their own", () => {
      const share = (...sharedCounters: object[]) => causes({ sharedCounters }, open);
      const c = { name: "c", counters };
      expect(share(c)).toEqual([]);
      expect(share(c, c, {})).toEqual([
        "FieldValueDuplicate sharedCounters[1]",
        "FieldValueRequired sharedCounters[2].counters",
        "FieldValueRequired sharedCounters[2].name",
      ]);
      expect(share(...many(9, () => ({})))).toEqual(["FieldValueTooMany sharedCounters"]);
      expect(causes({ sharedCounters: [c], devices: [{ name: "x" }] }, open)).toEqual(["FieldValueInvalid "]);
    });

    test("each device says where it is where its slice says so, and else none does", () => {
      const nodeSelector = { nodeSelectorTerms: [{}, {}] };
      expect(device({ nodeName: "n" })).toEqual(["FieldValueInvalid "]);
      expect(device({ allNodes: false })).toEqual(["FieldValueInvalid "]);
      const alone = (members: object) => device(members, spread);
      for (const one of [{ nodeName: "n" }, { nodeSelector }, { allNodes: true }]) expect(alone(one)).toEqual([]);
      expect(alone({})).toEqual(["FieldValueRequired "]);
      expect(alone({ nodeName: "n", allNodes: true })).toEqual(["FieldValueInvalid "]);
      expect(alone({ nodeName: "", allNodes: false, nodeSelector: {} })).toEqual([
        "FieldValueInvalid .allNodes",
        "FieldValueInvalid .nodeName",
        "FieldValueRequired .nodeSelector.nodeSelectorTerms",
      ]);
    });

    describe("a claim may ask for a part", () => {
      const policy = (policyOf: object, value = "10", more: object = shared) =>
        device({ ...more, capacity: { a: { value, requestPolicy: policyOf } } }).map((cause) =>
          cause.replace(".capacity[a].requestPolicy", ""),
        );

      test("of a device that several may have", () => {
        expect(policy({ default: "1" }, "10", {})).toEqual(["FieldValueForbidden "]);
        expect(policy({})).toEqual([]);
        expect(policy({ validValues: ["1"], validRange: { min: "1" } })).toEqual(["FieldValueForbidden "]);
        expect(policy({ validValues: ["1"] })).toEqual(["FieldValueRequired .default"]);
        expect(policy({ validRange: { min: "1" } })).toEqual(["FieldValueRequired .default"]);
      });

      test("of certain amounts", () => {
        const values = (...validValues: string[]) => policy({ default: "2", validValues });
        expect(values("1", "2", "10")).toEqual([]);
        expect(values("1", "3")).toEqual(["FieldValueInvalid .validValues"]);
        expect(values("2", "1", "11", "11")).toEqual([
          "FieldValueDuplicate .validValues[3]",
          "FieldValueInvalid .validValues[1]",
          "FieldValueInvalid .validValues[2]",
          "FieldValueInvalid .validValues[3]",
        ]);
        expect(values(...many(11, (i) => `${i}`))).toEqual([
          "FieldValueInvalid .validValues",
          "FieldValueTooMany .validValues",
        ]);
      });

      test("between two amounts, in steps", () => {
        const range = (validRange: object, byDefault = "4") =>
          policy({ default: byDefault, validRange }).map((cause) => cause.replace(".validRange", ""));
        expect(range({ min: "1" })).toEqual([]);
        expect(range({ min: "2", max: "8", step: "2" })).toEqual([]);
        expect(range({ min: "0", max: "1Ki" }, "1")).toEqual(["FieldValueInvalid .max"]);
        expect(range({ max: "8" })).toEqual(["FieldValueRequired .min"]);
        expect(range({ min: "5" })).toEqual(["FieldValueInvalid .min"]);
        expect(range({ min: "11", max: "3" })).toEqual(["FieldValueInvalid .max", "FieldValueInvalid .min"]);
        expect(range({ min: "1", step: "2" })).toEqual(["FieldValueInvalid .step"]);
        expect(range({ min: "2", max: "7", step: "2" })).toEqual(["FieldValueInvalid .step"]);
        expect(range({ min: "4", step: "7" })).toEqual(["FieldValueInvalid .step"]);
        expect(range({ min: "1", step: "0" })).toEqual(["FieldValueInvalid .step"]);
      });
    });
  });
});
