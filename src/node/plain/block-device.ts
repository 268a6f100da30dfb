/**
 * Mounts the file systems of block devices, and creates one on an empty device (NODE-62).
 *
 * @module
 */
import { type FileHandle, open } from "node:fs/promises";
import { VolumeError } from "../contract.ts";
import { MissingProgram } from "../mounts/run-program.ts";
import type { PlainContext, Programs } from "./plain-context.ts";

/** A device to mount. */
export interface DeviceMount {
  /** For messages: `local`, `iscsi`. */
  readonly kind: string;
  readonly device: string;
  readonly path: string;
  /** Undefined or empty: that of the device, or {@link DEFAULT_TYPE} for an empty one. */
  readonly fsType?: string | undefined;
  /** Whether the device must not be written to. */
  readonly readOnly: boolean;
  readonly options?: readonly string[];
}

/** The type of a new file system without a requested type. */
const DEFAULT_TYPE = "ext4";

/**
 * Mounts the file system of a device; creates one on an empty device.
 *
 * @throws VolumeError where the device has other content
 */
export async function mountDevice(context: PlainContext, mount: DeviceMount, signal: AbortSignal): Promise<void> {
  const { kind, device, path, readOnly, options = [] } = mount;
  const fsType = mount.fsType === "" ? undefined : mount.fsType;
  const found = await probe(context.programs, device, signal);
  const type = found ?? fsType ?? DEFAULT_TYPE;
  if (found !== undefined && fsType !== undefined && !isSame(found, fsType)) {
    throw new VolumeError(`${kind} volume: expected the file system ${fsType} on ${device}, found ${found}`);
  }
  if (found === undefined) {
    if (readOnly) {
      throw new VolumeError(`${kind} volume: expected a file system on ${device}, which is mounted read-only`);
    }
    await format(context, { kind, device, type }, signal);
  }
  await context.mounter.mount({ type, source: device, path, options: [...(readOnly ? ["ro"] : []), ...options] });
}

/** ext3 and ext4 mount file systems of older types. */
const isSame = (found: string, wanted: string): boolean =>
  found === wanted || (/^ext[234]$/.test(found) && /^ext[234]$/.test(wanted) && found < wanted);

/** The type of a device's file system; undefined for an empty device. @throws VolumeError for other content */
async function probe(programs: Programs, device: string, signal: AbortSignal): Promise<string | undefined> {
  const known = await identify(programs, device, signal);
  if (known?.usage === "filesystem" && known.type !== undefined) return known.type;
  if (known) {
    const what =
      known.partitions === undefined ? (known.type ?? "something") : `a table of partitions (${known.partitions})`;
    throw new VolumeError(`expected a file system on ${device}, found ${what}: it is neither mounted nor formatted`);
  }
  if (await isBlank(device, signal)) return undefined;
  throw new VolumeError(
    `expected a known file system or an empty device ${device}, found unknown content: it is not formatted. ` +
      "To use it, clear it: wipefs --all, or blkdiscard --zeroout",
  );
}

interface Identified {
  readonly type: string | undefined;
  readonly usage: string | undefined;
  readonly partitions: string | undefined;
}

/** Exit codes of blkid(8). */
const [FOUND, NOTHING] = [0, 2];

/** What blkid(8) finds on the device; undefined when it finds nothing, or is not installed. */
async function identify(programs: Programs, device: string, signal: AbortSignal): Promise<Identified | undefined> {
  try {
    const { code, output, errors } = await programs.run("blkid", ["--probe", "--output", "export", device], signal);
    if (code === NOTHING) return undefined;
    if (code !== FOUND) {
      const why = errors || output || `blkid ended with ${code}`;
      throw new VolumeError(`cannot identify the content of ${device}, which is left alone: ${why}`);
    }
    const values = new Map(
      output.split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
    const [type, usage, partitions] = ["TYPE", "USAGE", "PTTYPE"].map((name) => values.get(name));
    if (type === undefined && usage === undefined && partitions === undefined) return undefined;
    return { type, usage, partitions: type === undefined ? partitions : undefined };
  } catch (error) {
    // Without blkid a device counts as empty when it has only zeros.
    if (error instanceof MissingProgram) return undefined;
    throw error;
  }
}

/** The bytes that are read at each end of a device: all known signatures are there. */
const END_BYTES = 4 << 20;
/** How many pieces between the ends are read. */
const PIECES = 64;
const PIECE_BYTES = 1 << 16;

/** Whether a device has only zeros at its ends and in samples between. */
async function isBlank(device: string, signal: AbortSignal): Promise<boolean> {
  const file = await open(device, "r");
  try {
    const size = await sizeOf(file);
    if (!(await isZero(file, 0, Math.min(END_BYTES, size), signal))) return false;
    if (size <= END_BYTES) return true;
    if (!(await isZero(file, Math.max(END_BYTES, size - END_BYTES), size, signal))) return false;
    const step = Math.floor(size / PIECES);
    for (let at = 0; at + PIECE_BYTES <= size && step > PIECE_BYTES; at += step) {
      if (!(await isZero(file, at, at + PIECE_BYTES, signal))) return false;
    }
    return true;
  } finally {
    await file.close();
  }
}

/** The size of a device: the system has none in its stats, so a binary search finds the last readable byte. */
async function sizeOf(file: FileHandle): Promise<number> {
  const byte = Buffer.alloc(1);
  const has = async (at: number): Promise<boolean> => (await file.read(byte, 0, 1, at)).bytesRead === 1;
  let [low, high] = [0, 2 ** 52];
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (await has(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function isZero(file: FileHandle, from: number, to: number, signal: AbortSignal): Promise<boolean> {
  const buffer = Buffer.alloc(PIECE_BYTES);
  for (let at = from; at < to;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, Math.min(PIECE_BYTES, to - at), at);
    if (bytesRead === 0) return true;
    if (!buffer.subarray(0, bytesRead).equals(ZEROS.subarray(0, bytesRead))) return false;
    at += bytesRead;
  }
  return true;
}

const ZEROS = Buffer.alloc(PIECE_BYTES);

/** Creates a file system. The programs run without force, so they refuse a device with content. */
async function format(
  { programs, log }: PlainContext,
  { kind, device, type }: { readonly kind: string; readonly device: string; readonly type: string },
  signal: AbortSignal,
): Promise<void> {
  if (!/^[a-z0-9]+$/.test(type)) throw new VolumeError(`${kind} volume: expected a file system type, got ${type}`);
  const program = `mkfs.${type}`;
  if (!(await programs.find(program))) {
    throw new VolumeError(
      `${kind} volume: the empty device ${device} needs the program ${program}, which is not installed`,
    );
  }
  log.info("An empty device is formatted", { device, type });
  const { code, output, errors } = await programs.run(program, [device], signal);
  if (code !== 0) {
    throw new VolumeError(`${kind} volume: ${program} ${device} ended with code ${code}: ${errors || output}`);
  }
}
