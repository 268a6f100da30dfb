/**
 * The part of `node:path` that the cluster and its commands use, for a browser: paths with slashes.
 *
 * @module
 */

function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `${path.startsWith("/") ? "/" : ""}${parts.join("/")}` || ".";
}

export const join = (...parts: readonly string[]): string => normalize(parts.filter((part) => part !== "").join("/"));
export const resolve = (...parts: readonly string[]): string =>
  normalize(parts.reduce((before, part) => (part.startsWith("/") ? part : `${before}/${part}`), "/"));
export const isAbsolute = (path: string): boolean => path.startsWith("/");
export const basename = (path: string, end = ""): string => {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return end !== "" && name.endsWith(end) ? name.slice(0, -end.length) : name;
};
export const dirname = (path: string): string => {
  const at = path.lastIndexOf("/");
  return at < 0 ? "." : path.slice(0, at) || "/";
};
export const extname = (path: string): string => {
  const name = basename(path);
  const at = name.lastIndexOf(".");
  return at <= 0 ? "" : name.slice(at);
};
export const relative = (from: string, to: string): string => {
  const [start, end] = [resolve(from), resolve(to)];
  return end.startsWith(`${start}/`) ? end.slice(start.length + 1) : end;
};
export const delimiter = ":";
export const sep = "/";
export const posix = { join, resolve, isAbsolute, basename, dirname, extname, relative, normalize };
export default { ...posix };
