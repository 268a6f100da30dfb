/**
 * The certificates of a server: its own CA, the serving certificate, the admin's client certificate, the key that signs
 * tokens.
 *
 * Made on the first start and kept in `pki/` of the data directory; a certificate that ends within a month, or that does
 * not name the address to listen on, is made anew from the same CA. The library that makes certificates is loaded only
 * when one must be made.
 *
 * @module
 */
import { X509Certificate, createPrivateKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { isIP } from "node:net";
import type { Clock } from "../util/clock.ts";
import type { KeyPair } from "./key-pair.ts";
import { makeCertificates } from "./make-certificates.ts";

/** All that a server needs to prove who it is and to know its admin. */
export interface Pki {
  readonly ca: KeyPair;
  readonly server: KeyPair;
  readonly admin: KeyPair;
  /** Private key for tokens of service accounts, PEM (PKCS#8). */
  readonly tokenKey: string;
  /** The admin's bearer token. */
  readonly adminToken: string;
}

/** Where a Pki is kept between starts. Reading answers undefined for what is not there. */
export interface PkiFiles {
  read(name: string): string | undefined;
  /** Writes a file that only its owner may read. */
  write(name: string, text: string): void;
}

const DAY = 86_400_000;
const RENEW_BEFORE = 30 * DAY;
const CA_DAYS = 3650;
const LEAF_DAYS = 365;

/** Reads the Pki from its files and makes what is missing, too old, or does not name `hosts`. */
export async function openPki(files: PkiFiles, hosts: readonly string[], clock: Clock): Promise<Pki> {
  const now = clock.now();
  const load = (name: string, issuer?: KeyPair): KeyPair | undefined => {
    const [cert, key] = [files.read(`${name}.crt`), files.read(`${name}.key`)];
    if (cert === undefined || key === undefined) return undefined;
    return isGood(name, { cert, key }, issuer, now) ? { cert, key } : undefined;
  };
  let ca = load("ca");
  let server = ca && load("server", ca);
  let admin = ca && load("admin", ca);
  if (server && !names(server.cert, hosts)) server = undefined;
  if (!ca || !server || !admin) {
    const have = { ...(ca && { ca }), ...(server && { server }), ...(admin && { admin }) };
    const made = await makeCertificates({ now, hosts, have, caDays: CA_DAYS, leafDays: LEAF_DAYS });
    for (const name of ["ca", "server", "admin"] as const) {
      if (have[name]) continue;
      files.write(`${name}.key`, made[name].key);
      files.write(`${name}.crt`, made[name].cert);
    }
    ({ ca, server, admin } = made);
  }
  return { ca, server, admin, tokenKey: tokenKey(files), adminToken: adminToken(files) };
}

/**
 * Whether a pair can be used: it does not end within a month, the key is that of the certificate, and `issuer` signed it
 * (its own key without one). A crash between two files leaves pairs of which that is not so.
 */
function isGood(name: string, { cert, key }: KeyPair, issuer: KeyPair | undefined, now: number): boolean {
  try {
    const certificate = new X509Certificate(cert);
    const signer = issuer ? new X509Certificate(issuer.cert) : certificate;
    return (
      Date.parse(certificate.validTo) - now > RENEW_BEFORE &&
      certificate.checkPrivateKey(createPrivateKey(key)) &&
      certificate.verify(signer.publicKey)
    );
  } catch (error) {
    throw new Error(`expected ${name}.crt and ${name}.key to be a certificate and its key: ${String(error)}`);
  }
}

/** Whether a certificate is good for all of these names and addresses. */
function names(pem: string, hosts: readonly string[]): boolean {
  const certificate = new X509Certificate(pem);
  return hosts.every((host) => (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined);
}

function tokenKey(files: PkiFiles): string {
  const known = files.read("token.key");
  if (known !== undefined) return known;
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  files.write("token.key", pem);
  return pem;
}

function adminToken(files: PkiFiles): string {
  const known = files.read("admin.token")?.trim();
  if (known) return known;
  const token = randomBytes(32).toString("base64url");
  files.write("admin.token", token);
  return token;
}
