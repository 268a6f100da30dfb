/**
 * Reads files whose paths come from users, without blocking on pipes and devices.
 *
 * @module
 */
import { type Stats, closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Describes what is at a path: `a folder`, `a pipe`. */
export function fileKind(found: Stats): string {
  if (found.isFile()) return "a file";
  if (found.isDirectory()) return "a folder";
  if (found.isFIFO()) return "a pipe";
  if (found.isSocket()) return "a socket";
  return "a device";
}

const FIRST_BYTES = 64 << 10;

/**
 * Returns the text of a regular file.
 *
 * @throws Error for a pipe or a device, which may have no end and may never begin, and for a file of more than `maxBytes`
 */
export function readTextFile(path: string, maxBytes: number): string {
  // With O_NONBLOCK the open of a pipe without a writer returns at once.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new Error(`expected a file at ${path}, found ${fileKind(found)}`);
    // Files of the system, such as those in `/proc`, may report a size of 0.
    let bytes = Buffer.alloc(Math.min(Math.max(found.size, FIRST_BYTES), maxBytes) + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length <= maxBytes; length += read) {
      if (length === bytes.length)
        bytes = Buffer.concat([bytes, Buffer.alloc(Math.min(length, maxBytes + 1 - length))]);
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    if (length > maxBytes) throw new Error(`expected at most ${maxBytes} bytes in ${path}, found more`);
    return bytes.toString("utf8", 0, length);
  } finally {
    closeSync(file);
  }
}
