/**
 * Formats of texts of schemas and expressions, as go-openapi's strfmt validates them.
 *
 * @module
 */

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const BASE64_CHARACTERS = /^[A-Za-z\d+/]+={0,2}$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
/** The time after the day, in lower case. */
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:.\d+)?(?:z|[+-]\d\d:\d\d)$/;

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** Returns the number of days of a month from 1 to 12; 0 for any other number. */
export const daysOf = (year: number, month: number): number =>
  month === 2 && isLeap(year) ? 29 : (DAYS[month - 1] ?? 0);

/** Whether a text is a UUID; its dashes are optional. */
export const isUuid = (text: string): boolean => UUID.test(text);

/** Whether a text is base64 with padding, and not empty. */
export const isBase64 = (text: string): boolean => text.length % 4 === 0 && BASE64_CHARACTERS.test(text);

/** Whether a text is a date, such as `2024-01-31`. */
export function isDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const day = Number(text.slice(8));
  return day >= 1 && day <= daysOf(Number(text.slice(0, 4)), Number(text.slice(5, 7)));
}

/** Whether a text is a date and a time with its zone, such as `2024-01-31T12:00:00Z`, in upper or lower case. */
export function isDateTime(text: string): boolean {
  const [day = "", time = ""] = text.toLowerCase().split("t", 2);
  return isDate(day) && TIME.test(time);
}
