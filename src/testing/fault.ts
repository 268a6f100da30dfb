/**
 * The faults of requests and watches.
 *
 * A fault is a value that is added to the faults of a cluster with a match of requests. Errors are those of the server's
 * catalogue.
 *
 * @module
 */
import {
  type ApiError,
  type ObjectRef,
  alreadyExists as alreadyExistsError,
  conflict as conflictError,
  forbidden as forbiddenError,
  internalError as internalFailure,
  notFound as notFoundError,
  tooManyRequests as tooManyRequestsError,
  unavailable,
} from "../meta/status.ts";
import { type Duration, millisOf } from "../util/duration.ts";

/** The effect of a fault on a request. */
export type RequestPlay =
  | { readonly act: "refuse"; readonly error: (ref: ObjectRef, name: string) => ApiError }
  | { readonly act: "storeRefuses" }
  | { readonly act: "wait"; readonly millis: number }
  | { readonly act: "drop" | "crash"; readonly when: "before" | "after" };

/** The effect of a fault on a watch, after a number of events. */
export type WatchPlay =
  | { readonly act: "end" | "expire"; readonly events: number }
  | { readonly act: "lag"; readonly millis: number }
  | { readonly act: "stall" };

/** A fault of a request. */
export interface Fault {
  /** The name in records and messages: `conflict`. */
  readonly name: string;
  readonly play: RequestPlay | WatchPlay;
}

/** A fault of a watch. */
export interface WatchFault extends Fault {
  readonly play: WatchPlay;
}

/** Before the request is handled, or after it is stored and delivered to watches, instead of its response. */
interface When {
  readonly when: "before" | "after";
}

/** The number of events that a watch sends before its fault, 0 by default. */
interface AfterEvents {
  readonly events: number;
}

/** The reason in the errors of faults. */
export const FAULT_REASON = "an injected fault";

const refusal = (name: string, error: (ref: ObjectRef, name: string) => ApiError): Fault => ({
  name,
  play: { act: "refuse", error },
});

/** Refuses a request with 409 Conflict, as after a write of another client. */
export const conflict = (): Fault =>
  refusal("conflict", (ref, name) =>
    conflictError(
      ref,
      name,
      "the object has been modified; please apply your changes to the latest version and try again",
    ),
  );

/** Refuses a request with 409 AlreadyExists. */
export const alreadyExists = (): Fault => refusal("alreadyExists", alreadyExistsError);

/** Refuses a request with 404 NotFound. */
export const notFound = (): Fault => refusal("notFound", notFoundError);

/** Refuses a request with 403 Forbidden. */
export const forbidden = (): Fault => refusal("forbidden", (ref, name) => forbiddenError(ref, name, FAULT_REASON));

/** Refuses a request with 500 InternalError. */
export const internalError = (): Fault => refusal("internalError", () => internalFailure(new Error(FAULT_REASON)));

/** Refuses a request with 503 ServiceUnavailable, as while a server starts or stops. */
export const serviceUnavailable = (): Fault =>
  refusal("serviceUnavailable", () => unavailable("the server is currently unable to handle the request"));

/** Refuses a request with 429 TooManyRequests; Retry-After is in whole seconds. */
export const tooManyRequests = (retryAfter: Duration): Fault => {
  const seconds = Math.ceil(millisOf(retryAfter) / 1000);
  return refusal("tooManyRequests", () => tooManyRequestsError("the server is busy; try again", undefined, seconds));
};

/** Makes the store refuse the writes of a request: 507, and nothing is stored. Reads succeed. */
export const storeRefuses = (): Fault => ({ name: "storeRefuses", play: { act: "storeRefuses" } });

/** Delays a request by a time of the cluster. */
export const slow = (time: Duration): Fault => ({ name: "slow", play: { act: "wait", millis: millisOf(time) } });

/** Never responds to a request; a client with a timeout fails, and nothing is stored. */
export const hang = (): Fault => ({ name: "hang", play: { act: "wait", millis: Infinity } });

/** @throws RangeError for another value, which may come over HTTP */
function checkedWhen(how: When | undefined): When["when"] {
  const when = how?.when;
  if (when === "before" || when === "after") return when;
  throw new RangeError(`expected when to be before or after, got ${JSON.stringify(when)}`);
}

/** Breaks the connection without a response, `before` or `after` the request is handled. */
export const dropConnection = (how: When): Fault => ({
  name: "dropConnection",
  play: { act: "drop", when: checkedWhen(how) },
});

/** Kills the controllers that sent the request, as `kill -9` does; other clients lose their connection. */
export const crash = (how: When): Fault => ({ name: "crash", play: { act: "crash", when: checkedWhen(how) } });

function checkedEvents({ events }: AfterEvents = { events: 0 }): number {
  if (Number.isInteger(events) && events >= 0) return events;
  throw new RangeError(`expected events to be 0 or more, got ${JSON.stringify(events)}`);
}

/** Ends a watch in the regular way. */
export const watchEnds = (after?: AfterEvents): WatchFault => ({
  name: "watchEnds",
  play: { act: "end", events: checkedEvents(after) },
});

/** Ends a watch with 410 Expired: its resourceVersion is compacted. */
export const watchExpires = (after?: AfterEvents): WatchFault => ({
  name: "watchExpires",
  play: { act: "expire", events: checkedEvents(after) },
});

/** Delays all events of a watch by a time of the cluster, in order. */
export const watchLags = (by: Duration): WatchFault => ({
  name: "watchLags",
  play: { act: "lag", millis: millisOf(by) },
});

/** Stops all events and bookmarks of a watch, which stays open. */
export const watchStalls = (): WatchFault => ({ name: "watchStalls", play: { act: "stall" } });

/** Whether a fault is for watches. */
export const isWatchFault = (fault: Fault): fault is WatchFault =>
  ["end", "expire", "lag", "stall"].includes(fault.play.act);
