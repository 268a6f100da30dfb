/**
 * Converts between the two forms of an Event: the same members, eight of them under other names.
 *
 * @module
 */
import type { CoreEvent } from "../../core/v1/event.ts";
import type { ApiObject } from "../../../schema/definition.ts";
import type { Event } from "./schema.ts";

/** The members with different names: in the group of events, and in the core group. */
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

const isEmpty = (struct: object | undefined): boolean => struct !== undefined && Object.keys(struct).length === 0;

/**
 * The core form of an Event of the group of events. Members that the core form always prints are set, to null where typed clients print
 * null (`printNulls`).
 */
export function toCoreEvent(object: ApiObject, printNulls: boolean): CoreEvent {
  const event = renamed(object, toCoreName, "v1") as CoreEvent;
  event.involvedObject ??= {};
  event.source ??= {};
  event.reportingComponent ??= "";
  event.reportingInstance ??= "";
  if (printNulls)
    for (const member of ["eventTime", "firstTimestamp", "lastTimestamp"] as const) event[member] ??= null;
  return event;
}

/** The form of the group of events of a core Event. Structs that only the core form always prints are left out. */
export function fromCoreEvent(object: ApiObject, apiVersion: string, printNulls: boolean): Event {
  const event = renamed(object, fromCoreName, apiVersion) as Event;
  // These two are printed empty by the core form alone.
  if (event.reportingController === "") delete event.reportingController;
  if (event.reportingInstance === "") delete event.reportingInstance;
  if (!printNulls && isEmpty(event.regarding)) delete event.regarding;
  if (!printNulls && isEmpty(event.deprecatedSource)) delete event.deprecatedSource;
  return event;
}
