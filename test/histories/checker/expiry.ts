/**
 * Whoever is told that a revision is too old, although the past was promised to be kept for some time, has been told so
 * too early.
 *
 * @module
 */
import type { History, Stream } from "../history.ts";
import { type Findings, titled } from "./findings.ts";
import type { ResourceLog } from "./log.ts";
import type { Times } from "./times.ts";

/**
 * A server that was out of touch while the run compacted its store loads everything anew when it is back, and ends all
 * its watches, those too that had not lost anything. By then it is back.
 */
const OUT_OF_TOUCH_MILLIS = 20_000;

/** Checks every watch that ended with 410; needs the conclusions of {@link Times}. */
export function checkExpiry(
  logs: ReadonlyMap<string, ResourceLog>,
  { streams, keptMillis, compactions = [] }: History,
  times: Times,
  findings: Findings,
): void {
  if (keptMillis === undefined) return;
  const beginning = Math.max(...[...logs.values()].map((log) => log.beginning.revision));
  for (const stream of streams) {
    for (const frame of stream.frames) {
      if (frame.type !== "ERROR" || frame.code !== 410) continue;
      const from = reached(stream);
      if (from === undefined) continue;
      const byHand = compactions.some(
        ({ revision, at }) => at <= frame.at && (from < revision || frame.at - at < OUT_OF_TOUCH_MILLIS),
      );
      // What would be lost is the first change after it, of whatever resource.
      const first = Math.min(
        ...[...logs.values()].map((log) => log.changes[log.indexAfter(from)]?.revision ?? Infinity),
      );
      const inTime = first < Infinity && times.earliest(first) <= frame.at - keptMillis;
      // Nobody took down what was changed before the beginning: it may be as old as one likes.
      const holds = from < beginning ? undefined : byHand || inTime;
      findings.expect(holds, "kept", () => {
        return `${titled(stream)} was told at ${frame.at.toFixed(1)} that ${from} is too old; the first change after it, ${first}, was made after ${times.earliest(first).toFixed(1)}`;
      });
    }
  }
}

/** The revision after which a watch would have gone on. */
function reached({ from, frames }: Stream): number | undefined {
  let revision = from === "initial" ? undefined : from;
  for (const frame of frames) {
    if (frame.type === "ERROR") return revision;
    if (frame.type === "BOOKMARK") revision = Math.max(revision ?? 0, frame.revision);
    else if (revision !== undefined) revision = Math.max(revision, frame.object.revision);
  }
  return revision;
}
