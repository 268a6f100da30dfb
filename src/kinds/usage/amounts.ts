/**
 * Amounts of resources by name: added, compared, printed.
 *
 * @module
 */
import { addQuantities, compareQuantities, quantitySign, subtractQuantities } from "../../meta/quantity.ts";
import type { Resources } from "../rules/quantities.ts";

/** Each amount of both, added where both have it. */
export function plus(a: Resources, b: Resources): Resources {
  const sum: Record<string, string> = { ...a };
  for (const name in b) sum[name] = a[name] === undefined ? b[name]! : addQuantities(a[name]!, b[name]!);
  return sum;
}

/** The excess of the first amounts over the second ones; without amounts that are not larger. */
export function increase(now: Resources, before: Resources): Resources {
  const more: Record<string, string> = {};
  for (const name in now) {
    const [amount, had] = [now[name]!, before[name]];
    if (had === undefined) {
      if (quantitySign(amount) > 0) more[name] = amount;
    } else if (compareQuantities(amount, had) > 0) more[name] = subtractQuantities(amount, had);
  }
  return more;
}

/** The amounts of some names. */
export function only(amounts: Resources, isWanted: (name: string) => boolean): Resources {
  const wanted: Record<string, string> = {};
  for (const name in amounts) if (isWanted(name)) wanted[name] = amounts[name]!;
  return wanted;
}

/** Whether two lists of amounts are equal, in any notation. */
export const sameAmounts = (a: Resources = {}, b: Resources = {}): boolean =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.keys(a).every((name) => b[name] !== undefined && compareQuantities(a[name]!, b[name]) === 0);

/** Amounts as people read them: `a=1,b=2`, by name. */
export const shownAmounts = (amounts: Resources): string =>
  Object.keys(amounts)
    .toSorted()
    .map((name) => `${name}=${amounts[name]}`)
    .join(",");
