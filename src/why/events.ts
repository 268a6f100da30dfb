/**
 * The last words of who acts on an object: its Events, newest first.
 *
 * An Event counts where it is about this very object (its uid), and was recorded since the spec of that was changed last. Whether one
 * that tells a failure still holds is said by {@link lastFailure}: not where the same actor has told of a success since.
 *
 * @module
 */
import type { ApiObject } from "../client/index.ts";
import { CoreEvent } from "../client/kinds/index.ts";
import type { ReportedQuote } from "../meta/why-report.ts";
import { cutText } from "../util/cut-text.ts";
import { type Facts, First } from "./facts.ts";

/** So many Events about one object are kept, the newest ones. */
const MAX_EVENTS = 200;
/** Bytes of what is repeated of an Event, a condition or a status. */
const MAX_QUOTED_BYTES = 1024;

/** An Event as it matters here. */
export interface RecentEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  /** The component that recorded it. */
  readonly from: string;
  /** When it was seen last, as it is written. */
  readonly time: string;
  /** The same in whole seconds since the epoch, which all forms of Events have. */
  readonly second: number;
  /** Of Events of one second the one that was written last has the greatest. */
  readonly resourceVersion: string;
}

/** Which reasons of Events tell that something failed, and which that it is done. */
export interface EventReasons {
  readonly failed: readonly string[];
  readonly succeeded: readonly string[];
}

/** The Events about an object that count, newest first. */
export async function eventsAbout(facts: Facts, object: ApiObject): Promise<readonly RecentEvent[]> {
  const { uid, namespace = "default" } = object.metadata;
  const since = specChangedAt(object);
  const words = new First<RecentEvent>(MAX_EVENTS, newestFirst);
  await facts.tryRead(async () => {
    const query = { namespace, fieldSelector: `involvedObject.uid=${uid}` };
    for await (const event of facts.each(CoreEvent, query)) {
      const word = recentEventOf(event);
      if (event.involvedObject.uid === uid && word.second >= since) words.add(word);
    }
  });
  return words.items;
}

/** The newest Event that tells a failure; undefined where a newer one, of whomever, tells that it is done. */
export function lastFailure(
  words: readonly RecentEvent[],
  { failed, succeeded }: EventReasons,
): RecentEvent | undefined {
  const found = words.find(({ reason }) => failed.includes(reason) || succeeded.includes(reason));
  return found && failed.includes(found.reason) ? found : undefined;
}

/** The newest warning; one that was followed by other words of the same component does not count. */
export function lastWarning(words: readonly RecentEvent[]): RecentEvent | undefined {
  const heard = new Set<string>();
  for (const word of words) {
    if (word.type === "Warning" && !heard.has(word.from)) return word;
    heard.add(word.from);
  }
  return undefined;
}

/** Where the words of an Event come from. */
export const quoteOf = ({ reason, from, time }: RecentEvent): ReportedQuote => ({ in: "Event", reason, from, time });

/** A text of somebody else, as long as it may be in a report. */
export const quoted = (text: string): string => cutText(text, MAX_QUOTED_BYTES);

const newestFirst = (a: RecentEvent, b: RecentEvent): number =>
  b.second - a.second || compareVersions(b.resourceVersion, a.resourceVersion);

/** Versions grow: a longer one is greater. */
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

/** Whole seconds since the epoch; 0 for what is no time. */
export function secondOf(time: string): number {
  const millis = Date.parse(time);
  return Number.isNaN(millis) ? 0 : Math.floor(millis / 1000);
}

type Fields = Readonly<Record<string, unknown>>;

/** What controllers write into the spec of an object that others wrote. */
const OF_CONTROLLERS: ReadonlySet<string> = new Set(["f:volumeName", "f:nodeName", "f:claimRef"]);

/** When somebody changed the spec last, as its managed fields say: in seconds since the epoch, 0 where they do not. */
export function specChangedAt({ metadata }: ApiObject): number {
  const times = (metadata.managedFields ?? []).map(({ subresource, fieldsV1, time }) => {
    const spec = (fieldsV1 as { "f:spec"?: Fields } | undefined)?.["f:spec"];
    const isOfUser = spec !== undefined && Object.keys(spec).some((field) => !OF_CONTROLLERS.has(field));
    return !subresource && isOfUser && time ? secondOf(time) : 0;
  });
  return Math.max(0, ...times);
}
