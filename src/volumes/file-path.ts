/** Paths of files in a volume (PROJ-40). */
import { posix } from "node:path";

const MAX_PATH_BYTES = 4096;
const MAX_ELEMENT_BYTES = 255;

/** Returns a path without `.` and empty elements. @throws where it leads out of the volume, or is too long */
export function filePath(path: string): string {
  if (path === "") throw new Error("expected a path, got an empty one");
  if (path.startsWith("/")) throw refused(path, "expected a path that is relative to the volume");
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw refused(path, `expected at most ${MAX_PATH_BYTES} bytes`);
  const elements = path.split("/");
  if (elements.includes("..")) throw refused(path, 'expected no element ".."');
  if (elements.some((element) => Buffer.byteLength(element) > MAX_ELEMENT_BYTES)) {
    throw refused(path, `expected at most ${MAX_ELEMENT_BYTES} bytes in each element`);
  }
  const cleaned = cleanPath(path);
  if (elements[0]!.startsWith("..") || cleaned.startsWith("..")) {
    throw refused(path, 'expected no ".." at its beginning: such names are those of the writer');
  }
  if (cleaned === ".") throw refused(path, "expected the name of a file");
  if (path.includes("\0")) throw refused(path, "expected no byte 0");
  return cleaned;
}

/** Normalizes a path: no `.`, `a/..`, empty elements or final `/`. */
export const cleanPath = (path: string): string => posix.normalize(path).replace(/(?<=.)\/$/, "");

const refused = (path: string, why: string): Error =>
  new Error(`invalid path ${JSON.stringify(path.length > 300 ? `${path.slice(0, 300)}...` : path)}: ${why}`);
