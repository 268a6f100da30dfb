/**
 * The admin: the one who exists from the first start, by a bearer token or a client certificate; and who may do what where
 * there are no roles.
 *
 * @module
 */
import type { RequestInfo } from "../meta/request-info.ts";
import type { Authorizer, Decision, Identity, Rights, TokenAuthenticator } from "./contract.ts";
import { digestOf, opaqueTokens } from "./opaque-tokens.ts";

/** The admin: a member of the group that may do everything (DEC-36). */
export const ADMIN: Identity = { user: "keelson:admin", groups: ["system:masters", "system:authenticated"] };

const MASTERS = "system:masters";

/** The admin's own token (AUTH-1). */
export function adminToken(token: string, audiences: readonly string[] = []): TokenAuthenticator {
  const own = digestOf(token);
  return opaqueTokens({ name: "admin", audiences, find: (digest) => (digest === own ? ADMIN : undefined) });
}

/** Whether somebody is a member of the group that may do everything; the user of that name is not (RBAC-35). */
export const isMaster = ({ groups }: Identity): boolean => groups.includes(MASTERS);

/**
 * Lets members of `system:masters` do everything (DEC-36), and nobody else anything but ask whether the server is well
 * (AUTHN-12).
 */
export const mastersAuthorizer: Authorizer = {
  authorize: (identity, info) => (isMaster(identity) || isHealth(info) ? ALLOWED : ONLY_MASTERS),
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

const HEALTH = /^\/(?:healthz|livez|readyz|version\/?)$/;

const isHealth = ({ isResource, verb, path }: RequestInfo): boolean =>
  !isResource && verb === "get" && HEALTH.test(path);

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
