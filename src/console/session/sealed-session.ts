/**
 * The value of a cookie: a session that only servers with the same key can read or make (JWE, RFC 7516: `dir`, `A256GCM`).
 *
 * It has the credential of the session, so that this can be checked again by every server, and after a restart. The key is
 * derived from the key that signs tokens of service accounts, for this purpose alone (HKDF, RFC 5869); sessions end when that is
 * renewed.
 *
 * @module
 */
import { createPrivateKey, hkdfSync } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { CompactEncrypt, compactDecrypt } from "jose";
import type { HeldCredential } from "../../auth/contract.ts";
import { memoizeLast } from "../../util/once.ts";
import { isObject } from "../../value/value.ts";

/** The content of a cookie. Times are milliseconds since the epoch. */
export interface SealedSession {
  readonly id: string;
  /** A digest of the user's name. */
  readonly user: string;
  /** When the user signed in. */
  readonly begun: number;
  readonly ends: number;
  readonly credential: HeldCredential;
  /** A digest of the authorities by one of which its certificate was accepted; undefined for a token. */
  readonly authorities?: string;
}

const PURPOSE = "keelson console session v1";
const HEADER = { alg: "dir", enc: "A256GCM" } as const;
const ACCEPTED = { keyManagementAlgorithms: [HEADER.alg], contentEncryptionAlgorithms: [HEADER.enc] };
/** The header and the key, which is empty, as all our cookies have them. */
const START = `${Buffer.from(JSON.stringify(HEADER)).toString("base64url")}..`;
/** A credential is a token of some kilobytes at most. */
const MAX_BYTES = 65_536;

/** Seals and opens sessions. */
export class SessionSeals {
  readonly #pem: () => string;
  readonly #keyOf = memoizeLast((pem: string): Uint8Array => {
    const secret = createPrivateKey(pem).export({ type: "pkcs8", format: "der" });
    return new Uint8Array(hkdfSync("sha256", secret, "", PURPOSE, 32));
  });

  /** @param pem the private key that signs tokens; called for each session, so that a new key is used at once */
  constructor(pem: () => string) {
    this.#pem = pem;
  }

  /** Changes when the key changes: what was opened before is not valid any more. */
  get mark(): string {
    return this.#pem();
  }

  seal(session: SealedSession): Promise<string> {
    const bytes = deflateRawSync(JSON.stringify(session));
    return new CompactEncrypt(bytes).setProtectedHeader(HEADER).encrypt(this.#keyOf(this.#pem()));
  }

  /** Undefined for what was not sealed with the key. */
  async open(text: string): Promise<SealedSession | undefined> {
    if (!text.startsWith(START)) return undefined;
    try {
      const { plaintext } = await compactDecrypt(text, this.#keyOf(this.#pem()), ACCEPTED);
      const value: unknown = JSON.parse(inflateRawSync(plaintext, { maxOutputLength: MAX_BYTES }).toString());
      return isObject(value) ? (value as unknown as SealedSession) : undefined;
    } catch {
      return undefined;
    }
  }
}
