/**
 * The certificates of a server: its own CA, the serving certificate, the admin's client certificate; and beside them the
 * key that signs tokens and the admin's own token.
 *
 * Each is made when it is first asked for, so a server without TLS makes no certificate, and kept in files: those of a
 * data directory, or of memory. A certificate that ends within a month, that does not name the address to listen on, or
 * that strict clients would not take, is made anew from the same CA; {@link Pki.renew} does so while the server runs.
 *
 * @module
 */
import { X509Certificate, createPrivateKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { domainToASCII } from "node:url";
import type { Clock } from "../util/clock.ts";
import { addressBytes } from "./address.ts";
import { type KeyPair, authority, client, namesAuthorityKey, serving } from "./certificate.ts";

/** All that a server needs to prove who it is and to know its admin. */
export interface Pki {
  readonly ca: KeyPair;
  readonly server: KeyPair;
  readonly admin: KeyPair;
  /** Private key for tokens of service accounts, PEM (PKCS#8). */
  readonly tokenKey: string;
  /** The admin's bearer token. */
  readonly adminToken: string;
  /** Looks at the files again and makes anew what no longer serves; answers whether a certificate is another one. */
  renew(): boolean;
}

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
}

const ADMIN = { user: "keelson:admin", groups: ["system:masters"] };
const DAY = 86_400_000;
const RENEW_BEFORE = 30 * DAY;
const CA_DAYS = 3650;
const LEAF_DAYS = 365;

/** A Pki that is forgotten with the process. */
export function createPki(options: PkiOptions): Pki {
  const files = new Map<string, string>();
  return openPki({ read: (name) => files.get(name), write: (name, text) => void files.set(name, text) }, options);
}

/** The Pki of some files; makes what is missing in them, too old, or does not name the hosts. */
export function openPki(files: PkiFiles, { hosts, clock }: PkiOptions): Pki {
  const open = (): Certificates => openCertificates(files, hosts.map(certified), clock.now());
  let held: Certificates | undefined;
  const certificates = (): Certificates => (held ??= open());
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
    tokenKey: tokenKey(files),
    adminToken: adminToken(files),
    renew() {
      const before = certificates();
      held = open();
      return NAMES.some((name) => before[name].cert !== held![name].cert);
    },
  };
}

type Certificates = Pick<Pki, "ca" | "server" | "admin">;

const NAMES = ["ca", "server", "admin"] as const;

function openCertificates(files: PkiFiles, hosts: readonly string[], now: number): Certificates {
  const keep = (name: string, made: KeyPair): KeyPair => {
    files.write(`${name}.key`, made.key);
    files.write(`${name}.crt`, made.cert);
    return made;
  };
  const leaf = { now, days: LEAF_DAYS };
  const found = load(files, "ca");
  const known = found && fits(found) ? found : undefined;
  const ca = known && lasts(known, now) ? known : keep("ca", authority({ now, days: CA_DAYS }, known));
  const usable = (name: string): KeyPair | undefined => {
    const pair = load(files, name);
    return pair && fits(pair, ca) && lasts(pair, now) && namesAuthorityKey(pair.cert) ? pair : undefined;
  };
  const server = usable("server");
  return {
    ca,
    server: server && serves(server, hosts) ? server : keep("server", serving(ca, hosts, leaf)),
    admin: usable("admin") ?? keep("admin", client(ca, ADMIN.user, ADMIN.groups, leaf)),
  };
}

/** The pair of a name, as far as it is there. @throws Error that names the files when they hold something else */
function load(files: PkiFiles, name: string): KeyPair | undefined {
  const [cert, key] = [files.read(`${name}.crt`), files.read(`${name}.key`)];
  if (cert === undefined || key === undefined) return undefined;
  try {
    void [new X509Certificate(cert), createPrivateKey(key)];
  } catch (error) {
    throw new Error(`expected ${name}.crt and ${name}.key to be a certificate and its key: ${String(error)}`, {
      cause: error,
    });
  }
  return { cert, key };
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

/** Whether a certificate does not end within a month. */
const lasts = ({ cert }: KeyPair, now: number): boolean =>
  new X509Certificate(cert).validToDate.getTime() - now > RENEW_BEFORE;

/** Whether a certificate is good for all of these names and addresses. */
function serves({ cert }: KeyPair, hosts: readonly string[]): boolean {
  const certificate = new X509Certificate(cert);
  return hosts.every(
    (host) => (addressBytes(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined,
  );
}

/** A name or address as a certificate can have it: names in ASCII, addresses without the zone of this machine. */
const certified = (host: string): string =>
  addressBytes(host) ? host.replace(/%.*$/, "") : domainToASCII(host) || host;

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
