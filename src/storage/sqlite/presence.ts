/**
 * Notices that the files of an open store are not its files any more: removed, replaced or cut off under it. What is written
 * to them then is lost, although every call says that it is done.
 *
 * @module
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "../contract.ts";
import { DATABASE_FILE } from "./schema.ts";

interface Seen {
  readonly file: string;
  readonly place: number;
  readonly device: number;
  bytes: number;
}

/** See the head of this file. */
export class Presence {
  readonly #files: readonly Seen[];

  /** The database of `directory` is open, and its log is there. */
  constructor(directory: string) {
    this.#files = [DATABASE_FILE, `${DATABASE_FILE}-wal`].map((name) => {
      const file = join(directory, name);
      const { ino: place, dev: device, size: bytes } = statSync(file);
      return { file, place, device, bytes };
    });
  }

  /** Checks that the files are there, and have lost nothing since {@link Presence.note}. @throws StoreError `gone` */
  check(): void {
    for (const seen of this.#files) {
      const bytes = sizeOf(seen);
      if (bytes < seen.bytes) throw gone(seen, `to have at least ${seen.bytes} bytes, found ${bytes}`);
    }
  }

  /** Checks that the files are there; they are as we have left them, and only get longer from now on. @throws StoreError `gone` */
  note(): void {
    for (const seen of this.#files) seen.bytes = sizeOf(seen);
  }
}

function sizeOf(seen: Seen): number {
  const found = statSync(seen.file, { throwIfNoEntry: false });
  if (found === undefined) throw gone(seen, "to be there, found none: it was removed under the server");
  if (found.ino === seen.place && found.dev === seen.device) return found.size;
  throw gone(seen, "to be the file that was opened, found another one: it was replaced under the server");
}

const gone = ({ file }: Seen, what: string): StoreError =>
  new StoreError("gone", `Expected ${file} ${what}; what was written last may be lost`);
