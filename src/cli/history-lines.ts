/**
 * A history as people read it: a table with a line for each version, and further lines for further changes. Where a
 * terminal leaves no room for changes beside the rest, they have lines of their own below.
 *
 * @module
 */
import type { HistoryReport, ReportedChange, ReportedVersion } from "../meta/history-report.ts";
import type { ReportedManager } from "../meta/ownership-reports.ts";
import type { Value } from "../value/value.ts";
import { type Colour, type Painter, printable } from "./colours.ts";
import { fieldPath } from "./field-path.ts";
import { fit, padTo, widthOf } from "./width.ts";

const HEAD = ["VERSION", "TIME", "EVENT", "BY"] as const;
const NO_CELLS = HEAD.map(() => "");
const GAP = "  ";
/** A longer value is cut. */
const WIDEST = 60;
/** With less room than this, changes are not shown beside the rest. */
const LEAST_ROOM = 40;
const INDENT = "    ";

/** How to print. */
export interface HistoryStyle {
  readonly paint: Painter;
  /** Places of a line; what is longer is cut. */
  readonly columns?: number | undefined;
}

/** A change, or words in place of one. */
interface Change {
  readonly text: string;
  readonly colour: Colour | undefined;
}

/** The lines of a report. */
export function historyLines(report: HistoryReport, { paint, columns = Infinity }: HistoryStyle): string[] {
  const entries = report.versions.map(entryOf);
  const all = [HEAD, ...entries.flatMap(({ rows }) => rows)];
  const widths = HEAD.map((_, i) => Math.max(...all.map((cells) => widthOf(cells[i]!))));
  const padded = (cells: readonly string[]): string => cells.map((cell, i) => padTo(cell, widths[i]!)).join(GAP);
  const beside = columns - widthOf(padded(HEAD)) - GAP.length >= LEAST_ROOM;
  const print = (before: string, change?: Change): string => printLine(before, change, { paint, columns });
  const lines = entries.flatMap(({ rows, changes }) => {
    if (!beside) return [...rows.map((row) => print(padded(row))), ...changes.map((change) => print(INDENT, change))];
    const count = Math.max(rows.length, changes.length);
    return Array.from({ length: count }, (_, i) => print(padded(rows[i] ?? NO_CELLS) + GAP, changes[i]));
  });
  const end = endOf(report);
  const head = beside ? print(padded(HEAD) + GAP, { text: "CHANGES", colour: undefined }) : print(padded(HEAD));
  return [paint("dim", head), ...lines, ...(end === undefined ? [] : [paint("dim", end)])];
}

function printLine(before: string, change: Change | undefined, { paint, columns = Infinity }: HistoryStyle): string {
  const { text, colour } = change ?? { text: "", colour: undefined };
  const start = fit(text === "" ? before.trimEnd() : before, columns);
  const rest = fit(text, columns - widthOf(start));
  return (start + (colour === undefined ? rest : paint(colour, rest))).trimEnd();
}

function endOf({ more, since, versions }: HistoryReport): string | undefined {
  const oldest = versions.at(-1);
  if (oldest === undefined) return undefined;
  if (more) return `versions before ${oldest.resourceVersion} are left out; --limit shows more`;
  if (oldest.event === "created") return undefined;
  return `what was before ${since === undefined ? "" : `version ${since} `}is not kept any more`;
}

/** A version: its cells, a row for each manager, and what it has changed. */
interface Entry {
  readonly rows: readonly (readonly string[])[];
  readonly changes: readonly Change[];
}

function entryOf(version: ReportedVersion): Entry {
  const { resourceVersion, time, event, managers } = version;
  // Milliseconds would only make the table wider.
  const head = [resourceVersion, (time ?? "-").replace(/\.\d+Z$/, "Z"), event];
  const [first = "", ...others] = managers.map(managerText);
  return { rows: [[...head, first], ...others.map((text) => ["", "", "", text])], changes: changesOf(version) };
}

const managerText = ({ manager, operation, subresource }: ReportedManager): string =>
  `${printable(manager)} (${operation}${subresource ? ` ${printable(subresource)}` : ""})`;

function changesOf({ event, changes }: ReportedVersion): Change[] {
  if (changes.length > 0) return changes.map(changeOf);
  if (event === "updated") return [{ text: "who owns what, nothing else", colour: "dim" }];
  return [];
}

const SIGNS = { add: "+", remove: "-", replace: "~" } as const;
const COLOURS = { add: "green", remove: "red", replace: "yellow" } as const;

function changeOf({ op, pointer, before, after }: ReportedChange): Change {
  const values = [before, after].filter((value) => value !== undefined).map(valueText);
  return { text: `${SIGNS[op]} ${fieldPath(pointer)}: ${values.join(" -> ")}`, colour: COLOURS[op] };
}

function valueText(value: Value): string {
  const text = printable(JSON.stringify(value));
  return text.length > WIDEST ? `${text.slice(0, WIDEST - 1)}…` : text;
}
