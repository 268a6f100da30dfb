import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { event } from "./event.ts";

const body = {
  eventTime: "2024-01-01T00:00:00.123456Z",
  reportingController: "example.com/ctl",
  reportingInstance: "ctl-1",
  action: "Starting",
  reason: "Started",
  type: "Normal",
  note: "it started",
  regarding: { apiVersion: "v1", kind: "ConfigMap", namespace: "n", name: "x" },
};

const kindOf = (dialect: typeof neutral): KindUnderTest => {
  const ctx = contextOf(dialect);
  return new KindUnderTest(event(ctx), ctx);
};

describe.each([neutral, kubernetes])("an Event in the $name dialect", (dialect) => {
  const kind = kindOf(dialect);
  const create = (changes: object): readonly string[] => kind.create({ ...body, ...changes }).causes;

  test("EV-7, EV-12, EV-14, EV-19, EV-20, META-14: what was sent is what is there", () => {
    const { object, causes } = kind.create({ ...body, related: body.regarding });
    expect(causes).toEqual([]);
    expect(object).toMatchObject({ ...body, related: body.regarding });
  });

  test.each(["action", "reason", "reportingInstance"])("EV-8, EV-11, EV-22, ERR-5: %s is required", (member) => {
    for (const value of ["", null]) expect(create({ [member]: value })).toEqual([`FieldValueRequired ${member}`]);
  });

  test("EV-7, AMB-4: eventTime is required", () => {
    expect(create({ eventTime: null })).toContain("FieldValueRequired eventTime");
  });

  test("EV-21: reportingController is required", () => {
    expect(create({ reportingController: "" })).toContain("FieldValueRequired reportingController");
  });

  test("EV-14: a note is not", () => {
    expect(create({ note: null })).toEqual([]);
  });

  test.each(["action", "reason", "reportingInstance"])(
    "EV-10, EV-13, EV-23, LIM-1: %s has 128 characters",
    (member) => {
      expect(create({ [member]: "x".repeat(128) })).toEqual([]);
      expect(create({ [member]: "x".repeat(129) })).toEqual([`FieldValueInvalid ${member}`]);
    },
  );

  test("EV-24, EV-29, EV-30, DEC-39: a series has a count of at least two and a time", () => {
    const lastObservedTime = "2024-01-01T00:00:00.000000Z";
    expect(create({ series: { count: 2, lastObservedTime } })).toEqual([]);
    expect(create({ series: null })).toEqual([]);
    expect(create({ series: { count: 1, lastObservedTime } })).toEqual(["FieldValueInvalid series.count"]);
    expect(create({ series: { lastObservedTime } })).toEqual(["FieldValueInvalid series.count"]);
    expect(create({ series: { count: 2 } })).toEqual(["FieldValueRequired series.lastObservedTime"]);
  });

  test("EV-32: has no status", () => {
    expect(kind.create({ ...body, status: {} }).unknown).toEqual(["status"]);
  });

  test("DEC-32: PUT creates it", () => {
    expect(kind.definition.createOnUpdate).toBe(true);
  });

  test("DEC-25: its selectable fields are those of the documents", () => {
    const { object } = kind.create(body);
    const fields = kind.definition.selectableFields!;
    expect(Object.fromEntries(Object.entries(fields).map(([name, read]) => [name, read(object)]))).toEqual({
      "regarding.kind": "ConfigMap",
      "regarding.namespace": "n",
      "regarding.name": "x",
      "regarding.uid": "",
      "regarding.apiVersion": "v1",
      "regarding.resourceVersion": "",
      "regarding.fieldPath": "",
      reason: "Started",
      reportingController: "example.com/ctl",
      type: "Normal",
    });
  });

  test("is shown with what it is about, its name last", () => {
    expect(kind.definition.columns!.map((column) => column.name)).toEqual([
      "Last Seen",
      "Type",
      "Reason",
      "Object",
      "Subobject",
      "Source",
      "Message",
      "First Seen",
      "Count",
      "Name",
    ]);
    const { object } = kind.create({ ...body, eventTime: "2025-12-31T23:58:00.000000Z" });
    expect(kind.cells(object)).toEqual([
      "2m",
      "Normal",
      "Started",
      "configmap/x",
      "",
      "example.com/ctl, ctl-1",
      "it started",
      "2m",
      1,
      "x",
    ]);
    const again = { ...object, series: { count: 9, lastObservedTime: "2025-12-31T23:59:55.000000Z" } };
    expect(kind.cells(again)[0]).toBe("5s");
    expect(kind.cells(again)[8]).toBe(9);
  });
});

