/**
 * Operations on the files of a store that no server has open: check, repair, restore, and saving a backup.
 *
 * @module
 */
import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { open, realpath, rename, rm } from "node:fs/promises";
import { once } from "node:events";
import { dirname, join, resolve } from "node:path";
import type { SavedBackup, StoreCheck, StoreFiles, UnreadRecord } from "../../cli/actions.ts";
import { CliError } from "../../cli/cli-error.ts";
import { type Dialect, dialectOf, neutral } from "../../meta/dialect.ts";
import type { Clock } from "../../util/clock.ts";
import { fileError } from "../../util/file-error.ts";
import { syncFolder } from "../../storage/sqlite/sync-folder.ts";
import { NO_PROGRESS, type Progress } from "../../util/progress.ts";
import { isSpecialFile } from "./special-file.ts";
import { DataDirectory } from "./data-directory.ts";
import type { Census } from "../encryption/encryption-census.ts";

/** The files of the identity of a data directory, which a repaired one keeps. */
const IDENTITY = ["keelson.json", "pki", "admin.token", "admin.kubeconfig"];

/** Returns the operations; each loads its modules when it is called. */
export function storeFiles(clock: Clock): StoreFiles {
  /** Runs an operation with the function that counts encrypted records, and with the keys of a file if one is given. */
  const withKeys = async <T>(
    keysFile: string | undefined,
    dialect: () => Dialect | undefined,
    work: (census: (store: string) => Promise<Census>) => Promise<T>,
  ): Promise<T> => {
    const { withCensus } = await import("../encryption/encryption-census.ts");
    if (keysFile === undefined) return withCensus(undefined, work);
    return withCensus({ file: resolve(keysFile), clock, dialect: () => dialect() ?? neutral }, work);
  };
  return {
    async check(directory, keysFile, progress) {
      const { checkStore } = await import("../../storage/sqlite/check.ts");
      const store = storeOf(directory);
      return withKeys(
        keysFile,
        () => dialectIn(directory),
        async (census) => {
          const report = await checkStore(store, progress);
          // The database cannot be read.
          if (report.format === undefined) return { ...report, encrypted: [] };
          progress?.begin("reading encrypted records");
          const { encrypted, unread } = await census(store);
          return { ...report, encrypted, findings: [...report.findings, ...unread.map(findingOf)] };
        },
      );
    },
    async repair(from, to, keysFile, progress) {
      const { repairStore } = await import("../../storage/sqlite/repair.ts");
      return withKeys(
        keysFile,
        () => dialectIn(from),
        async (census) => {
          const target = newDirectory(to);
          const report = repairStore(storeOf(from), target.makeStore(), progress);
          for (const name of IDENTITY) {
            if (existsSync(join(from, name))) cpSync(join(from, name), target.file(name), { recursive: true });
          }
          return { ...report, ...(await census(target.store)) };
        },
      );
    },
    async restore(file, to, keysFile, progress = NO_PROGRESS) {
      const { restoreStore } = await import("../../storage/sqlite/restore.ts");
      const target = new DataDirectory(resolve(to));
      return withKeys(
        keysFile,
        () => target.dialect,
        async (census) => {
          const source = file === "-" ? observed(process.stdin, undefined, progress) : await reading(file, progress);
          let known: Dialect | undefined;
          const { backup, revision } = await restoreStore(source, target.store, clock.now(), ({ dialect }) => {
            const found = dialectOf(dialect);
            if (!found) throw new CliError(`expected a backup of a known dialect, got ${JSON.stringify(dialect)}`);
            known = found;
            DataDirectory.open(target.path, found);
          });
          // Last, so that a failed restore leaves no data directory.
          if (known) target.claim(known);
          const found = await census(target.store);
          return { backupRevision: backup.revision, revision, records: backup.records, time: backup.time, ...found };
        },
      );
    },
    saveBackup: (pieces, file, progress = NO_PROGRESS) => {
      const seen = observed(pieces, undefined, progress, "saving the backup");
      return file === "-" ? toOutput(seen) : toFile(seen, file);
    },
  };
}

