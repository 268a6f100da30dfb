/**
 * Writes X.509 certificates (RFC 5280) with P-256 keys: an authority, serving certificates and client certificates.
 *
 * Only these three shapes are written. `node:crypto` makes the keys and signs; nothing here is secret but what it returns.
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
  type Element,
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

/** A certificate and its private key, PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** From when a certificate is counted, in milliseconds since the epoch, and for how many days it is good. */
export interface Term {
  readonly now: number;
  readonly days: number;
}

const DAY = 86_400_000;
/** Certificates begin a little in the past, so that a client whose clock is behind takes them. */
const SKEW = 300_000;
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
/** Bits of KeyUsage (RFC 5280 4.2.1.3), counted from the left, without the zeros at the end. */
const DIGITAL_SIGNATURE = bitString(Buffer.of(0b1000_0000), 7);
const SIGNATURE_AND_SIGNING = bitString(Buffer.of(0b1000_0110), 1);

/**
 * A certificate authority of our own that signs leaves and no further authority.
 *
 * @param previous the authority to go on with: its name and its key stay, so what it has signed stays good
 */
export function authority(term: Term, previous?: KeyPair): KeyPair {
  const serial = newSerial();
  const key = previous ? createPrivateKey(previous.key) : newKey();
  // Every authority has a name of its own: OpenSSL looks the issuer of a certificate up by name, and takes a signature
  // that does not fit for a failure of the connection instead of a certificate that it does not know.
  const name = previous ? subjectOf(previous.cert) : nameOf([], `keelson-ca-${serial.toString("hex")}`);
  const id = previous ? keyIdOf(previous.cert) : keyId(key);
  const extensions = [
    extension(OID.basicConstraints, sequence(TRUE, integer(Buffer.of(0))), true),
    extension(OID.keyUsage, SIGNATURE_AND_SIGNING, true),
    extension(OID.subjectKeyIdentifier, octetString(id)),
    extension(OID.authorityKeyIdentifier, sequence(implicit(0, id))),
  ];
  const cert = certificate({ serial, issuer: name, subject: name, term, key, extensions }, key);
  return pair(cert, key);
}

/** A serving certificate for names and addresses, signed by `ca`. */
export const serving = (ca: KeyPair, hosts: readonly string[], term: Term): KeyPair =>
  leaf(ca, nameOf([], "keelson"), OID.serverAuth, term, [
    extension(OID.subjectAltName, sequence(...hosts.map(generalName))),
  ]);

/** A client certificate, signed by `ca`: the common name is the user, the organisations are the groups. */
export const client = (ca: KeyPair, user: string, groups: readonly string[], term: Term): KeyPair =>
  leaf(ca, nameOf(groups, user), OID.clientAuth, term, []);

/** Whether a certificate says by which key it was signed; strict clients ask for it (RFC 5280 4.2.1.1). */
export const namesAuthorityKey = (pem: string): boolean => findExtension(pem, OID.authorityKeyIdentifier) !== undefined;

function leaf(ca: KeyPair, subject: Buffer, purpose: Buffer, term: Term, more: readonly Buffer[]): KeyPair {
  const key = newKey();
  const extensions = [
    extension(OID.basicConstraints, sequence(), true),
    extension(OID.keyUsage, DIGITAL_SIGNATURE, true),
    extension(OID.extKeyUsage, sequence(purpose)),
    extension(OID.subjectKeyIdentifier, octetString(keyId(key))),
    extension(OID.authorityKeyIdentifier, sequence(implicit(0, keyIdOf(ca.cert)))),
    ...more,
  ];
  const content = { serial: newSerial(), issuer: subjectOf(ca.cert), subject, term, key, extensions };
  return pair(certificate(content, createPrivateKey(ca.key)), key);
}

interface Content {
  readonly serial: Buffer;
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly term: Term;
  readonly key: KeyObject;
  readonly extensions: readonly Buffer[];
}

/** Certificate (RFC 5280 4.1): what is certified, how it is signed, the signature. */
function certificate({ serial, issuer, subject, term, key, extensions }: Content, signer: KeyObject): Buffer {
  const certified = sequence(
    explicit(0, integer(Buffer.of(2))),
    integer(serial),
    SIGNATURE,
    issuer,
    sequence(time(term.now - SKEW), time(term.now + term.days * DAY)),
    subject,
    publicKeyInfo(key),
    explicit(3, sequence(...extensions)),
  );
  return sequence(certified, SIGNATURE, bitString(sign("sha256", certified, signer)));
}

const extension = (id: Buffer, value: Buffer, critical = false): Buffer =>
  sequence(id, ...(critical ? [TRUE] : []), octetString(value));

/** A name of groups and a user, each a part of its own. */
const nameOf = (organizations: readonly string[], commonName: string): Buffer =>
  sequence(
    ...organizations.map((text) => setOf(sequence(OID.organization, utf8(text)))),
    setOf(sequence(OID.commonName, utf8(commonName))),
  );

/** GeneralName (RFC 5280 4.2.1.6): an address as its bytes, anything else as a name. */
function generalName(host: string): Buffer {
  const address = addressBytes(host);
  return address ? implicit(7, address) : implicit(2, Buffer.from(host));
}

const newKey = (): KeyObject => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

/** 16 random bytes of which the first is neither zero nor negative, so that every serial number has as many. */
function newSerial(): Buffer {
  const bytes = randomBytes(SERIAL_BYTES);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes;
}

const publicKeyInfo = (key: KeyObject): Buffer => createPublicKey(key).export({ type: "spki", format: "der" });

/** The identifier of a key: the first 160 bits of the SHA-256 of its public half (RFC 7093 2, method 1). */
function keyId(key: KeyObject): Buffer {
  const [, bits] = elements(elements(publicKeyInfo(key))[0]!.content);
  return createHash("sha256").update(bits!.content.subarray(1)).digest().subarray(0, 20);
}

/** The identifier by which a certificate knows its key; one that has none is given it. */
function keyIdOf(pem: string): Buffer {
  const value = findExtension(pem, OID.subjectKeyIdentifier);
  return value ? elements(value)[0]!.content : keyId(new X509Certificate(pem).publicKey);
}

/** The name of a certificate's subject, byte for byte as it has it. */
function subjectOf(pem: string): Buffer {
  const fields = fieldsOf(pem);
  // Serial number, signature, issuer and validity stand before it, and a version unless it is the first.
  return fields[fields[0]!.tag === EXPLICIT_0 ? 5 : 4]!.whole;
}

const EXPLICIT_0 = 0xa0;
const EXPLICIT_3 = 0xa3;

function findExtension(pem: string, id: Buffer): Buffer | undefined {
  const list = fieldsOf(pem).find(({ tag }) => tag === EXPLICIT_3);
  const all = list ? elements(elements(list.content)[0]!.content).map(({ content }) => elements(content)) : [];
  return all.find(([first]) => first!.whole.equals(id))?.at(-1)!.content;
}

/** The fields of what a certificate certifies. */
function fieldsOf(pem: string): Element[] {
  const [certified] = elements(elements(new X509Certificate(pem).raw)[0]!.content);
  return elements(certified!.content);
}

function pair(certified: Buffer, key: KeyObject): KeyPair {
  const lines = certified.toString("base64").replaceAll(/.{1,64}/g, "$&\n");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`,
    key: key.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}
