/**
 * Reads the Events about an object, newest first.
 *
 * An Event counts where it has the uid of the object and is newer than its spec. {@link lastFailure} ignores a failure
 * that was followed by a success.
 */
import { isObject } from "../value/value.ts";
import type { ApiObject } from "../client/index.ts";
import { CoreEvent } from "../client/kinds/index.ts";
import type { ReportedQuote } from "../meta/why-report.ts";
import { cutText } from "../util/cut-text.ts";
import { type Facts, First } from "./facts.ts";

/** The maximum number of kept Events, the newest ones. */
const MAX_EVENTS = 200;
/** The maximum length of quoted messages. */
const MAX_QUOTED_BYTES = 1024;

/** An Event in a common form. */
export interface RecentEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  /** Its component. */
  readonly from: string;
  /** The time of the last occurrence, as written. */
  readonly time: string;
  /** The time in seconds since the epoch. */
  readonly second: number;
  /** Orders Events of the same second. */
  readonly resourceVersion: string;
}

/** The reasons of failures and successes. */
export interface EventReasons {
  readonly failed: readonly string[];
  readonly succeeded: readonly string[];
}

/** Returns the Events about an object, newest first. */
export async function eventsAbout(facts: Facts, object: ApiObject): Promise<readonly RecentEvent[]> {
  const { uid, namespace = "default" } = object.metadata;
  const since = specChangedAt(object);
  const recent = new First<RecentEvent>(MAX_EVENTS, newestFirst);
  await facts.tryRead(async () => {
    const query = { namespace, fieldSelector: `involvedObject.uid=${uid}` };
    for await (const stored of facts.each(CoreEvent, query)) {
      const event = recentEventOf(stored);
      if (stored.involvedObject.uid === uid && event.second >= since) recent.add(event);
    }
  });
  return recent.items;
}

/** Returns the newest failure; undefined where a success followed. */
export function lastFailure(
  events: readonly RecentEvent[],
  { failed, succeeded }: EventReasons,
): RecentEvent | undefined {
  const found = events.find(({ reason }) => failed.includes(reason) || succeeded.includes(reason));
  return found && failed.includes(found.reason) ? found : undefined;
}

/** Returns the newest warning that no other Event of its component followed. */
export function lastWarning(events: readonly RecentEvent[]): RecentEvent | undefined {
  const components = new Set<string>();
  for (const event of events) {
    if (event.type === "Warning" && !components.has(event.from)) return event;
    components.add(event.from);
  }
  return undefined;
}

/** Returns the origin of a quoted Event. */
export const quoteOf = ({ reason, from, time }: RecentEvent): ReportedQuote => ({ in: "Event", reason, from, time });

/** Cuts a text for a report. */
export const quoted = (text: string): string => cutText(text, MAX_QUOTED_BYTES);

const newestFirst = (a: RecentEvent, b: RecentEvent): number =>
  b.second - a.second || compareVersions(b.resourceVersion, a.resourceVersion);

/** A longer version is greater. */
const compareVersions = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a === b ? 0 : 1);

function recentEventOf(event: CoreEvent): RecentEvent {
  const { metadata, type = "", reason = "", message = "", source, reportingComponent } = event;
  const { series, lastTimestamp, eventTime, firstTimestamp } = event;
  const times = [series?.lastObservedTime, lastTimestamp, eventTime, firstTimestamp].filter((time) => !!time);
  const time = times[0] ?? metadata.creationTimestamp;
  return {
    type,
    reason: quoted(reason),
    message: quoted(message),
    from: quoted(source?.component || reportingComponent || ""),
    time,
    second: secondOf(time),
    resourceVersion: metadata.resourceVersion,
  };
}

/** Returns seconds since the epoch; 0 for an invalid time. */
export function secondOf(time: string): number {
  const millis = Date.parse(time);
  return Number.isNaN(millis) ? 0 : Math.floor(millis / 1000);
}

/** Fields of a spec that controllers write. */
const OF_CONTROLLERS: ReadonlySet<string> = new Set(["f:volumeName", "f:nodeName", "f:claimRef"]);

/** Returns when a user last changed the spec, by managedFields: in seconds since the epoch, or 0. */
export function specChangedAt({ metadata }: ApiObject): number {
  const times = (metadata.managedFields ?? []).map(({ subresource, fieldsV1, time }) => {
    const spec = isObject(fieldsV1) ? fieldsV1["f:spec"] : undefined;
    const isOfUser = isObject(spec) && Object.keys(spec).some((field) => !OF_CONTROLLERS.has(field));
    return !subresource && isOfUser && time ? secondOf(time) : 0;
  });
  return Math.max(0, ...times);
}
