/**
 * The admin identity: the one credential that exists from the first start, as a bearer token or a client certificate.
 *
 * Everything else is 401 (AUTH-1). Tokens are compared by their SHA-256 in constant time, so that neither the length of
 * a common prefix nor the token itself can be learnt from the answer's time.
 *
 * @module
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { unauthorized } from "../meta/status.ts";
import type {
  Authenticator,
  Authorizer,
  ClientCertificate,
  Connection,
  Decision,
  Identity,
  Rights,
} from "./contract.ts";

/** The admin: a member of the group that may do everything (DEC-36). */
export const ADMIN: Identity = { user: "keelson:admin", groups: ["system:masters", "system:authenticated"] };

const MASTERS = "system:masters";
const BEARER = /^bearer +(\S+)$/i;
const digest = (token: string): Buffer => createHash("sha256").update(token).digest();

/**
 * Recognises the admin token, and client certificates of the server's own CA.
 *
 * @param token the admin's bearer token
 * @param now milliseconds since the epoch, to end certificates in time on connections that outlive them
 */
export function adminAuthenticator(token: string, now: () => number): Authenticator {
  const expected = digest(token);
  // A client sends the same header with every request of a connection; one digest per connection is enough.
  const known = new WeakMap<Connection, string>();
  return {
    authenticate({ header, connection }) {
      const authorization = header("authorization");
      if (authorization !== "") {
        if (known.get(connection) === authorization) return ADMIN;
        const sent = BEARER.exec(authorization)?.[1];
        if (sent === undefined || !timingSafeEqual(digest(sent), expected)) throw unauthorized();
        known.set(connection, authorization);
        return ADMIN;
      }
      return connection.certificate && certified(connection.certificate, now());
    },
  };
}

/** A certificate's common name is the user and its organisations are the groups; only masters may in for now. */
function certified(certificate: ClientCertificate, now: number): Identity {
  if (certificate.notAfter < now) throw unauthorized("Unauthorized: the client certificate has expired");
  if (!certificate.organizations.includes(MASTERS) || !certificate.commonName) throw unauthorized();
  return { user: certificate.commonName, groups: [...certificate.organizations, "system:authenticated"] };
}

/** Whether somebody is a member of the group that may do everything; the user of that name is not (RBAC-35). */
export const isMaster = ({ groups }: Identity): boolean => groups.includes(MASTERS);

/** Lets members of `system:masters` do everything and nobody else anything (DEC-36). */
export const mastersAuthorizer: Authorizer = {
  authorize: (identity) => (isMaster(identity) ? ALLOWED : ONLY_MASTERS),
  rightsOf: (identity) => (isMaster(identity) ? EVERYTHING : NOTHING),
};

/** Lets members of `system:masters` do everything, and leaves the rest to others (RBAC-35). */
export const masters: Authorizer = {
  authorize: (identity) => (isMaster(identity) ? ALLOWED : NO_OPINION),
  rightsOf: (identity) => (isMaster(identity) ? EVERYTHING : NOTHING),
};

/** Lets nobody do anything: `--authorization-mode=AlwaysDeny`. */
export const alwaysDeny: Authorizer = {
  authorize: () => ({ allowed: false, reason: "everything is refused" }),
  rightsOf: () => NOTHING,
};

/** Lets everybody do everything: `--authorization-mode=AlwaysAllow`. */
export const alwaysAllow: Authorizer = { authorize: () => ALLOWED, rightsOf: () => EVERYTHING };

/** Allowed, with no role to name. */
export const ALLOWED: Decision = { allowed: true, reason: "" };
/** Not allowed as far as the authorizer is concerned, which has nothing to say. */
export const NO_OPINION: Decision = { allowed: false, reason: "" };
const ONLY_MASTERS: Decision = { allowed: false, reason: `expected a member of ${MASTERS}` };

/** Everything that can be asked. */
const EVERYTHING: Rights = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
  pathRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  incomplete: false,
};

const NOTHING: Rights = { resourceRules: [], pathRules: [], incomplete: false };
