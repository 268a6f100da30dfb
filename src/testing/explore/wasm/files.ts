/**
 * The files of a program of Go: in memory, with the calls and errors of `node:fs` that `syscall` needs, which return at once.
 *
 * @module
 */

/** Of Linux. */
const FLAGS = { O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65_536 };
const MODE = { directory: 0o040_755, file: 0o100_644, device: 0o020_666 };
const STANDARD_FILES = 3;

type FileErrorCode = "ENOENT" | "EBADF" | "EEXIST" | "ENOTDIR" | "EISDIR" | "ENOTEMPTY" | "ENOSYS";

class FileError extends Error {
  readonly code: FileErrorCode;

  constructor(code: FileErrorCode, path: string) {
    super(`${code}: ${path}`);
    this.code = code;
  }
}

interface OpenFile {
  readonly path: string;
  readonly append: boolean;
  position: number;
}

/** Files that were kept. */
export interface KeptFiles {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly folders: ReadonlySet<string>;
  readonly open: readonly (readonly [number, OpenFile])[];
}

const normal = (path: string): string => {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
};
const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/";

/** The file system of a program. Go calls the members by name. */
export class Files {
  readonly constants = FLAGS;
  readonly #files: Map<string, Uint8Array>;
  readonly #folders: Set<string>;
  readonly #open: Map<number, OpenFile>;
  /** Called with output to standard output (1) and standard error (2). */
  readonly #onWrite: (fd: number, bytes: Uint8Array) => void;

  constructor(kept: KeptFiles, onWrite: (fd: number, bytes: Uint8Array) => void) {
    this.#files = new Map(kept.files);
    this.#folders = new Set(kept.folders);
    this.#open = new Map(kept.open.map(([fd, file]) => [fd, { ...file }]));
    this.#onWrite = onWrite;
  }

  /** Returns files with these contents, with their folders and an empty `/tmp`. */
  static of(contents: Readonly<Record<string, string | Uint8Array>>): KeptFiles {
    const files = new Map<string, Uint8Array>();
    const folders = new Set(["/", "/tmp"]);
    for (const [path, content] of Object.entries(contents)) {
      files.set(normal(path), Buffer.from(content));
      for (let folder = parentOf(normal(path)); folder !== "/"; folder = parentOf(folder)) folders.add(folder);
    }
    return { files, folders, open: [] };
  }

