/**
 * Watches against the log: each shows every change of its scope and colour once, in order, as what it is to somebody who
 * sees only those, from where it began to where it ended; no bookmark runs ahead of what was sent, and nothing follows
 * an error. All are compared with one log, so watches on different servers agree.
 *
 * @module
 */
import type { Frame, History, Seen, Stream } from "../history.ts";
import { type Findings, named, titled } from "./findings.ts";
import { type ResourceLog, sameObject } from "./log.ts";
import { checkState } from "./reads.ts";
import type { Times } from "./times.ts";

type Change = Extract<Frame, { object: Seen }>;

/** An event that a watch must show. */
interface Expected {
  readonly type: Change["type"];
  readonly object: Seen;
  readonly revision: number;
  /** Undefined when it depends on something that is not known whether there is such an event. */
  readonly certain: boolean;
}

/** Checks every watch, and what it says of times. Returns the number of events that were compared. */
export function checkWatches(
  logs: ReadonlyMap<string, ResourceLog>,
  { streams }: History,
  times: Times,
  findings: Findings,
): number {
  let events = 0;
  for (const stream of streams) {
    checkForm(stream, times, findings);
    const start = checkInitial(logs, stream, times, findings);
    if (start === undefined) continue;
    const { from, frames } = start;
    for (const log of logs.values()) {
      if (!log.scope.startsWith(stream.scope) && !stream.scope.startsWith(log.scope)) continue;
      events += checkEvents(log, stream, from, frames, findings);
    }
    checkReach(stream, findings);
  }
  return events;
}

/** What can be seen without the log: order, bookmarks, the end, and that nothing is shown before it can be there. */
function checkForm(stream: Stream, times: Times, findings: Findings): void {
  let reached = stream.from === "initial" ? undefined : stream.from;
  let failed = false;
  const revisions = new Set<number>();
  for (const frame of stream.frames) {
    findings.expect(!failed, "after error", () => `${titled(stream)} goes on with ${JSON.stringify(frame)}`);
    if (frame.type === "ERROR") {
      failed = true;
      findings.expect(
        frame.code === 410 || frame.code === 429 || frame.code >= 500,
        "error",
        () => `${titled(stream)} ended with ${frame.code}`,
      );
      continue;
    }
    const revision = frame.type === "BOOKMARK" ? frame.revision : frame.object.revision;
    times.notAfter(revision, frame.at, () => `${titled(stream)} showed ${revision} at ${frame.at.toFixed(1)}`);
    if (frame.type === "BOOKMARK") {
      if (reached !== undefined) {
        const least = reached;
        findings.expect(
          revision >= least,
          "bookmark",
          () => `${titled(stream)} has bookmark ${revision} after ${least}`,
        );
      }
      if (reached !== undefined || frame.initialEnd) reached = Math.max(reached ?? 0, revision);
      continue;
    }
    if (reached !== undefined) {
      const before = reached;
      const again = revisions.has(revision);
      findings.expect(
        revision > before,
        again ? "once" : "order",
        () => `${titled(stream)} has ${revision} after ${before}`,
      );
      reached = Math.max(before, revision);
    }
    revisions.add(revision);
    const { object } = frame;
    findings.expect(object.key.startsWith(stream.scope), "filter", () => `${titled(stream)} shows ${named(object)}`);
    const right = stream.colour === undefined || object.colour === stream.colour;
    findings.expect(right, "filter", () => `${titled(stream)} shows ${named(object)} of colour ${object.colour}`);
  }
}

/** The state that a watch began with; what is left of it after that, or nothing when it did not come so far. */
function checkInitial(
  logs: ReadonlyMap<string, ResourceLog>,
  stream: Stream,
  times: Times,
  findings: Findings,
): { from: number; frames: readonly Frame[] } | undefined {
  const { from, frames, scope } = stream;
  if (from !== "initial") return { from, frames };
  const end = frames.findIndex((frame) => frame.type === "BOOKMARK" && frame.initialEnd);
  if (end < 0) return undefined;
  const bookmark = frames[end] as Extract<Frame, { type: "BOOKMARK" }>;
  const rest = frames.slice(end + 1);
  const twice = rest.some((frame) => frame.type === "BOOKMARK" && frame.initialEnd);
  findings.expect(!twice, "initial", () => `${titled(stream)} has two ends of its initial events`);
  const objects = new Map<string, Seen>();
  for (const frame of frames.slice(0, end)) {
    if (frame.type === "ERROR" || frame.type === "BOOKMARK") continue;
    if (frame.type === "DELETED") objects.delete(frame.object.key);
    else objects.set(frame.object.key, frame.object);
  }
  for (const log of logs.values()) {
    if (!scope.startsWith(log.scope)) continue;
    checkState(log, stream, [...objects.values()], bookmark.revision, findings, () => `the start of ${titled(stream)}`);
    const next = log.nextIn(scope, bookmark.revision);
    if (next)
      times.notBefore(next.revision, stream.call, () => `the start of ${titled(stream)} did not show ${next.revision}`);
  }
  return { from: bookmark.revision, frames: rest };
}

