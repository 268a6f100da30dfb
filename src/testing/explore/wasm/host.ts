/**
 * The objects of JavaScript that Go's standard library finds in its global object.
 *
 * @module
 */
import type { Files } from "./files.ts";

/** The time zone of the program is UTC. */
class ProgramDate {
  getTimezoneOffset(): number {
    return 0;
  }
}

/** Constructors, which have no state of a process. */
export const CONSTRUCTORS = { Object, Array, Uint8Array, Uint8ClampedArray, Error, TypeError, Date: ProgramDate };

/** Returns the objects of Node of one process. */
export function hostObjects(fs: Files): Readonly<Record<string, unknown>> {
  let folder = "/";
  const process = {
    pid: 1,
    ppid: 0,
    getuid: () => 0,
    getgid: () => 0,
    geteuid: () => 0,
    getegid: () => 0,
    getgroups: () => [0],
    umask: () => 0o022,
    cwd: () => folder,
    chdir: (path: string) => void (folder = path),
  };
  const resolve = (path: string): string => (path.startsWith("/") ? path : `${folder === "/" ? "" : folder}/${path}`);
  const ignore = (): void => {};
  return { fs, process, path: { resolve }, console: { error: ignore, log: ignore } };
}
