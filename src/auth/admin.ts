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

/**
 * Lets members of `system:masters` do everything (DEC-36), and nobody else anything but ask whether the server is well
 * (AUTHN-12).
 */
export const mastersAuthorizer: Authorizer = {
  authorize: (identity, info) => (identity.groups.includes(MASTERS) || isHealth(info) ? ALLOWED : ONLY_MASTERS),
  rightsOf: (identity) => (identity.groups.includes(MASTERS) ? EVERYTHING : NOTHING),
};

/** Lets everybody do everything: `--authorization-mode=AlwaysAllow`. */
export const alwaysAllow: Authorizer = { authorize: () => ALLOWED, rightsOf: () => EVERYTHING };

const HEALTH = /^\/(?:healthz|livez|readyz|version\/?)$/;

const isHealth = ({ isResource, verb, path }: RequestInfo): boolean =>
  !isResource && verb === "get" && HEALTH.test(path);

const ALLOWED: Decision = { allowed: true, reason: "" };
const ONLY_MASTERS: Decision = { allowed: false, reason: `expected a member of ${MASTERS}` };

/** Everything that can be asked. */
const EVERYTHING: Rights = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
  pathRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  incomplete: false,
};

const NOTHING: Rights = { resourceRules: [], pathRules: [], incomplete: false };
