/**
 * Columns of tables from definitions (CRD-32).
 *
 * @module
 */
import { parseTime } from "../../meta/time.ts";
import { canonicalJson } from "../../value/canonical.ts";
import { htmlSafe } from "../../value/html-safe.ts";
import { type Value, asJsonNumber } from "../../value/value.ts";
import { ageColumn, since } from "../columns.ts";
import type { ApiObject, Column } from "../definition.ts";
import { type Budget, findFirst } from "../jsonpath/find.ts";
import { type Path, parseJsonPath } from "../jsonpath/parse.ts";

/** A column of a definition. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

type Cell = string | number | boolean | null;

/** The limit of visited values for one row: there may be thousands of columns, each of which may visit a whole object. */
const MAX_VALUES_PER_ROW = 100_000;
/** The limit of visited values for one column. */
const MAX_VALUES_PER_COLUMN = 20_000;

/** The columns after the name; only the age where a definition has none. */
export function columnsOf(columns: readonly PrinterColumn[]): readonly Column[] {
  if (columns.length === 0) return [ageOfCustomObjects];
  const row: Row = { left: MAX_VALUES_PER_ROW, texts: new Map() };
  return columns.map((column, i) => columnOf(column, row, i === 0));
}

/** The state that the cells of one row share. */
interface Row extends Budget {
  /** Objects and lists as texts: many columns may show the same one. */
  texts: Map<Value, string>;
}

const ageOfCustomObjects: Column = { ...ageColumn, type: "date" };

/**
 * A column.
 *
 * @param row the budget of all columns of a row; cells of a row are computed one after the other
 * @param isFirst a new row begins with it
 */
function columnOf(
  { name, type, format, description, priority, jsonPath }: PrinterColumn,
  row: Row,
  isFirst: boolean,
): Column {
  let path: Path | null | undefined;
  const find = (object: ApiObject): Value | null | undefined => {
    // Parsed with the first table.
    path ??= parsed(jsonPath);
    if (isFirst) {
      row.left = MAX_VALUES_PER_ROW;
      if (row.texts.size > 0) row.texts = new Map();
    }
    const own: Budget = { left: Math.min(MAX_VALUES_PER_COLUMN, row.left) };
    row.left -= own.left;
    const value = path && findFirst(object as unknown as Value, path, own);
    row.left += Math.max(0, own.left);
    return value;
  };
  return {
    name,
    type: type as Column["type"],
    ...(format === undefined ? {} : { format }),
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    ...(priority === undefined ? {} : { priority }),
    cell(object, now) {
      const value = find(object);
      if (value === undefined) return null;
      // A present null is printed where the column is a text.
      if (value === null) return type === "string" ? "<no value>" : null;
      return cellOf(type, value, now, row);
    },
    ...(type === "date" ? { timeless: { type, cell: (object: ApiObject) => timeIn(find(object)) } } : {}),
  };
}

/** A time that can be read, as it is written. */
const timeIn = (value: Value | null | undefined): string | null =>
  typeof value === "string" && parseTime(value) !== undefined ? value : null;

function parsed(jsonPath: string): Path | null {
  try {
    return parseJsonPath(jsonPath);
  } catch {
    return null;
  }
}

/** A value as a cell of this type; null for a value of another one. */
function cellOf(type: string, value: Value, now: number, row: Row): Cell {
  const number = typeof value === "number" ? value : asJsonNumber(value)?.value;
  switch (type) {
    case "integer":
      return number === undefined ? null : Math.trunc(number);
    case "number":
      return number ?? null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? dateCell(value, now) : null;
    default:
      if (typeof value === "string") return value;
      return number === undefined && typeof value === "object" ? textOf(value, row) : JSON.stringify(value);
  }
}

/** An object or a list as JSON of Go programs: members are sorted. */
function textOf(value: Value, { texts }: Row): string {
  let text = texts.get(value);
  if (text === undefined) texts.set(value, (text = htmlSafe(canonicalJson(value))));
  return text;
}

function dateCell(text: string, now: number): Cell {
  if (text === "") return "<unknown>";
  return parseTime(text) === undefined ? "<invalid>" : since(text, now);
}