/** Compares the events of one resource with those that there must be. */
function checkEvents(
  log: ResourceLog,
  stream: Stream,
  from: number,
  frames: readonly Frame[],
  findings: Findings,
): number {
  let reached = from;
  for (const frame of frames) {
    if (frame.type === "ERROR") break;
    reached = Math.max(reached, frame.type === "BOOKMARK" ? frame.revision : frame.object.revision);
  }
  const expected = expectedEvents(log, stream, Math.max(from, log.beginning.revision), reached);
  let next = 0;
  const skipTo = (revision: number): void => {
    for (; next < expected.length && expected[next]!.revision < revision; next++) {
      const { type, object, revision: missed, certain } = expected[next]!;
      findings.expect(certain ? false : undefined, "reliable", () => {
        return `${titled(stream)} did not show ${type} ${named(object)} at ${missed}, and went on to ${revision}`;
      });
    }
  };
  let events = 0;
  for (const frame of frames) {
    if (frame.type === "ERROR") break;
    if (frame.type === "BOOKMARK") {
      skipTo(frame.revision + 1);
      continue;
    }
    const { object } = frame;
    if (!object.key.startsWith(log.scope) || object.revision <= log.beginning.revision) continue;
    events++;
    skipTo(object.revision);
    const wanted = expected[next];
    if (wanted?.revision !== object.revision) {
      // Out of order or told twice: that has been said.
      const unknown = log.at(object.revision) !== undefined || !log.known.covers(object.revision - 1, object.revision);
      findings.expect(unknown ? undefined : false, "thin air", () => `${titled(stream)} shows ${named(object)}`);
      continue;
    }
    next++;
    compare(stream, frame, wanted, findings);
  }
  return events;
}

function compare(stream: Stream, frame: Change, wanted: Expected, findings: Findings): void {
  const sure = wanted.certain || undefined;
  const what = (): string =>
    `${titled(stream)} shows ${frame.type} ${named(frame.object)}, it was ${wanted.type} ${named(wanted.object)}`;
  findings.expect(sure && frame.type === wanted.type, "event type", what);
  const property = wanted.type === "DELETED" ? "last object" : "content";
  findings.expect(sure && sameObject(frame.object, wanted.object), property, what);
}

/** The events that a client with one scope and colour must get. */
function expectedEvents(log: ResourceLog, { scope, colour }: Stream, from: number, upTo: number): Expected[] {
  const events: Expected[] = [];
  const { changes } = log;
  for (let i = log.indexAfter(from); i < changes.length && changes[i]!.revision <= upTo; i++) {
    const { key, revision, type, object } = changes[i]!;
    if (!key.startsWith(scope)) continue;
    const before = log.stateAt(key, revision - 1);
    const { certain } = before;
    const isSeen = type === "put" && (colour === undefined || object.colour === colour);
    const wasSeen = before.object !== undefined && (colour === undefined || before.object.colour === colour);
    if (isSeen) events.push({ type: wasSeen ? "MODIFIED" : "ADDED", object, revision, certain });
    else if (wasSeen || (type === "delete" && colour === undefined)) {
      events.push({ type: "DELETED", object: before.object ?? object, revision, certain });
    }
  }
  return events;
}

/** A watch that was waited for has come as far as it had to. */
function checkReach(stream: Stream, findings: Findings): void {
  const { due, frames, from } = stream;
  if (due === undefined) return;
  const last = Math.max(
    from === "initial" ? 0 : from,
    ...frames.slice(-100).map((frame) => {
      if (frame.type === "ERROR") return 0;
      return frame.type === "BOOKMARK" ? frame.revision : frame.object.revision;
    }),
  );
  findings.expect(
    last >= due,
    "stalled",
    () => `${titled(stream)} has come to ${last} only, ${due} was there long ago`,
  );
}
