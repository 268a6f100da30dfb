/**
 * Who a client is by its certificate: the common name is the user, the organisations are the groups (AUTHN-16).
 *
 * @module
 */
import type { Dialect } from "../meta/dialect.ts";
import type { ClientCertificate, Connection, Identity } from "./contract.ts";
import { known } from "./known.ts";

/** Whom certificates are believed. */
export interface CertificateRules {
  readonly dialect: Dialect;
  /** Milliseconds since the epoch: a connection may outlive its certificate. */
  readonly now: () => number;
  /** Whether somebody has taken a certificate back; asked with every request. */
  readonly isRevoked?: ((certificate: ClientCertificate) => boolean) | undefined;
}

/** The users of certificates. */
export interface CertificateUsers {
  /** The user of the certificate on a connection; undefined where that is not acceptable (AUTHN-17). */
  userOf(connection: Connection): Identity | undefined;
  /** Whether somebody is the user of the certificate on a connection, and that was taken back. */
  isRevoked(identity: Identity, connection: Connection): boolean;
}

/** Finds users by rules. */
export function certificateUsers({ dialect, now, isRevoked = () => false }: CertificateRules): CertificateUsers {
  const found = new WeakMap<ClientCertificate, Identity>();
  return {
    userOf({ certificate }) {
      if (!certificate?.signedBy.includes("client") || !certificate.commonName) return undefined;
      if (certificate.notAfter < now() || isRevoked(certificate)) return undefined;
      let identity = found.get(certificate);
      if (!identity) found.set(certificate, (identity = identityOf(certificate, dialect)));
      return identity;
    },
    isRevoked: (identity, { certificate }) =>
      certificate !== undefined && found.get(certificate) === identity && isRevoked(certificate),
  };
}

const identityOf = ({ commonName, organizations, uid, fingerprint }: ClientCertificate, dialect: Dialect): Identity =>
  known({
    user: commonName,
    ...(uid ? { uid } : {}),
    groups: organizations,
    extra: { [`authentication.${dialect.labelDomain}/credential-id`]: [`X509SHA256=${fingerprint}`] },
  });
