const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

/** Prints bytes in the largest unit that is not below 1: `1.5 MiB`. */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${shortNumber(value)} ${UNITS[unit]}`;
}

/** Prints a number with at most three digits that say something: `0.25`, `12.5`, `1234`. */
export function shortNumber(value: number): string {
  if (value === 0) return "0";
  if (Math.abs(value) >= 100) return String(Math.round(value));
  if (Math.abs(value) >= 10) return String(Math.round(value * 10) / 10);
  return String(Math.round(value * 100) / 100);
}

const COUNT = new Intl.NumberFormat("en");

/** Prints a count in groups of three digits: `1,000,000`. */
export const countText = (count: number): string => COUNT.format(count);
