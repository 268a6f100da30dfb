/**
 * The certificates of a server: its own CA, the serving certificate, the admin's client certificate; and beside them the
 * key that signs tokens and the admin's own token.
 *
 * Each is made when it is first asked for, so a server without TLS makes no certificate, and kept in files: those of a
 * data directory, or of memory. A certificate that ends within a month or has not begun, that does not name the address
 * to listen on, or that strict clients would not take, is made anew from the same CA; {@link Pki.renew} does so while the
 * server runs. The CA is made anew, with the same name and key, before it could end ahead of a leaf.
 *
 * @module
 */
import { X509Certificate, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { domainToASCII } from "node:url";
import type { Clock } from "../util/clock.ts";
import { addressBytes, withoutZone } from "./address.ts";
import { pemBlocks, pemOf } from "../util/pem.ts";
import { type KeyPair, authority, client, namesAuthorityKey, serving } from "./certificate.ts";
import { type CertificateFacts, certificateFacts, hostsOf } from "./facts.ts";

/** All that a server needs to prove who it is and to know its admin. */
export interface Pki {
  readonly ca: KeyPair;
  /** The own one, or the one that was given; then `cert` may be a chain. */
  readonly server: KeyPair;
  /** What clients know the server by, PEM: the CA, or what the given chain ends in; empty for what everybody knows. */
  readonly trust: string;
  readonly admin: KeyPair;
  /**
   * The keys of tokens of service accounts, PEM: the private one that signs (PKCS#8), then the public ones of those before
   * it, the latest first, whose tokens are still good (AUTHN-34).
   */
  readonly tokenKeys: readonly string[];
  /** The admin's bearer token. */
  readonly adminToken: string;
  /** All certificates: server, admin, CA. */
  facts(): readonly CertificateFacts[];
  /** Whether one has to be made anew by now, or does not name all hosts. */
  due(): boolean;
  /**
   * Looks at the files again and makes anew what no longer serves; answers whether a certificate is another one, or was
   * written. What has gone from the files meanwhile, or is not whole there, is held and written again.
   */
  renew(): boolean;
}

/** The names of certificates. */
export type CertificateName = "ca" | "server" | "admin";

/** What can be made anew: a certificate, or the key that signs tokens. */
export type Renewable = CertificateName | "token";

/** Where a Pki is kept between starts. Reading answers undefined for what is not there. */
export interface PkiFiles {
  read(name: string): string | undefined;
  /** Writes a file that only its owner may read. */
  write(name: string, text: string): void;
}

/** For whom certificates are made, and by which clock. */
export interface PkiOptions {
  /** Names and addresses of the serving certificate. */
  readonly hosts: readonly string[];
  readonly clock: Pick<Clock, "now">;
  /** Reads a serving certificate that others make, and its key; it is used in place of an own one. */
  readonly given?: (() => KeyPair) | undefined;
  /** What is made anew, whether it has to be or not. */
  readonly anew?: readonly Renewable[];
}

const ADMIN = { user: "keelson:admin", groups: ["system:masters"] };
const DAY = 86_400_000;
const RENEW_BEFORE = 30 * DAY;
const CA_DAYS = 3650;
const LEAF_DAYS = 365;
/** A CA with less than this to go would end ahead of a leaf. */
const RENEW_CA_BEFORE = LEAF_DAYS * DAY + RENEW_BEFORE;
/** Names that a certificate keeps from the one before it, with its own. */
const MOST_HOSTS = 100;

/** A Pki that is forgotten with the process. */
export function createPki(options: PkiOptions): Pki {
  const files = new Map<string, string>();
  return openPki({ read: (name) => files.get(name), write: (name, text) => void files.set(name, text) }, options);
}

/** The Pki of some files; makes what is missing in them, too old, or does not name the hosts, which may change. */
export function openPki(files: PkiFiles, options: PkiOptions): Pki {
  let held: Certificates | undefined;
  const certificates = (): Certificates => (held ??= openCertificates(files, options));
  let tokens = tokenKeys(files, options.anew?.includes("token"));
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
      return options.given ? rootsOf(certificates().server.cert) : certificates().ca.cert;
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
      return facts().some(isDue) || (!options.given && !serves(certificates().server, wantedHosts(options)));
    },
    renew() {
      const before = certificates();
      let isWritten = false;
      const write = (name: string, text: string): void => {
        isWritten = true;
        files.write(name, text);
      };
      held = openCertificates({ read: (name) => files.read(name), write }, options, before);
      read = undefined;
      tokens = tokenKeys(files);
      return isWritten || NAMES.some((name) => before[name].cert !== held![name].cert);
    },
  };
}

