import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import type { ApiObject } from "../../../schema/definition.ts";
import { Claims, R } from "./testing/claims.ts";

const many = <T>(length: number, make: (i: number) => T): T[] => Array.from({ length }, (_, i) => make(i));
const SHARE = "01234567-89ab-cdef-0123-456789abcdef";
const DEVICE = { driver: "d.example.com", pool: "p", device: "x" };
const RESULT = { request: "r", ...DEVICE };
const has = (...results: object[]) => ({ allocation: { devices: { results } } });
const consumer = (uid: string) => ({ resource: "pods", name: "p", uid });

describe.each([neutral, kubernetes])("the status of a ResourceClaim in the $name dialect", (dialect) => {
  const claims = new Claims(dialect);
  const open = new Claims(dialect, {
    DRAConsumableCapacity: true,
    DRADeviceBindingConditions: true,
    DRADeviceTaints: true,
  });
  const alternatives = { name: "s", firstAvailable: [{ name: "a", deviceClassName: "c" }] };
  const { object: claim } = claims.create({ requests: [R, alternatives] });
  const allocated: ApiObject = claims.report(claim, has(RESULT)).object;
  const wrong = (status: object, of = claim): readonly string[] => claims.wrong(of, status);

  test("KIND-All-2: nothing but the status is written", () => {
    const metadata = {
      ...claim.metadata,
      labels: { a: "b" },
      annotations: { a: "b" },
      finalizers: ["example.com/f"],
    };
    const sent = { ...claim, metadata, spec: { devices: {} }, status: has(RESULT) };
    const written = claims.kind.update(claim, sent, "status");
    expect(written.causes).toEqual([]);
    expect(written.object["spec"]).toEqual(claim["spec"]);
    for (const member of ["labels", "annotations", "finalizers"]) {
      expect(written.object.metadata).not.toHaveProperty(member);
    }
    expect(claims.kind.definition.subresources!["status"]!.resetFields).toEqual(["metadata", "spec"]);
  });

  test("KIND-ResourceClaim-4: an allocation names requests, drivers, pools and devices", () => {
    expect(wrong(has(RESULT, { ...RESULT, request: "s/a", pool: "a.b/c", device: "y" }))).toEqual([]);
    const at = "allocation.devices.results[0]";
    expect(wrong(has({}))).toEqual([
      `FieldValueInvalid ${at}.device`,
      `FieldValueInvalid ${at}.request`,
      `FieldValueRequired ${at}.driver`,
      `FieldValueRequired ${at}.pool`,
    ]);
    expect(wrong(has({ request: "s/b", driver: "d_", pool: "a//b", device: "a.b" }))).toEqual([
      `FieldValueInvalid ${at}.device`,
      `FieldValueInvalid ${at}.driver`,
      `FieldValueInvalid ${at}.pool`,
      `FieldValueInvalid ${at}.request`,
    ]);
    const pool = Array.from({ length: 2 }, () => "p".repeat(200)).join("/");
    expect(wrong(has({ ...RESULT, pool }))).toEqual([`FieldValueTooLong ${at}.pool`]);
    expect(wrong(has(...many(33, () => ({}))))).toEqual(["FieldValueTooMany allocation.devices.results"]);
  });

  test("KIND-ResourceClaim-4: configurations of an allocation say where they come from", () => {
    const refused = (...config: object[]) =>
      wrong({ allocation: { devices: { config } } }).map((cause) => cause.replace("allocation.devices.config", ""));
    const opaque = { driver: "d", parameters: {} };
    expect(refused({ source: "FromClass", opaque }, { source: "FromClaim", requests: ["s/a"], opaque })).toEqual([]);
    expect(refused({ opaque, requests: ["t"] }, { source: "x" })).toEqual([
      "FieldValueInvalid [0].requests[0]",
      "FieldValueNotSupported [1].source",
      "FieldValueRequired [0].source",
      "FieldValueRequired [1].opaque",
    ]);
    expect(refused(...many(64, () => ({ source: "FromClass", opaque })))).toEqual([]);
    expect(refused(...many(65, () => ({})))).toEqual(["FieldValueTooMany "]);
  });

  test("KIND-ResourceClaim-4: the nodes of an allocation", () => {
    const nodeSelector = { nodeSelectorTerms: [{ matchExpressions: [{ key: "a b", operator: "Exists" }] }] };
    expect(wrong({ allocation: { nodeSelector } })).toEqual([
      "FieldValueInvalid allocation.nodeSelector.nodeSelectorTerms[0].matchExpressions[0].key",
    ]);
    expect(wrong({ allocation: { nodeSelector: {} } })).toEqual([
      "FieldValueRequired allocation.nodeSelector.nodeSelectorTerms",
    ]);
  });

  test("KIND-ResourceClaim-4: an allocation is immutable, and may be removed when it has no consumers", () => {
    expect(wrong(has(RESULT), allocated)).toEqual([]);
    expect(wrong(has({ ...RESULT, device: "y" }), allocated)).toEqual(["FieldValueInvalid allocation"]);
    expect(wrong({}, allocated)).toEqual([]);
    expect(wrong({ reservedFor: [consumer("u")] }, allocated)).toEqual(["FieldValueForbidden reservedFor"]);
  });

  test("KIND-ResourceClaim-4: consumers of devices are identified by uid, and need an allocation", () => {
    const reserve = (...reservedFor: object[]) => wrong({ ...has(RESULT), reservedFor }, allocated);
    expect(reserve(consumer("u"), consumer("v"))).toEqual([]);
    expect(reserve(consumer("u"), { ...consumer("u"), name: "q" })).toEqual(["FieldValueDuplicate reservedFor[1]"]);
    expect(reserve({})).toEqual(
      ["name", "resource", "uid"].map((member) => `FieldValueRequired reservedFor[0].${member}`),
    );
    expect(reserve(...many(256, (i) => consumer(`u${i}`)))).toEqual([]);
    expect(reserve(...many(257, () => ({})))).toEqual(["FieldValueTooMany reservedFor"]);
    expect(wrong({ reservedFor: [consumer("u")] })).toEqual(["FieldValueForbidden reservedFor"]);
  });

  test("KIND-ResourceClaim-4: a claim that is being deleted gets no new consumers", () => {
    const used = claims.report(allocated, { ...has(RESULT), reservedFor: [consumer("u"), consumer("v")] }).object;
    used.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
    const reserve = (...reservedFor: object[]) => wrong({ ...has(RESULT), reservedFor }, used);
    expect(reserve(consumer("v"))).toEqual([]);
    expect(reserve(consumer("u"), consumer("w"))).toEqual(["FieldValueForbidden reservedFor"]);
    expect(reserve({ ...consumer("u"), apiGroup: "example.com" })).toEqual(["FieldValueForbidden reservedFor"]);
  });

  describe("how devices are", () => {
    const say = (members: object) =>
      wrong({ ...has(RESULT), devices: [{ ...DEVICE, ...members }] }, allocated).map((cause) =>
        cause.replace("devices[0]", ""),
      );
    const lastTransitionTime = "2026-01-01T00:00:00Z";
    const condition = { type: "Ready", status: "True", reason: "Up", message: "", lastTransitionTime };

    test("lists the devices of the claim, once each", () => {
      expect(say({})).toEqual([]);
      expect(say({ device: "y" })).toEqual(["FieldValueInvalid "]);
      expect(say({ driver: "", pool: "", device: "" })).toEqual([
        "FieldValueInvalid ",
        "FieldValueInvalid .device",
        "FieldValueRequired .driver",
        "FieldValueRequired .pool",
      ]);
      expect(wrong({ ...has(RESULT), devices: [DEVICE, DEVICE] }, allocated)).toEqual([
        "FieldValueDuplicate devices[1]",
      ]);
      expect(wrong({ devices: [DEVICE] })).toEqual(["FieldValueInvalid devices[0]"]);
    });

    test("with conditions and data", () => {
      expect(say({ conditions: [condition], data: { a: [1] } })).toEqual([]);
      expect(say({ conditions: [condition, { ...condition, status: "Yes" }] })).toEqual([
        "FieldValueDuplicate .conditions[1].type",
        "FieldValueNotSupported .conditions[1].status",
      ]);
      expect(say({ conditions: many(9, (i) => ({ ...condition, type: `T${i}` })) })).toEqual([
        "FieldValueTooMany .conditions",
      ]);
      for (const data of [[], "a", 1, false]) expect(say({ data })).toEqual(["FieldValueInvalid .data"]);
      expect(say({ data: null })).toEqual([]);
      expect(say({ data: { a: "a".repeat(10 * 1024) } })).toEqual(["FieldValueTooLong .data"]);
    });

    test("and where they are in a network", () => {
      const network = (networkData: object) => say({ networkData }).map((cause) => cause.replace(".networkData.", ""));
      const ips = ["192.0.2.5/24", "2001:db8::5/64", "0.0.0.0/0"];
      expect(network({ interfaceName: "eth0", hardwareAddress: "00:11", ips })).toEqual([]);
      for (const ip of [
        "",
        "a",
        "192.0.2.5",
        "192.0.2.05/24",
        "192.0.2.5/024",
        "2001:DB8::5/64",
        "::ffff:1.2.3.4/120",
      ]) {
        expect(network({ ips: [ip] })).toEqual(["FieldValueInvalid ips[0]"]);
      }
      expect(network({ ips: ["10.0.0.1/8", "10.0.0.1/8"] })).toEqual(["FieldValueDuplicate ips[1]"]);
      expect(network({ ips: many(17, () => "a") })).toEqual(["FieldValueTooMany ips"]);
      expect(network({ interfaceName: "ä".repeat(129), hardwareAddress: "0".repeat(129) })).toEqual([
        "FieldValueTooLong hardwareAddress",
        "FieldValueTooLong interfaceName",
      ]);
    });

    test("goes with the devices", () => {
      const both = has(RESULT, { ...RESULT, device: "y" });
      const had = claims.report(claim, both).object;
      const devices = [DEVICE, { ...DEVICE, device: "y" }];
      const told = claims.report(had, { ...both, devices });
      expect(told.causes).toEqual([]);
      const gone = claims.report(told.object, { devices });
      expect(gone).toMatchObject({ causes: [], object: { status: {} } });
      expect(Object.keys(gone.object["status"] as object)).toEqual([]);
    });

    test("KIND-All-23: is dropped where the feature is off, unless it is there", () => {
      const off = new Claims(dialect, { DRAResourceClaimDeviceStatus: false });
      const status = { ...has(RESULT), devices: [DEVICE] };
      expect(JSON.stringify(off.report(allocated, status).object["status"])).not.toContain('"devices":[');
      const told = claims.report(allocated, status).object;
      expect(off.report(told, status).object["status"]).toEqual(told["status"]);
    });
  });

  describe("KIND-All-23: features that are off", () => {
    const conditions = { bindingConditions: ["a"], bindingFailureConditions: ["b"] };
    const full = { ...RESULT, shareID: SHARE, consumedCapacity: { memory: "1Gi" }, ...conditions };
    const status = { ...has(full), devices: [{ ...DEVICE, shareID: SHARE }] };

    test("what belongs to them is dropped, unless the claim has it", () => {
      const made = claims.report(claim, status);
      expect(made.causes).toEqual([]);
      expect(JSON.stringify(made.object["status"])).not.toMatch(/shareID|consumedCapacity|binding/);
      const had = open.report(claim, status);
      expect(had.causes).toEqual([]);
      expect(had.object["status"]).toMatchObject(status);
      expect(claims.report(had.object, status)).toMatchObject({ causes: [], object: { status } });
      // The time was never a part of it.
      const allocationTimestamp = "2026-01-01T00:00:00Z";
      const timed = claims.report(claim, { allocation: { allocationTimestamp } });
      expect(timed.object["status"]).toMatchObject({ allocation: { allocationTimestamp } });
    });

    test("shares of a device are distinguished by UIDs", () => {
      const other = SHARE.replace("0", "f");
      expect(open.wrong(claim, { ...has(full), devices: [DEVICE] })).toEqual(["FieldValueInvalid devices[0]"]);
      const both = has(full, { ...full, shareID: other });
      const devices = [SHARE, other].map((shareID) => ({ ...DEVICE, shareID }));
      expect(open.wrong(claim, { ...both, devices })).toEqual([]);
      for (const shareID of ["", "x", SHARE.toUpperCase(), `{${SHARE}}`, SHARE.replaceAll("-", "")]) {
        expect(open.wrong(claim, { ...has({ ...full, shareID }), devices: [{ ...DEVICE, shareID }] })).toEqual([
          "FieldValueInvalid allocation.devices.results[0].shareID",
          "FieldValueInvalid devices[0].shareID",
        ]);
      }
    });

    test("conditions to wait for", () => {
      const refused = (members: object) =>
        open
          .wrong(claim, has({ ...RESULT, ...members }))
          .map((cause) => cause.replace("allocation.devices.results[0].binding", ""));
      expect(refused(conditions)).toEqual([]);
      expect(refused({ bindingConditions: ["a"] })).toEqual(["FieldValueInvalid FailureConditions"]);
      expect(refused({ bindingFailureConditions: ["a"] })).toEqual(["FieldValueInvalid Conditions"]);
      expect(refused({ bindingConditions: ["a", "a", "b c"], bindingFailureConditions: ["d", "a", "d"] })).toEqual([
        "FieldValueDuplicate Conditions[1]",
        "FieldValueDuplicate FailureConditions[2]",
        "FieldValueInvalid Conditions[2]",
        "FieldValueInvalid FailureConditions[1]",
      ]);
      const five = many(5, () => "a");
      expect(refused({ bindingConditions: five, bindingFailureConditions: ["b"] })).toContain(
        "FieldValueTooMany Conditions",
      );
    });
  });

  test("access to devices that others have wants a namespace that is marked for it, unless it was given before", () => {
    const label = `resource.${dialect.labelDomain}/admin-access`;
    const admin = has({ ...RESULT, adminAccess: false }, { ...RESULT, adminAccess: true });
    const marked = new Claims(dialect, {}, { [label]: "true" });
    expect(wrong(admin)).toEqual(["FieldValueForbidden allocation.devices.results[1].adminAccess"]);
    expect(marked.wrong(claim, admin)).toEqual([]);
    expect(wrong(admin, marked.report(claim, admin).object)).toEqual([]);
    const off = new Claims(dialect, { DRAAdminAccess: false }).report(claim, admin);
    expect(off.causes).toEqual([]);
    expect(JSON.stringify(off.object["status"])).not.toContain("adminAccess");
  });
});
