/**
 * Reads SQLite's write-ahead log without SQLite, to find damage that SQLite takes for the end of the log.
 *
 * SQLite reads the log up to the first frame with a wrong checksum, because the last transaction before a power cut may be torn.
 * A flipped bit in the middle looks the same to it, and it ignores all later frames without an error. But a transaction begins
 * only when the one before is on disk. So when a complete transaction and a frame of another one follow a damaged frame, acknowledged
 * writes are lost.
 *
 * Each checksum continues that of the frame before. After a damaged frame the chain continues with the checksum that is stored in
 * it or in a later one. File format: https://www.sqlite.org/fileformat2.html#walformat
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { PAGE_BYTES } from "./schema.ts";
import { codeOf } from "../../util/error.ts";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;

/** Where the last complete frame begins in a log of `bytes`; 0, the position of the header, when it has none. */
export function lastFrame(bytes: number): number {
  const size = FRAME_HEADER_BYTES + PAGE_BYTES;
  const frames = Math.floor((bytes - HEADER_BYTES) / size);
  return frames < 1 ? 0 : HEADER_BYTES + (frames - 1) * size;
}

/** A page in the log. */
export interface WalFrame {
  readonly page: number;
  /** Where the bytes of the page begin in the file. */
  readonly offset: number;
  /** Whether it is the last frame of a transaction. */
  readonly commit: boolean;
}

/** The content of a log. */
export interface WalScan {
  readonly bytes: Buffer;
  readonly pageBytes: number;
  /** Frames of complete transactions from the start of the log: those that SQLite reads. */
  readonly committed: readonly WalFrame[];
  /** Valid frames after damage; empty without damage, and where only the last transaction is incomplete. */
  readonly unreachable: readonly WalFrame[];
  /** The damage, undefined when there is none. */
  readonly damage: string | undefined;
}

/** Scans a log; undefined without a file. An empty file has no frames and no damage. */
export function scanWal(file: string): WalScan | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  const nothing = { bytes, pageBytes: PAGE_BYTES, committed: [], unreachable: [], damage: undefined };
  if (bytes.length < HEADER_BYTES || bytes.subarray(0, HEADER_BYTES).every((byte) => byte === 0)) return nothing;
  const header = readHeader(bytes);
  if (header === undefined) return { ...nothing, damage: "its header is damaged" };
  return scanFrames(bytes, header);
}

interface Header {
  readonly bigEndian: boolean;
  readonly pageBytes: number;
  readonly salts: Buffer;
  readonly sum: Sum;
}

type Sum = readonly [number, number];

function readHeader(bytes: Buffer): Header | undefined {
  const magic = bytes.readUInt32BE(0);
  if ((magic & ~1) >>> 0 !== MAGIC) return undefined;
  const bigEndian = (magic & 1) === 1;
  const sum = checksum(bytes.subarray(0, 24), [0, 0], bigEndian);
  const pageBytes = bytes.readUInt32BE(8);
  if (!sameSum(sum, sumAt(bytes, 24)) || pageBytes < 512 || pageBytes > 65_536) return undefined;
  return { bigEndian, pageBytes, salts: bytes.subarray(16, 24), sum };
}

function scanFrames(bytes: Buffer, { bigEndian, pageBytes, salts, sum }: Header): WalScan {
  const size = FRAME_HEADER_BYTES + pageBytes;
  const committed: WalFrame[] = [];
  let open: WalFrame[] = [];
  let behind: WalFrame[] = [];
  let before: Sum = sum;
  let broken = 0;
  for (let at = HEADER_BYTES; at + size <= bytes.length; at += size) {
    const found = sumAt(bytes, at + 16);
    const isCurrent = bytes.subarray(at + 8, at + 16).equals(salts);
    const isValid = isCurrent && sameSum(found, frameSum(bytes, at, size, before, bigEndian));
    before = found;
    if (!isValid) {
      broken ||= at;
      continue;
    }
    const page = bytes.readUInt32BE(at);
    const frame: WalFrame = { page, offset: at + FRAME_HEADER_BYTES, commit: bytes.readUInt32BE(at + 4) > 0 };
    if (broken > 0) {
      behind.push(frame);
      continue;
    }
    open.push(frame);
    if (!frame.commit) continue;
    committed.push(...open);
    open = [];
  }
  // A commit was on disk before the next transaction began.
  const acknowledged = behind.slice(0, -1).some((frame) => frame.commit);
  if (!acknowledged) behind = [];
  const damage = acknowledged ? `it is damaged at byte ${broken}, and committed changes follow there` : undefined;
  return { bytes, pageBytes, committed, unreachable: behind, damage };
}

function frameSum(bytes: Buffer, at: number, size: number, before: Sum, bigEndian: boolean): Sum {
  const head = checksum(bytes.subarray(at, at + 8), before, bigEndian);
  return checksum(bytes.subarray(at + FRAME_HEADER_BYTES, at + size), head, bigEndian);
}

const sumAt = (bytes: Buffer, at: number): Sum => [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
const sameSum = (a: Sum, b: Sum): boolean => a[0] === b[0] && a[1] === b[1];

/** The checksum of SQLite's log, over pairs of 32-bit words. */
function checksum(bytes: Buffer, [first, second]: Sum, bigEndian: boolean): Sum {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let a = first | 0;
  let b = second | 0;
  for (let i = 0; i < bytes.length; i += 8) {
    a = (a + view.getUint32(i, !bigEndian) + b) | 0;
    b = (b + view.getUint32(i + 4, !bigEndian) + a) | 0;
  }
  return [a >>> 0, b >>> 0];
}
