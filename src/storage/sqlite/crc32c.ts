/**
 * CRC-32C (Castagnoli), the checksum of every stored row.
 *
 * `node:zlib` has CRC-32 with the IEEE polynomial. Castagnoli's finds every change of up to three bits at any size that
 * a value can have, IEEE's only up to 11 KiB (Koopman, "32-Bit Cyclic Redundancy Codes for Internet Applications", 2002).
 * Measured on Node 24: a row of 100 + 1024 bytes takes 0.6 µs here and 0.45 µs with two calls into zlib.
 *
 * @module
 */

/** Reversed polynomial (RFC 3720, appendix B.4). */
const POLYNOMIAL = 0x82f63b78;

function tables(): Int32Array[] {
  const result = Array.from({ length: 8 }, () => new Int32Array(256));
  const first = result[0]!;
  for (let i = 0; i < 256; i++) {
    let crc = i;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    first[i] = crc;
  }
  for (let k = 1; k < 8; k++) {
    const before = result[k - 1]!;
    for (let i = 0; i < 256; i++) result[k]![i] = (before[i]! >>> 8) ^ first[before[i]! & 255]!;
  }
  return result;
}

const [T0, T1, T2, T3, T4, T5, T6, T7] = tables() as [
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
];

/**
 * The CRC-32C of `bytes`, as an unsigned 32-bit number.
 *
 * @param crc the result for earlier bytes, to continue from; 0 at the start
 */
export function crc32c(bytes: Uint8Array, crc = 0): number {
  const end = bytes.length;
  let c = ~crc;
  let i = 0;
  // Eight bytes at a time ("slicing by 8"): each table moves its byte over the bytes after it.
  for (const last = end - 7; i < last; i += 8) {
    c ^= bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    c =
      T7[c & 255]! ^
      T6[(c >>> 8) & 255]! ^
      T5[(c >>> 16) & 255]! ^
      T4[c >>> 24]! ^
      T3[bytes[i + 4]!]! ^
      T2[bytes[i + 5]!]! ^
      T1[bytes[i + 6]!]! ^
      T0[bytes[i + 7]!]!;
  }
  while (i < end) c = T0[(c ^ bytes[i++]!) & 255]! ^ (c >>> 8);
  return ~c >>> 0;
}

/** The numbers in the checksum of a row, besides key and value. */
const trailer = new Float64Array(4);
const trailerBytes = new Uint8Array(trailer.buffer);

/** The checksum of a log row: over key, value, revision, previous revision, kind and time. */
export function rowChecksum(
  keyThenValue: number,
  revision: number,
  previous: number,
  kind: number,
  time: number,
): number {
  trailer[0] = revision;
  trailer[1] = previous;
  trailer[2] = kind;
  trailer[3] = time;
  return crc32c(trailerBytes, keyThenValue);
}
