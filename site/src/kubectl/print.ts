/**
 * How kubectl prints objects: tables, YAML, JSON, names, JSONPath and columns of one's own.
 *
 * @module
 */
import { find } from "../../../src/schema/jsonpath/find.ts";
import { parseJsonPath } from "../../../src/schema/jsonpath/parse.ts";
import type { Value } from "../../../src/value/value.ts";
import { encodeYaml } from "../../../src/value/yaml-encode.ts";
import { type ApiJson, Failure, type Json, type JsonValue, textOf } from "./api.ts";

/** Rows with columns of equal width, three spaces apart by default, as kubectl aligns them. */
export function alignedRows(rows: readonly (readonly string[])[], gap = 3): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) {
      if (at < row.length - 1) widths[at] = Math.max(widths[at] ?? 0, cell.length);
    }
  }
  return rows
    .map((row) => row.map((cell, at) => (at < row.length - 1 ? cell.padEnd(widths[at]! + gap) : cell)).join(""))
    .map((line) => `${line}\n`)
    .join("");
}

/** JSON with the members of objects by name and indented by four, as kubectl prints it. */
export const jsonText = (value: JsonValue | undefined): string => `${JSON.stringify(sorted(value), undefined, 4)}\n`;

export const yamlText = (value: JsonValue): string => encodeYaml(value as Value);

/** A value with the members of objects by name. */
export function sorted(value: JsonValue | undefined): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const names = Object.keys(value).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

/** An object without what its managers own. */
export function withoutManagedFields(object: ApiJson): ApiJson {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata: metadata as ApiJson["metadata"] };
}

/** How many values a path may visit. */
const BUDGET = 1_000_000;

const found = (path: string, value: JsonValue): readonly Value[] => [
  ...find(value as Value, parseJsonPath(path.trim()), { left: BUDGET }),
];

/** What a path finds in a value, such as `{.status.phase}`; braces may be left out. */
export const pathValues = (path: string, value: JsonValue): readonly Value[] => {
  const inner = path.startsWith("{") && path.endsWith("}") ? path.slice(1, -1) : path;
  return found(inner.startsWith(".") || inner.startsWith("$") || inner.startsWith("[") ? inner : `.${inner}`, value);
};

const printed = (value: Value): string => (typeof value === "string" ? value : JSON.stringify(value));

type Piece = { readonly text: string } | { readonly action: string };

function piecesOf(template: string): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < template.length;) {
    const open = template.indexOf("{", at);
    if (open !== at) pieces.push({ text: template.slice(at, open < 0 ? undefined : open) });
    if (open < 0) break;
    let quote = "";
    let end = open + 1;
    for (; end < template.length; end++) {
      const unit = template[end]!;
      if (quote !== "") {
        if (unit === "\\") end++;
        else if (unit === quote) quote = "";
      } else if (unit === '"' || unit === "'") quote = unit;
      else if (unit === "}") break;
    }
    if (end >= template.length) throw new Failure(`error: error parsing jsonpath ${template}, unclosed action`);
    pieces.push({ action: template.slice(open + 1, end).trim() });
    at = end + 1;
  }
  return pieces;
}

/** A template of JSONPath with the values of an object: `{range .items[*]}{.metadata.name}{"\n"}{end}`. */
export function jsonPathText(template: string, value: JsonValue): string {
  const pieces = piecesOf(template);
  let out = "";
  const run = (from: number, current: JsonValue): number => {
    for (let at = from; at < pieces.length; at++) {
      const piece = pieces[at]!;
      if ("text" in piece) out += piece.text;
      else if (piece.action === "end") return at;
      else if (piece.action.startsWith("range ")) {
        const items = found(piece.action.slice(6), current);
        let end = at;
        for (const item of items) end = run(at + 1, item as JsonValue);
        at = items.length === 0 ? endOf(at + 1) : end;
      } else if (/^["']/.test(piece.action)) out += unquoted(piece.action);
      else out += found(piece.action, current).map(printed).join(" ");
    }
    return pieces.length;
  };
  const endOf = (from: number): number => {
    for (let at = from, depth = 0; at < pieces.length; at++) {
      const piece = pieces[at]!;
      if (!("action" in piece)) continue;
      if (piece.action.startsWith("range ")) depth++;
      if (piece.action === "end" && depth-- === 0) return at;
    }
    return pieces.length;
  };
  run(0, value);
  return out;
}

const unquoted = (text: string): string =>
  text.slice(1, -1).replace(/\\(.)/g, (_, unit: string) => ({ n: "\n", t: "\t", r: "\r" })[unit] ?? unit);

/** Columns of one's own: `NAME:.metadata.name,NODE:.spec.nodeName`. */
export function customColumns(spec: string, objects: readonly ApiJson[], hasHeaders: boolean): string {
  const columns = spec.split(",").map((column) => {
    const at = column.indexOf(":");
    if (at < 0) throw new Failure(`error: expected <header>:<json-path-expr>, got: ${column}`);
    return { title: column.slice(0, at), path: column.slice(at + 1) };
  });
  const rows = objects.map((object) =>
    columns.map(({ path }) => pathValues(path, object).map(printed).join(",") || "<none>"),
  );
  return alignedRows(hasHeaders ? [columns.map(({ title }) => title), ...rows] : rows);
}

/** A table of the server. */
export interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows: readonly { readonly cells: readonly JsonValue[]; readonly object: Pick<ApiJson, "metadata"> }[];
}

/** How a table is printed. */
export interface TableStyle {
  readonly isWide: boolean;
  readonly hasHeaders: boolean;
  readonly hasNamespaces: boolean;
  readonly hasLabels: boolean;
  /** Labels that are columns. */
  readonly labelColumns: readonly string[];
  /** What names begin with where there are several kinds: `pod/`. */
  readonly prefix: string;
}

/** The rows of a table as texts, the titles first. */
export function tableRows({ columnDefinitions, rows }: Table, style: TableStyle): readonly (readonly string[])[] {
  const shown = columnDefinitions.flatMap(({ priority, name }, at) =>
    priority === 0 || style.isWide ? [{ at, name }] : [],
  );
  const titles = [
    ...(style.hasNamespaces ? ["NAMESPACE"] : []),
    ...shown.map(({ name }) => name.toUpperCase()),
    ...style.labelColumns.map((label) => label.split("/").at(-1)!.toUpperCase()),
    ...(style.hasLabels ? ["LABELS"] : []),
  ];
  const cells = rows.map(({ cells: all, object }) => {
    const labels = (object.metadata["labels"] ?? {}) as Json;
    return [
      ...(style.hasNamespaces ? [object.metadata.namespace ?? ""] : []),
      ...shown.map(({ at }, i) => `${i === 0 ? style.prefix : ""}${cellText(all[at])}`),
      ...style.labelColumns.map((label) => cellText(labels[label] ?? "")),
      ...(style.hasLabels
        ? [
            Object.entries(labels)
              .map(([name, value]) => `${name}=${textOf(value)}`)
              .toSorted()
              .join(",") || "<none>",
          ]
        : []),
    ];
  });
  return style.hasHeaders ? [titles, ...cells] : cells;
}

const cellText = (cell: JsonValue | undefined): string =>
  cell === null || cell === undefined
    ? "<unknown>"
    : typeof cell === "string"
      ? cell.split("\n")[0]!
      : JSON.stringify(cell);
