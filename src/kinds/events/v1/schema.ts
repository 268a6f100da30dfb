import * as t from "../../../meta/types.ts";
import { ObjectReference } from "../../rules/references.ts";
import type { ApiContext, ApiObject } from "../../../schema/definition.ts";
import type { EventReference } from "../../core/v1/event.ts";
import { objectSchema } from "../../../schema/object-schema.ts";

/** What an Event is, for `kubectl explain`. */
export const description =
  "A report of something that happened, usually a change of state. It is kept for a while only, its reason and note " +
  "may change from one time to the next, and nothing should be decided by it.";

const EventSeries = t.struct("How it goes on, when it happens again and again.", {
  count: t.required(t.int32("How often it was seen, up to the last heartbeat.")),
  lastObservedTime: t.required(t.microTime("When it was last seen before the last heartbeat.")),
});

const EventSource = t.struct("Where an event of the older kind came from.", {
  component: t.optional(t.text("The component that reported it.")),
  host: t.optional(t.text("The node that it reported from.")),
});

/**
 * The schema of Event. Where members are printed although they are unset, those of the older kind of
 * events are too.
 */
export const eventSchema = ({ dialect }: ApiContext): ReturnType<typeof objectSchema> => {
  const printed = dialect.rules.printUnsetAsNull ? t.always : t.optional;
  return objectSchema(description, {
    eventTime: t.nullable(t.microTime("When it was first observed.")),
    series: t.pointer(EventSeries),
    reportingController: t.optional(t.text("Name of the controller that reported it.")),
    reportingInstance: t.optional(t.text("The instance of the controller; at most 128 characters.")),
    action: t.optional(t.text("What was done or failed, for programs; at most 128 characters.")),
    reason: t.optional(t.text("Why it was done, for people; at most 128 characters.")),
    regarding: printed(ObjectReference),
    related: t.pointer(ObjectReference),
    note: t.optional(t.text("How the action went, for people; at most 1 kB, and readers should be ready for 64 kB.")),
    type: t.optional(t.text("Normal or Warning; readers should be ready for others.")),
    deprecatedSource: printed(EventSource),
    deprecatedFirstTimestamp: t.nullable(t.time("When an event of the older kind was first seen.")),
    deprecatedLastTimestamp: t.nullable(t.time("When an event of the older kind was last seen.")),
    deprecatedCount: t.optional(t.int32("How often an event of the older kind was seen.")),
  });
};

/** An Event of the group of events. */
export interface Event extends ApiObject {
  eventTime?: string | null;
  series?: { count?: number; lastObservedTime?: string | null };
  reportingController?: string;
  reportingInstance?: string;
  action?: string;
  reason?: string;
  regarding?: EventReference;
  related?: EventReference;
  note?: string;
  type?: string;
  deprecatedSource?: { component?: string; host?: string };
  deprecatedFirstTimestamp?: string | null;
  deprecatedLastTimestamp?: string | null;
  deprecatedCount?: number;
}
