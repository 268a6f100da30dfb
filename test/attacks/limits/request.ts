/**
 * Requests at the limits of what is accepted, before they are sent.
 *
 * @module
 */

/**
 * The senders of requests: one without a credential, an account without rights, one with the role `admin` in the namespace
 * {@link NAMESPACE}, one who may write definitions and their objects, and the admin of the server, who prepares things.
 */
export type Who = "stranger" | "nobody" | "tenant" | "author" | "admin";

/** The namespace of the tenant. */
export const NAMESPACE = "tenant";

/** Names and values in their order; a name may come several times. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** One request. */
export interface LimitRequest {
  readonly who: Who;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers?: HeaderList | undefined;
  readonly body?: string | Buffer | undefined;
  /** The protocol; HTTP/2 by default. */
  readonly over?: "h1" | "h2" | undefined;
}

/** Requests that are sent one after the other, and none of which may make a long turn. */
export interface LimitRow {
  readonly name: string;
  /** Requests that run meanwhile: watches. */
  readonly beside?: () => readonly LimitRequest[];
  /** Made when they are sent: some have megabytes. */
  readonly requests: () => readonly LimitRequest[];
}

/** So many of something. */
export const list = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

/** Texts one behind the other, with a separator between them, as many as have room in so many bytes. */
export function filled(bytes: number, make: (i: number) => string, separator = ","): string {
  const parts: string[] = [];
  let size = 0;
  for (let i = 0; ; i++) {
    const part = make(i);
    size += part.length + separator.length;
    if (size > bytes) return parts.join(separator);
    parts.push(part);
  }
}

/** How many members or elements stand side by side in what a schema knows (`src/schema/decode-report.ts`), and in all of a body. */
const SIDE_BY_SIDE = 16_384;
const MEMBERS = 65_000;

/** As {@link filled}, but no more than may stand side by side, and with all that is in them. */
export function packed(bytes: number, make: (i: number) => string, most = SIDE_BY_SIDE): string {
  let members = 0;
  return filled(bytes, (i) => {
    const part = make(i);
    members += part.split('":').length - 1;
    return i >= most || members > MEMBERS ? "x".repeat(bytes) : part;
  });
}
