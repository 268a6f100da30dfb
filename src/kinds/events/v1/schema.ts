import * as t from "../../../meta/types.ts";
import { ObjectReference } from "../../rules/references.ts";
import type { ApiContext, ApiObject } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";

/** The description of an Event, for `kubectl explain`. */
export const description =
  "A report of something that happened, usually a change of state. It is kept for a limited time, its reason and note " +
  "may change between occurrences, and no program should rely on it.";

const EventSeries = t.struct("Data about repeated occurrences.", {
  count: t.required(t.int32("How often it was seen, up to the last heartbeat.")),
  lastObservedTime: t.required(t.microTime("When it was last seen before the last heartbeat.")),
});

const EventSource = t.struct("The source of an event of the older form.", {
  component: t.optional(t.text("The component that reported it.")),
  host: t.optional(t.text("The node that it reported from.")),
});

const members = {
  eventTime: t.nullable(t.microTime("When it was first observed.")),
  series: t.pointer(EventSeries),
  reportingController: t.optional(t.text("Name of the controller that reported it.")),
  reportingInstance: t.optional(t.text("The instance of the controller; at most 128 characters.")),
  action: t.optional(t.text("The action that was taken or failed, for programs; at most 128 characters.")),
  reason: t.optional(t.text("Why it was done, for people; at most 128 characters.")),
  regarding: t.optional(ObjectReference),
  related: t.pointer(ObjectReference),
  note: t.optional(t.text("How the action went, for people; at most 1 kB, and readers should be ready for 64 kB.")),
  type: t.optional(t.text("Normal or Warning; readers should be ready for others.")),
  deprecatedSource: t.optional(EventSource),
  deprecatedFirstTimestamp: t.nullable(t.time("When an event of the older kind was first seen.")),
  deprecatedLastTimestamp: t.nullable(t.time("When an event of the older kind was last seen.")),
  deprecatedCount: t.optional(t.int32("How often an event of the older kind was seen.")),
};

/** The schema of Event. Where unset members are printed, those of the older kind of events are too. */
export const eventSchema = ({ dialect }: ApiContext): ReturnType<typeof objectSchema> =>
  objectSchema(
    description,
    dialect.rules.printUnsetAsNull
      ? { ...members, regarding: t.always(ObjectReference), deprecatedSource: t.always(EventSource) }
      : members,
  );

/** An Event of the group of events; members may be unset before it is validated. */
export type Event = ApiObject & Partial<t.Static<ReturnType<typeof t.struct<typeof members>>>>;
