/**
 * The `continue` token of a paged list: which version of which collection, and after which key (DEC-25).
 *
 * A token is bound to its collection: one that was given out for another resource or namespace is refused, so that a
 * forged key never leads outside of what the request may read.
 *
 * @module
 */

/** Where a list goes on. `revision` is -1 for "whatever is current" after the first version expired. */
export interface ContinueToken {
  readonly revision: number;
  /** The last key that was answered, inside its resource: `namespace/name` or `name`. */
  readonly after: string;
}

const VERSION = "k1";

/** The text of a token for the collection `prefix` (store prefix and namespace). */
export function encodeContinue(prefix: string, token: ContinueToken): string {
  return Buffer.from(JSON.stringify([VERSION, prefix, token.revision, token.after])).toString("base64url");
}

/** Reads a token; undefined when it is malformed or was given out for another collection. */
export function decodeContinue(prefix: string, text: string): ContinueToken | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts) || parts.length !== 4 || parts[0] !== VERSION || parts[1] !== prefix) return undefined;
  const [, , revision, after] = parts as unknown[];
  if (typeof revision !== "number" || !Number.isSafeInteger(revision) || revision === 0 || revision < -1)
    return undefined;
  if (typeof after !== "string" || after === "" || !isKey(after)) return undefined;
  return { revision, after };
}

/** A key of ours has no empty, `.` or `..` part (CVE-2022-3162). */
const isKey = (key: string): boolean => {
  const parts = key.split("/");
  return parts.length <= 2 && parts.every((part) => part !== "" && part !== "." && part !== "..");
};