  keep(): KeptFiles {
    return {
      files: new Map(this.#files),
      folders: new Set(this.#folders),
      open: [...this.#open].map(([fd, file]) => [fd, { ...file }]),
    };
  }

  open(name: string, flags: number): number {
    const path = normal(name);
    const isThere = this.#files.has(path);
    if (!isThere && !this.#folders.has(path)) {
      if (!(flags & FLAGS.O_CREAT)) throw new FileError("ENOENT", path);
      if (!this.#folders.has(parentOf(path))) throw new FileError("ENOENT", parentOf(path));
    } else if (flags & FLAGS.O_CREAT && flags & FLAGS.O_EXCL) throw new FileError("EEXIST", path);
    if (isThere && flags & FLAGS.O_DIRECTORY) throw new FileError("ENOTDIR", path);
    if (!this.#folders.has(path) && (!isThere || flags & FLAGS.O_TRUNC)) this.#files.set(path, new Uint8Array(0));
    let fd = STANDARD_FILES;
    while (this.#open.has(fd)) fd++;
    this.#open.set(fd, { path, append: (flags & FLAGS.O_APPEND) !== 0, position: 0 });
    return fd;
  }

  close(fd: number): void {
    if (!this.#open.delete(fd) && fd >= STANDARD_FILES) throw new FileError("EBADF", `file ${fd}`);
  }

  read(fd: number, to: Uint8Array, offset: number, length: number, position: number | null): number {
    if (fd < STANDARD_FILES) return 0;
    const file = this.#fileOf(fd);
    const content = this.#contentOf(file.path);
    const from = position ?? file.position;
    const piece = content.subarray(from, from + length);
    to.set(piece, offset);
    if (position === null) file.position += piece.length;
    return piece.length;
  }

  write(fd: number, from: Uint8Array, offset: number, length: number, position: number | null): number {
    const piece = from.slice(offset, offset + length);
    if (fd < STANDARD_FILES) {
      this.#onWrite(fd, piece);
      return length;
    }
    const file = this.#fileOf(fd);
    const content = this.#contentOf(file.path);
    const at = file.append ? content.length : (position ?? file.position);
    const changed = new Uint8Array(Math.max(content.length, at + length));
    changed.set(content);
    changed.set(piece, at);
    // Contents are replaced, never changed: copies of the program share them.
    this.#files.set(file.path, changed);
    if (position === null) file.position = at + length;
    return length;
  }

  fstat(fd: number): object {
    return fd < STANDARD_FILES ? statOf(MODE.device, 0) : this.stat(this.#fileOf(fd).path);
  }

  stat(name: string): object {
    const path = normal(name);
    if (this.#folders.has(path)) return statOf(MODE.directory, 0);
    return statOf(MODE.file, this.#contentOf(path).length);
  }

  lstat(name: string): object {
    return this.stat(name);
  }

  readdir(name: string): string[] {
    const path = normal(name);
    if (!this.#folders.has(path)) throw new FileError(this.#files.has(path) ? "ENOTDIR" : "ENOENT", path);
    const inside = [...this.#files.keys(), ...this.#folders].filter((one) => one !== "/" && parentOf(one) === path);
    return inside.map((one) => one.slice(one.lastIndexOf("/") + 1)).toSorted();
  }

  mkdir(name: string): void {
    const path = normal(name);
    if (this.#files.has(path) || this.#folders.has(path)) throw new FileError("EEXIST", path);
    if (!this.#folders.has(parentOf(path))) throw new FileError("ENOENT", parentOf(path));
    this.#folders.add(path);
  }

  rmdir(name: string): void {
    if (this.readdir(name).length > 0) throw new FileError("ENOTEMPTY", name);
    this.#folders.delete(normal(name));
  }

  unlink(name: string): void {
    const path = normal(name);
    if (!this.#files.delete(path)) throw new FileError(this.#folders.has(path) ? "EISDIR" : "ENOENT", path);
  }

  rename(from: string, to: string): void {
    const content = this.#contentOf(normal(from));
    this.#files.delete(normal(from));
    this.#files.set(normal(to), content);
  }

  truncate(name: string, length: number): void {
    const path = normal(name);
    const changed = new Uint8Array(length);
    changed.set(this.#contentOf(path).subarray(0, length));
    this.#files.set(path, changed);
  }

  ftruncate(fd: number, length: number): void {
    this.truncate(this.#fileOf(fd).path, length);
  }

  fsync(): void {}
  chmod(): void {}
  fchmod(): void {}
  utimes(): void {}

  chown(name: string): never {
    throw new FileError("ENOSYS", name);
  }

  fchown(fd: number): never {
    throw new FileError("ENOSYS", `file ${fd}`);
  }

  link(name: string): never {
    throw new FileError("ENOSYS", name);
  }

  symlink(name: string): never {
    throw new FileError("ENOSYS", name);
  }

  readlink(name: string): never {
    throw new FileError("ENOSYS", name);
  }

  #fileOf(fd: number): OpenFile {
    const file = this.#open.get(fd);
    if (!file) throw new FileError("EBADF", `file ${fd}`);
    return file;
  }

  #contentOf(path: string): Uint8Array {
    const content = this.#files.get(path);
    if (!content) throw new FileError(this.#folders.has(path) ? "EISDIR" : "ENOENT", path);
    return content;
  }
}

const statOf = (mode: number, size: number): object => ({
  dev: 0,
  ino: 0,
  mode,
  nlink: 1,
  uid: 0,
  gid: 0,
  rdev: 0,
  size,
  blksize: 4096,
  blocks: Math.ceil(size / 512),
  atimeMs: 0,
  mtimeMs: 0,
  ctimeMs: 0,
  isDirectory: () => mode === MODE.directory,
});
