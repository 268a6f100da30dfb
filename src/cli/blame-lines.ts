import type { BlameReport, ReportedManager, ReportedSetter } from "../meta/ownership-reports.ts";
import { humanDuration, parseTime } from "../meta/time.ts";
import { parsePointer } from "../value/pointer.ts";
import type { Value } from "../value/value.ts";
import { encodeYaml } from "../value/yaml-encode.ts";
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
  const rows = treeLines(rootOf(report), "", "").flatMap(rowsOf);
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

/** A node of the tree. */
interface Node {
  readonly list: boolean;
  readonly managers: readonly ReportedManager[];
  /** Defined for a leaf. */
  readonly value?: Value;
  readonly setBy?: ReportedSetter | undefined;
  readonly children: Map<string, Node>;
}

function rootOf(report: BlameReport): Node {
  const root: Node = { list: false, managers: [], children: new Map() };
  // Containers are created when a leaf needs them, which keeps the order of the object.
  const containers = new Map(report.containers.map((container) => [container.pointer, container]));
  for (const { pointer, value, managers, setBy } of report.leaves) {
    const tokens = parsePointer(pointer);
    let parent = root;
    let path = "";
    for (const [i, raw] of pointer.split("/").slice(1, -1).entries()) {
      path += `/${raw}`;
      const token = tokens[i] ?? raw;
      let child = parent.children.get(token);
      if (child === undefined) {
        const { list = false, managers: owners = [] } = containers.get(path) ?? {};
        child = { list, managers: owners, children: new Map() };
        parent.children.set(token, child);
      }
      parent = child;
    }
    parent.children.set(tokens.at(-1) ?? "", { list: false, managers, value, setBy, children: new Map() });
  }
  return root;
}

/** One or more lines of text for one node. */
interface Line {
  readonly text: string;
  readonly managers: readonly ReportedManager[];
  /** Whether this is a leaf without an owner. */
  readonly isUnowned: boolean;
  /** Who sets such a leaf. */
  readonly setBy?: ReportedSetter | undefined;
}

/** Returns the lines below a node; the first one begins with `first` instead of the indentation. */
function treeLines(node: Node, first: string, indent: string): Line[] {
  let start = first;
  return [...node.children].flatMap(([name, child]) => {
    const head = start;
    start = indent;
    return node.list ? itemLines(child, head, indent) : memberLines(name, child, head, indent);
  });
}

function memberLines(name: string, child: Node, head: string, indent: string): Line[] {
  if (child.value !== undefined) return [leafLine({ [name]: child.value }, child, head, indent)];
  const key = encodeYaml({ [name]: 0 }).slice(0, -" 0\n".length);
  const below = child.list ? indent : `${indent}  `;
  return [{ text: head + key, managers: child.managers, isUnowned: false }, ...treeLines(child, below, below)];
}

const itemLines = (child: Node, head: string, indent: string): Line[] =>
  child.value !== undefined
    ? [leafLine([child.value], child, head, indent)]
    : treeLines(child, `${head}- `, `${indent}  `);

function leafLine(value: Value, { managers, setBy }: Node, head: string, indent: string): Line {
  const lines = encodeYaml(value).trimEnd().split("\n");
  const text = lines.map((line, i) => (i === 0 ? head : indent) + line).join("\n");
  return { text, managers, isUnowned: managers.length === 0, setBy };
}

/** A printed line: one manager, who sets an unowned field, or a sign for an unowned field or for a continued line. */
interface Row {
  readonly text: string;
  readonly manager: ReportedManager | ReportedSetter | "unowned" | "continued" | "";
}

function rowsOf({ text, managers, isUnowned, setBy }: Line): Row[] {
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
