/**
 * Reads the header fields of a request (RFC 9113 8.2 and 8.3).
 *
 * @module
 */
import type { HeaderList } from "./header-decoder.ts";

/** The error response to a request that is not processed. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** The head of a request. */
export interface RequestHead {
  readonly method: string;
  /** Empty for CONNECT, which has none. */
  readonly path: string;
  /** Names and values alternate, as they were sent; each character is a byte. */
  readonly fields: readonly string[];
  /** The Content-Length; -1 without one. */
  readonly contentLength: number;
  /** Set where the request is refused; the other members then have no meaning. */
  readonly refusal: Refusal | undefined;
}

/** Reads the head of a request; undefined for a malformed one, whose stream is reset (RFC 9113 8.1.1). */
export function requestHead({ fields, isTooLarge, invalid }: HeaderList): RequestHead | undefined {
  if (isTooLarge) return refused(431, "expected smaller headers");
  if (invalid?.part === "name" || invalid?.field.startsWith(":")) return undefined;
  if (invalid)
    return refused(
      400,
      `expected header ${invalid.field} without control characters and without blanks around its value`,
    );
  return read(fields);
}

const refused = (status: number, message: string): RequestHead => ({
  method: "",
  path: "",
  fields: [],
  contentLength: -1,
  refusal: { status, message },
});

/** Whether fields are valid trailers: none of them is a pseudo-header field (RFC 9113 8.1). */
export function areTrailers({ fields, invalid }: HeaderList): boolean {
  for (let i = 0; i < fields.length; i += 2) if (fields[i]!.charCodeAt(0) === COLON) return false;
  return !invalid;
}

/** The connection-specific fields of HTTP/1.1, which HTTP/2 forbids (RFC 9113 8.2.2). */
const CONNECTION_FIELDS = new Set(["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]);
const COLON = 58;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const LENGTH = /^\d{1,15}$/;

function read(fields: readonly string[]): RequestHead | undefined {
  const pseudo: Pseudo = { method: undefined, path: undefined, scheme: undefined, authority: undefined };
  let at = 0;
  for (; at < fields.length && fields[at]!.charCodeAt(0) === COLON; at += 2) {
    const name = fields[at]!.slice(1);
    if (!isPseudo(name) || pseudo[name] !== undefined) return undefined;
    pseudo[name] = fields[at + 1]!;
  }
  const contentLength = lengthOf(fields, at);
  const path = pathOf(pseudo);
  const { method } = pseudo;
  if (contentLength === undefined || path === undefined || method === undefined || !TOKEN.test(method))
    return undefined;
  return { method, path, fields, contentLength, refusal: undefined };
}

type Pseudo = Record<"method" | "path" | "scheme" | "authority", string | undefined>;

const isPseudo = (name: string): name is keyof Pseudo =>
  name === "method" || name === "path" || name === "scheme" || name === "authority";

/** The Content-Length of the fields from `from` on, -1 without one; undefined where a field is forbidden. */
function lengthOf(fields: readonly string[], from: number): number | undefined {
  let length = -1;
  for (let i = from; i < fields.length; i += 2) {
    const name = fields[i]!;
    const value = fields[i + 1]!;
    if (name.charCodeAt(0) === COLON || CONNECTION_FIELDS.has(name)) return undefined;
    if (name === "te" && value !== "trailers") return undefined;
    if (name !== "content-length") continue;
    if (length >= 0 || !LENGTH.test(value)) return undefined;
    length = Number(value);
  }
  return length;
}

/** The path: none for CONNECT, otherwise one that begins with a slash, or `OPTIONS *` (RFC 9113 8.3.1 and 8.5). */
function pathOf({ method, path, scheme, authority }: Pseudo): string | undefined {
  if (method === "CONNECT") return path === undefined && scheme === undefined && authority ? "" : undefined;
  if (path === undefined || scheme === undefined) return undefined;
  return path.startsWith("/") || (path === "*" && method === "OPTIONS") ? path : undefined;
}
