/**
 * File systems of block devices: found, made where a device is provably empty, mounted (NODE-62).
 *
 * @module
 */
import { type FileHandle, open } from "node:fs/promises";
import { VolumeError } from "../contract.ts";
import { MissingProgram } from "../mounts/run-program.ts";
import type { PlainGround, Programs } from "./ground.ts";

/** A device that is to be mounted. */
export interface DeviceMount {
  /** For messages: `local`, `iscsi`. */
  readonly kind: string;
  readonly device: string;
  readonly path: string;
  /** What is asked for: nothing takes what is there, and makes {@link DEFAULT_TYPE}. */
  readonly fsType?: string | undefined;
  /** Whether nothing may be written to the device. */
  readonly readOnly: boolean;
  readonly options?: readonly string[];
}

/** The file system that is made where nobody says which. */
const DEFAULT_TYPE = "ext4";

/**
 * Mounts the file system of a device; one is made before if the device is empty.
 *
 * @throws VolumeError where the device holds something else
 */
export async function mountDevice(ground: PlainGround, mount: DeviceMount, signal: AbortSignal): Promise<void> {
  const { kind, device, path, readOnly, options = [] } = mount;
  const fsType = mount.fsType === "" ? undefined : mount.fsType;
  const found = await probe(ground.programs, device, signal);
  const type = found ?? fsType ?? DEFAULT_TYPE;
  if (found !== undefined && fsType !== undefined && !isSame(found, fsType)) {
    throw new VolumeError(
      `${kind} volume: the device ${device} holds the file system ${found}, not ${fsType}; it is not formatted`,
    );
  }
  if (found === undefined) {
    if (readOnly) {
      throw new VolumeError(
        `${kind} volume: the device ${device} has no file system, and none is made for reading only`,
      );
    }
    await format(ground, { kind, device, type }, signal);
  }
  await ground.mounter.mount({ type, source: device, path, options: [...(readOnly ? ["ro"] : []), ...options] });
}

/** Older names are mounted by the same code. */
const isSame = (found: string, wanted: string): boolean =>
  found === wanted || (/^ext[234]$/.test(found) && /^ext[234]$/.test(wanted) && found < wanted);

/** The type of a device's file system; undefined when nothing at all is on it. @throws VolumeError for anything else */
async function probe(programs: Programs, device: string, signal: AbortSignal): Promise<string | undefined> {
  const known = await identify(programs, device, signal);
  if (known?.usage === "filesystem" && known.type !== undefined) return known.type;
  if (known) {
    const what =
      known.partitions === undefined ? (known.type ?? "something") : `a table of partitions (${known.partitions})`;
    throw new VolumeError(`the device ${device} holds ${what}, no file system: it is neither mounted nor formatted`);
  }
  if (await isBlank(device, signal)) return undefined;
  throw new VolumeError(
    `the device ${device} holds no file system that is known, but is not empty either: it is not formatted. ` +
      "If nothing of it is needed any more, clear it: wipefs --all, or blkdiscard --zeroout",
  );
}

interface Identified {
  readonly type: string | undefined;
  readonly usage: string | undefined;
  readonly partitions: string | undefined;
}

/** Exit codes of blkid(8). */
const [FOUND, NOTHING] = [0, 2];

/** What blkid(8) finds by looking at the device itself; undefined when it finds nothing, or is not there to look. */
async function identify(programs: Programs, device: string, signal: AbortSignal): Promise<Identified | undefined> {
  try {
    const { code, output, said } = await programs.run("blkid", ["--probe", "--output", "export", device], signal);
    if (code === NOTHING) return undefined;
    if (code !== FOUND) {
      const why = said || output || `blkid ended with ${code}`;
      throw new VolumeError(`what the device ${device} holds cannot be told, so it is left alone: ${why}`);
    }
    const values = new Map(
      output.split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
    const [type, usage, partitions] = ["TYPE", "USAGE", "PTTYPE"].map((name) => values.get(name));
    if (type === undefined && usage === undefined && partitions === undefined) return undefined;
    return { type, usage, partitions: type === undefined ? partitions : undefined };
  } catch (error) {
    // A device of nothing but zeros is empty also for who has no blkid.
    if (error instanceof MissingProgram) return undefined;
    throw error;
  }
}

/** What is read of each end of a device: all that is known keeps its marks there. */
const END = 4 << 20;
/** So many pieces between are read as well. */
const PIECES = 64;
const PIECE = 1 << 16;

/** Whether a device holds nothing but zeros at its ends and wherever it is looked at between. */
async function isBlank(device: string, signal: AbortSignal): Promise<boolean> {
  const file = await open(device, "r");
  try {
    const size = await sizeOf(file);
    if (!(await isZero(file, 0, Math.min(END, size), signal))) return false;
    if (size <= END) return true;
    if (!(await isZero(file, Math.max(END, size - END), size, signal))) return false;
    const step = Math.floor(size / PIECES);
    for (let at = 0; at + PIECE <= size && step > PIECE; at += step) {
      if (!(await isZero(file, at, at + PIECE, signal))) return false;
    }
    return true;
  } finally {
    await file.close();
  }
}

/** The system says no size of devices: the last byte that can be read is looked for, by halves. */
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
  const buffer = Buffer.alloc(PIECE);
  for (let at = from; at < to;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, Math.min(PIECE, to - at), at);
    if (bytesRead === 0) return true;
    if (!buffer.subarray(0, bytesRead).equals(ZEROS.subarray(0, bytesRead))) return false;
    at += bytesRead;
  }
  return true;
}

const ZEROS = Buffer.alloc(PIECE);

/** Makes a file system; the programs are not told to pass over what they find, and refuse when they find something. */
async function format(
  { programs, log }: PlainGround,
  { kind, device, type }: { readonly kind: string; readonly device: string; readonly type: string },
  signal: AbortSignal,
): Promise<void> {
  if (!/^[a-z0-9]+$/.test(type)) throw new VolumeError(`${kind} volume: ${type} is no name of a file system`);
  const program = `mkfs.${type}`;
  if (!(await programs.find(program))) {
    throw new VolumeError(
      `${kind} volume: the device ${device} is empty and needs the program ${program}, which is not on this machine`,
    );
  }
  log.info("An empty device is given a file system", { device, type });
  const { code, output, said } = await programs.run(program, [device], signal);
  if (code !== 0) {
    throw new VolumeError(`${kind} volume: ${program} ${device} ended with code ${code}: ${said || output}`);
  }
}
