/**
 * The keys of tokens of service accounts: how they sign, and by which name a token says its key (AUTHN-26, AUTHN-36).
 *
 * @module
 */
import { type KeyObject, createHash, createPublicKey } from "node:crypto";
import { pemBlocks, pemOf } from "../util/pem.ts";

/** A public key that tokens may be signed with. */
export interface TokenKey {
  /** SHA-256 of the key in DER, as base64url: the same in every server that has the key. */
  readonly kid: string;
  /** The only way in which it signs (RFC 7518 3.1). */
  readonly alg: string;
  readonly key: KeyObject;
}

/** Keys of tokens as they are now; both may change while a server runs. */
export interface TokenKeys {
  /** PEM of the private key that signs. */
  readonly signing: string;
  /** All keys that are accepted and published, that of the signing key among them. */
  readonly accepted: readonly TokenKey[];
}

const CURVES: Readonly<Record<string, string>> = { prime256v1: "ES256", secp384r1: "ES384", secp521r1: "ES512" };

/** How a key signs: RSA with SHA-256, a curve with the digest of its size. @throws Error for another kind of key */
export function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  const alg = asymmetricKeyType === "rsa" ? "RS256" : CURVES[asymmetricKeyDetails?.namedCurve ?? ""];
  if (alg === undefined) throw new Error(`expected a key of RSA or of the curves P-256, P-384 and P-521, got another`);
  return alg;
}

/** A key by a public or private key, or a certificate, of its. */
export function tokenKeyOf(pem: string): TokenKey {
  const key = createPublicKey(pem);
  const kid = createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("base64url");
  return { kid, alg: algorithmOf(key), key };
}

/** The keys in a file of PEM: public ones, certificates, or private ones whose public half counts. @throws Error for none */
export function tokenKeysIn(text: string): readonly TokenKey[] {
  const keys = Array.from(pemBlocks(text))
    .filter(({ type, hasHeaders }) => !hasHeaders && !type.includes("PARAMETERS"))
    .map(({ type, bytes }) => tokenKeyOf(pemOf(type, bytes)));
  if (keys.length === 0) throw new Error("expected a key or a certificate in PEM, found none");
  return keys;
}

/** A signing key with the others that are accepted, each once. */
export function tokenKeys(signing: string, others: readonly TokenKey[]): TokenKeys {
  const all = [tokenKeyOf(signing), ...others];
  return { signing, accepted: [...new Map(all.map((key) => [key.kid, key])).values()] };
}
