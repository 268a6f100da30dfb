/**
 * The data directory: what lies where, who may read it, and which dialect it was made for.
 *
 *     admin.kubeconfig  works with kubectl as it is (0600)
 *     admin.token       the admin's bearer token (0600)
 *     keelson.json      dialect and format of this directory
 *     server.json       the server that runs on it: pid, addresses, version
 *     pki/              certificates and keys (0600)
 *     users.json        users that were made by hand, with digests of their tokens (0600)
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
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Dialect, dialectOf } from "../../meta/dialect.ts";
import { OptionError } from "../options/options.ts";
import { fileError } from "../../util/file-error.ts";
import type { PkiFiles } from "../../pki/index.ts";

/** What `server.json` says while a server runs. */
export interface RunningServerInfo {
  readonly pid: number;
  readonly version: string;
  readonly addresses: readonly string[];
  readonly dialect: Dialect["name"];
  readonly started: string;
}

const FORMAT = 1;

/** What is known of a directory from its `keelson.json`. */
interface Description {
  readonly format: number;
  readonly dialect: string;
}

/** A data directory. Whoever has not {@link DataDirectory.claim}ed it only reads. */
export class DataDirectory {
  readonly path: string;
  /** Certificates and keys that are not on disk yet. */
  readonly #held = new Map<string, string>();

  readonly #readOnly: boolean;

  constructor(path: string, readOnly = false) {
    this.path = path;
    this.#readOnly = readOnly;
  }

  /**
   * Makes the directory when it is not there, and checks that it is of a format we know, and of this dialect where one is
   * asked for. One that is only read must be there, and nothing is ever written to it.
   */
  static open(path: string, dialect?: Dialect, readOnly = false): DataDirectory {
    const directory = new DataDirectory(path, readOnly);
    if (!readOnly) makeDirectory(path);
    if (!directory.#check(dialect) && readOnly) {
      throw new OptionError(`expected ${path} to be a data directory, found no keelson.json there`);
    }
    return directory;
  }

  /**
   * Writes what the directory is, now that the caller has the lock on it: of two processes that start at the same moment
   * only the one that stays may leave its dialect and, with {@link DataDirectory.save}, its certificates.
   */
  claim(dialect: Dialect): void {
    if (!this.#check(dialect)) {
      this.#writeText("keelson.json", `${JSON.stringify({ format: FORMAT, dialect: dialect.name })}\n`, 0o600, true);
    }
  }

