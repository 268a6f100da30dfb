/**
 * A store of which nothing is written: what lies in a directory, whole, also on a disk that takes no writes.
 *
 * It is read once, without SQLite, which would want to write beside the database: pages and log as they are, so also what
 * a process has left that did not end in order (see survey.ts). A lock that is there is shared with other readers, and
 * keeps away, and is refused by, whoever would write. What cannot be trusted is refused as by a store that is opened.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { StoreError, type Store, type StoredRecord, type Write } from "../contract.ts";
import { namesOf } from "../keys.ts";
import { damagedStore } from "./advice.ts";
import { type DirectoryLock, shareDirectory } from "./lock.ts";
import { readMark } from "./mark.ts";
import { checkMark } from "./open.ts";
import { DATABASE_FILE, checkHeader } from "./schema.ts";
import { type Survey, presentOf, withSurvey } from "./survey.ts";
import { scanWal } from "./wal.ts";

/**
 * Opens the store in `directory` to be read; it has the present, and no history. Every write of it fails with `readOnly`.
 *
 * @param hold keeps in memory what was found
 * @throws StoreError `failed` when there is none, `inUse` when a server writes to it, `corrupt` when it is damaged
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

/** What a directory holds. */
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
  return withSurvey(file, wal, (survey) => presentIn(directory, survey));
}

function presentIn(directory: string, survey: Survey): Found {
  const { rows, lost } = presentOf(survey);
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

/** A store in memory that takes no writes. */
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
