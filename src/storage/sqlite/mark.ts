/**
 * The high-water mark: the newest revision, in a file of its own beside the database.
 *
 * It detects what the database alone cannot: a missing write-ahead log, and an older copy of the database. It also prevents
 * that a revision is used twice: before a revision above the mark is used, the mark is raised by {@link REVISION_STEP} on disk,
 * and after a crash the store continues above the mark.
 *
 *     open   floor 500 ceiling 10500   running or killed: 500 was written, up to 10500 may have been
 *     closed floor 731 ceiling 731     closed in order at 731
 *
 * The floor is written at every commit before the acknowledgement, without a flush: after a crash of the process it is exact, and
 * it is never ahead of the disk. It is flushed once after each checkpoint, so that after a power cut, too, the floor is newer than
 * the database file without its log.
 *
 * The file has two slots that are overwritten alternately, in place: a write needs no space, and when it is torn the other slot
 * is still valid, since no revision above its ceiling was used before.
 *
 * @module
 */
import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { StoreError } from "../contract.ts";
import { crc32c } from "./crc32c.ts";
import { isFull } from "./errors.ts";
import { syncFolder } from "./sync-folder.ts";
import { codeOf } from "../../util/error.ts";
import { fileKind } from "../../util/read-text-file.ts";

/** Revisions by which the mark is raised. */
export const REVISION_STEP = 10_000;
/** The name of the file in the directory of the store. */
export const MARK_FILE = "revision";

const SLOT_BYTES = 4096;
/** The used part of a slot: less than a sector, so that it is written whole. */
const LINE_BYTES = 128;
const LINE = /^(\d+) (open|closed) (\d+) (\d+) ([0-9a-f]{8}) *\n/;

/** The content of a slot. */
export interface Mark {
  /** Counts the writes of the file. */
  readonly sequence: number;
  readonly state: "open" | "closed";
  /** The newest revision at this write; the database contains it. */
  readonly floor: number;
  /** No revision above this one was used. */
  readonly ceiling: number;
}

/** Reads the mark of a store; undefined without a file. @throws StoreError `corrupt` when both slots are damaged, or it is no file */
export function readMark(directory: string): Mark | undefined {
  const file = join(directory, MARK_FILE);
  let descriptor: number;
  try {
    // With O_NONBLOCK the open of a pipe without a writer returns at once.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  const bytes = Buffer.alloc(2 * SLOT_BYTES);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw new StoreError("corrupt", `Expected a file at ${file}, found ${fileKind(found)}`);
    readSync(descriptor, bytes, 0, bytes.length, 0);
  } finally {
    closeSync(descriptor);
  }
  const slots = [0, SLOT_BYTES].map((at) => parseSlot(bytes.subarray(at, at + LINE_BYTES)));
  const newest = slots.filter((mark) => mark !== undefined).toSorted((a, b) => b.sequence - a.sequence)[0];
  if (newest) return newest;
  throw new StoreError(
    "corrupt",
    `Expected ${file} to say how far revisions have come, found neither of its two lines whole`,
  );
}

function parseSlot(bytes: Buffer): Mark | undefined {
  const found = LINE.exec(bytes.toString("latin1"));
  if (!found) return undefined;
  const [, sequence, state, floor, ceiling, checksum] = found;
  const text = `${sequence} ${state} ${floor} ${ceiling}`;
  if (checksumOf(text) !== checksum) return undefined;
  return { sequence: Number(sequence), state: state as Mark["state"], floor: Number(floor), ceiling: Number(ceiling) };
}

const checksumOf = (text: string): string => crc32c(Buffer.from(text)).toString(16).padStart(8, "0");

function slotOf({ sequence, state, floor, ceiling }: Mark): Buffer {
  const text = `${sequence} ${state} ${floor} ${ceiling}`;
  return Buffer.from(`${`${text} ${checksumOf(text)}`.padEnd(LINE_BYTES - 1)}\n`);
}

/** The mark of an open store; see the head of this file. */
export class HighWater {
  readonly #directory: string;
  readonly #committed: number;
  #descriptor: number | undefined;
  #mark: Mark;
  #open = false;
  /** Whether the next write must be flushed: the database file may contain everything up to the floor. */
  #mustFlush = true;

  /**
   * @param before the result of {@link readMark}
   * @param committed the newest revision in the database
   */
  constructor(directory: string, before: Mark | undefined, committed: number) {
    this.#directory = directory;
    this.#committed = committed;
    this.#mark = before ?? { sequence: 0, state: "closed", floor: 0, ceiling: 0 };
    if (before !== undefined) this.#descriptor = openSync(join(directory, MARK_FILE), "r+");
  }

  /**
   * Makes sure that the `count` revisions after `revision` can be used; the first call marks the store as open. Few calls wait for
   * the disk.
   */
  reserve(revision: number, count: number): void {
    if (this.#open && revision + count <= this.#mark.ceiling) return;
    this.#write("open", Math.max(this.#mark.floor, this.#committed), revision + count + REVISION_STEP);
    this.#open = true;
  }

  /**
   * Raises the floor after a commit and before its acknowledgement. A copy-on-write file system may have no space for it; then the
   * floor stays lower, which is valid.
   */
  committed(revision: number): void {
    try {
      this.#write("open", revision, this.#mark.ceiling, this.#mustFlush);
      this.#mustFlush = false;
    } catch (error) {
      if (!isFull(error)) throw error;
    }
  }

  /** Call it after a checkpoint of the log. */
  checkpointed(): void {
    this.#mustFlush = true;
  }

  /** Marks the store as closed at its last revision. */
  close(revision: number): void {
    if (this.#open) this.#write("closed", revision, revision);
    this.release();
  }

  /** Closes the file without a change. */
  release(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #write(state: Mark["state"], floor: number, ceiling: number, flush = true): void {
    const mark: Mark = { sequence: this.#mark.sequence + 1, state, floor, ceiling };
    if (this.#descriptor === undefined) {
      const file = join(this.#directory, MARK_FILE);
      createMark(this.#directory, file, mark);
      this.#descriptor = openSync(file, "r+");
    } else {
      writeWhole(this.#descriptor, slotOf(mark), (mark.sequence % 2) * SLOT_BYTES);
      if (flush) fdatasyncSync(this.#descriptor);
    }
    this.#mark = mark;
  }
}

/** Repeats partial writes; the next one then throws the error. */
function writeWhole(descriptor: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length;) {
    done += writeSync(descriptor, bytes, done, bytes.length - done, position + done);
  }
}

/** Writes the mark of a store that is closed at `revision`. */
export function writeClosedMark(directory: string, revision: number): void {
  const mark: Mark = { sequence: 1, state: "closed", floor: revision, ceiling: revision };
  createMark(directory, join(directory, MARK_FILE), mark);
}

/** Creates the file, which gets its name when it is complete. */
function createMark(directory: string, file: string, mark: Mark): void {
  const temporary = `${file}.new`;
  const slots = Buffer.alloc(2 * SLOT_BYTES, " ");
  slotOf(mark).copy(slots, (mark.sequence % 2) * SLOT_BYTES);
  writeFileSync(temporary, slots, { mode: 0o600, flush: true });
  renameSync(temporary, file);
  syncFolder(directory);
}