/** The dialect of a data directory; undefined for the directory of a store. */
const dialectIn = (directory: string): Dialect | undefined => new DataDirectory(resolve(directory)).dialect;

const findingOf = ({ key, revision, why }: UnreadRecord): StoreCheck["findings"][number] => ({
  what: "encryption",
  key,
  revision,
  message: `the record of ${key} at revision ${revision} cannot be decrypted: ${why}`,
});

/** Opens a file for reading; an error is thrown before anything is created. */
async function reading(file: string, progress: Progress): Promise<AsyncIterable<Uint8Array>> {
  const handle = await open(file).catch((error: unknown) => {
    throw fileError(file, "readable", error);
  });
  const { size } = await handle.stat();
  return observed(handle.createReadStream() as AsyncIterable<Uint8Array>, size, progress);
}

/** Passes pieces on, and reports their bytes. */
async function* observed(
  pieces: AsyncIterable<Uint8Array>,
  total: number | undefined,
  progress: Progress,
  what = "restoring",
): AsyncGenerator<Uint8Array> {
  progress.begin(what, "byte", total);
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    progress.at(bytes);
    yield piece;
  }
}

/** The store of a data directory, or the directory itself if it is a store. */
function storeOf(directory: string): string {
  const path = resolve(directory);
  const isStore = existsSync(join(path, "keelson.db")) || existsSync(join(path, "created"));
  const store = isStore ? path : new DataDirectory(path).store;
  if (existsSync(store)) return store;
  throw new CliError(`expected ${path} to be a data directory, found no store in it`);
}

/** Creates an empty data directory. */
function newDirectory(path: string): DataDirectory {
  if (existsSync(path) && readdirSync(path).length > 0) {
    throw new CliError(`expected ${path} to be empty or not to exist`);
  }
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return new DataDirectory(resolve(path));
}

/** Writes a backup to a pipe or a device. */
async function toSpecialFile(pieces: AsyncIterable<Uint8Array>, file: string): Promise<SavedBackup> {
  try {
    await using handle = await open(file, "w");
    return await verified(pieces, async (piece) => {
      await handle.writeFile(piece);
    });
  } catch (error) {
    throw "syscall" in (error as object) ? fileError(file, "writable", error) : error;
  }
}

/** Saves a backup; the file appears when the backup is complete and on disk. */
async function toFile(pieces: AsyncIterable<Uint8Array>, named: string): Promise<SavedBackup> {
  // A link stays, and what it names is replaced.
  const file = await realpath(named).catch(() => named);
  if (isSpecialFile(file)) return toSpecialFile(pieces, file);
  const temporary = `${file}.new`;
  const handle = await open(temporary, "w", 0o600).catch((error: unknown) => {
    throw fileError(temporary, "writable", error);
  });
  try {
    const saved = await verified(pieces, async (piece) => {
      await handle.writeFile(piece);
    });
    await handle.sync();
    await handle.close();
    await rename(temporary, file);
    syncFolder(dirname(resolve(file)));
    return saved;
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(temporary, { force: true });
    throw "syscall" in (error as object) ? fileError(file, "writable", error) : error;
  }
}

const toOutput = (pieces: AsyncIterable<Uint8Array>): Promise<SavedBackup> =>
  verified(pieces, async (piece) => {
    if (!process.stdout.write(piece)) await once(process.stdout, "drain");
  });

/** Writes every piece, and reads the backup at the same time to check that it is complete. */
async function verified(
  pieces: AsyncIterable<Uint8Array>,
  write: (piece: Uint8Array) => Promise<void>,
): Promise<SavedBackup> {
  const { readBackup } = await import("../../storage/backup/read.ts");
  let bytes = 0;
  const copied = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      bytes += piece.length;
      await write(piece);
      yield piece;
    }
  };
  const { revision, records } = await readBackup(copied(), { begin() {}, record() {} });
  return { revision, records, bytes };
}
