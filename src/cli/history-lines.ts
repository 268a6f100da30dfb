/**
 * Formats a history as a table with a line for each version and each further change. On a narrow terminal changes are below
 * their version.
 *
 * @module
 */
import type { HistoryReport, ReportedChange, ReportedVersion } from "../meta/history-report.ts";
import type { ReportedManager } from "../meta/ownership-reports.ts";
import type { Value } from "../value/value.ts";
import { type Colour, printable } from "./colours.ts";
import { fieldPath } from "./field-path.ts";
import type { PrintStyle } from "./print-report.ts";
import { fit, padTo, widthOf } from "../util/width.ts";

const HEAD = ["VERSION", "TIME", "EVENT", "BY"] as const;
const NO_CELLS = HEAD.map(() => "");
const GAP = "  ";
/** Longer values are cut. */
const MAX_VALUE_LENGTH = 60;
/** With less width, changes are below their version. */
const MIN_CHANGE_WIDTH = 40;
const INDENT = "    ";

/** A change, or a text instead of one. */
interface Change {
  readonly text: string;
  readonly colour: Colour | undefined;
}

/** Returns the lines of a history. */
export function historyLines(report: HistoryReport, { paint, columns = Infinity }: PrintStyle): string[] {
  const entries = report.versions.map(entryOf);
  const all = [HEAD, ...entries.flatMap(({ rows }) => rows)];
  const widths = HEAD.map((_, i) => Math.max(...all.map((cells) => widthOf(cells[i] ?? ""))));
  const padded = (cells: readonly string[]): string => cells.map((cell, i) => padTo(cell, widths[i] ?? 0)).join(GAP);
  const isWide = columns - widthOf(padded(HEAD)) - GAP.length >= MIN_CHANGE_WIDTH;
  const print = (before: string, change?: Change): string => printLine(before, change, { paint, columns });
  const lines = entries.flatMap(({ rows, changes }) => {
    if (!isWide) return [...rows.map((row) => print(padded(row))), ...changes.map((change) => print(INDENT, change))];
    const count = Math.max(rows.length, changes.length);
    return Array.from({ length: count }, (_, i) => print(padded(rows[i] ?? NO_CELLS) + GAP, changes[i]));
  });
  const end = endOf(report);
  const head = isWide ? print(padded(HEAD) + GAP, { text: "CHANGES", colour: undefined }) : print(padded(HEAD));
  return [paint("dim", head), ...lines, ...(end === undefined ? [] : [paint("dim", end)])];
}

function printLine(before: string, change: Change | undefined, { paint, columns = Infinity }: PrintStyle): string {
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

/** A version: a row of cells for each manager, and its changes. */
interface Entry {
  readonly rows: readonly (readonly string[])[];
  readonly changes: readonly Change[];
}

function entryOf(version: ReportedVersion): Entry {
  const { resourceVersion, time, event, managers } = version;
  // Milliseconds are left out, which keeps the table narrow.
  const head = [resourceVersion, (time ?? "-").replace(/\.\d+Z$/, "Z"), event];
  const [first = "", ...others] = managers.map(managerText);
  return { rows: [[...head, first], ...others.map((text) => ["", "", "", text])], changes: changesOf(version) };
}

const managerText = ({ manager, operation, subresource }: ReportedManager): string =>
  `${printable(manager)} (${operation}${subresource ? ` ${printable(subresource)}` : ""})`;

function changesOf({ event, changes }: ReportedVersion): Change[] {
  if (changes.length > 0) return changes.map(changeOf);
  if (event === "updated") return [{ text: "only the owners of fields", colour: "dim" }];
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
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH - 1)}…` : text;
}
