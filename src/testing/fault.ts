/**
 * What can go wrong with a request, by name.
 *
 * A fault is a value: it says what is played, and is given to the faults of a cluster together with whom it meets. What
 * is refused is refused with the words of the server's own catalogue.
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

/** What is played in front of a request. */
export type RequestPlay =
  | { readonly act: "refuse"; readonly error: (ref: ObjectRef, name: string) => ApiError }
  | { readonly act: "storeRefuses" }
  | { readonly act: "wait"; readonly millis: number }
  | { readonly act: "drop" | "crash"; readonly when: "before" | "after" };

/** What is played between a watch and its stream. `events`: so many are told first. */
export type WatchPlay =
  | { readonly act: "end" | "expire"; readonly events: number }
  | { readonly act: "lag"; readonly millis: number }
  | { readonly act: "stall" };

/** Something that goes wrong with a request. */
export interface Fault {
  /** As records and messages call it: `conflict`. */
  readonly name: string;
  readonly play: RequestPlay | WatchPlay;
}

/** Something that goes wrong with a watch. */
export interface WatchFault extends Fault {
  readonly play: WatchPlay;
}

/** Before the request is handled, or after it is stored and told to watches, in place of its answer. */
interface When {
  readonly when: "before" | "after";
}

/** How many events a watch tells before its fault is played: none by default. */
interface AfterEvents {
  readonly events: number;
}

/** Why something fails that would not fail by itself. */
export const ASKED_FOR = "a fault was asked for";

const refusal = (name: string, error: (ref: ObjectRef, name: string) => ApiError): Fault => ({
  name,
  play: { act: "refuse", error },
});

/** 409: somebody else was faster, please read again. */
export const conflict = (): Fault =>
  refusal("conflict", (ref, name) =>
    conflictError(
      ref,
      name,
      "the object has been modified; please apply your changes to the latest version and try again",
    ),
  );

/** 409: the name is taken. */
export const alreadyExists = (): Fault => refusal("alreadyExists", alreadyExistsError);

/** 404: the object is not there. */
export const notFound = (): Fault => refusal("notFound", notFoundError);

/** 403: known, but not allowed. */
export const forbidden = (): Fault => refusal("forbidden", (ref, name) => forbiddenError(ref, name, ASKED_FOR));

/** 500: the server made a mistake. */
export const internalError = (): Fault => refusal("internalError", () => internalFailure(new Error(ASKED_FOR)));

/** 503: the server is going away, or not there yet. */
export const serviceUnavailable = (): Fault =>
  refusal("serviceUnavailable", () => unavailable("the server is currently unable to handle the request"));

/** 429: the server is busy; Retry-After says when to come again, in whole seconds. */
export const tooManyRequests = (retryAfter: Duration): Fault => {
  const seconds = Math.ceil(millisOf(retryAfter) / 1000);
  return refusal("tooManyRequests", () => tooManyRequestsError("the server is busy; try again", undefined, seconds));
};

/** The request is handled, and the store does not take what is to be written: 507, and nothing is stored. Reads go on. */
export const storeRefuses = (): Fault => ({ name: "storeRefuses", play: { act: "storeRefuses" } });

/** The request is handled after some time of the cluster. */
export const slow = (time: Duration): Fault => ({ name: "slow", play: { act: "wait", millis: millisOf(time) } });

/** The request is never answered; who has a time-out gives up, and nothing is stored. */
export const hang = (): Fault => ({ name: "hang", play: { act: "wait", millis: Infinity } });

/** @throws RangeError for another moment; texts come over HTTP, too */
function checkedWhen(how: When | undefined): When["when"] {
  const when = how?.when;
  if (when === "before" || when === "after") return when;
  throw new RangeError(`expected when to be before or after, got ${JSON.stringify(when)}`);
}

/** The connection breaks: without an answer, and what was asked is done (`after`) or not (`before`). */
export const dropConnection = (how: When): Fault => ({
  name: "dropConnection",
  play: { act: "drop", when: checkedWhen(how) },
});

/** The controllers that sent the request die on the spot, as by `kill -9`; others see their connection break. */
export const crash = (how: When): Fault => ({ name: "crash", play: { act: "crash", when: checkedWhen(how) } });

function checkedEvents({ events }: AfterEvents = { events: 0 }): number {
  if (Number.isInteger(events) && events >= 0) return events;
  throw new RangeError(`expected events to be 0 or more, got ${JSON.stringify(events)}`);
}

/** The watch ends in order, as every watch does some day. */
export const watchEnds = (after?: AfterEvents): WatchFault => ({
  name: "watchEnds",
  play: { act: "end", events: checkedEvents(after) },
});

/** The watch fails with 410: the version that it began with is no longer kept. */
export const watchExpires = (after?: AfterEvents): WatchFault => ({
  name: "watchExpires",
  play: { act: "expire", events: checkedEvents(after) },
});

/** The watch tells everything late, by some time of the cluster, in order. */
export const watchLags = (by: Duration): WatchFault => ({
  name: "watchLags",
  play: { act: "lag", millis: millisOf(by) },
});

/** The watch tells nothing any more, bookmarks neither, and stays open. */
export const watchStalls = (): WatchFault => ({ name: "watchStalls", play: { act: "stall" } });

/** Whether a fault is one of watches. */
export const isWatchFault = (fault: Fault): fault is WatchFault =>
  ["end", "expire", "lag", "stall"].includes(fault.play.act);
