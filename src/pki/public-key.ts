/**
 * Public keys in certificates (SubjectPublicKeyInfo).
 *
 * @module
 */
import { type KeyObject, constants, createPublicKey, verify } from "node:crypto";
import { DerError, TAG, only } from "./der.ts";

const CURVES: readonly string[] = ["secp224r1", "prime256v1", "secp384r1", "secp521r1"];
/** A shorter key is not secure; a longer one takes too long. */
const RSA_BITS = { min: 1024, max: 16_384 };

/** Reads a key: RSA, ECDSA on a NIST curve, or Ed25519. @throws DerError */
export function readPublicKey(bytes: Buffer): KeyObject {
  only(bytes, TAG.sequence);
  const key = opened(bytes);
  const { asymmetricKeyType: type, asymmetricKeyDetails: { namedCurve = "", modulusLength = 0 } = {} } = key;
  if (type === "ed25519") return key;
  if (type === "ec" && CURVES.includes(namedCurve)) return key;
  if (type === "rsa" && modulusLength >= RSA_BITS.min && modulusLength <= RSA_BITS.max) return key;
  throw new DerError(
    `expected a key for RSA (${RSA_BITS.min} to ${RSA_BITS.max} bits), ECDSA (${CURVES.join(", ")}) or Ed25519, found ${[type, namedCurve || modulusLength || ""].join(" ").trim()}`,
  );
}

function opened(bytes: Buffer): KeyObject {
  try {
    return createPublicKey({ key: bytes, format: "der", type: "spki" });
  } catch (error) {
    throw new DerError("expected a public key", { cause: error });
  }
}

/** Whether a key signed a text: RSA with PSS and ECDSA over its SHA-256, Ed25519 over the text itself. */
export function isSignedBy(key: KeyObject, text: string, signature: Buffer): boolean {
  const bytes = Buffer.from(text);
  if (key.asymmetricKeyType === "ed25519") return verify(null, bytes, key, signature);
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
  return verify("sha256", bytes, { key, ...(key.asymmetricKeyType === "rsa" ? pss : {}) }, signature);
}
