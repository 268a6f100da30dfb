/**
 * Blame as people read it: the object as a tree in the manner of YAML, and before each line who owns it.
 *
 * @module
 */
import type { BlameReport, ReportedManager } from "../meta/ownership-reports.ts";
import { humanDuration, parseTime } from "../meta/time.ts";
import { parsePointer } from "../value/pointer.ts";
import type { Value } from "../value/value.ts";
import { encodeYaml } from "../value/yaml-encode.ts";
import { type Colour, MANAGER_COLOURS, type Painter, printable } from "./colours.ts";
import { fit, padTo, widthOf } from "./width.ts";

/** How to print. */
export interface BlameStyle {
  readonly paint: Painter;
  /** Places of a line; what is longer is cut. */
  readonly columns?: number | undefined;
  /** Milliseconds since the epoch, for the ages. */
  readonly now: number;
}

/** The lines of a report: a head, the tree with its gutter, and what is recorded without being there. */
export function blameLines(report: BlameReport, style: BlameStyle): string[] {
  const lines = treeLines(rootOf(report), "", "").map(({ text, managers, nobody }) => ({ text, managers, nobody }));
  const rows = lines.flatMap(rowsOf);
  const absent = report.absent.flatMap(({ field, manager }) =>
    rowsOf({ text: field, managers: [manager], nobody: false }),
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

/** A place in the tree. */
interface Node {
  readonly list: boolean;
  readonly managers: readonly ReportedManager[];
  /** Of a leaf. */
  readonly value?: Value;
  readonly children: Map<string, Node>;
}

function rootOf(report: BlameReport): Node {
  const root: Node = { list: false, managers: [], children: new Map() };
  // Containers before leaves would lose the order of the object, so they are looked up when a leaf needs them.
  const containers = new Map(report.containers.map((container) => [container.pointer, container]));
  for (const { pointer, value, managers } of report.leaves) {
    const tokens = parsePointer(pointer);
    let at = root;
    let path = "";
    const raw = pointer.split("/").slice(1);
    for (let i = 0; i < tokens.length - 1; i++) {
      path += `/${raw[i]!}`;
      let next = at.children.get(tokens[i]!);
      if (next === undefined) {
        const container = containers.get(path);
        next = { list: container?.list ?? false, managers: container?.managers ?? [], children: new Map() };
        at.children.set(tokens[i]!, next);
      }
      at = next;
    }
    at.children.set(tokens.at(-1) ?? "", { list: false, managers, value, children: new Map() });
  }
  return root;
}

/** One or more lines of text that stand for one place. */
interface Line {
  readonly text: string;
  readonly managers: readonly ReportedManager[];
  /** Whether this is a leaf that nobody owns. */
  readonly nobody: boolean;
}

/** The lines below a node; the first one begins with `first` in place of the indentation. */
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
  return [{ text: head + key, managers: child.managers, nobody: false }, ...treeLines(child, below, below)];
}

const itemLines = (child: Node, head: string, indent: string): Line[] =>
  child.value !== undefined
    ? [leafLine([child.value], child, head, indent)]
    : treeLines(child, `${head}- `, `${indent}  `);

function leafLine(value: Value, { managers }: Node, head: string, indent: string): Line {
  const lines = encodeYaml(value).trimEnd().split("\n");
  const text = lines.map((line, i) => (i === 0 ? head : indent) + line).join("\n");
  return { text, managers, nobody: managers.length === 0 };
}

/** A printed line: one manager, or a sign that there is none or that the line before goes on. */
interface Row {
  readonly text: string;
  readonly manager: ReportedManager | "nobody" | "as before" | "";
}

function rowsOf({ text, managers, nobody }: Line): Row[] {
  const lines = text.split("\n");
  const count = Math.max(lines.length, managers.length);
  return Array.from({ length: count }, (_, i) => ({
    text: lines[i] ?? "",
    manager: managers[i] ?? (i > 0 && lines.length > 1 ? "as before" : nobody ? "nobody" : ""),
  }));
}

function cellsOf(manager: Row["manager"], now: number): readonly [string, string, string] {
  if (manager === "") return ["", "", ""];
  if (manager === "nobody") return ["-", "", ""];
  if (manager === "as before") return ["|", "", ""];
  const { operation, subresource, time } = manager;
  const written = time === undefined ? undefined : parseTime(time);
  const age = written === undefined ? "-" : humanDuration(Math.max(0, now - written));
  return [printable(manager.manager), subresource ? `${operation} ${printable(subresource)}` : operation, age];
}

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

/** Every manager keeps one colour in all its lines. */
function paintGutter(gutter: string, manager: Row["manager"], colours: Map<string, Colour>, paint: Painter): string {
  if (manager === "") return gutter;
  if (typeof manager === "string") return paint("dim", gutter);
  let colour = colours.get(manager.manager);
  if (colour === undefined) {
    colour = MANAGER_COLOURS[colours.size % MANAGER_COLOURS.length]!;
    colours.set(manager.manager, colour);
  }
  return paint(colour, gutter);
}
