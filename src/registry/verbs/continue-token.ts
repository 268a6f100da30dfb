/**
 * The `continue` token of a paged list: which version of a collection, and after which key (DEC-25).
 * Its format is that of kube-apiserver, so that a client that parses a token, or sends a broken one, sees the known behaviour. Its key is
 * relative to the listed collection: a forged key cannot select objects that the request may not read (CVE-2022-3162).
 *
 *     {"v":"meta.k8s.io/v1","rv":1234,"start":"web\u0000"}
 *
 * @module
 */

/** Where a list continues. `revision` is -1 for the current one, after the first version expired. */
export interface ContinueToken {
  readonly revision: number;
  /** The smallest key that may follow, inside its resource: after `namespace/name` or `name`, or any other text. */
  readonly from: string;
}

const VERSION = "meta.k8s.io/v1";
/** The next key is the smallest one after the last: the last one and a zero. */
const NEXT = "\0";

/** The smallest key after another one. */
export const keyBehind = (key: string): string => key + NEXT;

/** The text of a token for the keys that begin with `prefix`. */
export const encodeContinue = (prefix: string, { revision, from }: ContinueToken): string =>
  Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start: from.slice(prefix.length) })).toString("base64url");

/** Reads a token for the keys that begin with `prefix`; undefined when it is malformed. */
export function decodeContinue(prefix: string, text: string): ContinueToken | undefined {
  const { v, rv, start } = parse(text) ?? {};
  if (v !== VERSION || typeof start !== "string" || !isWithin(start)) return undefined;
  if (typeof rv !== "number" || !Number.isSafeInteger(rv) || rv === 0) return undefined;
  return { revision: Math.max(rv, -1), from: prefix + start.replace(/^\//, "") };
}

function parse(text: string): { v?: unknown; rv?: unknown; start?: unknown } | undefined {
  // Node ignores characters that are not base64; a token with such characters is malformed.
  if (!/^[\w-]+$/.test(text) || text.length % 4 === 1) return undefined;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    return typeof parsed === "object" && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a key stays within its collection, read as a path: it has no empty, `.` or `..` part. */
const isWithin = (start: string): boolean =>
  start
    .replace(/^\//, "")
    .split("/")
    .every((part) => part !== "" && part !== "." && part !== "..");
