/**
 * Paths of unix sockets that are longer than the system takes.
 *
 * An address holds 107 bytes on Linux and 103 elsewhere. A longer path is reached through its directory, which Linux has under
 * `/proc` once it is open, or by its name from the current directory.
 *
 * @module
 */
import { closeSync, constants, openSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

/** The longest path that the system takes, in bytes. */
export const MAX_SOCKET_PATH_BYTES = process.platform === "linux" ? 107 : 103;

/** A path that leads to a socket as long as it is not disposed of. */
export interface ShortPath extends Disposable {
  readonly path: string;
}

const fits = (path: string): boolean => Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES;
const nothing = (): void => {};

/**
 * A path of the same socket that the system takes: the path itself where it does.
 *
 * @throws {RangeError} with the limit and the path, where there is none
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
