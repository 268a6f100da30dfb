import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import type { ApiObject } from "../../../schema/definition.ts";
import { Claims, R } from "./testing/claims.ts";

const select = (...expressions: string[]) => ({
  selectors: expressions.map((expression) => ({ cel: { expression } })),
});
const many = <T>(length: number, make: (i: number) => T): T[] => Array.from({ length }, (_, i) => make(i));

describe.each([neutral, kubernetes])("a ResourceClaim in the $name dialect", (dialect) => {
  const claims = new Claims(dialect);
  const told = (what: string) => (dialect === neutral ? [expect.stringContaining(what)] : []);
  const devices = ({ object }: { readonly object: ApiObject }): unknown =>
    (object["spec"] as { devices: unknown }).devices;

  test("KIND-ResourceClaim-1: one device is asked for by default", () => {
    const alternatives = [
      { name: "a", deviceClassName: "c" },
      { name: "b", deviceClassName: "c", allocationMode: "All" },
    ];
    const made = claims.create({ requests: [R, { name: "s", firstAvailable: alternatives }] });
    expect(made).toMatchObject({ causes: [], unknown: [], warnings: [], object: { status: {} } });
    expect(made.object.metadata.generation).toBeUndefined();
    const one = { allocationMode: "ExactCount", count: 1 };
    expect(devices(made)).toEqual({
      requests: [
        { name: "r", exactly: { ...R.exactly, ...one } },
        { name: "s", firstAvailable: [{ ...alternatives[0], ...one }, alternatives[1]] },
      ],
    });
  });

  test("KIND-ResourceClaim-1: nothing needs to be asked for; a status is none of a new claim", () => {
    const made = claims.create({}, { status: { reservedFor: [{ resource: "pods", name: "p", uid: "u" }] } });
    expect(made).toMatchObject({ causes: [], object: { status: {} } });
    expect(devices(made)).toEqual(dialect === neutral ? {} : { requests: null });
  });

  test("KIND-ResourceClaim-1: what is asked for stays, labels may change", () => {
    const { object } = claims.create();
    const changed = claims.kind.change(object, { spec: { devices: { requests: [{ ...R, name: "s" }] } } });
    expect(changed.causes).toEqual(["FieldValueInvalid spec"]);
    const metadata = { ...object.metadata, labels: { a: "b" } };
    const same = { devices: { requests: [{ ...R, exactly: { ...R.exactly, count: 1 } }] } };
    expect(claims.kind.change(object, { metadata, spec: same, status: { devices: [{}] } })).toMatchObject({
      causes: [],
      object: { metadata: { labels: { a: "b" } }, status: {} },
    });
  });

  test("KIND-ResourceClaim-2: a request has a name of its own, and asks in one way", () => {
    expect(claims.refused({ requests: [{ name: "A_", exactly: { deviceClassName: "A_" } }] })).toEqual([
      "FieldValueInvalid requests[0].exactly.deviceClassName",
      "FieldValueInvalid requests[0].name",
    ]);
    expect(claims.refused({ requests: [R, R] })).toEqual(["FieldValueDuplicate requests[1]"]);
    expect(claims.refused({ requests: [{ name: "r" }] })).toEqual(["FieldValueRequired requests[0]"]);
    const firstAvailable = [{ name: "a", deviceClassName: "c" }];
    expect(claims.refused({ requests: [{ ...R, firstAvailable }] })).toEqual(["FieldValueInvalid requests[0]"]);
    expect(claims.refused({ requests: many(33, (i) => ({ ...R, name: `r${i}` })) })).toEqual([
      "FieldValueTooMany requests",
    ]);
  });

  test("KIND-ResourceClaim-2: alternatives have names of their own, and are few", () => {
    const refused = (...firstAvailable: object[]) =>
      claims
        .refused({ requests: [{ name: "r", firstAvailable }] })
        .map((cause) => cause.replace("requests[0].firstAvailable", ""));
    const a = { name: "a", deviceClassName: "c" };
    expect(refused(a, a)).toEqual(["FieldValueDuplicate [1]"]);
    expect(refused({ name: "", deviceClassName: "", ...select("1") })).toEqual([
      "FieldValueInvalid [0].name",
      "FieldValueInvalid [0].selectors[0].cel.expression",
      "FieldValueRequired [0].deviceClassName",
    ]);
    expect(refused(...many(9, (i) => ({ name: `A${i}`, deviceClassName: "c", ...select("1") })))).toEqual([
      "FieldValueTooMany ",
    ]);
  });

  test("KIND-ResourceClaim-2: devices are of a class, and so many", () => {
    const asked = (members: object) => claims.asked(members);
    expect(asked({ deviceClassName: "" })).toEqual(["FieldValueRequired deviceClassName"]);
    expect(asked({ allocationMode: "Some" })).toEqual(["FieldValueNotSupported allocationMode"]);
    expect(asked({ allocationMode: "All" })).toEqual([]);
    expect(asked({ allocationMode: "All", count: 2 })).toEqual(["FieldValueInvalid count"]);
    expect(asked({ count: 0 })).toEqual([]);
    expect(asked({ count: 7 })).toEqual([]);
    expect(asked({ count: -1 })).toEqual(["FieldValueInvalid count"]);
  });

  test("KIND-ResourceClaim-2: selectors are expressions over a device", () => {
    expect(claims.asked(select('device.driver == "d"', "device.attributes['d'].isFast"))).toEqual([]);
    expect(claims.asked(select("nope(", "1 + 1", ""))).toEqual(
      [0, 1, 2].map((i) => `FieldValueInvalid selectors[${i}].cel.expression`),
    );
    expect(claims.asked(select("lists.range(1000).all(i, lists.range(1000).all(j, i != j))"))).toEqual([
      "FieldValueForbidden selectors[0].cel.expression",
    ]);
    expect(claims.asked(select('device.driver.find("[") == ""'))).toEqual([
      "InternalError selectors[0].cel.expression",
    ]);
    expect(claims.asked({ selectors: [{}] })).toEqual(["FieldValueRequired selectors[0].cel"]);
    expect(claims.asked(select(`"${"a".repeat(10 * 1024)}" != "" && 1`))).toEqual([
      "FieldValueTooLong selectors[0].cel.expression",
    ]);
    expect(claims.asked(select(...many(32, () => "true")))).toEqual([]);
    expect(claims.asked(select(...many(33, () => "1")))).toEqual(["FieldValueTooMany selectors"]);
  });

  test("KIND-ResourceClaim-2: an expression is validated where the request is one", () => {
    const bad = { ...R.exactly, ...select("1") };
    const firstAvailable = [{ name: "a", deviceClassName: "c" }];
    expect(claims.refused({ requests: [{ name: "r", exactly: bad, firstAvailable }] })).toEqual([
      "FieldValueInvalid requests[0]",
    ]);
    expect(claims.refused({ requests: many(33, (i) => ({ name: `r${i}`, exactly: bad })) })).toEqual([
      "FieldValueTooMany requests",
    ]);
  });

  describe("KIND-ResourceClaim-3: requests are referred to by their names", () => {
    const requests = [R, { name: "any", firstAvailable: [{ name: "a", deviceClassName: "c" }] }];
    const constraint = (...names: string[]) => ({ requests: names, matchAttribute: "d.example.com/x" });
    const config = (...names: string[]) => ({ requests: names, opaque: { driver: "d", parameters: {} } });
    const refused = (more: object) => claims.refused({ requests, ...more });

    test.each(["r", "any", "any/a"])("%s is one", (name) => {
      expect(refused({ constraints: [constraint(name)], config: [config(name)] })).toEqual([]);
    });

    test.each(["", "s", "A", "r/a", "any/b", "any/a/", "any/a/b"])("%j is none", (name) => {
      expect(refused({ constraints: [constraint(name)], config: [config(name)] })).toEqual([
        "FieldValueInvalid config[0].requests[0]",
        "FieldValueInvalid constraints[0].requests[0]",
      ]);
    });

    test("each once, and not too many", () => {
      expect(refused({ constraints: [constraint("r", "r")], config: [config("r", "any", "r")] })).toEqual([
        "FieldValueDuplicate config[0].requests[2]",
        "FieldValueDuplicate constraints[0].requests[1]",
      ]);
      const names = many(33, () => "s");
      expect(refused({ constraints: [constraint(...names)], config: [config(...names)] })).toEqual([
        "FieldValueTooMany config[0].requests",
        "FieldValueTooMany constraints[0].requests",
      ]);
      expect(refused({ constraints: many(33, () => constraint("s")), config: many(33, () => config("s")) })).toEqual([
        "FieldValueTooMany config",
        "FieldValueTooMany constraints",
      ]);
    });
  });

  test("KIND-ResourceClaim-3: a constraint names an attribute with its domain", () => {
    const match = (matchAttribute?: string) =>
      claims.refused({ requests: [R], constraints: [matchAttribute === undefined ? {} : { matchAttribute }] });
    const at = "constraints[0].matchAttribute";
    for (const name of ["d.example.com/x", "D/_1", "a/b/c"]) expect(match(name)).toEqual([]);
    expect(match()).toEqual([`FieldValueRequired ${at}`]);
    for (const name of ["x", "", "/x", "d/", "d/1x", "d-/x", "d/a-b"]) {
      expect(match(name)).toEqual([`FieldValueInvalid ${at}`]);
    }
    for (const name of [`d/${"x".repeat(33)}`, `${"d".repeat(64)}/x`]) {
      expect(match(name)).toContain(`FieldValueTooLong ${at}`);
    }
  });

  test("KIND-ResourceClaim-3: a configuration is an object for a driver", () => {
    const config = (opaque?: object) =>
      claims
        .refused({ requests: [R], config: [opaque ? { opaque } : {}] })
        .map((cause) => cause.replace(" config[0].opaque", " "));
    expect(config({ driver: "d", parameters: { a: [1, null] } })).toEqual([]);
    expect(config()).toEqual(["FieldValueRequired "]);
    expect(config({})).toEqual(["FieldValueRequired .driver", "FieldValueRequired .parameters"]);
    expect(config({ driver: "d_", parameters: null })).toEqual([
      "FieldValueInvalid .driver",
      "FieldValueRequired .parameters",
    ]);
    for (const parameters of [[], "a", 1, true])
      expect(config({ driver: "d", parameters })).toEqual(["FieldValueInvalid .parameters"]);
    const parameters = { a: "a".repeat(10 * 1024) };
    expect(config({ driver: "d".repeat(64), parameters })).toEqual([
      "FieldValueTooLong .driver",
      "FieldValueTooLong .parameters",
    ]);
  });

  test("KIND-ResourceClaim-5: State", () => {
    const { object } = claims.create();
    const state = (status: object, deletionTimestamp?: string) => {
      const metadata = { ...object.metadata, ...(deletionTimestamp ? { deletionTimestamp } : {}) };
      return claims.kind.columns({ ...object, metadata, status })[0];
    };
    const allocation = { devices: {} };
    const reserved = { allocation, reservedFor: [{ resource: "pods", name: "p", uid: "u" }] };
    expect(state({})).toEqual(["State", "pending"]);
    expect(state({ allocation })).toEqual(["State", "allocated"]);
    expect(state(reserved)).toEqual(["State", "allocated,reserved"]);
    expect(state({}, "2026-01-01T00:00:00Z")).toEqual(["State", "deleted"]);
    expect(state(reserved, "2026-01-01T00:00:00Z")).toEqual(["State", "deleted,allocated,reserved"]);
  });

  describe("access to devices that others have", () => {
    const label = `resource.${dialect.labelDomain}/admin-access`;
    const admin = { name: "s", exactly: { ...R.exactly, adminAccess: true } };

    test("wants a namespace that is marked for it", () => {
      expect(claims.refused({ requests: [R, admin, { name: "t" }] })).toEqual([
        "FieldValueForbidden requests[1].adminAccess",
        "FieldValueRequired requests[2]",
      ]);
      for (const labels of [{}, { [label]: "" }, { [label]: "True" }]) {
        expect(new Claims(dialect, {}, labels).refused({ requests: [admin] })).toHaveLength(1);
      }
      expect(new Claims(dialect, {}, { [label]: "true" }).refused({ requests: [admin] })).toEqual([]);
      const none = { name: "r", exactly: { ...R.exactly, adminAccess: false } };
      expect(claims.refused({ requests: [none] })).toEqual([]);
    });

    test("KIND-All-23: is dropped where the feature is off", () => {
      const made = new Claims(dialect, { DRAAdminAccess: false }).create({ requests: [admin] });
      expect(made).toMatchObject({ causes: [], warnings: told("DRAAdminAccess") });
      expect(JSON.stringify(made.object)).not.toContain("adminAccess");
    });
  });

  describe("KIND-All-23: features that are off", () => {
    const open = new Claims(dialect, { DRADeviceTaints: true, DRAConsumableCapacity: true });
    const tolerations = [{ key: "k", operator: "Exists" }];
    const capacity = { requests: { memory: "1024Mi" } };
    const full = {
      requests: [
        { name: "r", exactly: { ...R.exactly, tolerations, capacity } },
        { name: "s", firstAvailable: [{ name: "a", deviceClassName: "c", tolerations, capacity }] },
      ],
      constraints: [{ matchAttribute: "d/x", distinctAttribute: "d/y" }],
    };
    const GATED = /tolerations|capacity|distinctAttribute/;

    test("what belongs to them is dropped", () => {
      const made = claims.create(full);
      expect(made.causes).toEqual([]);
      expect(JSON.stringify(made.object["spec"])).not.toMatch(GATED);
      expect(made.warnings).toHaveLength(dialect === neutral ? 5 : 0);
      const changed = claims.kind.change(made.object, { spec: { devices: full } });
      expect(changed).toMatchObject({ causes: [], object: { spec: made.object["spec"] } });
    });

    test("what the stored claim has stays", () => {
      const made = open.create(full);
      expect(made).toMatchObject({ causes: [], warnings: [] });
      expect(JSON.stringify(made.object["spec"])).toMatch(GATED);
      expect(claims.kind.change(made.object, {})).toMatchObject({ causes: [], object: { spec: made.object["spec"] } });
    });

    test("alternatives go, and nothing is asked for then", () => {
      const off = new Claims(dialect, { DRAPrioritizedList: false });
      expect(off.refused(full)).toEqual(["FieldValueRequired requests[1]"]);
    });

    test("a constraint of either sort will do where both are on", () => {
      const constraint = (members: object) => open.refused({ requests: [R], constraints: [members] });
      expect(constraint({ distinctAttribute: "d/x" })).toEqual([]);
      expect(constraint({ distinctAttribute: "x" })).toEqual(["FieldValueInvalid constraints[0].distinctAttribute"]);
      expect(constraint({})).toEqual(["FieldValueRequired constraints[0]"]);
    });

    test("tolerations are as those of Pods, with effects of devices", () => {
      const refused = (toleration: object) =>
        open.asked({ tolerations: [toleration] }).map((cause) => cause.replace("tolerations[0].", ""));
      const { object } = open.create({ requests: [{ name: "r", exactly: { ...R.exactly, tolerations: [{}] } }] });
      expect(JSON.stringify(object["spec"])).toContain('"tolerations":[{"operator":"Equal"}]');
      for (const effect of ["NoSchedule", "NoExecute", "None"]) expect(refused({ effect })).toEqual([]);
      expect(refused({ key: "a b", operator: "Some", value: "c d", effect: "Never" })).toEqual([
        "FieldValueInvalid key",
        "FieldValueNotSupported effect",
        "FieldValueNotSupported operator",
      ]);
      expect(refused({ key: "k", value: "c d" })).toEqual(["FieldValueInvalid value"]);
      expect(refused({ operator: "Exists", value: "v" })).toEqual(["FieldValueInvalid value"]);
      expect(refused({ operator: "Exists", tolerationSeconds: -1 })).toEqual([]);
    });

    test("amounts are quantities in their standard form", () => {
      const { object } = open.create(full);
      expect(JSON.stringify(object["spec"])).toContain('"requests":{"memory":"1Gi"}');
    });

    test("whether several may have a device can be asked where that may be", () => {
      expect(open.asked(select("device.allowMultipleAllocations"))).toEqual([]);
      expect(claims.asked(select("device.allowMultipleAllocations"))).toHaveLength(1);
    });
  });
});
