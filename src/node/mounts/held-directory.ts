/**
 * A directory that is held open, so that what is done in it happens there, whoever moves directories or swaps links meanwhile.
 *
 * Node has no calls that take a directory and a name; on Linux `/proc/self/fd/N/NAME` is the same. Elsewhere its path has to do,
 * and is as safe as paths are.
 *
 * @module
 */
import { type BigIntStats, constants, readFileSync } from "node:fs";
import { type FileHandle, lstat, open, opendir } from "node:fs/promises";

/** open(2) of nothing but the place: no permission is asked for, a device is not touched. Node does not name it. */
const O_PATH = 0o10000000;

const isLinux = process.platform === "linux";
/** For what is a directory now: a link is an error (ELOOP or ENOTDIR). */
const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** For the place of whatever stands there, a link itself. */
const PLACE = constants.O_NOFOLLOW | (isLinux ? O_PATH : constants.O_NONBLOCK);

/** How a name is read: names need not be UTF-8. */
export type Name = Buffer;

/** See the head of this file. */
export class HeldDirectory {
  readonly #handle: FileHandle;
  readonly #path: Buffer;
  /** Where it was when it was opened, for messages. */
  readonly shown: string;

  private constructor(handle: FileHandle, path: Buffer, shown: string) {
    this.#handle = handle;
    this.#path = isLinux ? Buffer.from(`/proc/self/fd/${handle.fd}`) : path;
    this.shown = shown;
  }

  /** Opens what is a directory and no link; of the path before its last part links are followed. */
  static async open(path: string): Promise<HeldDirectory> {
    return new HeldDirectory(await open(path, DIRECTORY), Buffer.from(path), path);
  }

  /** Opens a directory in this one. */
  async directory(name: Name): Promise<HeldDirectory> {
    const path = this.at(name);
    return new HeldDirectory(await open(path, DIRECTORY), path, `${this.shown}/${shownName(name)}`);
  }

  /** Opens the place of what has a name in this directory, without following or reading it. Who asks closes it. */
  async place(name: Name): Promise<Place> {
    const handle = await open(this.at(name), PLACE);
    return { handle, path: isLinux ? Buffer.from(`/proc/self/fd/${handle.fd}`) : this.at(name) };
  }

  /** The path by which this directory is reached, whatever its own path is by now. */
  get path(): string {
    return this.#path.toString();
  }

  /** The path by which what has a name in it is reached. */
  at(name: Name): Buffer {
    return Buffer.concat([this.#path, SLASH, name]);
  }

  /** All names in it, bit by bit. Who removes what was named may look again until nothing is left. */
  async *entries(): AsyncGenerator<Entry> {
    // A directory is read as it is held: `.` of it, since the last part would be followed only if it were a link.
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

  /** The mount that it lies on; where the system has no numbers for mounts, its device. */
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

/** Something that is held, whatever it is. */
export interface Place {
  readonly handle: FileHandle;
  /** By which it is reached, as long as it is held. */
  readonly path: Buffer;
}

/** What a directory says of a name in it; it may have changed since. */
export interface Entry {
  readonly name: Name;
  readonly isDirectory: boolean;
  readonly isLink: boolean;
}

const SLASH = Buffer.from("/");

/** A name for messages; bytes that are no text are shown as such. */
export const shownName = (name: Name): string => name.toString();

/** The mount that what is open lies on. */
export async function mountIdOf(handle: FileHandle): Promise<string> {
  if (isLinux) {
    // The kernel has it at hand, whatever the mount does: a thread for each of five calls would cost ten times as much.
    const info = readFileSync(`/proc/self/fdinfo/${handle.fd}`, "utf8");
    const id = /^mnt_id:\s*(\d+)$/m.exec(info)?.[1];
    if (id !== undefined) return id;
  }
  return `device ${(await handle.stat({ bigint: true })).dev}`;
}

/** The mount at a path itself, a link not followed; undefined where nothing stands there. */
export async function mountIdAt(path: string, { follow = false } = {}): Promise<string | undefined> {
  if (!isLinux) return lstat(path, { bigint: true }).then(({ dev }) => `device ${dev}`, ignoreMissing);
  const flags = follow ? O_PATH : PLACE;
  const handle = await open(path, flags).catch(ignoreMissing);
  if (!handle) return undefined;
  try {
    return await mountIdOf(handle);
  } finally {
    await handle.close();
  }
}

/** Passes over that nothing is there. */
export function ignoreMissing(error: unknown): undefined {
  if (["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) return undefined;
  throw error;
}

/** What the system called an error, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code;
