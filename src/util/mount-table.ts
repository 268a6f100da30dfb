/**
 * The mount table of a process, as the kernel prints it in `/proc/self/mountinfo` (proc_pid_mountinfo(5)).
 *
 * @module
 */

/** An entry of the mount table. */
export interface Mount {
  readonly path: string;
  readonly type: string;
  readonly source: string;
  readonly options: readonly string[];
}

/** Returns the mounts at or below a path, in the order in which they were made. */
export function parseMountTable(text: string, below = "/"): Mount[] {
  const lines = below === "/" ? text.split("\n") : linesWith(text, ` ${escaped(below)}`);
  return lines.flatMap((line) => mountOf(line) ?? []).filter(({ path }) => isAtOrBelow(path, below));
}

/** The lines that contain a text. A table has thousands of lines, of which a caller needs few: only these are parsed. */
function linesWith(text: string, part: string): readonly string[] {
  const lines: string[] = [];
  for (let at = text.indexOf(part); at >= 0;) {
    const end = text.indexOf("\n", at);
    const stop = end < 0 ? text.length : end;
    lines.push(text.slice(text.lastIndexOf("\n", at) + 1, stop));
    at = text.indexOf(part, stop);
  }
  return lines;
}

/** Whether a path is equal to another one or below it; both are absolute and without `.`, `..` and double slashes. */
export const isAtOrBelow = (path: string, above: string): boolean =>
  above === "/" || path === above || path.startsWith(`${above}/`);

/** Parses a line: ids, root, path, options, optional fields up to a dash; then type, source, options of the file system. */
function mountOf(line: string): Mount | undefined {
  const fields = line.split(" ");
  const dash = fields.indexOf("-", 6);
  const [path, own] = [fields[4], fields[5]];
  const [type, source, shared] = fields.slice(dash + 1);
  if (dash < 0 || path === undefined || own === undefined || type === undefined) return undefined;
  const options = new Set([...own.split(","), ...(shared ?? "").split(",")].filter((option) => option !== ""));
  // A mount is read-only where the mount itself or its file system is.
  if (options.has("ro")) options.delete("rw");
  return { path: unescaped(path), type, source: unescaped(source ?? ""), options: [...options].map(unescaped) };
}

/** The kernel writes white space and backslashes, and number signs of sources, as three octal digits. */
const unescaped = (text: string): string =>
  text.includes("\\") ? text.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(parseInt(octal, 8))) : text;

const escaped = (path: string): string =>
  path.replace(/[ \t\n\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`);
