/**
 * What an atomic writer does to a file system, one step at a time: a test can stop it between any two.
 *
 * The calls wait for the system: each takes microseconds, and a thread for each would cost ten times as much. Who makes many
 * gives others a turn in between.
 *
 * @module
 */
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";

/** Who is to own a file or a link; -1 leaves it as it is. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** An entry of a directory. */
export interface Entry {
  readonly name: string;
  readonly type: "file" | "directory" | "link" | "other";
}

/** See the head of this file. Errors are those of the system, with their `code`. */
export interface WriterFiles {
  /** Makes a directory, whatever the umask says. */
  makeDirectory(path: string, mode: number, owner?: Owner): void;
  /** Makes a directory and those above it, as far as they are missing. */
  makeParents(path: string, mode: number): void;
  /** Makes a file that must not be there. */
  makeFile(path: string, bytes: Uint8Array, mode: number, owner?: Owner): void;
  makeLink(path: string, target: string, owner?: Owner): void;
  rename(from: string, to: string): void;
  removeLink(path: string): void;
  /** Removes a directory with all that is in it, but nothing that is mounted there. */
  removeTree(path: string): void;
  setDirectory(path: string, mode: number, owner?: Owner): void;
  /** The permission bits of what is at a path, the sticky bit among them; undefined where nothing is. */
  modeOf(path: string): number | undefined;
  /** Where a link leads; undefined where there is none. */
  target(path: string): string | undefined;
  /** Whether there is a file with these bytes and no others. It never waits for others and never reads more than these. */
  holds(path: string, bytes: Uint8Array): boolean;
  list(path: string): readonly Entry[];
}

/** The code of an error of the system, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** What a call gives, or undefined where it fails with one of these codes. */
function unless<T>(codes: readonly string[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (codes.includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}

/** Nothing else than a file is waited for, and no link is followed: containers may have put something in its place. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function fileHolds(path: string, bytes: Uint8Array): boolean {
  const file = openSync(path, READ);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size !== bytes.byteLength) return false;
    const found = Buffer.alloc(bytes.byteLength);
    let at = 0;
    for (let read = -1; at < found.length && read !== 0; at += read)
      read = readSync(file, found, at, found.length - at, at);
    return at === found.length && found.equals(bytes);
  } finally {
    closeSync(file);
  }
}

/** What its own mode keeps from its owner: only root reads that as it is. */
function unreadableHolds(path: string, bytes: Uint8Array): boolean {
  const stats = lstatSync(path);
  if (!stats.isFile()) return false;
  chmodSync(path, (stats.mode & 0o7777) | 0o400);
  try {
    return fileHolds(path, bytes);
  } finally {
    chmodSync(path, stats.mode & 0o7777);
  }
}

/** The file system of the machine. */
export const systemFiles: WriterFiles = {
  makeDirectory(path, mode, owner) {
    mkdirSync(path, 0o700);
    systemFiles.setDirectory(path, mode, owner);
  },
  makeParents: (path, mode) => void mkdirSync(path, { recursive: true, mode }),
  makeFile(path, bytes, mode, owner) {
    const file = openSync(path, "wx", 0o600);
    try {
      for (let at = 0; at < bytes.byteLength;) at += writeSync(file, bytes, at);
      if (owner) fchownSync(file, owner.uid, owner.gid);
      fchmodSync(file, mode);
    } finally {
      closeSync(file);
    }
  },
  makeLink(path, target, owner) {
    symlinkSync(target, path);
    if (owner) lchownSync(path, owner.uid, owner.gid);
  },
  rename: (from, to) => renameSync(from, to),
  removeLink(path) {
    unless(["ENOENT"], () => unlinkSync(path));
  },
  removeTree: (path) => rmSync(path, { recursive: true, force: true }),
  setDirectory(path, mode, owner) {
    if (owner) lchownSync(path, owner.uid, owner.gid);
    // Last: a change of the owner may take bits away.
    chmodSync(path, mode);
  },
  modeOf: (path) => unless(["ENOENT", "ENOTDIR"], () => lstatSync(path).mode & 0o7777),
  target: (path) => unless(["ENOENT", "EINVAL"], () => readlinkSync(path)),
  // What has gone, or has become a link or a socket, holds nothing.
  holds: (path, bytes) =>
    unless(
      ["ENOENT", "ELOOP", "ENXIO"],
      () => unless(["EACCES"], () => fileHolds(path, bytes)) ?? unreadableHolds(path, bytes),
    ) ?? false,
  list: (path) =>
    readdirSync(path, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      type: entry.isFile() ? "file" : entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : "other",
    })),
};
