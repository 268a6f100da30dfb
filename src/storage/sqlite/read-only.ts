/**
 * A read-only store: the records of a directory, also on a disk that cannot be written.
 *
 * The files are read once, without SQLite, which would write beside the database; a store that was not closed in order can be
 * read, too (see survey.ts). The lock is shared with other readers and excludes writers. A damaged store is refused as when it
 * is opened for writes.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { StoreError, type Store, type StoredRecord, type Write } from "../contract.ts";
import { namesOf } from "../keys.ts";
import { damagedStore } from "./damaged-store.ts";
import { type DirectoryLock, shareDirectory } from "./lock.ts";
import { readMark } from "./mark.ts";
import { checkMark } from "./open.ts";
import { DATABASE_FILE, checkHeader } from "./schema.ts";
import { type Survey, currentRows, withSurvey } from "./survey.ts";
import { scanWal } from "./wal.ts";

/**
 * Opens the store in `directory` for reads, without its history. Every write fails with `readOnly`.
 *
 * @param hold creates the store in memory
 * @throws StoreError `failed` when there is no store, `inUse` when a server writes to it, `corrupt` when it is damaged
 */
export async function openReadOnlyStore(directory: string, hold: (found: Found) => Promise<Store>): Promise<Store> {
  const lock = shareDirectory(directory);
  try {
    return new ReadOnlyStore(await hold(readAll(directory)), directory, lock);
  } catch (error) {
    lock.release();
    if (error instanceof StoreError && error.code === "corrupt") throw damagedStore(directory, error.message, error);
    throw error;
  }
}

/** The content of a directory. */
interface Found {
  readonly records: StoredRecord[];
  readonly revision: number;
}

function readAll(directory: string): Found {
  const file = join(directory, DATABASE_FILE);
  if (!existsSync(file)) throw new StoreError("failed", `Expected a store in ${directory}, found no ${DATABASE_FILE}`);
  checkHeader(file);
  const wal = scanWal(`${file}-wal`);
  if (wal?.damage !== undefined) throw new StoreError("corrupt", `Expected ${file}-wal to be whole: ${wal.damage}`);
  return withSurvey(file, wal, (survey) => currentIn(directory, survey));
}

function currentIn(directory: string, survey: Survey): Found {
  const { rows, lost } = currentRows(survey);
  const { counters, liveIsWhole } = survey;
  if (counters === undefined || !liveIsWhole) {
    throw new StoreError("corrupt", `Expected the index of the store in ${directory} to be whole, found it damaged`);
  }
  const [first] = lost;
  if (first) {
    const message = `The record of ${first.key} at revision ${first.revision} is damaged: its checksum does not fit`;
    throw new StoreError("corrupt", message, { key: first.key });
  }
  checkMark(directory, readMark(directory), counters.revision);
  const records = rows.map((row) => ({ key: row.key, revision: row.revision, value: survey.value(row) }));
  return { records, revision: counters.revision };
}

/** A store in memory that refuses writes. */
class ReadOnlyStore implements Store {
  readonly #store: Store;
  readonly #directory: string;
  readonly #lock: DirectoryLock;

  constructor(store: Store, directory: string, lock: DirectoryLock) {
    this.#store = store;
    this.#directory = directory;
    this.#lock = lock;
  }

  get revision(): number {
    return this.#store.revision;
  }

  get failed(): Promise<StoreError> {
    return this.#store.failed;
  }

  write: Store["write"] = (write) => this.#refuse([write]);
  transact: Store["transact"] = async (writes) => (writes.length === 0 ? [] : this.#refuse(writes));
  get: Store["get"] = (...args) => this.#store.get(...args);
  range: Store["range"] = (...args) => this.#store.range(...args);
  watch: Store["watch"] = (...args) => this.#store.watch(...args);
  compact: Store["compact"] = (...args) => this.#store.compact(...args);
  currentRevision: Store["currentRevision"] = () => this.#store.currentRevision();
  stats: Store["stats"] = () => this.#store.stats();
  history: NonNullable<Store["history"]> = (...args) => this.#store.history!(...args);
  pin: NonNullable<Store["pin"]> = () => this.#store.pin!();

  async close(): Promise<void> {
    await this.#store.close();
    this.#lock.release();
  }

  async #refuse(writes: readonly Write[]): Promise<never> {
    const message = `Expected no write, got one of ${namesOf(writes)}: ${this.#directory} is only read`;
    throw new StoreError("readOnly", message);
  }
}
