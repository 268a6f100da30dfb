/**
 * Sizes of volumes: what may be asked for and what is made of it.
 *
 * @module
 */
import { DriverError } from "../../csi/driver-error.ts";

const UNITS: Readonly<Record<string, bigint>> = {
  "": 1n,
  k: 1000n,
  M: 1000n ** 2n,
  G: 1000n ** 3n,
  T: 1000n ** 4n,
  Ki: 1n << 10n,
  Mi: 1n << 20n,
  Gi: 1n << 30n,
  Ti: 1n << 40n,
};

/** Bytes of a text such as `64Mi`; undefined for any other text. */
export function parseBytes(text: string): bigint | undefined {
  const [, digits, unit] = /^(\d{1,18})([kMGT]|[KMGT]i)?$/.exec(text) ?? [];
  return digits === undefined ? undefined : BigInt(digits) * UNITS[unit ?? ""]!;
}

/** What a request says of the size. */
export interface Range {
  readonly requiredBytes: bigint;
  readonly limitBytes: bigint;
}

/** The bounds of a driver. */
export interface Bounds {
  readonly least: bigint;
  readonly most: bigint | undefined;
}

/** The size of a volume that was asked for without one. */
const DEFAULT_BYTES = 1n << 30n;

/** The size that a range leads to. Throws `InvalidArgument` or `OutOfRange`. */
export function sizeIn(range: Range | undefined, { least, most }: Bounds): bigint {
  const { requiredBytes: required, limitBytes: limit } = checkedRange(range);
  const wanted = required === 0n && limit > 0n && limit < DEFAULT_BYTES ? limit : required || DEFAULT_BYTES;
  const bytes = wanted < least ? least : wanted;
  if (limit > 0n && bytes > limit) throw new DriverError("OutOfRange", `a volume has at least ${least} bytes`);
  if (most !== undefined && bytes > most) throw new DriverError("OutOfRange", `a volume has at most ${most} bytes`);
  return bytes;
}

/** Whether a size is one that a range allows. */
export function fits(bytes: bigint, range: Range | undefined): boolean {
  const { requiredBytes, limitBytes } = checkedRange(range);
  return bytes >= requiredBytes && (limitBytes === 0n || bytes <= limitBytes);
}

function checkedRange({ requiredBytes, limitBytes }: Range = { requiredBytes: 0n, limitBytes: 0n }): Range {
  if (requiredBytes < 0n || limitBytes < 0n) {
    throw new DriverError("InvalidArgument", "expected sizes that are not negative");
  }
  if (limitBytes > 0n && requiredBytes > limitBytes) {
    throw new DriverError(
      "InvalidArgument",
      `expected at most ${limitBytes} bytes to be required, got ${requiredBytes}`,
    );
  }
  return { requiredBytes, limitBytes };
}
