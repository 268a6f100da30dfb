/**
 * Writes X.509 certificates (RFC 5280): an authority, serving and client certificates with P-256 keys, and those that
 * certificate requests ask for. `node:crypto` creates the keys and signs.
 *
 * @module
 */
import {
  type KeyObject,
  X509Certificate,
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
} from "node:crypto";
import { addressBytes } from "./address.ts";
import {
  TRUE,
  bitString,
  elements,
  explicit,
  implicit,
  integer,
  octetString,
  oid,
  sequence,
  setOf,
  time,
  utf8,
} from "./der.ts";
import { extensionOf, fieldsOf } from "./certificate-reader.ts";
import type { AltNames } from "./names.ts";
import { pemOf } from "../util/pem.ts";
import type { CertificateRequest } from "./request.ts";

/** A certificate and its private key, PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** The validity of a certificate: from now on, in milliseconds since the epoch, for a number of days. */
export interface Term {
  readonly now: number;
  readonly days: number;
}

const DAY_MS = 86_400_000;
/** Certificates begin a little in the past, for clients whose clocks are behind. */
const SKEW_MS = 300_000;
const SERIAL_BYTES = 16;

const OID = {
  commonName: oid("2.5.4.3"),
  organization: oid("2.5.4.10"),
  ecdsaWithSha256: oid("1.2.840.10045.4.3.2"),
  subjectKeyIdentifier: oid("2.5.29.14"),
  keyUsage: oid("2.5.29.15"),
  subjectAltName: oid("2.5.29.17"),
  basicConstraints: oid("2.5.29.19"),
  authorityKeyIdentifier: oid("2.5.29.35"),
  extKeyUsage: oid("2.5.29.37"),
  serverAuth: oid("1.3.6.1.5.5.7.3.1"),
  clientAuth: oid("1.3.6.1.5.5.7.3.2"),
};

const SIGNATURE = sequence(OID.ecdsaWithSha256);
/** Bits of KeyUsage (RFC 5280 4.2.1.3), from the left, without the zeros at the end. */
const DIGITAL_SIGNATURE = bitString(Buffer.of(0b1000_0000), 7);
const SIGNATURE_AND_ENCIPHERMENT = bitString(Buffer.of(0b1010_0000), 5);
const SIGNATURE_AND_SIGNING = bitString(Buffer.of(0b1000_0110), 1);

/**
 * Makes a certificate authority that signs leaves and no further authority.
 *
 * @param previous the authority to renew: its name and key stay, so the certificates that it signed stay valid
 */
export function authority(term: Term, previous?: KeyPair): KeyPair {
  const serial = newSerial();
  const key = previous ? createPrivateKey(previous.key) : newKey();
  // Every authority has a name of its own: OpenSSL finds an issuer by its name, and reports a wrong signature as a failed
  // connection, not as an unknown certificate.
  const name = previous ? subjectOf(previous.cert) : nameOf([], `keelson-ca-${serial.toString("hex")}`);
  const id = previous ? keyIdOf(previous.cert) : keyId(key);
  const extensions = [
    extension(OID.basicConstraints, sequence(TRUE, integer(Buffer.of(0))), true),
    extension(OID.keyUsage, SIGNATURE_AND_SIGNING, true),
    extension(OID.subjectKeyIdentifier, octetString(id)),
    extension(OID.authorityKeyIdentifier, sequence(implicit(0, id))),
  ];
  const cert = certificate({ serial, issuer: name, subject: name, validity: validityOf(term), key, extensions }, key);
  return pair(cert, key);
}

/** Makes a serving certificate for names and addresses, signed by `ca`. */
export const serving = (ca: KeyPair, hosts: readonly string[], term: Term): KeyPair =>
  newLeaf(ca, nameOf([], "keelson"), ["server auth"], term, hosts.map(generalName));

/** Makes a client certificate, signed by `ca`: the common name is the user, the organisations are the groups. */
export const client = (ca: KeyPair, user: string, groups: readonly string[], term: Term): KeyPair =>
  newLeaf(ca, nameOf(groups, user), ["client auth"], term, []);

/** Whether a certificate has an authority key identifier, which strict clients require (RFC 5280 4.2.1.1). */
export const namesAuthorityKey = (pem: string): boolean =>
  extensionOf(new X509Certificate(pem), OID.authorityKeyIdentifier) !== undefined;

/** The part of a certificate that its signer decides. */
export interface Grant extends Validity {
  readonly usages: readonly GrantedUsage[];
}

/** The usages that a signer can grant, as the Certificates API calls them (CERT-2). */
export const GRANTED_USAGES = ["digital signature", "key encipherment", "server auth", "client auth"] as const;

/** One of {@link GRANTED_USAGES}. */
export type GrantedUsage = (typeof GRANTED_USAGES)[number];

/** Issues the certificate, PEM, of a request: subject, names and key are those of the request. */
export const issue = (ca: KeyPair, { subject, names, key }: CertificateRequest, grant: Grant): string =>
  pemOf("CERTIFICATE", leaf(ca, subject.whole, key, grant, altNames(names)));

