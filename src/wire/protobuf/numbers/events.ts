import type { Messages } from "./numbers.ts";

/** `events.k8s.io/v1`. */
export const events: Messages = {
  Event: {
    metadata: [1, "meta.ObjectMeta"],
    eventTime: 2,
    series: [3, "EventSeries"],
    reportingController: 4,
    reportingInstance: 5,
    action: 6,
    reason: 7,
    regarding: [8, "core.ObjectReference"],
    related: [9, "core.ObjectReference"],
    note: 10,
    type: 11,
    deprecatedSource: [12, "core.EventSource"],
    deprecatedFirstTimestamp: 13,
    deprecatedLastTimestamp: 14,
    deprecatedCount: 15,
  },
  EventSeries: { count: 1, lastObservedTime: 2 },
};