/** The certificates that are in files, as they are there; nothing is made. */
export const storedFacts = (files: PkiFiles): readonly CertificateFacts[] =>
  NAMES.flatMap((name) => {
    const cert = files.read(`${name}.crt`);
    return cert === undefined ? [] : [certificateFacts(name, cert, renewedBefore(name))];
  });

type Certificates = Readonly<Record<CertificateName, KeyPair>>;

const NAMES: readonly CertificateName[] = ["server", "admin", "ca"];

function factsOf(held: Certificates, { given }: PkiOptions): readonly CertificateFacts[] {
  return NAMES.map((name) => {
    if (name === "server" && given) return certificateFacts(name, held.server.cert);
    return certificateFacts(name, held[name].cert, renewedBefore(name));
  });
}

const renewedBefore = (name: CertificateName): number => (name === "ca" ? RENEW_CA_BEFORE : RENEW_BEFORE);

const wantedHosts = ({ hosts }: PkiOptions): readonly string[] => hosts.map(certified);

function openCertificates(files: PkiFiles, options: PkiOptions, before?: Certificates): Certificates {
  const { clock, given, anew = [] } = options;
  const now = clock.now();
  const keep = (name: string, made: KeyPair): KeyPair => {
    files.write(`${name}.key`, made.key);
    files.write(`${name}.crt`, made.cert);
    return made;
  };
  const leaf = { now, days: LEAF_DAYS };
  const found = load(files, "ca");
  const whole = found && fits(found) ? found : before && keep("ca", before.ca);
  const isGood = whole && !anew.includes("ca") && lasts(whole, now, RENEW_CA_BEFORE);
  const ca = isGood ? whole : keep("ca", authority({ now, days: CA_DAYS }, whole));
  const known = (name: "server" | "admin"): KeyPair | undefined => {
    const pair = load(files, name);
    if (pair && fits(pair, ca)) return pair;
    return before && fits(before[name], ca) ? keep(name, before[name]) : undefined;
  };
  const usable = (name: "server" | "admin", pair: KeyPair | undefined): KeyPair | undefined =>
    pair && !anew.includes(name) && lasts(pair, now, RENEW_BEFORE) && namesAuthorityKey(pair.cert) ? pair : undefined;
  const hosts = wantedHosts(options);
  const own = (): KeyPair => {
    const last = known("server");
    const server = usable("server", last);
    return server && serves(server, hosts) ? server : keep("server", serving(ca, withFormer(hosts, last), leaf));
  };
  return {
    ca,
    server: given?.() ?? own(),
    admin: usable("admin", known("admin")) ?? keep("admin", client(ca, ADMIN.user, ADMIN.groups, leaf)),
  };
}

/** Names of a certificate and those of the one before it: what was once added by hand stays. */
function withFormer(hosts: readonly string[], last: KeyPair | undefined): readonly string[] {
  const former = last ? hostsOf(new X509Certificate(last.cert)) : [];
  const known = new Set(hosts.map(identityOf));
  const kept = former.filter((host) => !known.has(identityOf(host)));
  return [...hosts, ...kept].slice(0, Math.max(MOST_HOSTS, hosts.length));
}

/** What two spellings of one address share. */
const identityOf = (host: string): string => addressBytes(host)?.toString("hex") ?? host.toLowerCase();

