/**
 * Notices that the files of an open store are not its files any more: removed, replaced or cut off under it. What is written
 * to them then is lost, although every call says that it is done.
 *
 * A log that is cut off while it is written to may soon be as long as before, with a hole where frames were. So its last
 * frame, as it was last seen, is looked at as well: no frame begins with zeros.
 *
 * @module
 */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "../contract.ts";
import { DATABASE_FILE, LOG_LIMIT_BYTES } from "./schema.ts";
import { lastFrame } from "./wal.ts";

interface Seen {
  readonly file: string;
  readonly place: number;
  readonly device: number;
  bytes: number;
}

/** See the head of this file. */
export class Presence implements Disposable {
  readonly #database: Seen;
  readonly #log: Seen;
  readonly #descriptor: number;
  readonly #begin = Buffer.alloc(16);
  #moves = 0;

  /** The database of `directory` is open, and its log is there. */
  constructor(directory: string) {
    const [database, log] = [DATABASE_FILE, `${DATABASE_FILE}-wal`].map((name) => {
      const file = join(directory, name);
      const { ino: place, dev: device, size: bytes } = statSync(file);
      return { file, place, device, bytes };
    });
    this.#database = database!;
    this.#log = log!;
    this.#descriptor = openSync(this.#log.file, "r");
  }

  /** Checks that the files are there, and have lost nothing since {@link Presence.note}. @throws StoreError `gone` */
  check(): void {
    for (const seen of [this.#database, this.#log]) hasAtLeast(seen, seen.bytes);
  }

  /**
   * Checks the files after what the store has done to them, and takes them as they are: from now on they only get longer.
   *
   * @param moves how often the store has moved its log into the database: that may leave it as short as it likes
   * @param wrote whether something has been written since the last time
   * @throws StoreError `gone`
   */
  note(moves: number, wrote: boolean): void {
    const [database, log] = [sizeOf(this.#database), sizeOf(this.#log)];
    if (moves === this.#moves) {
      // SQLite cuts a log that begins again to its limit.
      const kept = Math.min(this.#log.bytes, LOG_LIMIT_BYTES);
      hasAtLeast(this.#log, Math.max(kept, wrote ? 1 : 0), log);
      hasAtLeast(this.#database, this.#database.bytes, database);
      if (wrote) this.#holdsFrames(kept);
    }
    this.#moves = moves;
    this.#database.bytes = database;
    this.#log.bytes = log;
  }

  /** Checks the beginning of a log that has been written to, and that of the last frame in the first `bytes` of it. */
  #holdsFrames(bytes: number): void {
    for (const at of [0, lastFrame(bytes)]) {
      readSync(this.#descriptor, this.#begin, 0, this.#begin.length, at);
      if (this.#begin.every((byte) => byte === 0)) throw gone(this.#log, `to hold a frame at byte ${at}, found a hole`);
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }
}

function hasAtLeast(seen: Seen, bytes: number, found = sizeOf(seen)): void {
  if (found < bytes) throw gone(seen, `to have at least ${bytes} bytes, found ${found}`);
}

function sizeOf(seen: Seen): number {
  const found = statSync(seen.file, { throwIfNoEntry: false });
  if (found === undefined) throw gone(seen, "to be there, found none: it was removed under the server");
  if (found.ino === seen.place && found.dev === seen.device) return found.size;
  throw gone(seen, "to be the file that was opened, found another one: it was replaced under the server");
}

const gone = ({ file }: Seen, what: string): StoreError =>
  new StoreError("gone", `Expected ${file} ${what}; what was written last may be lost`);
