/**
 * Reads certificate requests (PKCS#10, RFC 2986) and verifies their signatures. A request of more than
 * {@link MAX_REQUEST_BYTES} or with an unusual key is refused before the costly steps.
 *
 * @module
 */
import { type KeyObject, constants, verify } from "node:crypto";
import { DerError, type Element, TAG, elements, ofTag, oid, only, sequence } from "./der.ts";
import { type AltNames, NO_NAMES, type Subject, readAltNames, readSubject } from "./names.ts";
import { pemBlocks } from "../util/pem.ts";
import { readPublicKey } from "./public-key.ts";

/** The length of the longest request in bytes, as DER: thousands of names fit. */
export const MAX_REQUEST_BYTES: number = 64 * 1024;

/** A certificate request. */
export interface CertificateRequest {
  readonly subject: Subject;
  readonly names: AltNames;
  readonly key: KeyObject;
  readonly signed: Signed;
}

/** The signed bytes, the algorithm and the signature. */
interface Signed {
  readonly content: Buffer;
  /** AlgorithmIdentifier. */
  readonly algorithm: Buffer;
  readonly signature: Buffer;
}

/** Reads the first block of a PEM text, which must be a request. @throws DerError that says what was expected */
export function readRequest(pem: string): CertificateRequest {
  const { value: block } = pemBlocks(pem).next();
  if (!block) throw new DerError("expected a PEM block CERTIFICATE REQUEST, found none");
  if (block.type !== "CERTIFICATE REQUEST") {
    throw new DerError(`expected a PEM block CERTIFICATE REQUEST, found ${block.type.slice(0, 40)}`);
  }
  if (block.bytes.length > MAX_REQUEST_BYTES) throw new DerError(`expected at most ${MAX_REQUEST_BYTES} bytes`);
  return readDer(block.bytes);
}

const ATTRIBUTES = 0xa0;

function readDer(bytes: Buffer): CertificateRequest {
  const [info, algorithm, signature] = elements(only(bytes, TAG.sequence).content);
  const content = ofTag(info, TAG.sequence);
  const [version, subject, key, attributes] = elements(content.content);
  ofTag(version, TAG.integer);
  return {
    subject: readSubject(ofTag(subject, TAG.sequence).whole),
    names: attributes ? namesIn(ofTag(attributes, ATTRIBUTES)) : NO_NAMES,
    key: readPublicKey(ofTag(key, TAG.sequence).whole),
    signed: {
      content: content.whole,
      algorithm: ofTag(algorithm, TAG.sequence).whole,
      signature: wholeBytes(ofTag(signature, TAG.bitString)),
    },
  };
}

function wholeBytes({ content }: Element): Buffer {
  if (content[0] !== 0) throw new DerError("expected a bit string of whole bytes");
  return content.subarray(1);
}

const EXTENSION_REQUEST = oid("1.2.840.113549.1.9.14");
const SUBJECT_ALT_NAME = oid("2.5.29.17");

/** The alternative names in the extensions of a request. */
function namesIn(attributes: Element): AltNames {
  let names = NO_NAMES;
  for (const { content } of elements(attributes.content)) {
    const [type, values] = elements(content);
    if (!type?.whole.equals(EXTENSION_REQUEST)) continue;
    const extensions = only(ofTag(values, TAG.set).content, TAG.sequence);
    for (const extension of elements(extensions.content)) {
      const parts = elements(ofTag(extension, TAG.sequence).content);
      const value = ofTag(parts.at(-1), TAG.octetString).content;
      if (parts[0]!.whole.equals(SUBJECT_ALT_NAME)) names = readAltNames(value);
    }
  }
  return names;
}

/** How a signature is verified. */
interface Algorithm {
  readonly keyType: "rsa" | "ec" | "ed25519";
  /** Null where the algorithm implies it. */
  readonly digest: string | null;
  readonly isPss?: true;
}

const NULL = Buffer.of(0x05, 0);
const rsa = (last: number): Buffer => oid(`1.2.840.113549.1.1.${last}`);
const ecdsa = (rest: string): Buffer => oid(`1.2.840.10045.4.${rest}`);
const RSA_PSS = rsa(10);
const RSA: readonly (readonly [Buffer, string])[] = [
  [rsa(5), "sha1"],
  [rsa(11), "sha256"],
  [rsa(12), "sha384"],
  [rsa(13), "sha512"],
];
const ECDSA: readonly (readonly [Buffer, string])[] = [
  [ecdsa("1"), "sha1"],
  [ecdsa("3.2"), "sha256"],
  [ecdsa("3.3"), "sha384"],
  [ecdsa("3.4"), "sha512"],
];
const DIGESTS: readonly (readonly [Buffer, string])[] = [
  [oid("2.16.840.1.101.3.4.2.1"), "sha256"],
  [oid("2.16.840.1.101.3.4.2.2"), "sha384"],
  [oid("2.16.840.1.101.3.4.2.3"), "sha512"],
];

const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map<string, Algorithm>([
  ...RSA.map(([id, digest]) => [sequence(id, NULL).toString("hex"), { keyType: "rsa", digest }] as const),
  ...ECDSA.map(([id, digest]) => [sequence(id).toString("hex"), { keyType: "ec", digest }] as const),
  [sequence(oid("1.3.101.112")).toString("hex"), { keyType: "ed25519", digest: null }],
]);

function algorithmOf(identifier: Buffer): Algorithm | undefined {
  const known = ALGORITHMS.get(identifier.toString("hex"));
  if (known) return known;
  const [type, parameters] = elements(only(identifier, TAG.sequence).content);
  if (!type?.whole.equals(RSA_PSS) || !parameters) return undefined;
  const hash = elements(parameters.content).find(({ tag }) => tag === 0xa0);
  const [inner] = hash ? elements(only(hash.content, TAG.sequence).content) : [];
  const digest = DIGESTS.find(([id]) => inner?.whole.equals(id))?.[1];
  return digest === undefined ? undefined : { keyType: "rsa", digest, isPss: true };
}

/** Whether the key of a request has signed it, with an algorithm that is still trusted. */
export function isSigned({ key, signed: { content, algorithm, signature } }: CertificateRequest): boolean {
  const how = algorithmOf(algorithm);
  if (!how || how.keyType !== key.asymmetricKeyType) return false;
  const padding = how.isPss
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : {};
  return verify(how.digest, content, { key, ...padding }, signature);
}
