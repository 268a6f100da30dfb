/**
 * Tables: what `kubectl get` prints, made from the columns of a definition.
 *
 * A row has the cells of one object and, as `includeObject` says, nothing, the metadata or the whole object with them. Cells may
 * be ages, so they are computed for each response; the object that they are read from is kept while it is hot.
 *
 * @module
 */
import { stackOf } from "../../util/error.ts";
import type { ApiObject, Column, ResourceDefinition } from "../../schema/definition.ts";
import { nameColumn } from "../../schema/columns.ts";
import { badRequest } from "../../meta/status.ts";
import type { ServerLog } from "../request/context.ts";
import { partialBytes } from "./metadata-bytes.ts";
import type { Query } from "../request/query.ts";

/** The content of a row besides its cells. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** Reads `includeObject`; 400 for a value that is none of the three. */
export function includeObject(query: Query): IncludeObject {
  const value = query.text("includeObject");
  if (value === "" || value === "Metadata") return "Metadata";
  if (value === "None" || value === "Object") return value;
  throw badRequest(`expected includeObject to be None, Metadata or Object, got ${JSON.stringify(value)}`);
}

const CREATED: Column = {
  name: "Created At",
  type: "date",
  description: "When the object was created.",
  cell: (object) => object.metadata.creationTimestamp ?? null,
};

const columnsOfDefinition = new WeakMap<ResourceDefinition, readonly Column[]>();

/** The columns of a kind: the name in front unless a column of the definition is the name. */
export function columnsOf(definition: ResourceDefinition): readonly Column[] {
  let columns = columnsOfDefinition.get(definition);
  if (!columns) {
    const own = definition.columns ?? [CREATED];
    columns = own.some(({ name }) => name === nameColumn.name) ? own : [nameColumn, ...own];
    columnsOfDefinition.set(definition, columns);
  }
  return columns;
}

const definitionsText = new WeakMap<readonly Column[], string>();

/** The JSON of `columnDefinitions`. */
export function columnDefinitions(definition: ResourceDefinition): string {
  const columns = columnsOf(definition);
  let text = definitionsText.get(columns);
  if (text === undefined) {
    text = JSON.stringify(
      columns.map(({ name, type, format, description, priority }) => ({
        name,
        type,
        format: format ?? "",
        description,
        priority: priority ?? 0,
      })),
    );
    definitionsText.set(columns, text);
  }
  return text;
}

/** A table without its rows, as JSON; without columns when the client has them already. */
export function tableHeader(
  definition: ResourceDefinition,
  version: string,
  meta: string,
  withColumns: boolean,
): string {
  const columns = withColumns ? columnDefinitions(definition) : "null";
  return `{"kind":"Table","apiVersion":"meta.k8s.io/${version}","metadata":${meta},"columnDefinitions":${columns}}`;
}

/** A table of one row. */
export function tableOfRow(header: string, row: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${header.slice(0, -1)},"rows":[`), row, TABLE_END]);
}

const TABLE_END = Buffer.from("]}");

/** How rows of a table are made. */
export interface RowStyle {
  readonly include: IncludeObject;
  readonly version: string;
  /** Milliseconds since the epoch, for ages. */
  readonly now: number;
  /** Logs a column that fails, once; objects that cannot have the value that it reads are not logged. */
  readonly log: ServerLog | undefined;
}

/** The bytes of a row. */
export function rowBytes(
  definition: ResourceDefinition,
  object: ApiObject,
  bytes: Uint8Array,
  style: RowStyle,
): Buffer {
  const head = Buffer.from(`{"cells":${cellsText(definition, object, style)},"object":`);
  return Buffer.concat([head, besideCells(bytes, style), ROW_TAIL]);
}

const ROW_TAIL = Buffer.from("}");
const NULL = Buffer.from("null");

function besideCells(bytes: Uint8Array, style: RowStyle): Uint8Array {
  if (style.include === "None") return NULL;
  return style.include === "Object" ? bytes : partialBytes(bytes, style.version);
}

const cellsText = (definition: ResourceDefinition, object: ApiObject, style: RowStyle): string =>
  JSON.stringify(columnsOf(definition).map((column) => cellOf(column, definition, object, style)));

/** A cell; an object without the value of the column (a bookmark has metadata only) gives the empty value of its type. */
function cellOf(column: Column, definition: ResourceDefinition, object: ApiObject, { now, log }: RowStyle): Cell {
  return safeCell(column, definition, log, () => column.cell(object, now));
}

type Cell = string | number | boolean | null;

/** A cell that changes with the object only: a time instead of an age. Cells of custom objects are read in the order of columns. */
export const timelessCell = (column: Column, definition: ResourceDefinition, object: ApiObject, log: ServerLog): Cell =>
  safeCell(column, definition, log, () => (column.timeless ? column.timeless.cell(object) : column.cell(object, 0)));

function safeCell(column: Column, definition: ResourceDefinition, log: ServerLog | undefined, read: () => Cell): Cell {
  try {
    return read() ?? (definition.untyped || column.timeless?.type === "date" ? null : emptyCell(column));
  } catch (error) {
    if (log && !failed.has(column)) {
      failed.add(column);
      log.error("a column fails and stays empty", {
        kind: definition.kind,
        column: column.name,
        cause: stackOf(error),
      });
    }
    return emptyCell(column);
  }
}

/** Columns whose failure has been logged: each of them is called for every row. */
const failed = new WeakSet<Column>();

function emptyCell({ type }: Column): string | number | boolean | null {
  switch (type) {
    case "string":
      return "";
    case "integer":
    case "number":
      return 0;
    case "boolean":
      return false;
    default:
      return null;
  }
}
