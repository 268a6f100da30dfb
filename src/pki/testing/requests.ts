/**
 * Requests for certificates (PKCS#10), written for tests.
 *
 * @module
 */
import { type KeyObject, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { bitString, explicit, implicit, integer, octetString, oid, sequence, setOf, utf8 } from "../der.ts";
import { pemOf } from "../../util/pem.ts";

/** The content of a request of a test; all members are optional. */
export interface Asked {
  readonly commonName?: string;
  readonly organizations?: readonly string[];
  readonly dns?: readonly string[];
  readonly addresses?: readonly Buffer[];
  readonly emails?: readonly string[];
  readonly uris?: readonly string[];
  /** Signs; a new one of P-256 by default. */
  readonly key?: KeyObject;
  /** The requested public key; that of {@link key} by default. */
  readonly publicKey?: KeyObject;
}

/** A private key on P-256. */
export const newKey = (): KeyObject => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

const ALGORITHMS: Readonly<Record<string, readonly [identifier: Buffer, digest: string | null]>> = {
  ec: [sequence(oid("1.2.840.10045.4.3.2")), "sha256"],
  rsa: [sequence(oid("1.2.840.113549.1.1.11"), Buffer.of(5, 0)), "sha256"],
  ed25519: [sequence(oid("1.3.101.112")), null],
};

/** A request as DER. */
export function requestDer(asked: Asked = {}): Buffer {
  const { commonName, organizations = [], key = newKey(), publicKey = createPublicKey(key) } = asked;
  const subject = [
    ...organizations.map((name) => setOf(sequence(oid("2.5.4.10"), utf8(name)))),
    ...(commonName === undefined ? [] : [setOf(sequence(oid("2.5.4.3"), utf8(commonName)))]),
  ];
  const content = sequence(
    integer(Buffer.of(0)),
    sequence(...subject),
    publicKey.export({ type: "spki", format: "der" }),
    explicit(0, ...attributes(asked)),
  );
  const [identifier, digest] = ALGORITHMS[key.asymmetricKeyType!]!;
  return sequence(content, identifier, bitString(sign(digest, content, key)));
}

function attributes({ dns = [], addresses = [], emails = [], uris = [] }: Asked): Buffer[] {
  const names = [
    ...dns.map((name) => implicit(2, Buffer.from(name))),
    ...addresses.map((address) => implicit(7, address)),
    ...emails.map((name) => implicit(1, Buffer.from(name))),
    ...uris.map((uri) => implicit(6, Buffer.from(uri))),
  ];
  if (names.length === 0) return [];
  const extension = sequence(oid("2.5.29.17"), octetString(sequence(...names)));
  return [sequence(oid("1.2.840.113549.1.9.14"), setOf(sequence(extension)))];
}

/** A request as PEM. */
export const requestPem = (asked?: Asked): string => pemOf("CERTIFICATE REQUEST", requestDer(asked));

/** A request as objects contain it: PEM in base64. */
export const requestBase64 = (asked?: Asked): string => Buffer.from(requestPem(asked)).toString("base64");
