/**
 * The high-water mark: how far revisions have come, kept in a file of its own beside the database.
 *
 * It tells what the database alone cannot: that its write-ahead log is gone, or that an older copy of it has been put
 * in its place. And it keeps revisions from being used twice: before a revision above the mark is given out, the mark is
 * raised by {@link STEP} on disk, and after an end that was not in order the store goes on above the mark.
 *
 *     open   floor 500 ceiling 10500   runs, or was killed: 500 was written, up to 10500 may have been
 *     closed floor 731 ceiling 731     ended in order at 731
 *
 * The floor follows every commit before that is acknowledged, without waiting for the disk: after the end of the process
 * alone it is exact, and it is never ahead of what is on disk. It waits once after the log was moved into the database
 * file, so that also after a power cut the floor is newer than what that file has by itself.
 *
 * The file has two slots that are overwritten in turn, in place: it never needs room, and when a write of it is torn
 * the slot before still holds, from when nothing above its ceiling had been given out.
 *
 * @module
 */
import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { StoreError } from "../contract.ts";
import { crc32c } from "./crc32c.ts";
import { isFull } from "./errors.ts";

/** Revisions by which the mark is ahead. */
export const STEP = 10_000;
/** Its file in the directory of the store. */
export const MARK_FILE = "revision";

const SLOT_BYTES = 4096;
/** What is written of a slot: less than a sector, so that it is written whole. */
const LINE_BYTES = 128;
const LINE = /^(\d+) (open|closed) (\d+) (\d+) ([0-9a-f]{8}) *\n/;

/** What the file says. */
export interface Mark {
  /** Counts the writes of the file. */
  readonly turn: number;
  readonly state: "open" | "closed";
  /** The newest revision when this was written: the store has it, whatever happened since. */
  readonly floor: number;
  /** No revision above this one has been given out. */
  readonly ceiling: number;
}

/**
 * Reads the mark of a store; undefined when there is no file.
 *
 * @throws StoreError `corrupt` when neither slot can be read
 */
export function readMark(directory: string): Mark | undefined {
  const file = join(directory, MARK_FILE);
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const slots = [0, SLOT_BYTES].map((at) => parseSlot(bytes.subarray(at, at + LINE_BYTES)));
  const newest = slots.filter((mark) => mark !== undefined).toSorted((a, b) => b.turn - a.turn)[0];
  if (newest) return newest;
  throw new StoreError(
    "corrupt",
    `Expected ${file} to say how far revisions have come, found neither of its two lines whole`,
  );
}

function parseSlot(bytes: Buffer): Mark | undefined {
  const found = LINE.exec(bytes.toString("latin1"));
  if (!found) return undefined;
  const [, turn, state, floor, ceiling, checksum] = found;
  const text = `${turn} ${state} ${floor} ${ceiling}`;
  if (checksumOf(text) !== checksum) return undefined;
  return { turn: Number(turn), state: state as Mark["state"], floor: Number(floor), ceiling: Number(ceiling) };
}

const checksumOf = (text: string): string => crc32c(Buffer.from(text)).toString(16).padStart(8, "0");

function slotOf({ turn, state, floor, ceiling }: Mark): Buffer {
  const text = `${turn} ${state} ${floor} ${ceiling}`;
  return Buffer.from(`${`${text} ${checksumOf(text)}`.padEnd(LINE_BYTES - 1)}\n`);
}

/** The mark of a store that is open; see the head of this file. */
export class HighWater {
  readonly #directory: string;
  readonly #committed: number;
  #descriptor: number | undefined;
  #mark: Mark;
  #open = false;
  /** Whether the database file may have everything up to the floor. */
  #late = true;

  /**
   * @param before what {@link readMark} has found
   * @param committed the newest revision in the database
   */
  constructor(directory: string, before: Mark | undefined, committed: number) {
    this.#directory = directory;
    this.#committed = committed;
    this.#mark = before ?? { turn: 0, state: "closed", floor: 0, ceiling: 0 };
    if (before !== undefined) this.#descriptor = openSync(join(directory, MARK_FILE), "r+");
  }

  /**
   * Makes sure that the `count` revisions after `revision` may be given out; the first call marks the store as open.
   * Waits for the disk once in many calls.
   */
  reserve(revision: number, count: number): void {
    if (this.#open && revision + count <= this.#mark.ceiling) return;
    this.#write("open", Math.max(this.#mark.floor, this.#committed), revision + count + STEP);
    this.#open = true;
  }

  /**
   * A transaction has been committed, and is about to be acknowledged. On file systems that write to a new place each
   * time there can be no room for that; then the floor stays where it was, which is true as well.
   */
  committed(revision: number): void {
    try {
      this.#write("open", revision, this.#mark.ceiling, this.#late);
      this.#late = false;
    } catch (error) {
      if (!isFull(error)) throw error;
    }
  }

  /** The log has been moved into the database file. */
  moved(): void {
    this.#late = true;
  }

  /** Nothing will be written any more: `revision` is the last one. */
  close(revision: number): void {
    if (this.#open) this.#write("closed", revision, revision);
    this.release();
  }

  /** Leaves the file as it is. */
  release(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #write(state: Mark["state"], floor: number, ceiling: number, wait = true): void {
    const mark: Mark = { turn: this.#mark.turn + 1, state, floor, ceiling };
    if (this.#descriptor === undefined) {
      const file = join(this.#directory, MARK_FILE);
      createMark(this.#directory, file, mark);
      this.#descriptor = openSync(file, "r+");
    } else {
      writeWhole(this.#descriptor, slotOf(mark), (mark.turn % 2) * SLOT_BYTES);
      if (wait) fdatasyncSync(this.#descriptor);
    }
    this.#mark = mark;
  }
}

/** A write may do a part only; why it did not do the rest is told by the next one. */
function writeWhole(descriptor: number, bytes: Buffer, place: number): void {
  for (let done = 0; done < bytes.length;) {
    done += writeSync(descriptor, bytes, done, bytes.length - done, place + done);
  }
}

/** Writes the mark of a store that nobody has open: it is closed at `revision`. */
export function writeClosedMark(directory: string, revision: number): void {
  createMark(directory, join(directory, MARK_FILE), { turn: 1, state: "closed", floor: revision, ceiling: revision });
}

/** The file appears under its name when it is whole. */
function createMark(directory: string, file: string, mark: Mark): void {
  const temporary = `${file}.new`;
  const slots = Buffer.alloc(2 * SLOT_BYTES, " ");
  slotOf(mark).copy(slots, (mark.turn % 2) * SLOT_BYTES);
  writeFileSync(temporary, slots, { mode: 0o600, flush: true });
  renameSync(temporary, file);
  const descriptor = openSync(directory, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