  /**
   * Writes the certificates and keys that are held back, all at once: each waits for the disk, and they wait together.
   */
  async save(): Promise<void> {
    if (this.#readOnly) return;
    const held = [...this.#held];
    if (held.length > 0) mkdirSync(this.file("pki"), { recursive: true, mode: 0o700 });
    await Promise.all(held.map(([name, text]) => this.#saveSecret(name, text)));
    for (const [name, text] of held) if (this.#held.get(name) === text) this.#held.delete(name);
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

  /** Gives a file to whom the directory belongs: root may have written it for a server that runs as somebody else. */
  own(file: string): void {
    if (process.getuid?.() !== 0) return;
    const { uid, gid } = statSync(this.path);
    chownSync(file, uid, gid);
  }

  /** Dialect and format of the directory; undefined when it is new. */
  describe(): Description | undefined {
    const text = this.read("keelson.json");
    if (text === undefined) return undefined;
    const found = asJson(text) as Partial<Description> | undefined;
    if (typeof found?.format !== "number" || typeof found.dialect !== "string") {
      throw new OptionError(`expected ${this.file("keelson.json")} to name format and dialect, got ${text.trim()}`);
    }
    return { format: found.format, dialect: found.dialect };
  }

  /** Whether the directory is there already; throws when it is of another dialect or of a newer format. */
  #check(dialect: Dialect | undefined): boolean {
    const known = this.describe();
    if (!known) return false;
    const { path } = this;
    if (known.format > FORMAT) {
      throw new OptionError(
        `expected ${path} to have format ${FORMAT} or older, got ${known.format}: use a newer keelson`,
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

  /** The dialect that the directory was made for; undefined when it is new. */
  get dialect(): Dialect | undefined {
    const known = this.describe();
    return known && dialectOf(known.dialect);
  }

  /** The directory of the embedded store. */
  get store(): string {
    return join(this.path, "store");
  }

  /** Makes the directory of the store and returns it. */
  makeStore(): string {
    makeDirectory(this.store);
    return this.store;
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /**
   * Certificates and keys, held back until {@link DataDirectory.save}; the admin token lies at the top, where people look
   * for it.
   */
  get pki(): PkiFiles {
    const place = (name: string): string => (name === "admin.token" ? name : join("pki", name));
    return {
      read: (name) => this.#held.get(place(name)) ?? this.read(place(name)),
      write: (name, text) => void this.#held.set(place(name), text),
    };
  }

  /** The files of certificates and keys that are looked at for changes. */
  get pkiFiles(): readonly string[] {
    const pairs = ["ca", "server", "admin"].flatMap((name) => [`${name}.crt`, `${name}.key`]);
    return [...pairs, "token.key", "token-former.pem"].map((name) => this.file(join("pki", name)));
  }

  /** The text of a file, undefined when there is none. */
  read(name: string): string | undefined {
    const file = this.file(name);
    try {
      return existsSync(file) ? readFileSync(file, "utf8") : undefined;
    } catch (error) {
      throw fileError(file, "readable", error);
    }
  }

  /**
   * Writes the kubeconfig unless the file has this text already, and answers where it is; undefined where nothing is written,
   * and where there is no room for it.
   */
  writeKubeconfig(text: string): string | undefined {
    const isThere = this.read("admin.kubeconfig") === text || this.#note("admin.kubeconfig", text, 0o600);
    return isThere ? this.file("admin.kubeconfig") : undefined;
  }

  /** What runs on this directory, as far as `server.json` knows. */
  running(): RunningServerInfo | undefined {
    const found = asJson(this.read("server.json") ?? "") as Partial<RunningServerInfo> | undefined;
    return found && Number.isSafeInteger(found.pid) ? (found as RunningServerInfo) : undefined;
  }

  /** Leaves a note of the server that runs here; without room for it the server runs all the same. */
  writeRunning(info: RunningServerInfo): void {
    this.#note("server.json", `${JSON.stringify(info, undefined, 2)}\n`, 0o644);
  }

  clearRunning(): void {
    if (!this.#readOnly) rmSync(this.file("server.json"), { force: true });
  }

  /** Writes what a server can do without, on a full disk where the old one lies; whether it is there now. */
  #note(name: string, text: string, mode: number): boolean {
    if (this.#readOnly) return false;
    const file = this.file(name);
    if (hasRoom(() => this.#writeText(name, text, mode))) return true;
    return existsSync(file) && hasRoom(() => writeOver(file, text, mode));
  }

  #writeText(name: string, text: string, mode: number, flush = false): void {
    replaceFile(this.file(name), text, { mode, flush, place: (file) => this.own(file) });
  }
}

/** How a file is written. */
interface FileWriting {
  readonly mode: number;
  /** Whether it is on disk before anybody sees it. */
  readonly flush?: boolean;
  /** Is told the new file before it takes its place. */
  readonly place?: (file: string) => void;
}

/** Writes a file in one step: a reader sees the old one or the new one; with `flush` so does who comes after a crash. */
export function replaceFile(file: string, text: string, { mode, flush = false, place }: FileWriting): void {
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
    place?.(next);
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw fileError(file, "writable", error);
  }
}

/** Writes where a file lies, whose room is all that a full disk has. Who reads meanwhile, or after a crash, may see a part. */
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

/** Whether `work` found room on the disk. */
function hasRoom(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    return false;
  }
}

/** Makes a directory with those above it. @throws Error in the house's form */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
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
