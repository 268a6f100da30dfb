/**
 * Users of client certificates: the common name is the user, the organisations are the groups (AUTHN-16).
 *
 * @module
 */
import type { Dialect } from "../meta/dialect.ts";
import type { Connection, HeldCertificate, Identity } from "./contract.ts";
import { withAuthenticatedGroup } from "./authenticated-group.ts";

/** Which certificates are accepted. */
export interface CertificateRules {
  readonly dialect: Dialect;
  /** Milliseconds since the epoch: a connection may outlive its certificate. */
  readonly now: () => number;
  /** Whether a certificate was revoked; called for every request. */
  readonly isRevoked?: ((certificate: HeldCertificate) => boolean) | undefined;
}

/** The users of certificates. */
export interface CertificateUsers {
  /** The user of the certificate of a connection; undefined where it is not accepted (AUTHN-17). */
  userOf(connection: Connection): Identity | undefined;
  /** The user of a certificate that was accepted before; undefined where it has expired or was revoked since. */
  userOfHeld(certificate: HeldCertificate): Identity | undefined;
  /** Whether an identity is the user of the certificate of a connection, and the certificate was revoked. */
  isRevoked(identity: Identity, connection: Connection): boolean;
}

/** Returns the users of the certificates that the rules accept. */
export function certificateUsers({ dialect, now, isRevoked = () => false }: CertificateRules): CertificateUsers {
  const found = new WeakMap<HeldCertificate, Identity>();
  const userOfHeld = (certificate: HeldCertificate): Identity | undefined => {
    if (certificate.notAfter < now() || isRevoked(certificate)) return undefined;
    let identity = found.get(certificate);
    if (!identity) found.set(certificate, (identity = identityOf(certificate, dialect)));
    return identity;
  };
  return {
    userOf({ certificate }) {
      if (!certificate?.signedBy.includes("client") || !certificate.commonName) return undefined;
      return userOfHeld(certificate);
    },
    userOfHeld,
    isRevoked: (identity, { certificate }) =>
      certificate !== undefined && found.get(certificate) === identity && isRevoked(certificate),
  };
}

const identityOf = ({ commonName, organizations, uid, fingerprint }: HeldCertificate, dialect: Dialect): Identity =>
  withAuthenticatedGroup({
    user: commonName,
    ...(uid ? { uid } : {}),
    groups: organizations,
    extra: { [`authentication.${dialect.labelDomain}/credential-id`]: [`X509SHA256=${fingerprint}`] },
  });
