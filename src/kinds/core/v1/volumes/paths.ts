/**
 * Rules of paths and of file modes in volumes (PROJ-3..6, LIM-14, DEC-39).
 *
 * @module
 */
import type { SourceCheck } from "./form.ts";

const isAbsolute = (path: string): boolean => path.startsWith("/");

/** The path has no element `..`. */
export function checkNoBacksteps(field: string, path: string, check: SourceCheck): void {
  if (path.split("/").includes("..")) check.errors.invalid(field, path, "expected a path without '..' as an element");
}

/** The path is absolute; an empty one counts as relative. */
export function checkAbsolute(field: string, path: string, check: SourceCheck): void {
  if (!isAbsolute(path)) check.errors.invalid(field, path, "expected an absolute path");
}

/** The path is relative and has no element `..` (VOL-47). */
export function checkDescending(field: string, path: string, check: SourceCheck): void {
  if (isAbsolute(path)) check.errors.invalid(field, path, "expected a relative path");
  checkNoBacksteps(field, path, check);
}

/**
 * The path stays inside the volume and outside of the data of the node agent there: relative, no `..`, not beginning with `..` (PROJ-3,
 * PROJ-6).
 */
export function checkInsideVolume(field: string, path: string, check: SourceCheck): void {
  checkDescending(field, path, check);
  if (path.startsWith("..") && !path.startsWith("../")) {
    check.errors.invalid(field, path, "expected a path that does not begin with '..'");
  }
}

/** {@link checkInsideVolume} of a required path. */
export function checkRequiredPath(field: string, path: string | undefined, check: SourceCheck): void {
  if (path) checkInsideVolume(field, path, check);
  else check.errors.required(field);
}

/** Mode bits of a file, 0000 to 0777 octal (LIM-14, PROJ-4). */
export function checkMode(field: string, mode: number | undefined, check: SourceCheck): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) {
    check.errors.invalid(field, mode, "expected mode bits from 0 to 0777 octal (511 decimal)");
  }
}

/** Whether a path means the root of a file system, however it is written (`//`, `/.`, `/a/..`). */
export function isRoot(path: string): boolean {
  if (!isAbsolute(path)) return false;
  let depth = 0;
  for (const part of path.split("/")) {
    if (part === "..") depth = Math.max(0, depth - 1);
    else if (part !== "" && part !== ".") depth++;
  }
  return depth === 0;
}