function newLeaf(
  ca: KeyPair,
  subject: Buffer,
  usages: readonly GrantedUsage[],
  term: Term,
  names: readonly Buffer[],
): KeyPair {
  const key = newKey();
  return pair(leaf(ca, subject, key, { ...validityOf(term), usages }, names), key);
}

function leaf(ca: KeyPair, subject: Buffer, key: KeyObject, grant: Grant, names: readonly Buffer[]): Buffer {
  const extensions = [
    extension(OID.basicConstraints, sequence(), true),
    extension(OID.keyUsage, keyUsageOf(grant.usages), true),
    extension(OID.extKeyUsage, sequence(...purposesOf(grant.usages))),
    extension(OID.subjectKeyIdentifier, octetString(keyId(key))),
    extension(OID.authorityKeyIdentifier, sequence(implicit(0, keyIdOf(ca.cert)))),
    ...(names.length === 0 ? [] : [extension(OID.subjectAltName, sequence(...names))]),
  ];
  const content = { serial: newSerial(), issuer: subjectOf(ca.cert), subject, validity: grant, key, extensions };
  return certificate(content, createPrivateKey(ca.key));
}

const keyUsageOf = (usages: readonly GrantedUsage[]): Buffer =>
  usages.includes("key encipherment") ? SIGNATURE_AND_ENCIPHERMENT : DIGITAL_SIGNATURE;

const purposesOf = (usages: readonly GrantedUsage[]): Buffer[] => [
  ...(usages.includes("server auth") ? [OID.serverAuth] : []),
  ...(usages.includes("client auth") ? [OID.clientAuth] : []),
];

const altNames = ({ dns, emails, uris, addresses }: AltNames): Buffer[] => [
  ...dns.map((name) => implicit(2, Buffer.from(name))),
  ...emails.map((name) => implicit(1, Buffer.from(name))),
  ...addresses.map((address) => implicit(7, address)),
  ...uris.map((uri) => implicit(6, Buffer.from(uri))),
];

/** The validity of a certificate, in milliseconds since the epoch. */
export interface Validity {
  readonly begins: number;
  readonly ends: number;
}

const validityOf = ({ now, days }: Term): Validity => ({ begins: now - SKEW_MS, ends: now + days * DAY_MS });

interface Content {
  readonly serial: Buffer;
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly validity: Validity;
  readonly key: KeyObject;
  readonly extensions: readonly Buffer[];
}

/** Certificate (RFC 5280 4.1): the content, the algorithm, the signature. */
function certificate({ serial, issuer, subject, validity, key, extensions }: Content, signer: KeyObject): Buffer {
  const certified = sequence(
    explicit(0, integer(Buffer.of(2))),
    integer(serial),
    SIGNATURE,
    issuer,
    sequence(time(validity.begins), time(validity.ends)),
    subject,
    publicKeyInfo(key),
    explicit(3, sequence(...extensions)),
  );
  return sequence(certified, SIGNATURE, bitString(sign("sha256", certified, signer)));
}

const extension = (id: Buffer, value: Buffer, critical = false): Buffer =>
  sequence(id, ...(critical ? [TRUE] : []), octetString(value));

/** A name of groups and a user, each a relative distinguished name. */
const nameOf = (organizations: readonly string[], commonName: string): Buffer =>
  sequence(
    ...organizations.map((text) => setOf(sequence(OID.organization, utf8(text)))),
    setOf(sequence(OID.commonName, utf8(commonName))),
  );

/** GeneralName (RFC 5280 4.2.1.6) of an address or a DNS name. */
function generalName(host: string): Buffer {
  const address = addressBytes(host);
  return address ? implicit(7, address) : implicit(2, Buffer.from(host));
}

const newKey = (): KeyObject => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

/** 16 random bytes; the first is positive and not zero, so that all serial numbers have the same length. */
function newSerial(): Buffer {
  const bytes = randomBytes(SERIAL_BYTES);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes;
}

const publicKeyInfo = (key: KeyObject): Buffer =>
  (key.type === "public" ? key : createPublicKey(key)).export({ type: "spki", format: "der" });

/** The identifier of a key: the first 160 bits of the SHA-256 of its public key (RFC 7093 2, method 1). */
function keyId(key: KeyObject): Buffer {
  const [, bits] = elements(elements(publicKeyInfo(key))[0]!.content);
  return createHash("sha256").update(bits!.content.subarray(1)).digest().subarray(0, 20);
}

/** The subject key identifier of a certificate, computed where the certificate has none. */
function keyIdOf(pem: string): Buffer {
  const value = extensionOf(new X509Certificate(pem), OID.subjectKeyIdentifier);
  return value ? elements(value)[0]!.content : keyId(new X509Certificate(pem).publicKey);
}

/** The subject of a certificate, as its bytes. */
function subjectOf(pem: string): Buffer {
  const fields = fieldsOf(new X509Certificate(pem));
  // Before it: the version unless it is 1, then serial number, signature, issuer and validity.
  return fields[fields[0]!.tag === EXPLICIT_0 ? 5 : 4]!.whole;
}

const EXPLICIT_0 = 0xa0;
const pair = (certified: Buffer, key: KeyObject): KeyPair => ({
  cert: pemOf("CERTIFICATE", certified),
  key: key.export({ type: "pkcs8", format: "pem" }).toString(),
});
