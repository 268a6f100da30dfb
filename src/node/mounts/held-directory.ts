/**
 * A directory that is open, so that work in it happens there, whatever directories are moved or links are swapped
 * meanwhile.
 *
 * Node has no calls with a directory and a name (openat(2)); on Linux `/proc/self/fd/N/NAME` is equivalent. Other systems
 * use the path, without this protection.
 *
 * @module
 */
import { type BigIntStats, constants, readFileSync } from "node:fs";
import { type FileHandle, lstat, open, opendir } from "node:fs/promises";
import { codeOf } from "../../util/error.ts";

/** open(2) of a location only: needs no permission, does not touch a device. Node has no name for it. */
const O_PATH = 0o10000000;

const isLinux = process.platform === "linux";
/** Opens a directory; a link is an error (ELOOP or ENOTDIR). */
const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Opens the location of anything, also of a link itself. */
const LOCATION = constants.O_NOFOLLOW | (isLinux ? O_PATH : constants.O_NONBLOCK);

/** A name of a file, which need not be UTF-8. */
export type Name = Buffer;

/** See the head of this file. */
export class HeldDirectory {
  readonly #handle: FileHandle;
  readonly #path: Buffer;
  /** The path when it was opened, for messages. */
  readonly shown: string;

  private constructor(handle: FileHandle, path: Buffer, shown: string) {
    this.#handle = handle;
    this.#path = isLinux ? Buffer.from(`/proc/self/fd/${handle.fd}`) : path;
    this.shown = shown;
  }

  /** Opens a directory. Follows links in the path, but not in its last part. */
  static async open(path: string): Promise<HeldDirectory> {
    return new HeldDirectory(await open(path, DIRECTORY), Buffer.from(path), path);
  }

  /** Opens a directory in this one. */
  async directory(name: Name): Promise<HeldDirectory> {
    const path = this.at(name);
    return new HeldDirectory(await open(path, DIRECTORY), path, `${this.shown}/${shownName(name)}`);
  }

  /** Opens the location of an entry without following or reading it. The caller closes it. */
  async location(name: Name): Promise<Location> {
    const handle = await open(this.at(name), LOCATION);
    return { handle, path: isLinux ? Buffer.from(`/proc/self/fd/${handle.fd}`) : this.at(name) };
  }

  /** A path that leads to this directory also after it was moved. */
  get path(): string {
    return this.#path.toString();
  }

  /** A path that leads to an entry. */
  at(name: Name): Buffer {
    return Buffer.concat([this.#path, SLASH, name]);
  }

  /** All entries, in chunks. A caller that removes them may read again until none is left. */
  async *entries(): AsyncGenerator<Entry> {
    // The path ends with `.`, since the last part of a path is not followed.
    const entries = await opendir(Buffer.concat([this.#path, Buffer.from("/.")]), {
      encoding: "buffer" as BufferEncoding,
      bufferSize: 128,
    });
    for await (const entry of entries) {
      yield { name: entry.name as unknown as Name, isDirectory: entry.isDirectory(), isLink: entry.isSymbolicLink() };
    }
  }

  stats(): Promise<BigIntStats> {
    return this.#handle.stat({ bigint: true });
  }

  /** The mount of the directory; where the system has no mount IDs, its device. */
  mountId(): Promise<string> {
    return mountIdOf(this.#handle);
  }

  chown(uid: number, gid: number): Promise<void> {
    return this.#handle.chown(uid, gid);
  }

  chmod(mode: number): Promise<void> {
    return this.#handle.chmod(mode);
  }

  get descriptor(): number {
    return this.#handle.fd;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** An open location. */
export interface Location {
  readonly handle: FileHandle;
  /** A path that leads to it while it is open. */
  readonly path: Buffer;
}

/** An entry of a directory, which may have changed since. */
export interface Entry {
  readonly name: Name;
  readonly isDirectory: boolean;
  readonly isLink: boolean;
}

const SLASH = Buffer.from("/");

/** A name for messages. */
export const shownName = (name: Name): string => name.toString();

/** The mount of an open file. */
export async function mountIdOf(handle: FileHandle): Promise<string> {
  if (isLinux) {
    // The kernel has it in memory. Asynchronous reads would take ten times as long.
    const info = readFileSync(`/proc/self/fdinfo/${handle.fd}`, "utf8");
    const id = /^mnt_id:\s*(\d+)$/m.exec(info)?.[1];
    if (id !== undefined) return id;
  }
  return `device ${(await handle.stat({ bigint: true })).dev}`;
}

/** The mount at a path, without following a link; undefined where nothing exists. */
export async function mountIdAt(path: string, { follow = false } = {}): Promise<string | undefined> {
  if (!isLinux) return lstat(path, { bigint: true }).then(({ dev }) => `device ${dev}`, ignoreMissing);
  const flags = follow ? O_PATH : LOCATION;
  const handle = await open(path, flags).catch(ignoreMissing);
  if (!handle) return undefined;
  try {
    return await mountIdOf(handle);
  } finally {
    await handle.close();
  }
}

/** Ignores that a file does not exist. */
export function ignoreMissing(error: unknown): undefined {
  if (["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) return undefined;
  throw error;
}
