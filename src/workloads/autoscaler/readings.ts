/** The metrics that autoscalers read: of Pods, of objects, and external ones, in thousandths. */
import { canonicalQuantity, parseQuantity } from "../../meta/quantity.ts";

/** A metric of a Pod. */
export interface PodValue {
  /** In thousandths. */
  readonly value: number;
  /** The time of the measurement, in milliseconds since the epoch. */
  readonly at: number;
  /** The length of the measurement, in milliseconds. */
  readonly window: number;
}

/** A metric of each Pod, by its name. */
export type PodValues = ReadonlyMap<string, PodValue>;

/** The value of a metric; a text with the reason where it could not be read. */
export type Reading = { readonly pods: PodValues } | { readonly value: number } | string;

/** A quantity in thousandths, rounded up; 0 for a malformed one. */
export function milliOf(text: string | number): number {
  const quantity = parseQuantity(text);
  if (!quantity) return 0;
  const { mantissa, exponent } = quantity;
  const power = exponent + 3;
  if (power >= 0) return Number(mantissa) * 10 ** power;
  const divisor = 10n ** BigInt(-power);
  const whole = mantissa / divisor;
  return Number(mantissa > 0n && mantissa % divisor !== 0n ? whole + 1n : whole);
}

/** The quantity for a number of thousandths. */
export const quantityOf = (milli: number): string => canonicalQuantity(`${milli}m`) ?? "0";

/** The quantity for a number of thousandths of a resource: memory has a unit such as Ki or Mi where it is a whole number of that. */
export function resourceQuantity(resource: string, milli: number): string {
  const bytes = milli / 1000;
  if (resource !== "memory" || !Number.isInteger(bytes) || bytes < 1024) return quantityOf(milli);
  return bytes % 1024 === 0 ? (canonicalQuantity(`${bytes / 1024}Ki`) ?? "0") : `${bytes}`;
}
