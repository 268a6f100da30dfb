/**
 * How rows are sorted by a column: values of cells that can be compared, and their order.
 *
 *     no value  <  numbers, dates, quantities  <  texts that begin with a digit  <  other texts
 *
 * Numbers are sorted by size, dates by time, booleans with false first. A text that is a quantity (`1500m`, `2Gi`, `7`) is sorted by
 * its amount; another text that begins with a digit (`5/10`, `2 of 3`) in natural order, which compares runs of digits as numbers;
 * any other text by code points.
 *
 * @module
 */
import type { WindowCell } from "../../meta/console-protocol.ts";
import { type Quantity, parseQuantity } from "../../meta/quantity.ts";
import { parseTime } from "../../meta/time.ts";
import { compareKeys } from "../../storage/keys.ts";
import { flatCopy } from "../../util/flat-copy.ts";

/** A value of a cell that can be compared: a number, a text, or null for none. */
export type SortValue = number | string | null;

/** Of longer texts only the beginning is compared, so that an index has a bound. */
const MAX_LENGTH = 256;
/** No quantity that is printed is longer. */
const MAX_QUANTITY_LENGTH = 32;

/** The value by which a cell of a column of this type is sorted. */
export function sortValueOf(cell: WindowCell, type: string): SortValue {
  if (typeof cell === "number") return Number.isNaN(cell) ? null : cell;
  if (cell === null) return null;
  if (typeof cell === "boolean") return Number(cell);
  if (type === "date") return parseTime(cell) ?? null;
  if (!beginsWithNumber(cell)) return kept(cell);
  const quantity = cell.length <= MAX_QUANTITY_LENGTH ? parseQuantity(cell) : undefined;
  return quantity ? amountOf(quantity) : kept(cell);
}

/** A zero with a large exponent is none the less zero, and no value is no number: such a one has no place in an order. */
const amountOf = ({ mantissa, exponent }: Quantity): number =>
  mantissa === 0n ? 0 : Number(mantissa) * 10 ** exponent;

const kept = (text: string): string => flatCopy(text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text);

/** The bytes of a value in memory, about. */
export const sortValueBytes = (value: SortValue): number =>
  typeof value === "string" ? 24 + 2 * value.length : value === null ? 0 : 16;

/** Compares two values, the lower one first. */
export function compareSortValues(a: SortValue, b: SortValue): number {
  if (a === b) return 0;
  const byRank = rankOf(a) - rankOf(b);
  if (byRank !== 0) return byRank;
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a !== "string" || typeof b !== "string") return 0;
  return isDigit(a.charCodeAt(0)) ? compareNaturally(a, b) : compareKeys(a, b);
}

const rankOf = (value: SortValue): number => {
  if (value === null) return 0;
  if (typeof value === "number") return 1;
  return isDigit(value.charCodeAt(0)) ? 2 : 3;
};

const ZERO = 48;
const isDigit = (code: number): boolean => code >= ZERO && code <= 57;

const beginsWithNumber = (text: string): boolean => {
  const first = text.charCodeAt(0);
  return isDigit(first) || ((first === 43 || first === 45) && isDigit(text.charCodeAt(1)));
};

/** Compares runs of digits as numbers and all between them as text; texts that are equal so by their code points. */
function compareNaturally(a: string, b: string): number {
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(j)];
    if (isDigit(x) && isDigit(y)) {
      const [endA, endB] = [endOfDigits(a, i), endOfDigits(b, j)];
      const order = compareDigits(a, i, endA, b, j, endB);
      if (order !== 0) return order;
      [i, j] = [endA, endB];
    } else {
      if (x !== y) return x - y;
      i++;
      j++;
    }
  }
  return a.length - i - (b.length - j) || compareKeys(a, b);
}

function endOfDigits(text: string, from: number): number {
  let end = from;
  while (end < text.length && isDigit(text.charCodeAt(end))) end++;
  return end;
}

function compareDigits(a: string, fromA: number, endA: number, b: string, fromB: number, endB: number): number {
  let [i, j] = [fromA, fromB];
  while (i < endA - 1 && a.charCodeAt(i) === ZERO) i++;
  while (j < endB - 1 && b.charCodeAt(j) === ZERO) j++;
  if (endA - i !== endB - j) return endA - i - (endB - j);
  for (; i < endA; i++, j++) {
    const order = a.charCodeAt(i) - b.charCodeAt(j);
    if (order !== 0) return order;
  }
  return 0;
}
