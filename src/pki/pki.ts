/**
 * The certificates of a server: its CA, the serving certificate and the admin's client certificate; also the key that signs
 * tokens, and the admin's token.
 *
 * Each is made at its first use, so a server without TLS makes no certificate, and kept in files, on a disk or in memory. The
 * same CA issues a certificate again when it ends within a month, has not begun, lacks an address to listen on, or is not
 * valid for strict clients; {@link Pki.renew} does so while the server runs. The CA is renewed, with its name and key, before
 * it could end ahead of a leaf.
 *
 * @module
 */
import { X509Certificate, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { domainToASCII } from "node:url";
import type { Clock } from "../util/clock.ts";
import { messageOf } from "../util/error.ts";
import { addressBytes, withoutZone } from "./address.ts";
import { pemBlocks, pemOf } from "../util/pem.ts";
import { type KeyPair, authority, client, namesAuthorityKey, serving } from "./certificate.ts";
import { type CertificateFacts, certificateFacts, hostsOf } from "./certificate-facts.ts";

/** The certificates, keys and tokens of a server. */
export interface Pki {
  readonly ca: KeyPair;
  /** Our own serving certificate, or the configured one; then `cert` may be a chain. */
  readonly server: KeyPair;
  /** The authorities that clients need, PEM: the CA, or the roots of the configured chain; empty for a public authority. */
  readonly trust: string;
  readonly admin: KeyPair;
  /**
   * The keys of service account tokens, PEM: the private one that signs (PKCS#8), then the public keys of former ones, the
   * latest first, whose tokens are still valid (AUTHN-34).
   */
  readonly tokenKeys: readonly string[];
  /** The admin's bearer token. */
  readonly adminToken: string;
  /** The server, admin and CA certificates. */
  facts(): readonly CertificateFacts[];
  /** Whether a certificate has to be renewed now, or lacks a host. */
  due(): boolean;
  /**
   * Reads the files again and renews what is due; returns whether a certificate changed or was written. A file that has
   * disappeared or is damaged is written again from memory.
   */
  renew(): boolean;
}

/** The names of certificates. */
export type CertificateName = "ca" | "server" | "admin";

/** What can be renewed: a certificate, or the key that signs tokens. */
export type Renewable = CertificateName | "token";

/** Stores the files of a Pki. `read` returns undefined for a file that does not exist. */
export interface PkiFiles {
  read(name: string): string | undefined;
  /** Writes a file that only its owner can read. */
  write(name: string, text: string): void;
}

/** Options of a Pki. */
export interface PkiOptions {
  /** Names and addresses of the serving certificate. */
  readonly hosts: readonly string[];
  readonly clock: Pick<Clock, "now">;
  /** Reads the configured serving certificate and its key, which replace our own. */
  readonly configured?: (() => KeyPair) | undefined;
  /** What is renewed at once, due or not. */
  readonly renew?: readonly Renewable[];
}

const ADMIN = { user: "keelson:admin", groups: ["system:masters"] };
const DAY_MS = 86_400_000;
const RENEW_BEFORE_MS = 30 * DAY_MS;
const CA_DAYS = 3650;
const LEAF_DAYS = 365;
/** A CA with less time left would end ahead of a leaf. */
const RENEW_CA_BEFORE_MS = LEAF_DAYS * DAY_MS + RENEW_BEFORE_MS;
/** A renewed certificate keeps the names of its predecessor, up to this many with its own. */
const MAX_HOSTS = 100;

/** A file of certificates or keys is damaged; the message names it. */
export class PkiError extends Error {
  override readonly name = "PkiError";
}

/** A Pki in memory. */
export function createPki(options: PkiOptions): Pki {
  const files = new Map<string, string>();
  return openPki({ read: (name) => files.get(name), write: (name, text) => void files.set(name, text) }, options);
}

/** A Pki in files; makes what is missing there, is due, or lacks a host. @throws PkiError for a damaged file */
export function openPki(files: PkiFiles, options: PkiOptions): Pki {
  let current: Certificates | undefined;
  const certificates = (): Certificates => (current ??= openCertificates(files, options));
  let tokens = tokenKeys(files, options.renew?.includes("token"));
  let read: readonly CertificateFacts[] | undefined;
  const facts = (): readonly CertificateFacts[] => (read ??= factsOf(certificates(), options));
  return {
    get ca() {
      return certificates().ca;
    },
    get server() {
      return certificates().server;
    },
    get admin() {
      return certificates().admin;
    },
    get trust() {
      return options.configured ? rootsOf(certificates().server.cert) : certificates().ca.cert;
    },
    get tokenKeys() {
      return tokens;
    },
    adminToken: adminToken(files),
    facts,
    due() {
      const now = options.clock.now();
      const isDue = ({ begins, renewedFrom }: CertificateFacts): boolean =>
        renewedFrom !== undefined && (now < begins || now >= renewedFrom);
      return facts().some(isDue) || (!options.configured && !serves(certificates().server, desiredHosts(options)));
    },
    renew() {
      const before = certificates();
      let isWritten = false;
      const write = (name: string, text: string): void => {
        isWritten = true;
        files.write(name, text);
      };
      current = openCertificates({ read: (name) => files.read(name), write }, options, before);
      read = undefined;
      tokens = tokenKeys(files);
      return isWritten || NAMES.some((name) => before[name].cert !== current![name].cert);
    },
  };
}

/** The certificates in files, as they are; makes none. @throws PkiError for a damaged one */
export const storedFacts = (files: PkiFiles): readonly CertificateFacts[] =>
  NAMES.flatMap((name) => {
    const cert = files.read(`${name}.crt`);
    if (cert === undefined) return [];
    try {
      return [certificateFacts(name, cert, renewedBefore(name))];
    } catch (cause) {
      throw new PkiError(`expected ${name}.crt to be a certificate, found ${messageOf(cause)}; ${ADVICE}`, { cause });
    }
  });

type Certificates = Readonly<Record<CertificateName, KeyPair>>;

const NAMES: readonly CertificateName[] = ["server", "admin", "ca"];

function factsOf(current: Certificates, { configured }: PkiOptions): readonly CertificateFacts[] {
  return NAMES.map((name) => {
    if (name === "server" && configured) return certificateFacts(name, current.server.cert);
    return certificateFacts(name, current[name].cert, renewedBefore(name));
  });
}

const renewedBefore = (name: CertificateName): number => (name === "ca" ? RENEW_CA_BEFORE_MS : RENEW_BEFORE_MS);

const desiredHosts = ({ hosts }: PkiOptions): readonly string[] => hosts.map(certified);

function openCertificates(files: PkiFiles, options: PkiOptions, before?: Certificates): Certificates {
  const { clock, configured, renew = [] } = options;
  const now = clock.now();
  const keep = (name: string, made: KeyPair): KeyPair => {
    files.write(`${name}.key`, made.key);
    files.write(`${name}.crt`, made.cert);
    return made;
  };
  const leaf = { now, days: LEAF_DAYS };
  const found = load(files, "ca");
  const previous = found && fits(found) ? found : before && keep("ca", before.ca);
  const isGood = previous && !renew.includes("ca") && lasts(previous, now, RENEW_CA_BEFORE_MS);
  const ca = isGood ? previous : keep("ca", authority({ now, days: CA_DAYS }, previous));
  const known = (name: "server" | "admin"): KeyPair | undefined => {
    const pair = load(files, name);
    if (pair && fits(pair, ca)) return pair;
    return before && fits(before[name], ca) ? keep(name, before[name]) : undefined;
  };
  const usable = (name: "server" | "admin", pair: KeyPair | undefined): KeyPair | undefined =>
    pair && !renew.includes(name) && lasts(pair, now, RENEW_BEFORE_MS) && namesAuthorityKey(pair.cert)
      ? pair
      : undefined;
  const hosts = desiredHosts(options);
  const own = (): KeyPair => {
    const last = known("server");
    const server = usable("server", last);
    return server && serves(server, hosts) ? server : keep("server", serving(ca, withFormer(hosts, last), leaf));
  };
  return {
    ca,
    server: configured?.() ?? own(),
    admin: usable("admin", known("admin")) ?? keep("admin", client(ca, ADMIN.user, ADMIN.groups, leaf)),
  };
}

/** Adds the names of the previous certificate: a name that was once added stays. */
function withFormer(hosts: readonly string[], last: KeyPair | undefined): readonly string[] {
  const former = last ? hostsOf(new X509Certificate(last.cert)) : [];
  const known = new Set(hosts.map(identityOf));
  const kept = former.filter((host) => !known.has(identityOf(host)));
  return [...hosts, ...kept].slice(0, Math.max(MAX_HOSTS, hosts.length));
}

/** The same text for all spellings of an address. */
const identityOf = (host: string): string => addressBytes(host)?.toString("hex") ?? host.toLowerCase();

/** The pair of a name, undefined where a file is missing. @throws PkiError where they are damaged */
function load(files: PkiFiles, name: string): KeyPair | undefined {
  const [certFile, keyFile] = [`${name}.crt`, `${name}.key`];
  const [cert, key] = [files.read(certFile), files.read(keyFile)];
  if (cert === undefined || key === undefined) return undefined;
  try {
    return keyPair(cert, key, certFile, keyFile);
  } catch (cause) {
    throw new PkiError(`${messageOf(cause)}; ${ADVICE}`, { cause });
  }
}

/** What to do about damaged files. */
const ADVICE = "restore them from a copy, or remove them, and new ones are made";

/** A certificate and its key, PEM. @throws Error that names the files when they are no such pair */
function keyPair(cert: string, key: string, certFile: string, keyFile: string): KeyPair {
  try {
    void [new X509Certificate(cert), createPrivateKey(key)];
  } catch (error) {
    throw new Error(`expected ${certFile} and ${keyFile} to be a certificate and its key, found ${messageOf(error)}`, {
      cause: error,
    });
  }
  return { cert, key };
}

/** A configured certificate, or a chain that begins with it, and its key. @throws Error that names the files */
export function configuredKeyPair(cert: string, key: string, certFile: string, keyFile: string): KeyPair {
  const pair = keyPair(cert, key, certFile, keyFile);
  if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return pair;
  throw new Error(`expected ${keyFile} to hold the key of the certificate in ${certFile}, found another one`);
}

/**
 * Whether the key belongs to the certificate, and `issuer` (by default its own key) signed it. A crash between the writes of
 * two files leaves pairs that do not fit.
 */
function fits({ cert, key }: KeyPair, issuer?: KeyPair): boolean {
  const certificate = new X509Certificate(cert);
  const signer = issuer ? new X509Certificate(issuer.cert) : certificate;
  return certificate.checkPrivateKey(createPrivateKey(key)) && certificate.verify(signer.publicKey);
}

/** Whether a certificate has begun and does not end within a time. */
const lasts = ({ cert }: KeyPair, now: number, millis: number): boolean => {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  return validFromDate.getTime() <= now && validToDate.getTime() - now > millis;
};

/** The self-signed certificates of a chain. */
const rootsOf = (chain: string): string =>
  pemsIn(chain, "CERTIFICATE")
    .filter((pem) => isRoot(new X509Certificate(pem)))
    .join("");

/** The blocks of one type, each as PEM. */
const pemsIn = (text: string, type: string): string[] =>
  Array.from(pemBlocks(text))
    .filter((block) => block.type === type)
    .map(({ bytes }) => pemOf(type, bytes));

const isRoot = (certificate: X509Certificate): boolean =>
  certificate.issuer === certificate.subject && certificate.verify(certificate.publicKey);

/** Whether a certificate is valid for all of these names and addresses. */
function serves({ cert }: KeyPair, hosts: readonly string[]): boolean {
  const certificate = new X509Certificate(cert);
  return hosts.every(
    (host) => (addressBytes(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined,
  );
}

/** A host as a certificate contains it: names in ASCII, addresses without a zone. */
const certified = (host: string): string => (addressBytes(host) ? withoutZone(host) : domainToASCII(host) || host);

/** Public keys of former token keys that are kept; an option can name older ones. */
const MAX_FORMER_KEYS = 8;
const FORMER = "token-former.pem";

/** The keys of tokens; `anew` makes another one and keeps the public key of the current one. */
function tokenKeys(files: PkiFiles, anew = false): readonly string[] {
  const known = files.read("token.key");
  if (known !== undefined) checkPrivateKey(known);
  const former = pemsIn(files.read(FORMER) ?? "", "PUBLIC KEY");
  if (known !== undefined && !anew) return [known, ...former];
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const kept = [...(known === undefined ? [] : [publicHalf(known)]), ...former].slice(0, MAX_FORMER_KEYS);
  // The keys that verify are written before the key that signs.
  if (kept.length > 0) files.write(FORMER, `${kept.map((one) => one.trim()).join("\n")}\n`);
  files.write("token.key", pem);
  return [pem, ...kept];
}

/** @throws PkiError for a damaged key: it would refuse tokens that are valid, and sign none */
function checkPrivateKey(pem: string): void {
  try {
    createPrivateKey(pem);
  } catch (cause) {
    throw new PkiError(
      `expected token.key to be a private key, found ${messageOf(cause)}; restore it from a copy, or remove it, and a new one is made: tokens of service accounts are not valid with another key`,
      { cause },
    );
  }
}

const publicHalf = (pem: string): string => createPublicKey(pem).export({ type: "spki", format: "pem" }).toString();

function adminToken(files: PkiFiles): string {
  const known = files.read("admin.token")?.trim();
  if (known) return known;
  const token = randomBytes(32).toString("base64url");
  files.write("admin.token", token);
  return token;
}
