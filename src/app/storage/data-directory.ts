/**
 * The data directory: its files, their permissions, and its dialect.
 *
 *     admin.kubeconfig  works with kubectl as it is (0600)
 *     admin.token       the admin's bearer token (0600)
 *     keelson.json      dialect and format of this directory
 *     server.json       the server that runs on it: pid, addresses, version
 *     pki/              certificates and keys (0600)
 *     users.json        users of `keelson user`, with digests of their tokens (0600)
 *     store/            the embedded store
 *
 * @module
 */
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Dialect, dialectOf } from "../../meta/dialect.ts";
import { OptionError, type ServeOptions } from "../options/options.ts";
import { fileError } from "../../util/file-error.ts";
import type { PkiFiles } from "../../pki/index.ts";
import { cutText } from "../../util/cut-text.ts";
import { codeOf } from "../../util/error.ts";
import { readTextFile } from "../../util/read-text-file.ts";
import { isSpecialFile } from "./special-file.ts";

/** The content of `server.json`, which exists while a server runs. */
export interface RunningServerInfo {
  readonly pid: number;
  readonly version: string;
  readonly addresses: readonly string[];
  readonly dialect: Dialect["name"];
  readonly started: string;
}

/** No file of the directory that is read whole is longer. */
const MAX_FILE_BYTES = 64 << 20;

/** The newest format of a data directory. */
export const DIRECTORY_FORMAT = 1;

/** The content of `keelson.json`. */
interface Description {
  readonly format: number;
  readonly dialect: string;
}

/** A data directory; only a process that has {@link DataDirectory.claim}ed it writes its identity. */
export class DataDirectory {
  readonly path: string;
  /** Certificates and keys that are not saved yet. */
  readonly #unsaved = new Map<string, string>();

  readonly #readOnly: boolean;

  constructor(path: string, readOnly = false) {
    this.path = path;
    this.#readOnly = readOnly;
  }

  /**
   * Opens a directory: creates it if it does not exist, and checks its format and, if given, its dialect. A read-only directory must
   * exist, and nothing is written to it.
   */
  static open(path: string, dialect?: Dialect, readOnly = false): DataDirectory {
    const directory = new DataDirectory(path, readOnly);
    if (!readOnly) makeDirectory(path, 0o700);
    if (!directory.#check(dialect) && readOnly) {
      throw new OptionError(`expected ${path} to be a data directory, found no keelson.json there`);
    }
    return directory;
  }

  /** Whether a start with these options creates the directory. */
  static isCreatedBy({ dev, dataDir }: Pick<ServeOptions, "dev" | "dataDir">): boolean {
    return !dev && new DataDirectory(dataDir).describe() === undefined;
  }