/** The pair of a name, as far as it is there. @throws Error that names the files when they hold something else */
function load(files: PkiFiles, name: string): KeyPair | undefined {
  const [cert, key] = [files.read(`${name}.crt`), files.read(`${name}.key`)];
  return cert === undefined || key === undefined ? undefined : keyPair(cert, key, `${name}.crt`, `${name}.key`);
}

/** A certificate and its key, PEM. @throws Error that names the files when they hold something else */
function keyPair(cert: string, key: string, certFile: string, keyFile: string): KeyPair {
  try {
    void [new X509Certificate(cert), createPrivateKey(key)];
  } catch (error) {
    throw new Error(`expected ${certFile} and ${keyFile} to be a certificate and its key: ${String(error)}`, {
      cause: error,
    });
  }
  return { cert, key };
}

/** A certificate, or a chain that begins with it, and its key, as others made them. @throws Error that names the files */
export function givenPair(cert: string, key: string, certFile: string, keyFile: string): KeyPair {
  const pair = keyPair(cert, key, certFile, keyFile);
  if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return pair;
  throw new Error(`expected ${keyFile} to hold the key of the certificate in ${certFile}, found another one`);
}

/**
 * Whether the key is that of the certificate, and `issuer` signed it (its own key without one). A crash between two files
 * leaves pairs of which that is not so.
 */
function fits({ cert, key }: KeyPair, issuer?: KeyPair): boolean {
  const certificate = new X509Certificate(cert);
  const signer = issuer ? new X509Certificate(issuer.cert) : certificate;
  return certificate.checkPrivateKey(createPrivateKey(key)) && certificate.verify(signer.publicKey);
}

/** Whether a certificate has begun and does not end within a time; it begins a little before it is made. */
const lasts = ({ cert }: KeyPair, now: number, millis: number): boolean => {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  return validFromDate.getTime() <= now && validToDate.getTime() - now > millis;
};

/** The certificates at the end of a chain that are signed by nobody else. */
const rootsOf = (chain: string): string =>
  pemsIn(chain, "CERTIFICATE")
    .filter((pem) => isRoot(new X509Certificate(pem)))
    .join("");

/** The blocks of one type, each as a text. */
const pemsIn = (text: string, type: string): string[] =>
  Array.from(pemBlocks(text))
    .filter((block) => block.type === type)
    .map(({ bytes }) => pemOf(type, bytes));

const isRoot = (certificate: X509Certificate): boolean =>
  certificate.issuer === certificate.subject && certificate.verify(certificate.publicKey);

/** Whether a certificate is good for all of these names and addresses. */
function serves({ cert }: KeyPair, hosts: readonly string[]): boolean {
  const certificate = new X509Certificate(cert);
  return hosts.every(
    (host) => (addressBytes(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined,
  );
}

/** A name or address as a certificate can have it: names in ASCII, addresses without the zone of this machine. */
const certified = (host: string): string => (addressBytes(host) ? withoutZone(host) : domainToASCII(host) || host);

/** So many keys are kept of those that signed before: a key that is older has to be named by an option. */
const MOST_FORMER = 8;
const FORMER = "token-former.pem";

/** The keys of tokens; where it is to be another one, that of now is kept as one that has signed before. */
function tokenKeys(files: PkiFiles, anew = false): readonly string[] {
  const known = files.read("token.key");
  const former = pemsIn(files.read(FORMER) ?? "", "PUBLIC KEY");
  if (known !== undefined && !anew) return [known, ...former];
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const kept = [...(known === undefined ? [] : [publicHalf(known)]), ...former].slice(0, MOST_FORMER);
  // First what has to be accepted, then what signs.
  if (kept.length > 0) files.write(FORMER, `${kept.map((one) => one.trim()).join("\n")}\n`);
  files.write("token.key", pem);
  return [pem, ...kept];
}

const publicHalf = (pem: string): string => createPublicKey(pem).export({ type: "spki", format: "pem" }).toString();

function adminToken(files: PkiFiles): string {
  const known = files.read("admin.token")?.trim();
  if (known) return known;
  const token = randomBytes(32).toString("base64url");
  files.write("admin.token", token);
  return token;
}
