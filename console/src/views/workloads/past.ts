/**
 * Marks of one object's past: who changed what it should be, and its Events.
 *
 * @module
 */
import type { HistoryReport } from "../../../../src/meta/history-report.ts";
import type { KubeObject } from "../../api/kube.ts";
import { type Mark, timeOf } from "./rows.ts";

/** The most marks of each source. */
const MAX_MARKS = 100;

/** Marks of versions in which a field below `/spec` changed, or that were created or deleted. */
export function marksOfHistory({ versions }: Pick<HistoryReport, "versions">): readonly Mark[] {
  return versions.slice(0, MAX_MARKS).flatMap(({ event, time, managers, changes }): Mark[] => {
    const at = timeOf(time);
    const fields = changes.filter(({ pointer }) => pointer.startsWith("/spec"));
    if (at === undefined || (event === "updated" && fields.length === 0) || event === "kept") return [];
    const by = [...new Set(managers.map(({ manager }) => manager))].join(", ");
    const what = event === "updated" ? fields.slice(0, 3).map(fieldText).join(", ") : event;
    const more = fields.length > 3 ? ` and ${fields.length - 3} more` : "";
    return [{ time: at, kind: "change", text: `${what}${more}${by === "" ? "" : ` by ${by}`}` }];
  });
}

const fieldText = ({ pointer, after }: HistoryReport["versions"][number]["changes"][number]): string => {
  const path = pointer.slice(1).replaceAll("/", ".");
  const short =
    typeof after === "string" || typeof after === "number" || typeof after === "boolean"
      ? ` = ${String(after).slice(0, 60)}`
      : "";
  return path + short;
};

interface EventObject extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly firstTimestamp?: string | null;
}

/** Marks of Events. */
export function marksOfEvents(events: readonly KubeObject[]): readonly Mark[] {
  return (events as readonly EventObject[]).slice(0, MAX_MARKS).flatMap((event): Mark[] => {
    const { type, reason = "", message = "", count = 1 } = event;
    const time =
      timeOf(event.lastTimestamp) ??
      timeOf(event.eventTime) ??
      timeOf(event.firstTimestamp) ??
      timeOf(event.metadata.creationTimestamp);
    if (time === undefined) return [];
    const times = count > 1 ? ` (${count} times)` : "";
    return [{ time, kind: type === "Warning" ? "warning" : "event", text: `${reason}: ${message}${times}` }];
  });
}
