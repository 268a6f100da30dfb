/** Counts that are written as a number or as a percentage. */

/**
 * Returns the number for a value such as `2` or `"25%"` of a total; a fraction is rounded up or down. Any other text counts as 0;
 * the API server refuses such a text.
 */
export function shareOf(value: number | string, total: number, rounding: "up" | "down"): number {
  if (typeof value === "number") return value;
  if (!/^\d{1,9}%$/.test(value)) return 0;
  const hundredths = Number(value.slice(0, -1)) * total;
  return rounding === "up" ? Math.ceil(hundredths / 100) : Math.floor(hundredths / 100);
}
