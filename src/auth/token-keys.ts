/**
 * The keys of service account tokens: their algorithms and key IDs (AUTHN-26, AUTHN-36).
 *
 * @module
 */
import { type KeyObject, createHash, createPublicKey } from "node:crypto";
import { pemBlocks, pemOf } from "../util/pem.ts";

/** A public key that verifies tokens. */
export interface TokenKey {
  /** SHA-256 of the key in DER, as base64url: the same in every server that has the key. */
  readonly kid: string;
  /** The algorithm of its signatures (RFC 7518 3.1). */
  readonly alg: string;
  readonly key: KeyObject;
}

/** The current keys; both members may change while a server runs. */
export interface TokenKeys {
  /** The private key that signs, PEM. */
  readonly signing: string;
  /** All keys that are accepted and published, including the public half of the signing key. */
  readonly accepted: readonly TokenKey[];
}

const CURVES: Readonly<Record<string, string>> = { prime256v1: "ES256", secp384r1: "ES384", secp521r1: "ES512" };

/** The algorithm of a key: RSA with SHA-256, or a curve with the digest of its size. @throws Error for another kind of key */
export function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  const alg = asymmetricKeyType === "rsa" ? "RS256" : CURVES[asymmetricKeyDetails?.namedCurve ?? ""];
  if (alg === undefined) throw new Error("expected an RSA key, or one of the curves P-256, P-384 and P-521");
  return alg;
}

/** The public key of a public key, a private key or a certificate in PEM. */
export function tokenKeyOf(pem: string): TokenKey {
  const key = createPublicKey(pem);
  const kid = createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("base64url");
  return { kid, alg: algorithmOf(key), key };
}

/** The public keys of all public keys, private keys and certificates in a PEM file. @throws Error where it has none */
export function tokenKeysIn(text: string): readonly TokenKey[] {
  const keys = Array.from(pemBlocks(text))
    .filter(({ type, hasHeaders }) => !hasHeaders && !type.includes("PARAMETERS"))
    .map(({ type, bytes }) => tokenKeyOf(pemOf(type, bytes)));
  if (keys.length === 0) throw new Error("expected a key or a certificate in PEM, found none");
  return keys;
}

/** A signing key with the other accepted keys, each once. */
export function tokenKeys(signing: string, others: readonly TokenKey[]): TokenKeys {
  const all = [tokenKeyOf(signing), ...others];
  return { signing, accepted: [...new Map(all.map((key) => [key.kid, key])).values()] };
}