  /**
   * Writes `keelson.json`. The caller must have the lock on the directory: of two processes that start at the same time only one may
   * write its dialect and, with {@link DataDirectory.save}, its certificates.
   */
  claim(dialect: Dialect): void {
    if (!this.#check(dialect)) {
      this.#writeText(
        "keelson.json",
        `${JSON.stringify({ format: DIRECTORY_FORMAT, dialect: dialect.name })}\n`,
        0o600,
        true,
      );
    }
  }

  /** Saves the certificates and keys, all at the same time. */
  async save(): Promise<void> {
    if (this.#readOnly) return;
    const files = [...this.#unsaved];
    if (files.length > 0) mkdirSync(this.file("pki"), { recursive: true, mode: 0o700 });
    await Promise.all(files.map(([name, text]) => this.#saveSecret(name, text)));
    for (const [name, text] of files) if (this.#unsaved.get(name) === text) this.#unsaved.delete(name);
  }

  async #saveSecret(name: string, text: string): Promise<void> {
    const file = this.file(name);
    const next = `${file}.new`;
    try {
      await writeFile(next, text, { mode: 0o600, flush: true });
      chmodSync(next, 0o600);
      this.own(next);
      renameSync(next, file);
    } catch (error) {
      rmSync(next, { force: true });
      throw fileError(file, "writable", error);
    }
  }

  /** Gives a file the owner of the directory: root may have written it for a server that runs as another user. */
  own(file: string): void {
    if (process.getuid?.() !== 0) return;
    const { uid, gid } = statSync(this.path);
    chownSync(file, uid, gid);
  }

  /** Reads dialect and format of the directory; undefined if it is new. */
  describe(): Description | undefined {
    const text = this.read("keelson.json");
    if (text === undefined) return undefined;
    const found = asJson(text) as Partial<Description> | undefined;
    if (typeof found?.format !== "number" || typeof found.dialect !== "string") {
      throw new OptionError(
        `expected ${this.file("keelson.json")} to name format and dialect, got ${cutText(text.trim(), 200)}`,
      );
    }
    return { format: found.format, dialect: found.dialect };
  }

  /** Whether the directory has a `keelson.json`; throws for another dialect or a newer format. */
  #check(dialect: Dialect | undefined): boolean {
    const known = this.describe();
    if (!known) return false;
    const { path } = this;
    if (known.format > DIRECTORY_FORMAT) {
      throw new OptionError(
        `expected ${path} to have format ${DIRECTORY_FORMAT} or older, got ${known.format}: use a newer keelson`,
      );
    }
    if (!dialectOf(known.dialect))
      throw new OptionError(`expected ${path} to be of a known dialect, got ${known.dialect}`);
    if (dialect && known.dialect !== dialect.name) {
      throw new OptionError(
        `expected --dialect ${known.dialect}, with which ${path} was made, got ${dialect.name}; use another --data-dir for the other dialect`,
      );
    }
    return true;
  }

  /** The dialect of the directory; undefined if it is new. */
  get dialect(): Dialect | undefined {
    const known = this.describe();
    return known && dialectOf(known.dialect);
  }

  /** The directory of the embedded store. */
  get store(): string {
    return join(this.path, "store");
  }

  /** Creates the directory of the store and returns it. */
  makeStore(): string {
    makeDirectory(this.store, 0o700);
    return this.store;
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** Certificates and keys, written with {@link DataDirectory.save}; the admin token is in the top directory. */
  get pki(): PkiFiles {
    const path = (name: string): string => (name === "admin.token" ? name : join("pki", name));
    return {
      read: (name) => this.#unsaved.get(path(name)) ?? this.read(path(name)),
      write: (name, text) => void this.#unsaved.set(path(name), text),
    };
  }

  /** The files of certificates and keys that are checked for changes. */
  get pkiFiles(): readonly string[] {
    const pairs = ["ca", "server", "admin"].flatMap((name) => [`${name}.crt`, `${name}.key`]);
    return [...pairs, "token.key", "token-former.pem"].map((name) => this.file(join("pki", name)));
  }

  /** Reads the text of a file; undefined if it does not exist. @throws Error if that cannot be known, as in a folder of another user */
  read(name: string): string | undefined {
    const file = this.file(name);
    try {
      return readTextFile(file, MAX_FILE_BYTES);
    } catch (error) {
      if (["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) return undefined;
      throw fileError(file, "readable", error);
    }
  }

  /**
   * Writes the kubeconfig unless the file has this text already; returns its path, or undefined if it cannot be written for lack of
   * disk space, or because the directory is read-only.
   */
  writeKubeconfig(text: string): string | undefined {
    const isWritten = this.read("admin.kubeconfig") === text || this.#writeOptional("admin.kubeconfig", text, 0o600);
    return isWritten ? this.file("admin.kubeconfig") : undefined;
  }

  /** Reads `server.json`; the server may have died. */
  running(): RunningServerInfo | undefined {
    const found = asJson(this.read("server.json") ?? "") as Partial<RunningServerInfo> | undefined;
    return found && Number.isSafeInteger(found.pid) ? (found as RunningServerInfo) : undefined;
  }

  /** Writes `server.json`; a full disk is not an error. */
  writeRunning(info: RunningServerInfo): void {
    this.#writeOptional("server.json", `${JSON.stringify(info, undefined, 2)}\n`, 0o644);
  }

  clearRunning(): void {
    if (!this.#readOnly) rmSync(this.file("server.json"), { force: true });
  }

  /** Writes a file that a server does not need; on a full disk over the old one. Returns whether it was written. */
  #writeOptional(name: string, text: string, mode: number): boolean {
    if (this.#readOnly) return false;
    const file = this.file(name);
    if (hasSpace(() => this.#writeText(name, text, mode))) return true;
    return existsSync(file) && hasSpace(() => writeOver(file, text, mode));
  }

  #writeText(name: string, text: string, mode: number, flush = false): void {
    replaceFile(this.file(name), text, { mode, flush, prepare: (file) => this.own(file) });
  }
}

interface FileWriting {
  readonly mode: number;
  /** Whether the file is flushed before it is renamed. */
  readonly flush?: boolean;
  /** Called with the new file before it is renamed. */
  readonly prepare?: (file: string) => void;
}

/** Replaces a file atomically: a reader sees the old or the new content, with `flush` also after a crash. */
export function replaceFile(file: string, text: string, { mode, flush = false, prepare }: FileWriting): void {
  const next = `${file}.new`;
  try {
    const handle = openSync(next, "w", mode);
    try {
      writeFileSync(handle, text);
      if (flush) fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    chmodSync(next, mode);
    prepare?.(next);
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw fileError(file, "writable", error);
  }
}

/** Writes a file that a user has named: replaces it, or writes to the pipe or the device there, such as `/dev/stdout`. */
export function writeNamedFile(file: string, text: string, mode: number): void {
  if (!isSpecialFile(file)) return replaceFile(file, text, { mode });
  try {
    // With O_NONBLOCK the open of a pipe without a reader fails at once.
    const handle = openSync(file, constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      writeFileSync(handle, text);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw fileError(file, "writable", error);
  }
}

/** Overwrites a file, whose space is all that a full disk has. A reader at the same time or after a crash may see a part. */
function writeOver(file: string, text: string, mode: number): void {
  const handle = openSync(file, "r+");
  try {
    fchmodSync(handle, mode);
    writeFileSync(handle, text);
    ftruncateSync(handle, Buffer.byteLength(text));
  } finally {
    closeSync(handle);
  }
}

/** Whether `work` found space on the disk. */
function hasSpace(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (codeOf(error) !== "ENOSPC") throw error;
    return false;
  }
}

/** Creates a directory with its parents. @throws Error if it is not writable */
export function makeDirectory(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, { recursive: true, mode });
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw fileError(path, "a directory that can be written to", error);
  }
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
