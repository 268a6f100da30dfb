/**
 * Columns of tables that many kinds share (`kubectl get`).
 *
 * @module
 */
import { humanDuration, parseTime } from "../meta/time.ts";
import type { ApiObject, Column } from "./definition.ts";

/** The age of a time, `<unknown>` when there is none. */
export function since(time: string | null | undefined, now: number): string {
  const ms = time ? parseTime(time) : undefined;
  return ms === undefined ? "<unknown>" : humanDuration(now - ms);
}

/**
 * The name of an object, by default the first column. A definition with a column of this name defines its position and
 * format (Events have it last).
 */
export const nameColumn: Column = {
  name: "Name",
  type: "string",
  format: "name",
  description: "Name of the object.",
  cell: (object) => object.metadata.name ?? "",
};

/** The age of an object. */
export const ageColumn: Column = {
  name: "Age",
  type: "string",
  description: "Time since the object was created.",
  ...ageCells((object) => object.metadata.creationTimestamp),
};

/** The cells of a column that shows the age of a time; `none` is shown where there is no time. */
export function ageCells<T extends ApiObject>(
  time: (object: T) => string | null | undefined,
  none = "<unknown>",
): Required<Pick<Column<T>, "cell" | "timeless">> {
  return {
    cell(object, now) {
      const from = time(object);
      return from ? since(from, now) : none;
    },
    timeless: { type: "date", cell: (object) => time(object) || null },
  };
}

/** A column of the type string, in wide tables only when `wide`. */
export const textColumn = <T extends ApiObject>(
  name: string,
  description: string,
  cell: (object: T, now: number) => string | number | boolean | null,
  wide = false,
): Column<T> => ({ name, type: "string", description, ...(wide ? { priority: 1 } : {}), cell });

/** The number of entries of a map or list, 0 when there is none. */
export const countOf = (value: unknown): number =>
  Array.isArray(value) ? value.length : typeof value === "object" && value !== null ? Object.keys(value).length : 0;

/** A column of a number; 0 where there is none. */
export const numberColumn = <T extends ApiObject>(
  name: string,
  description: string,
  read: (object: T) => unknown,
): Column<T> => ({
  name,
  type: "integer",
  description,
  cell: (object) => Number(read(object) ?? 0),
});
