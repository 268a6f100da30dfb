/**
 * The certificate that a client shows in the handshake, and which authorities vouch for it.
 * OpenSSL has built a chain to one of all authorities, of clients and of proxies, and has checked times and purposes. This module decides
 * by signatures alone which of the two it was: names may be the same.
 *
 * @module
 */
import { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import type { Authority, ClientCertificate } from "../../auth/contract.ts";
import { pemBlocks } from "../../util/pem.ts";

/** Certificates of authorities, for each kind of them. */
export type ClientAuthorities = Readonly<Record<Authority, readonly X509Certificate[]>>;

const certificatesIn = (pem = ""): X509Certificate[] =>
  Array.from(pemBlocks(pem))
    .filter(({ type, hasHeaders }) => type === "CERTIFICATE" && !hasHeaders)
    .map(({ bytes }) => new X509Certificate(bytes));

/** The authorities of a port. */
export const clientAuthorities = ({
  clientCa,
  proxyCa,
}: { readonly clientCa?: string; readonly proxyCa?: string } = {}): ClientAuthorities => ({
  client: certificatesIn(clientCa),
  proxy: certificatesIn(proxyCa),
});

/** The most intermediate authorities between a certificate and a configured one. */
const MOST_BETWEEN = 8;
/** The attribute of a subject that holds the UID of a user (AUTHN-16). */
const UID = "1.3.6.1.4.1.57683.2";

/** The certificate of a connection; undefined where the client has shown none. */
export function certificateOf(socket: TLSSocket, authorities: ClientAuthorities): ClientCertificate | undefined {
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) return undefined;
  const { subject = {} } = socket.getPeerCertificate() as { subject?: Record<string, string | string[] | undefined> };
  const uid = asList(subject[UID])[0];
  const isVerified = socket.authorized;
  return {
    commonName: asList(subject["CN"]).at(-1) ?? "",
    organizations: asList(subject["O"]),
    ...(uid ? { uid } : {}),
    fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
    signedBy: isVerified ? KINDS.filter((kind) => isSignedBy(certificate, authorities[kind])) : [],
    notAfter: certificate.validToDate.getTime(),
  };
}

const KINDS: readonly Authority[] = ["client", "proxy"];

const asList = (value: string | string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === "string" ? [value] : value;

/** Whether one of the authorities has signed a certificate, or the one that signed it, and so on. */
function isSignedBy(certificate: X509Certificate, authorities: readonly X509Certificate[]): boolean {
  let signed = certificate;
  for (let between = 0; between <= MOST_BETWEEN; between++) {
    if (authorities.some((authority) => hasSigned(authority, signed))) return true;
    const { issuerCertificate: issuer } = signed;
    if (!issuer?.ca || !hasSigned(issuer, signed)) return false;
    signed = issuer;
  }
  return false;
}

const hasSigned = (authority: X509Certificate, signed: X509Certificate): boolean =>
  signed.checkIssued(authority) && signed.verify(authority.publicKey);
