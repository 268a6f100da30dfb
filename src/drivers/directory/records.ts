/**
 * What is kept of volumes and snapshots: a small JSON file beside the data of each, written whole or not at all.
 *
 * A volume is there when its record is. Its ID follows from its name, so asking twice for one finds it without an index,
 * and a driver that was killed at any point goes on from the files. What is taken away is first renamed, then removed.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open, readFile, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { KeyedLock } from "../../util/keyed-lock.ts";

/** A place from which a volume is reached: segments of a topology by their keys. */
export type Segments = Readonly<Record<string, string>>;

/** What a volume was made of. */
export interface ContentSource {
  readonly kind: "snapshot" | "volume";
  readonly id: string;
}

/** A node that a volume is attached to. */
export interface Attachment {
  readonly readOnly: boolean;
  readonly mode: number;
}

interface Recorded {
  readonly id: string;
  readonly name: string;
  /** Counts up over everything that was ever made. */
  readonly sequence: number;
  /** A decimal number. */
  readonly bytes: string;
}

/** What is kept of a volume. */
export interface VolumeRecord extends Recorded {
  readonly block: boolean;
  readonly parameters: Readonly<Record<string, string>>;
  readonly mutable: Readonly<Record<string, string>>;
  readonly source?: ContentSource | undefined;
  readonly topology?: Segments | undefined;
  /** By the ID of the node. */
  readonly attached: Readonly<Record<string, Attachment>>;
  /** It belongs to one Pod and goes with it. */
  readonly ephemeral: boolean;
}

/** What is kept of a snapshot. */
export interface SnapshotRecord extends Recorded {
  readonly volume: string;
  /** Milliseconds since the epoch. */
  readonly created: number;
  readonly block: boolean;
}

/** The ID that a name leads to; the prefix tells people what it is. */
export const idOf = (prefix: string, name: string): string =>
  `${prefix}-${createHash("sha256").update(name).digest("hex").slice(0, 32)}`;

/** A name of a file for any text. */
export const fileNameOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);

/** An ID that is a name of a directory of ours, and leads nowhere else. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

const RECORD = "record.json";
const GONE = ".gone-";

/** The records of one kind, each in a directory of its own beside its data. */
export class Records<R extends Recorded> {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes the folder, and removes what somebody who was killed has not removed. */
  async open(): Promise<void> {
    // Volumes may show tokens of Pods: who is let in is a matter of mounts.
    await mkdir(this.#folder, { recursive: true, mode: 0o750 });
    for (const name of await readdir(this.#folder)) {
      if (name.startsWith(GONE)) await rm(join(this.#folder, name), { recursive: true, force: true });
    }
  }

  /** The directory with the data of one; it need not be there. */
  place(id: string): string {
    if (!ID.test(id)) throw new RangeError(`expected an ID of this driver, got ${id}`);
    return join(this.#folder, id);
  }

  async get(id: string): Promise<R | undefined> {
    return ID.test(id) ? readJson<R>(join(this.#folder, id, RECORD)) : undefined;
  }

  /** All, in the order in which they were made. */
  async list(): Promise<R[]> {
    const names = (await readdir(this.#folder)).filter((name) => ID.test(name));
    const records: R[] = [];
    for (const name of names) {
      const record = await this.get(name);
      if (record) records.push(record);
    }
    return records.toSorted((a, b) => a.sequence - b.sequence);
  }

  /** A directory for data without a record: new and empty, whatever was left there by somebody who was killed. */
  async begin(id: string): Promise<string> {
    await this.remove(id);
    const place = this.place(id);
    await mkdir(place, { mode: 0o755 });
    return place;
  }

  /** Writes a record: from now on it is there, or has changed. */
  put(record: R): Promise<void> {
    return writeJson(join(this.place(record.id), RECORD), record);
  }

  /** Removes one with its data; done again harmlessly. */
  async remove(id: string): Promise<void> {
    const gone = join(this.#folder, `${GONE}${id}`);
    await rm(gone, { recursive: true, force: true });
    try {
      await rename(this.place(id), gone);
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
    await rm(gone, { recursive: true, force: true });
  }
}

/** Counts up in a file, so that what was made later has a higher number, also after what was made last has gone. */
export class Sequence {
  readonly #file: string;
  readonly #lock = new KeyedLock();

  constructor(file: string) {
    this.#file = file;
  }

  next(): Promise<number> {
    return this.#lock.run("", async () => {
      const { last } = (await readJson<{ last: number }>(this.#file)) ?? { last: 0 };
      await writeJson(this.#file, { last: last + 1 });
      return last + 1;
    });
  }
}

/** Whether an error says that there is no such file. */
export const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

/** What a file holds, if it is there. */
export async function readJson<T>(file: string): Promise<T | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  return JSON.parse(text) as T;
}

/**
 * Writes a file such that readers and whoever comes after a crash see all of it or the old one. Links that somebody has put
 * there are replaced, not followed.
 */
export async function writeJson(file: string, value: object, mode = 0o600): Promise<void> {
  const temporary = `${file}.tmp`;
  await rm(temporary, { force: true });
  await withFile(temporary, "wx", async (handle) => {
    await handle.chmod(mode);
    await handle.writeFile(`${JSON.stringify(value)}\n`);
    await handle.sync();
  });
  await rename(temporary, file);
  await withFile(dirname(file), "r", (folder) => folder.sync());
}

async function withFile(path: string, flags: string, work: (file: FileHandle) => Promise<void>): Promise<void> {
  await using file = await open(path, flags, 0o600);
  await work(file);
}
