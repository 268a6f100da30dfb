/**
 * The table of a kind as windows show it: its columns, the cells of an object, and its row as JSON.
 *
 * @module
 */
import type { WindowCell, WindowColumn } from "../../meta/console-protocol.ts";
import type { Entry, Resource } from "../../registry/index.ts";
import { nameColumn } from "../../schema/columns.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { type ServerContext, columnsOf, timelessCell } from "../../server/index.ts";
import { BoundedCache, textBytes } from "../../util/bounded-cache.ts";
import { cutText } from "../../util/cut-text.ts";

/** The most bytes of a text in a cell; a longer one is cut. */
export const MAX_CELL_BYTES = 1024;
/** The most characters of a row; cells of a longer one are cut to {@link SHORT_CELL_BYTES}, and the last ones left empty. */
const MAX_ROW_LENGTH = 16_384;
const SHORT_CELL_BYTES = 64;
/** How many rows of all tables are kept as JSON, and their bytes. */
const ROWS = { entries: 8192, bytes: 16 << 20 };

/** The rows that were shown last, of all tables of a server. */
export const newRows = (): BoundedCache<string> => new BoundedCache({ ...ROWS, weigh: textBytes });

/** See the head of this file. */
export class WindowTable {
  readonly resource: Resource;
  readonly columns: readonly WindowColumn[];
  readonly #log: ServerContext["log"];
  readonly #mark: string;
  readonly #rows: BoundedCache<string>;

  /**
   * @param mark that no other table has
   * @param rows by keys and revisions of objects: the object itself would keep its bytes, however large and however old
   */
  constructor(resource: Resource, log: ServerContext["log"], mark: string, rows: BoundedCache<string>) {
    this.resource = resource;
    this.#log = log;
    this.#mark = mark;
    this.#rows = rows;
    this.columns = columnsOf(resource.definition).map(({ name, type, format, description, priority, timeless }) => ({
      name,
      type: timeless?.type ?? type,
      format: format ?? "",
      description,
      priority: priority ?? 0,
    }));
  }

  /** The index of a column, -1 where there is none of that name. */
  indexOf(column: string): number {
    return this.columns.findIndex(({ name }) => name === column);
  }

  /** Whether a column shows the name of an object and nothing else. */
  isName(index: number): boolean {
    return columnsOf(this.resource.definition)[index]?.cell === nameColumn.cell;
  }

  /** The cells of an object, whole. */
  cells(object: ApiObject): readonly WindowCell[] {
    const { definition } = this.resource;
    return columnsOf(definition).map((column) => timelessCell(column, definition, object, this.#log));
  }

  /** One of them. */
  cell(object: ApiObject, index: number): WindowCell {
    const { definition } = this.resource;
    // The cells of a custom object share a limit of work, which the first one sets.
    if (definition.untyped) return this.cells(object)[index] ?? null;
    const column = columnsOf(definition)[index];
    return column ? timelessCell(column, definition, object, this.#log) : null;
  }

  /** The JSON of the row of an entry whose view is ready; made once while it is shown. */
  row(entry: Entry): string {
    const key = `${this.#mark} ${entry.revision} ${entry.key}`;
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const text = this.#make(entry);
    this.#rows.set(key, text);
    return text;
  }

  #make(entry: Entry): string {
    const object = this.resource.object(entry);
    const { namespace = "", name = "", uid = "", deletionTimestamp } = object.metadata;
    const resourceVersion = String(entry.revision);
    const row = { namespace, name, uid, resourceVersion, deleting: Boolean(deletionTimestamp) };
    const cells = this.cells(object).map((cell) => cut(cell, MAX_CELL_BYTES));
    const text = JSON.stringify({ ...row, cells });
    return text.length <= MAX_ROW_LENGTH ? text : JSON.stringify({ ...row, cells: shortened(cells) });
  }
}

const cut = (cell: WindowCell, maxBytes: number): WindowCell =>
  typeof cell === "string" ? cutText(cell, maxBytes) : cell;

/** Short cells, as many as fit; the others are null. */
function shortened(cells: readonly WindowCell[]): WindowCell[] {
  let left = MAX_ROW_LENGTH;
  return cells.map((cell) => {
    const short = cut(cell, SHORT_CELL_BYTES);
    left -= JSON.stringify(short).length;
    return left < 0 ? null : short;
  });
}
