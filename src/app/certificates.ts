/**
 * Makes X.509 certificates (RFC 5280) with P-256 keys. Loaded only when one must be made.
 *
 * @module
 */
import "reflect-metadata";
import type { webcrypto } from "node:crypto";
import { isIP } from "node:net";
import * as x509 from "@peculiar/x509";
import type { KeyPair } from "./key-pair.ts";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const DAY = 86_400_000;
/** Certificates begin a little in the past, so that a client whose clock is behind takes them. */
const SKEW = 300_000;

type Usage = "authority" | "server" | "client";

/** A certificate authority of our own. */
export async function authority(now: number, days: number): Promise<KeyPair> {
  const keys = await newKeys();
  const serialNumber = serial();
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    // Every authority has a name of its own: OpenSSL looks the issuer of a certificate up by name, and takes a signature
    // that does not fit for a failure of the connection instead of a certificate that it does not know.
    name: `CN=keelson-ca-${serialNumber}`,
    keys,
    signingAlgorithm: ALGORITHM,
    serialNumber,
    ...period(now, days),
    extensions: await extensions("authority", keys, []),
  });
  return toPem(cert, keys);
}

/** A serving certificate for names and addresses, signed by `ca`. */
export const serving = (ca: KeyPair, hosts: readonly string[], now: number, days: number): Promise<KeyPair> =>
  signed(ca, [{ CN: ["keelson"] }], "server", hosts, now, days);

/** A client certificate: the common name is the user, the organisations are the groups. */
export const client = (
  ca: KeyPair,
  user: string,
  groups: readonly string[],
  now: number,
  days: number,
): Promise<KeyPair> => signed(ca, [...groups.map((g) => ({ O: [g] })), { CN: [user] }], "client", [], now, days);

async function signed(
  ca: KeyPair,
  subject: x509.JsonName,
  usage: Usage,
  hosts: readonly string[],
  now: number,
  days: number,
): Promise<KeyPair> {
  const keys = await newKeys();
  const issuer = new x509.X509Certificate(ca.cert);
  const cert = await x509.X509CertificateGenerator.create({
    subject,
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: await importKey(ca.key),
    signingAlgorithm: ALGORITHM,
    serialNumber: serial(),
    ...period(now, days),
    extensions: await extensions(usage, keys, hosts),
  });
  return toPem(cert, keys);
}

async function extensions(
  usage: Usage,
  keys: webcrypto.CryptoKeyPair,
  hosts: readonly string[],
): Promise<x509.Extension[]> {
  const { KeyUsageFlags, KeyUsagesExtension, BasicConstraintsExtension, ExtendedKeyUsageExtension } = x509;
  const id = await x509.SubjectKeyIdentifierExtension.create(keys.publicKey);
  if (usage === "authority") {
    const flags = KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature;
    return [new BasicConstraintsExtension(true, 1, true), new KeyUsagesExtension(flags, true), id];
  }
  const purpose = usage === "server" ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth;
  const all = [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([purpose]),
    id,
  ];
  if (hosts.length === 0) return all;
  const names = hosts.map((value) => ({ type: isIP(value) ? ("ip" as const) : ("dns" as const), value }));
  return [...all, new x509.SubjectAlternativeNameExtension(names)];
}

const newKeys = (): Promise<webcrypto.CryptoKeyPair> => crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);

const period = (now: number, days: number): { notBefore: Date; notAfter: Date } => ({
  notBefore: new Date(now - SKEW),
  notAfter: new Date(now + days * DAY),
});

/** A positive serial number of 16 random bytes. */
function serial(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0]! &= 0x7f;
  return Buffer.from(bytes).toString("hex");
}

const importKey = (pem: string): Promise<webcrypto.CryptoKey> =>
  crypto.subtle.importKey("pkcs8", x509.PemConverter.decodeFirst(pem), ALGORITHM, false, ["sign"]);

async function toPem(cert: x509.X509Certificate, keys: webcrypto.CryptoKeyPair): Promise<KeyPair> {
  const key = await crypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { cert: `${cert.toString("pem")}\n`, key: `${x509.PemConverter.encode(key, "PRIVATE KEY")}\n` };
}
