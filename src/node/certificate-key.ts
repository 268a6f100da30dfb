/**
 * Keys of Pods, and their proof of possession.
 *
 * @module
 */
import { type KeyObject, constants, createPublicKey, generateKeyPair, sign } from "node:crypto";
import { promisify } from "node:util";

const generate = promisify(generateKeyPair) as unknown as (
  type: string,
  options: object,
) => Promise<{ readonly privateKey: KeyObject }>;

const KINDS: Readonly<Record<string, readonly [type: string, options: object]>> = {
  RSA3072: ["rsa", { modulusLength: 3072 }],
  RSA4096: ["rsa", { modulusLength: 4096 }],
  ECDSAP256: ["ec", { namedCurve: "prime256v1" }],
  ECDSAP384: ["ec", { namedCurve: "secp384r1" }],
  ECDSAP521: ["ec", { namedCurve: "secp521r1" }],
  ED25519: ["ed25519", {}],
};

/** The key of a Pod for a file and for a request. */
export interface PodKey {
  /** PKCS#8 in PEM. */
  readonly pem: string;
  /** SubjectPublicKeyInfo in base64. */
  readonly publicKey: string;
  /** The signature of the Pod's uid by the key, in base64. */
  readonly proof: string;
}

/** Generates a key of a type such as `ECDSAP256` (PROJ-19). @throws for an unknown type */
export async function makePodKey(keyType: string, podUid: string): Promise<PodKey> {
  const kind = Object.hasOwn(KINDS, keyType) ? KINDS[keyType] : undefined;
  if (!kind) throw new Error(`expected a key of ${Object.keys(KINDS).join(", ")}, got ${JSON.stringify(keyType)}`);
  const { privateKey } = await generate(...kind);
  return {
    pem: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    publicKey: createPublicKey(privateKey).export({ type: "spki", format: "der" }).toString("base64"),
    proof: proofOf(privateKey, podUid).toString("base64"),
  };
}

/** ECDSA signs the hash, RSA uses PSS, Ed25519 signs the text. */
function proofOf(key: KeyObject, text: string): Buffer {
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  const options = { key, ...(key.asymmetricKeyType === "rsa" ? pss : {}) };
  return sign(key.asymmetricKeyType === "ed25519" ? null : "sha256", Buffer.from(text), options);
}
