/**
 * Detects that the files of an open store were removed, replaced or truncated. Writes to them would be lost although every call
 * succeeds.
 *
 * A log that is truncated between writes may soon be as long as before, with a hole in place of frames. So the beginning of its
 * last frame is checked, too: no frame begins with zeros.
 *
 * @module
 */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "../contract.ts";
import { DATABASE_FILE, LOG_LIMIT_BYTES } from "./schema.ts";
import { lastFrame } from "./wal.ts";

interface FileState {
  readonly file: string;
  readonly inode: number;
  readonly device: number;
  bytes: number;
}

/** See the head of this file. */
export class Presence implements Disposable {
  readonly #database: FileState;
  readonly #log: FileState;
  readonly #descriptor: number;
  readonly #begin = Buffer.alloc(16);
  #checkpoints = 0;

  /** Requires an open database in `directory`, with its log. */
  constructor(directory: string) {
    const [database, log] = [DATABASE_FILE, `${DATABASE_FILE}-wal`].map((name) => {
      const file = join(directory, name);
      const { ino: inode, dev: device, size: bytes } = statSync(file);
      return { file, inode, device, bytes };
    });
    this.#database = database!;
    this.#log = log!;
    this.#descriptor = openSync(this.#log.file, "r");
  }

  /** Checks that the files exist and have lost nothing since {@link Presence.note}. @throws StoreError `gone` */
  check(): void {
    for (const state of [this.#database, this.#log]) hasAtLeast(state, state.bytes);
  }

  /**
   * Checks the files after the store has changed them, and records their sizes: from now on they may only grow.
   *
   * @param checkpoints the number of checkpoints so far: a checkpoint may truncate the log
   * @param wrote whether the store has written since the last call
   * @throws StoreError `gone`
   */
  note(checkpoints: number, wrote: boolean): void {
    const [database, log] = [sizeOf(this.#database), sizeOf(this.#log)];
    if (checkpoints === this.#checkpoints) {
      // SQLite truncates a log that starts again to its limit.
      const kept = Math.min(this.#log.bytes, LOG_LIMIT_BYTES);
      hasAtLeast(this.#log, Math.max(kept, wrote ? 1 : 0), log);
      hasAtLeast(this.#database, this.#database.bytes, database);
      if (wrote) this.#holdsFrames(kept);
    }
    this.#checkpoints = checkpoints;
    this.#database.bytes = database;
    this.#log.bytes = log;
  }

  /** Checks the beginning of a written log, and that of the last frame within its first `bytes`. */
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

function hasAtLeast(state: FileState, bytes: number, found = sizeOf(state)): void {
  if (found < bytes) throw gone(state, `to have at least ${bytes} bytes, found ${found}`);
}

function sizeOf(state: FileState): number {
  const found = statSync(state.file, { throwIfNoEntry: false });
  if (found === undefined) throw gone(state, "to be there, found none: it was removed under the server");
  if (found.ino === state.inode && found.dev === state.device) return found.size;
  throw gone(state, "to be the file that was opened, found another one: it was replaced under the server");
}

const gone = ({ file }: FileState, what: string): StoreError =>
  new StoreError("gone", `Expected ${file} ${what}; what was written last may be lost`);
