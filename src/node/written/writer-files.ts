/**
 * The file system for an atomic writer, one step in each method: a test can stop between any two.
 *
 * The calls are synchronous: each takes microseconds, and an asynchronous one takes ten times as long. The writer pauses
 * between them.
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
import { codeOf } from "../../util/error.ts";

/** The owner of a file or a link; -1 keeps the current one. */
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
  /** Creates a directory, with any umask. */
  makeDirectory(path: string, mode: number, owner?: Owner): void;
  /** Creates missing directories. */
  makeParents(path: string, mode: number): void;
  /** Creates a file that must not exist. */
  makeFile(path: string, bytes: Uint8Array, mode: number, owner?: Owner): void;
  makeLink(path: string, target: string, owner?: Owner): void;
  rename(from: string, to: string): void;
  removeLink(path: string): void;
  /** Removes a directory with its content, except for mounts. */
  removeTree(path: string): void;
  setDirectory(path: string, mode: number, owner?: Owner): void;
  /** The permission bits at a path, with the sticky bit; undefined where nothing exists. */
  modeOf(path: string): number | undefined;
  /** The target of a link; undefined where there is none. */
  target(path: string): string | undefined;
  /** Whether a file has exactly these bytes. Never waits, and never reads more than these. */
  holds(path: string, bytes: Uint8Array): boolean;
  list(path: string): readonly Entry[];
}

/** The result of a call; undefined for errors with these codes. */
function unless<T>(codes: readonly string[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (codes.includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}

/** Follows no link and waits for no pipe: containers may have put something in the place of a file. */
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

/** As {@link fileHolds} for a file that its owner may not read; only root can read such a file directly. */
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
    // After the owner, whose change may remove bits.
    chmodSync(path, mode);
  },
  modeOf: (path) => unless(["ENOENT", "ENOTDIR"], () => lstatSync(path).mode & 0o7777),
  target: (path) => unless(["ENOENT", "EINVAL"], () => readlinkSync(path)),
  // A missing path, a link or a socket has no bytes.
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