describe("an Event of the documents", () => {
  const kind = kindOf(neutral);
  const create = (changes: object): readonly string[] => kind.create({ ...body, ...changes }).causes;

  test("ERR-5: every empty field is reported", () => {
    expect(kind.create({}).causes).toEqual(
      ["action", "eventTime", "reason", "reportingController", "reportingInstance", "type"].map(
        (member) => `FieldValueRequired ${member}`,
      ),
    );
  });

  test("EV-17, EVT-4, AMB-17: the type is Normal or Warning", () => {
    expect(create({ type: "Warning" })).toEqual([]);
    expect(create({ type: "Error" })).toEqual(["FieldValueNotSupported type"]);
    expect(create({ type: "" })).toEqual(["FieldValueRequired type"]);
  });

  test("EV-15, LIM-2, AMB-15: a note has 1024 bytes; characters of other members are code points", () => {
    expect(create({ note: "é".repeat(512) })).toEqual([]);
    expect(create({ note: "x".repeat(1025) })).toEqual(["FieldValueTooLong note"]);
    expect(create({ reason: "😀".repeat(128) })).toEqual([]);
    expect(create({ reason: "😀".repeat(129) })).toEqual(["FieldValueInvalid reason"]);
  });

  test("EV-25..28, AMB-18: deprecated members are taken and returned", () => {
    const old = {
      deprecatedCount: 3,
      deprecatedFirstTimestamp: "2024-01-01T00:00:00Z",
      deprecatedLastTimestamp: "2024-01-02T00:00:00Z",
      deprecatedSource: { component: "c", host: "h" },
    };
    const { object, causes } = kind.create({ ...body, ...old });
    expect(causes).toEqual([]);
    expect(object).toMatchObject(old);
  });

  test("EV-19, AMB-20: regarding may be absent, or in another namespace", () => {
    expect(create({ regarding: null })).toEqual([]);
    expect(kind.create({ ...body, regarding: null }).object).not.toHaveProperty("regarding");
    expect(create({ regarding: { namespace: "other" } })).toEqual([]);
  });

  test("AMB-19: everything may change, and the rules hold on every write", () => {
    const { object } = kind.create(body);
    expect(kind.change(object, { reason: "Other", type: "Warning", note: "other" }).causes).toEqual([]);
    expect(kind.change(object, { reason: "" }).causes).toEqual(["FieldValueRequired reason"]);
    expect(kind.change(object, { type: "Odd" }).causes).toEqual(["FieldValueNotSupported type"]);
  });

  test("it reads back from its stored form without a member that was not sent", () => {
    const stored = kind.definition.storedAs!;
    const bare = { ...kind.create({ ...body, regarding: null }).object, apiVersion: "events.svc.io/v1" };
    expect(stored.fromStored(stored.toStored(bare))).toEqual(bare);
    expect(stored.toStored(bare)).toMatchObject({
      apiVersion: "v1",
      involvedObject: {},
      source: {},
      message: "it started",
    });
    expect(Object.values(stored.toStored(bare))).not.toContain(null);
  });
});

describe("an Event of a real server", () => {
  const kind = kindOf(kubernetes);
  const create = (changes: object): readonly string[] => kind.create({ ...body, ...changes }).causes;

  test("causes use the names of the core form", () => {
    expect(create({ note: "é".repeat(1024) })).toEqual(["FieldValueInvalid message"]);
    expect(create({ deprecatedCount: 1 })).toEqual(["FieldValueInvalid count"]);
    expect(create({ deprecatedSource: { host: "h" } })).toEqual(["FieldValueInvalid source"]);
    expect(create({ type: "" })).toEqual(["FieldValueInvalid type"]);
    expect(create({ regarding: null })).toEqual(["FieldValueInvalid involvedObject.namespace"]);
    expect(create({ reportingController: "not a name" })).toEqual(["FieldValueInvalid reportingController"]);
  });

  test("without eventTime only that, the type and the namespace are reported", () => {
    expect(kind.create({}).causes).toEqual([
      "FieldValueInvalid involvedObject.namespace",
      "FieldValueInvalid type",
      "FieldValueRequired eventTime",
    ]);
  });

  test("only metadata and the series may change", () => {
    const { object } = kind.create(body);
    const changes: [object, string][] = [
      [{ reason: "Other" }, "reason"],
      [{ action: "Other" }, "action"],
      [{ note: "other" }, "message"],
      [{ type: "Warning" }, "type"],
      [{ regarding: { ...body.regarding, name: "y" } }, "involvedObject"],
      [{ related: body.regarding }, "related"],
      [{ reportingController: "example.com/other" }, "reportingController"],
      [{ reportingInstance: "ctl-2" }, "reportingInstance"],
      [{ eventTime: "2024-01-01T00:00:00.123457Z" }, "eventTime"],
      [{ eventTime: null }, "eventTime"],
      [{ deprecatedCount: 5 }, "count"],
      [{ deprecatedFirstTimestamp: "2020-01-01T00:00:00Z" }, "firstTimestamp"],
      [{ deprecatedSource: { component: "c" } }, "source"],
    ];
    for (const [change, field] of changes) {
      expect(kind.change(object, change).causes).toEqual([`FieldValueInvalid ${field}`]);
    }
    const series = { count: 2, lastObservedTime: "2024-01-01T00:00:00.000000Z" };
    expect(kind.change(object, { series, metadata: { name: "x", labels: { l: "x" } } }).causes).toEqual([]);
    expect(kind.change(object, { series: { ...series, count: 1 } }).causes).toEqual(["FieldValueInvalid series.count"]);
  });
});
