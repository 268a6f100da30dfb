/**
 * Sizes of volumes: what a request allows, and what a volume gets.
 *
 * @module
 */
import { DriverError } from "../../csi/driver-error.ts";
import type { CapacityRange } from "../../csi/generated/csi_pb.js";
import type { DriverContext } from "./driver-context.ts";

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

type Range = Pick<CapacityRange, "requiredBytes" | "limitBytes">;

/** The size of a volume that is requested without one. */
const DEFAULT_BYTES = 1n << 30n;

/** The size for a range. Throws `InvalidArgument` or `OutOfRange`. */
export function sizeIn(
  range: Range | undefined,
  { backing: { minBytes }, settings: { maxVolumeSize } }: Pick<DriverContext, "backing" | "settings">,
): bigint {
  const { requiredBytes: required, limitBytes: limit } = checkedRange(range);
  const desired = required === 0n && limit > 0n && limit < DEFAULT_BYTES ? limit : required || DEFAULT_BYTES;
  const bytes = desired < minBytes ? minBytes : desired;
  if (limit > 0n && bytes > limit) throw new DriverError("OutOfRange", `a volume has at least ${minBytes} bytes`);
  if (maxVolumeSize !== undefined && bytes > maxVolumeSize) {
    throw new DriverError("OutOfRange", `a volume has at most ${maxVolumeSize} bytes`);
  }
  return bytes;
}

/** Whether a range allows a size. */
export function fits(bytes: bigint, range: Range | undefined): boolean {
  const { requiredBytes, limitBytes } = checkedRange(range);
  return bytes >= requiredBytes && (limitBytes === 0n || bytes <= limitBytes);
}

function checkedRange({ requiredBytes, limitBytes }: Range = { requiredBytes: 0n, limitBytes: 0n }): Range {
  if (requiredBytes < 0n || limitBytes < 0n) {
    throw new DriverError("InvalidArgument", "expected sizes that are not negative");
  }
  if (limitBytes > 0n && requiredBytes > limitBytes) {
    throw new DriverError("InvalidArgument", `expected required_bytes up to ${limitBytes}, got ${requiredBytes}`);
  }
  return { requiredBytes, limitBytes };
}
