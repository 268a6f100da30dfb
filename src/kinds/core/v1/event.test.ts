import { expect, test } from "vitest";
import { kubernetes } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { coreEvent } from "./event.ts";

const kind = new KindUnderTest(coreEvent, contextOf(kubernetes));
const create = (body: object): readonly string[] => kind.create({ involvedObject: { namespace: "n" }, ...body }).causes;

test("an older Event needs nothing but the namespace of its object", () => {
  expect(create({})).toEqual([]);
  expect(create({ type: "Other", reason: "x".repeat(200), message: "x".repeat(2000), count: -1, series: {} })).toEqual(
    [],
  );
  for (const involvedObject of [null, {}, { namespace: "other" }]) {
    expect(create({ involvedObject })).toEqual(["FieldValueInvalid involvedObject.namespace"]);
  }
});

test("DEC-2: it may be called anything that fits into a path", () => {
  expect(create({ metadata: { name: "A b" } })).toEqual([]);
  expect(create({ metadata: { name: "a%b" } })).toEqual(["FieldValueInvalid metadata.name"]);
});

test("a newer one, with an eventTime, says who did what and why", () => {
  const eventTime = "2024-01-01T00:00:00.123456Z";
  expect(create({ eventTime })).toEqual([
    "FieldValueInvalid reportingComponent",
    "FieldValueRequired action",
    "FieldValueRequired reason",
    "FieldValueRequired reportingComponent",
    "FieldValueRequired reportingInstance",
  ]);
  const said = { eventTime, action: "a", reason: "r", reportingComponent: "c", reportingInstance: "i" };
  expect(create({ ...said, type: "Odd" })).toEqual([]);
  expect(create({ ...said, action: "é".repeat(65), message: "x".repeat(1025) })).toEqual([
    "FieldValueInvalid action",
    "FieldValueInvalid message",
  ]);
});

test("almost everything may change, eventTime to none included", () => {
  const { object } = kind.create({ involvedObject: { namespace: "n" }, reason: "Started", count: 3 });
  expect(kind.change(object, { reason: "Other", message: "m", count: 4, type: "Odd" }).causes).toEqual([]);
  const newer = { ...object, eventTime: "2024-01-01T00:00:00.123456Z" };
  expect(kind.change(newer, { eventTime: null }).causes).toEqual([]);
});

test("its source can be selected, and is the controller of a newer one", () => {
  const source = coreEvent.selectableFields!["source"]!;
  const involvedObject = { namespace: "n" };
  expect(source(kind.create({ involvedObject, source: { component: "c" }, reportingComponent: "r" }).object)).toBe("c");
  expect(source(kind.create({ involvedObject, reportingComponent: "r" }).object)).toBe("r");
});

test("is shown with its source and how often it was seen", () => {
  const { object } = kind.create({
    involvedObject: { namespace: "n", kind: "Secret", name: "y", fieldPath: "data.k" },
    source: { component: "tester", host: "h1" },
    message: " it failed\n",
    firstTimestamp: "2025-12-31T22:00:00Z",
    lastTimestamp: "2025-12-31T23:59:59Z",
    count: 3,
  });
  expect(kind.cells(object)).toEqual(["1s", "", "", "secret/y", "data.k", "tester, h1", "it failed", "120m", 3, "x"]);
  const bare = kind.create({ involvedObject: { namespace: "n", kind: "Node" } }).object;
  expect(kind.cells(bare)).toEqual(["<unknown>", "", "", "node", "", "", "", "<unknown>", 1, "x"]);
});
