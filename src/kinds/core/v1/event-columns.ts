import { nameColumn, ageCells, textColumn } from "../../../schema/columns.ts";
import type { ApiObject, Column } from "../../../schema/definition.ts";

/** The members of an Event that its columns need, in the names of the core form. */
interface ShownEvent {
  readonly involvedObject: { readonly kind?: string; readonly name?: string; readonly fieldPath?: string };
  readonly reason?: string;
  readonly message?: string;
  readonly source?: { readonly component?: string; readonly host?: string };
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly count?: number;
  readonly type?: string;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string | null };
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
}

const firstSeen = (event: ShownEvent): string | null | undefined => event.firstTimestamp ?? event.eventTime;

/** The last occurrence of the event; one that has only a start was last seen then. */
function lastSeen(event: ShownEvent): string | null | undefined {
  return event.series ? event.series.lastObservedTime : (event.lastTimestamp ?? firstSeen(event));
}

const objectOf = ({ involvedObject: { kind = "", name = "" } }: ShownEvent): string =>
  name === "" ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`;

function sourceOf({ source, reportingComponent, reportingInstance }: ShownEvent): string {
  const component = source?.component || reportingComponent || "";
  const host = source?.host || reportingInstance;
  return host ? `${component}, ${host}` : component;
}

/** The number of occurrences; 1 for an event without it. */
const countOf = (event: ShownEvent): number => event.series?.count ?? (event.count || 1);

/** The columns of Events of either form; the name comes last. `view` returns an object with the names of the core form. */
export function eventColumns<T extends ApiObject>(view: (object: T) => ShownEvent): readonly Column<T>[] {
  return [
    {
      name: "Last Seen",
      type: "string",
      description: "Time since it was last seen.",
      ...ageCells((o: T) => lastSeen(view(o))),
    },
    textColumn("Type", "Normal or Warning.", (o) => view(o).type ?? ""),
    textColumn("Reason", "Why it happened, in a word.", (o) => view(o).reason ?? ""),
    textColumn("Object", "The object of the event.", (o) => objectOf(view(o))),
    textColumn("Subobject", "The part of the object.", (o) => view(o).involvedObject.fieldPath ?? "", true),
    textColumn("Source", "The reporter.", (o) => sourceOf(view(o)), true),
    textColumn("Message", "What happened.", (o) => (view(o).message ?? "").trim()),
    {
      name: "First Seen",
      type: "string",
      description: "Time since it was first seen.",
      priority: 1,
      ...ageCells((o: T) => firstSeen(view(o))),
    },
    textColumn("Count", "How often it was seen.", (o) => countOf(view(o)), true),
    { ...nameColumn, priority: 1 },
  ];
}
