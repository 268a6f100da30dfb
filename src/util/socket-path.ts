/**
 * Paths of Unix sockets beyond the limit of the operating system.
 *
 * An address has at most 107 bytes on Linux and 103 elsewhere. A longer path becomes one through its open directory below
 * `/proc`, or one that is relative to the current directory.
 *
 * @module
 */
import { closeSync, constants, openSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

/** The longest path of a socket, in bytes. */
export const MAX_SOCKET_PATH_BYTES = process.platform === "linux" ? 107 : 103;

/** A path of a socket, valid until it is disposed of. */
export interface ShortPath extends Disposable {
  readonly path: string;
}

const fits = (path: string): boolean => Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES;
const nothing = (): void => {};

/**
 * Returns a path of the same socket within the limit; the path itself where it is short enough.
 *
 * @throws {RangeError} with the limit and the path, where there is no such path
 * @throws where the directory of a long path cannot be opened
 */
export function shortPath(path: string): ShortPath {
  if (fits(path)) return { path, [Symbol.dispose]: nothing };
  const [directory, name] = [dirname(path), basename(path)];
  if (process.platform === "linux" && fits(join("/proc/self/fd/1000000", name))) {
    const opened = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
    return { path: join("/proc/self/fd", String(opened), name), [Symbol.dispose]: () => closeSync(opened) };
  }
  const near = relative("", path);
  if (fits(near)) return { path: near, [Symbol.dispose]: nothing };
  throw new RangeError(
    `expected the path of a socket to have at most ${MAX_SOCKET_PATH_BYTES} bytes, got ${Buffer.byteLength(path)}: ${path}`,
  );
}
