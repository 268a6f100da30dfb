/**
 * The part of `node:crypto` that a cluster without ports uses, for a browser: digests, random bytes, and comparisons in constant time.
 *
 * What needs a key or a certificate says that a page has none: there is no port, so no TLS, and no token that another program
 * could be given.
 *
 * @module
 */
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { Buffer } from "./buffer.ts";

const DIGESTS = { sha256, sha512 } as const;

const digestOf = (algorithm: string): (typeof DIGESTS)[keyof typeof DIGESTS] => {
  const name = algorithm.toLowerCase().replace("-", "");
  if (!Object.hasOwn(DIGESTS, name)) throw new RangeError(`expected a digest that a page knows, got ${algorithm}`);
  return DIGESTS[name as keyof typeof DIGESTS];
};

const bytesOf = (data: string | Uint8Array): Uint8Array => (typeof data === "string" ? Buffer.from(data) : data);

const written = (digest: Uint8Array, encoding?: string): string | Buffer => {
  const bytes = Buffer.from(digest);
  return encoding === undefined || encoding === "buffer" ? bytes : bytes.toString(encoding);
};

/** A digest of texts and bytes that come in parts. */
export function createHash(algorithm: string): Hash {
  return new Hash(algorithm);
}

class Hash {
  readonly #state;

  constructor(algorithm: string) {
    this.#state = digestOf(algorithm).create();
  }

  update(data: string | Uint8Array): this {
    this.#state.update(bytesOf(data));
    return this;
  }

  digest(encoding?: string): string | Buffer {
    return written(this.#state.digest(), encoding);
  }
}

/** The digest of a text or of bytes; hexadecimal by default, as Node's. */
export const hash = (algorithm: string, data: string | Uint8Array, encoding = "hex"): string | Buffer =>
  written(digestOf(algorithm)(bytesOf(data)), encoding);

/** Random bytes. */
export const randomBytes = (length: number): Buffer => crypto.getRandomValues(Buffer.alloc(length));

/** Whether bytes of one length are equal, in a time that does not depend on where they differ. */
export function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) throw new RangeError("expected two values of one length");
  let difference = 0;
  for (let at = 0; at < a.length; at++) difference |= a[at]! ^ b[at]!;
  return difference === 0;
}

const noKeys = (): never => {
  throw new Error("expected no use of keys and certificates: a cluster in a page has no port");
};

export const createPrivateKey = noKeys;
export const createPublicKey = noKeys;
export const createSecretKey = noKeys;
export const createHmac = noKeys;
export const generateKeyPair = noKeys;
export const generateKeyPairSync = noKeys;
export const sign = noKeys;
export const verify = noKeys;
/** Names of paddings, which nothing in a page uses. */
export const constants = {};

/** A certificate, which a page cannot read. */
export class X509Certificate {
  constructor() {
    noKeys();
  }
}
