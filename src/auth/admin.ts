/**
 * The admin, who exists from the first start, and the authorizers that need no roles.
 *
 * @module
 */
import type { RequestInfo } from "../meta/request-info.ts";
import type { Authorizer, Decision, Identity, Rights, TokenAuthenticator } from "./contract.ts";
import { digestOf, opaqueTokens } from "./opaque-tokens.ts";

/** The admin: a member of the group that may do everything (DEC-36). */
export const ADMIN: Identity = { user: "keelson:admin", groups: ["system:masters", "system:authenticated"] };

const MASTERS = "system:masters";

/** Authenticates the token of the admin (AUTH-1). */
export function adminToken(token: string, audiences: readonly string[] = []): TokenAuthenticator {
  const own = digestOf(token);
  return opaqueTokens({ name: "admin", audiences, find: (digest) => (digest === own ? ADMIN : undefined) });
}

/** Whether a user is a member of `system:masters`, which may do everything (RBAC-35). */
export const isMaster = ({ groups }: Identity): boolean => groups.includes(MASTERS);

/** Allows everything to members of `system:masters` (DEC-36), and only health checks to other users (AUTHN-12). */
export const mastersAuthorizer: Authorizer = {
  authorize: (identity, info) => (isMaster(identity) || isHealth(info) ? ALLOWED : ONLY_MASTERS),
  rightsOf: (identity) => (isMaster(identity) ? EVERYTHING : NOTHING),
};

/** Allows everything to members of `system:masters`; has no opinion on other users (RBAC-35). */
export const masters: Authorizer = {
  authorize: (identity) => (isMaster(identity) ? ALLOWED : NO_OPINION),
  rightsOf: (identity) => (isMaster(identity) ? EVERYTHING : NOTHING),
};

/** Allows nothing: `--authorization-mode=AlwaysDeny`. */
export const alwaysDeny: Authorizer = {
  authorize: () => ({ allowed: false, reason: "Everything is forbidden." }),
  rightsOf: () => NOTHING,
};

/** Allows everything to every user: `--authorization-mode=AlwaysAllow`. */
export const alwaysAllow: Authorizer = { authorize: () => ALLOWED, rightsOf: () => EVERYTHING };

const HEALTH = /^\/(?:healthz|livez|readyz|version\/?)$/;

const isHealth = ({ isResource, verb, path }: RequestInfo): boolean =>
  !isResource && verb === "get" && HEALTH.test(path);

/** Allowed without a reason. */
export const ALLOWED: Decision = { allowed: true, reason: "" };
/** Neither allowed nor denied. */
export const NO_OPINION: Decision = { allowed: false, reason: "" };
const ONLY_MASTERS: Decision = { allowed: false, reason: `expected a member of ${MASTERS}` };

const EVERYTHING: Rights = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
  pathRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  incomplete: false,
};

const NOTHING: Rights = { resourceRules: [], pathRules: [], incomplete: false };
