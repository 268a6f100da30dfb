/**
 * A history as people read it: a table with a line for each version, and further lines for further changes.
 *
 * @module
 */
import type { HistoryReport, ReportedChange, ReportedVersion } from "../meta/history-report.ts";
import type { ReportedManager } from "../meta/ownership-reports.ts";
import type { Value } from "../value/value.ts";
import { type Colour, type Painter, printable } from "./colours.ts";
import { fieldPath } from "./field-path.ts";

const HEAD = ["VERSION", "TIME", "EVENT", "BY", "CHANGES"] as const;
/** A longer value is cut. */
const WIDEST = 60;

/** A change, or words in place of one. */
interface Change {
  readonly text: string;
  readonly colour: Colour | undefined;
}

/** The lines of a report. */
export function historyLines(report: HistoryReport, paint: Painter): string[] {
  const rows = report.versions.flatMap(rowsOf);
  const widths = HEAD.slice(0, -1).map((head, i) =>
    rows.reduce((most, { cells }) => Math.max(most, cells[i]!.length), head.length),
  );
  const padded = (cells: readonly string[]): string => cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ");
  const lines = rows.map(({ cells, change: { text, colour } }) => {
    const shown = colour === undefined ? text : paint(colour, text);
    return `${padded(cells)}  ${shown}`.trimEnd();
  });
  const end = endOf(report);
  return [paint("dim", padded(HEAD)), ...lines, ...(end === undefined ? [] : [paint("dim", end)])];
}

function endOf({ more, since, versions }: HistoryReport): string | undefined {
  const oldest = versions.at(-1);
  if (oldest === undefined) return undefined;
  if (more) return `versions before ${oldest.resourceVersion} are left out; --limit shows more`;
  if (oldest.event === "created") return undefined;
  return `what was before ${since === undefined ? "" : `version ${since} `}is not kept any more`;
}

interface Row {
  readonly cells: readonly string[];
  readonly change: Change;
}

function rowsOf(version: ReportedVersion): Row[] {
  const { resourceVersion, time, event, managers } = version;
  const changes = changesOf(version);
  const count = Math.max(1, managers.length, changes.length);
  return Array.from({ length: count }, (_, i) => {
    const [head, manager] = [i === 0, managers[i]];
    return {
      cells: [
        head ? resourceVersion : "",
        // Milliseconds would only make the table wider.
        head ? (time ?? "-").replace(/\.\d+Z$/, "Z") : "",
        head ? event : "",
        manager === undefined ? "" : managerText(manager),
      ],
      change: changes[i] ?? { text: "", colour: undefined },
    };
  });
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
