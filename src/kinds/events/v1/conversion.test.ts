import { expect, test } from "vitest";
import { kubernetes } from "../../../meta/dialect.ts";
import { coreEvent } from "../../core/v1/event.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { fromCoreEvent, toCoreEvent } from "./conversion.ts";
import { event } from "./event.ts";

const ctx = contextOf(kubernetes);
const core = new KindUnderTest(coreEvent, ctx);
const newer = new KindUnderTest(event(ctx), ctx);

const full = {
  metadata: { name: "e", namespace: "n" },
  involvedObject: { kind: "ConfigMap", namespace: "n", name: "x", fieldPath: "data.k" },
  reason: "Started",
  message: "it started",
  source: { component: "tester", host: "h1" },
  firstTimestamp: "2024-01-01T00:00:00Z",
  lastTimestamp: "2024-01-02T00:00:00Z",
  count: 3,
  type: "Normal",
  eventTime: "2024-01-01T00:00:00.123456Z",
  series: { count: 2, lastObservedTime: "2024-01-01T00:00:00.000000Z" },
  action: "Starting",
  related: { name: "y" },
  reportingComponent: "example.com/ctl",
  reportingInstance: "ctl-1",
};

test("the group of events reads a core Event under its own names", () => {
  const { object } = core.create(full);
  expect(fromCoreEvent(object, "events.k8s.io/v1", true)).toEqual({
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: object.metadata,
    regarding: full.involvedObject,
    reason: "Started",
    note: "it started",
    deprecatedSource: full.source,
    deprecatedFirstTimestamp: full.firstTimestamp,
    deprecatedLastTimestamp: full.lastTimestamp,
    deprecatedCount: 3,
    type: "Normal",
    eventTime: full.eventTime,
    series: full.series,
    action: "Starting",
    related: full.related,
    reportingController: "example.com/ctl",
    reportingInstance: "ctl-1",
  });
});

test("the least Event is printed by both groups as typed clients print it", () => {
  const { object } = core.create({ metadata: { name: "k", namespace: "n" }, involvedObject: { namespace: "n" } });
  expect(object).toEqual({
    apiVersion: "v1",
    kind: "Event",
    metadata: object.metadata,
    involvedObject: { namespace: "n" },
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: null,
    reportingComponent: "",
    reportingInstance: "",
  });
  expect(fromCoreEvent(object, "events.k8s.io/v1", true)).toEqual({
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: object.metadata,
    regarding: { namespace: "n" },
    deprecatedSource: {},
    deprecatedFirstTimestamp: null,
    deprecatedLastTimestamp: null,
    eventTime: null,
  });
});

test("what goes to the other form and back is the same", () => {
  for (const body of [full, { metadata: full.metadata, involvedObject: { namespace: "n" } }]) {
    const { object } = core.create(body);
    const stored = { ...object, apiVersion: "v1" };
    expect(toCoreEvent(fromCoreEvent(stored, "events.k8s.io/v1", true), true)).toEqual(stored);
  }
  const { object } = newer.create({
    eventTime: full.eventTime,
    reportingController: "c",
    regarding: { namespace: "n" },
  });
  const served = { ...object, apiVersion: "events.k8s.io/v1" };
  expect(fromCoreEvent(toCoreEvent(served, true), "events.k8s.io/v1", true)).toEqual(served);
});
