/**
 * The records of volumes and snapshots: a small JSON file beside the data of each, written whole or not at all.
 *
 * A volume exists when its record does. Its ID follows from its name, so a repeated request finds it without an index.
 * After a crash at any point the files are enough to continue. Data is renamed before it is removed.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open, readFile, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { KeyedLock } from "../../util/keyed-lock.ts";
import { codeOf } from "../../util/error.ts";

/** A topology: segments by their keys. */
export type Segments = Readonly<Record<string, string>>;

/** The source of a volume's content. */
export interface ContentSource {
  readonly kind: "snapshot" | "volume";
  readonly id: string;
}

/** The attachment of a volume to a node. */
export interface Attachment {
  readonly readOnly: boolean;
  readonly mode: number;
}

interface Recorded {
  readonly id: string;
  readonly name: string;
  /** Counts all volumes and snapshots that were ever created. */
  readonly sequence: number;
  /** A decimal number. */
  readonly bytes: string;
}

/** The record of a volume. */
export interface VolumeRecord extends Recorded {
  readonly block: boolean;
  readonly parameters: Readonly<Record<string, string>>;
  readonly mutable: Readonly<Record<string, string>>;
  readonly source?: ContentSource | undefined;
  readonly topology?: Segments | undefined;
  /** By the node's ID. */
  readonly attached: Readonly<Record<string, Attachment>>;
  /** Whether it belongs to one Pod and is deleted with it. */
  readonly ephemeral: boolean;
}

/** The record of a snapshot. */
export interface SnapshotRecord extends Recorded {
  readonly volume: string;
  /** Milliseconds since the epoch. */
  readonly created: number;
  readonly block: boolean;
}

/** The ID of a name; the prefix shows users what it is. */
export const idOf = (prefix: string, name: string): string => `${prefix}-${fileNameOf(name)}`;

/** A file name for any text. */
export const fileNameOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);

/** The IDs that are safe as the name of a directory. */
export const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

const RECORD = "record.json";
const GONE = ".gone-";

/** The records of one kind, each in a directory beside its data. */
export class Records<R extends Recorded> {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates the folder, and removes what a crash has left. */
  async open(): Promise<void> {
    // Volumes may show tokens of Pods, so others have no access.
    await mkdir(this.#folder, { recursive: true, mode: 0o750 });
    for (const name of await readdir(this.#folder)) {
      if (name.startsWith(GONE)) await rm(join(this.#folder, name), { recursive: true, force: true });
    }
  }

  /** The directory with the data of a volume or snapshot; it need not exist. */
  directory(id: string): string {
    if (!ID.test(id)) throw new RangeError(`expected an ID of this driver, got ${id}`);
    return join(this.#folder, id);
  }

  async get(id: string): Promise<R | undefined> {
    return ID.test(id) ? readJson<R>(join(this.#folder, id, RECORD)) : undefined;
  }

  /** All records, the oldest first. */
  async list(): Promise<R[]> {
    const names = (await readdir(this.#folder)).filter((name) => ID.test(name));
    const records: R[] = [];
    for (const name of names) {
      const record = await this.get(name);
      if (record) records.push(record);
    }
    return records.toSorted((a, b) => a.sequence - b.sequence);
  }

  /** A new and empty directory for data without a record. */
  async begin(id: string): Promise<string> {
    await this.remove(id);
    const directory = this.directory(id);
    await mkdir(directory, { mode: 0o755 });
    return directory;
  }

  /** Writes a record. The first time, the volume or snapshot exists from then on. */
  put(record: R): Promise<void> {
    return writeJson(join(this.directory(record.id), RECORD), record);
  }

  /** Removes a record with its data; does nothing where there is none. */
  async remove(id: string): Promise<void> {
    const gone = join(this.#folder, `${GONE}${id}`);
    await rm(gone, { recursive: true, force: true });
    await ifExists(rename(this.directory(id), gone));
    await rm(gone, { recursive: true, force: true });
  }
}

/** Counts in a file, so that numbers only grow, also after the newest volume was deleted. */
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

/** The result of a call of the file system; undefined where the file does not exist. */
export async function ifExists<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** The content of a JSON file; undefined where it does not exist. */
export async function readJson<T>(file: string): Promise<T | undefined> {
  const text = await ifExists(readFile(file, "utf8"));
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

/**
 * Writes a JSON file so that a reader, also one after a crash, sees the whole new file or the old one. Replaces symbolic
 * links.
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
