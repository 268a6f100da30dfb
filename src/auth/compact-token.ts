/**
 * What a signed token says, before anybody has looked at its signature: a JWT in the compact form (RFC 7515 7.1, RFC 7519).
 *
 *     base64url(header) "." base64url(claims) "." base64url(signature)
 *
 * A token has one text. Decoders that pass over padding, blanks, other alphabets and bits that mean nothing would take many
 * texts for the same token, and of a member that is there twice one reader may see the one and another the other; none of
 * it is a token here (RFC 7515 2, 4 and 5.2; RFC 4648 3.5).
 *
 * @module
 */
import { decodeJson } from "../value/json.ts";
import { type ValueObject, isObject } from "../value/value.ts";

/** What a token says of itself. */
export interface CompactToken {
  readonly header: ValueObject;
  readonly claims: ValueObject;
}

/** Nobody needs a longer token, and nobody looks into one. */
const LONGEST_TOKEN = 64 * 1024;

/** Reads a token; undefined for what is none. Nothing that must be understood (`crit`) is understood. */
export function readCompactToken(token: string): CompactToken | undefined {
  if (token.length > LONGEST_TOKEN) return undefined;
  const parts = token.split(".", 4).map(bytesOf);
  const [header, claims, signature] = parts;
  if (parts.length !== 3 || !header || !claims || !signature) return undefined;
  const [head, said] = [objectOf(header), objectOf(claims)];
  return head && said && !Object.hasOwn(head, "crit") ? { header: head, claims: said } : undefined;
}

/** The bytes of a part; undefined for another text than the one that they have, and for none. */
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
