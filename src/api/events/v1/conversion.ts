/**
 * Between the two forms of an Event: the same members, eight of them under other names.
 *
 * @module
 */
import type { CoreEvent } from "../../core/v1/event.ts";
import type { ApiObject } from "../../definition.ts";
import type { Event } from "./schema.ts";

/** The members that are called differently: in the group of events, and in the core group. */
const NAMES = [
  ["note", "message"],
  ["regarding", "involvedObject"],
  ["reportingController", "reportingComponent"],
  ["deprecatedSource", "source"],
  ["deprecatedFirstTimestamp", "firstTimestamp"],
  ["deprecatedLastTimestamp", "lastTimestamp"],
  ["deprecatedCount", "count"],
] as const;

const toCoreName = new Map<string, string>(NAMES);
const fromCoreName = new Map<string, string>(NAMES.map(([event, core]) => [core, event]));

function renamed(object: ApiObject, names: ReadonlyMap<string, string>, apiVersion: string): ApiObject {
  const result: ApiObject = { apiVersion, kind: object.kind, metadata: object.metadata };
  for (const member of Object.keys(object)) {
    if (member !== "apiVersion") result[names.get(member) ?? member] = object[member];
  }
  return result;
}

/** The core form of an Event of the group of events. What the core form always prints is there. */
export function toCoreEvent(object: ApiObject): CoreEvent {
  const event = renamed(object, toCoreName, "v1") as CoreEvent;
  event.involvedObject ??= {};
  event.source ??= {};
  event.reportingComponent ??= "";
  event.reportingInstance ??= "";
  for (const member of ["eventTime", "firstTimestamp", "lastTimestamp"] as const) event[member] ??= null;
  return event;
}

/** The form of the group of events of a core Event. */
export function fromCoreEvent(object: ApiObject, apiVersion: string): Event {
  const event = renamed(object, fromCoreName, apiVersion) as Event;
  // These two are printed by the core form only when they are empty.
  if (event.reportingController === "") delete event.reportingController;
  if (event.reportingInstance === "") delete event.reportingInstance;
  return event;
}
