import type { BlameReport, ReportedManager, ReportedSetter } from "../meta/ownership-reports.ts";
import { type BlameLine, blameTree } from "../meta/blame-tree.ts";
import { humanDuration, parseTime } from "../meta/time.ts";
import { type Colour, MANAGER_COLOURS, type Painter, printable } from "./colours.ts";
import type { PrintStyle } from "./print-report.ts";
import { fit, padTo, widthOf } from "../util/width.ts";

/** The style of a terminal, and the time for ages. */
export interface BlameStyle extends PrintStyle {
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Returns the lines of a report: the object as a tree like YAML, each line with its owner, and owned fields that do not exist. */
export function blameLines(report: BlameReport, style: BlameStyle): string[] {
  const rows = [...blameTree(report)].flatMap(rowsOf);
  const absent = report.absent.flatMap(({ field, manager }) =>
    rowsOf({ text: field, managers: [manager], isUnowned: false }),
  );
  const columns = [...rows, ...absent].map(({ manager }) => cellsOf(manager, style.now));
  const widths = HEAD.map((head, i) =>
    columns.reduce((most, cells) => Math.max(most, widthOf(cells[i]!)), head.length),
  );
  const colours = new Map<string, Colour>();
  const print = (row: Row): string => printRow(row, widths, colours, style);
  const { columns: places = Infinity } = style;
  const printed = [style.paint("dim", fit(pad(HEAD, widths).trimEnd(), places)), ...rows.map(print)];
  if (absent.length === 0) return printed;
  return [...printed, "", "Recorded, but not in the object:", ...absent.map(print)];
}

const HEAD = ["MANAGER", "OPERATION", "AGE"] as const;

/** A printed line: one manager, who sets an unowned field, or a sign for an unowned field or for a continued line. */
interface Row {
  readonly text: string;
  readonly manager: ReportedManager | ReportedSetter | "unowned" | "continued" | "";
}

function rowsOf({ text, managers, isUnowned, setBy }: Omit<BlameLine, "pointer">): Row[] {
  const lines = text.split("\n");
  const count = Math.max(lines.length, managers.length);
  return Array.from({ length: count }, (_, i) => ({
    text: lines[i] ?? "",
    manager: managers[i] ?? (i > 0 && lines.length > 1 ? "continued" : isUnowned ? (setBy ?? "unowned") : ""),
  }));
}

function cellsOf(manager: Row["manager"], now: number): readonly [string, string, string] {
  if (manager === "") return ["", "", ""];
  if (manager === "unowned") return ["-", "", ""];
  if (manager === "continued") return ["|", "", ""];
  if ("source" in manager) return [`(${printable(manager.name)})`, kindOf(manager), ""];
  const { operation, subresource, time } = manager;
  const written = time === undefined ? undefined : parseTime(time);
  const age = written === undefined ? "-" : humanDuration(Math.max(0, now - written));
  return [printable(manager.manager), subresource ? `${operation} ${printable(subresource)}` : operation, age];
}

/** `webhook`, `policy` or `plugin`. */
const kindOf = ({ source }: ReportedSetter): string =>
  source.startsWith("plugin/") ? "plugin" : source.includes("WebhookConfiguration/") ? "webhook" : "policy";

const pad = (cells: readonly string[], widths: readonly number[]): string =>
  cells.map((cell, i) => padTo(cell, widths[i]!)).join("  ");

function printRow(
  { text, manager }: Row,
  widths: readonly number[],
  colours: Map<string, Colour>,
  style: BlameStyle,
): string {
  const { columns: places = Infinity, paint, now } = style;
  const gutter = fit(pad(cellsOf(manager, now), widths), places);
  const line = `${paintGutter(gutter, manager, colours, paint)}${fit(`  ${text}`, places - widthOf(gutter))}`;
  return text === "" ? line.trimEnd() : line;
}

/** Paints the gutter; each manager has one colour. */
function paintGutter(gutter: string, manager: Row["manager"], colours: Map<string, Colour>, paint: Painter): string {
  if (manager === "") return gutter;
  if (typeof manager === "string" || "source" in manager) return paint("dim", gutter);
  let colour = colours.get(manager.manager);
  if (colour === undefined) {
    colour = MANAGER_COLOURS[colours.size % MANAGER_COLOURS.length]!;
    colours.set(manager.manager, colour);
  }
  return paint(colour, gutter);
}
