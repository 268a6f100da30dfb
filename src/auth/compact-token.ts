/**
 * Decodes a JWT in the compact form, without verifying its signature (RFC 7515 7.1, RFC 7519).
 *
 *     base64url(header) "." base64url(claims) "." base64url(signature)
 *
 * A token has exactly one text. Decoders that accept padding, blanks, other alphabets or unused bits would accept many texts
 * for one token, and two readers of a duplicate member may see different values. All of these are rejected here (RFC 7515 2,
 * 4 and 5.2; RFC 4648 3.5).
 *
 * @module
 */
import { decodeJson } from "../value/json.ts";
import { type ValueObject, isObject } from "../value/value.ts";

/** The decoded parts of a token. */
export interface CompactToken {
  readonly header: ValueObject;
  readonly claims: ValueObject;
}

const MAX_TOKEN_LENGTH = 64 * 1024;

/** Decodes a token; undefined for an invalid one, and for one with critical headers (`crit`), of which none is supported. */
export function readCompactToken(token: string): CompactToken | undefined {
  if (token.length > MAX_TOKEN_LENGTH) return undefined;
  const parts = token.split(".", 4).map(bytesOf);
  const [header, claims, signature] = parts;
  if (parts.length !== 3 || !header || !claims || !signature) return undefined;
  const [head, body] = [objectOf(header), objectOf(claims)];
  return head && body && !Object.hasOwn(head, "crit") ? { header: head, claims: body } : undefined;
}

/** The bytes of a part; undefined where the part is empty, or not the canonical text of its bytes. */
function bytesOf(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, "base64url");
  return bytes.length > 0 && bytes.toString("base64url") === part ? bytes : undefined;
}

function objectOf(bytes: Buffer): ValueObject | undefined {
  try {
    const { value, duplicates } = decodeJson(bytes);
    return isObject(value) && duplicates.length === 0 ? value : undefined;
  } catch {
    return undefined;
  }
}
