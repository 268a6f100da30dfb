/**
 * Bootstrap tokens: short-lived tokens with which new nodes join a cluster, stored as Secrets (AUTHN-20).
 *
 *     07401b.f395accd246ae52d   is the Secret bootstrap-token-07401b in kube-system
 *
 * @module
 */
import { timingSafeEqual } from "node:crypto";
import type { ApiObject } from "../schema/definition.ts";
import type { Identity, TokenAuthenticator, AuthContext } from "./contract.ts";

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const TYPE = "bootstrap.kubernetes.io/token";
const GROUP = "system:bootstrappers";
const MORE_GROUPS = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** Authenticates bootstrap tokens, which are for this server alone. */
export function bootstrapTokens(own: readonly string[], { lookup, api: { clock } }: AuthContext): TokenAuthenticator {
  const find = (id: string, key: string): Identity | undefined => {
    const secret = lookup.get("secrets", "kube-system", `bootstrap-token-${id}`);
    return secret && isAccepted(secret, id, key, clock.now()) ? userOf(secret, id) : undefined;
  };
  return {
    name: "bootstrap token",
    identify(token, audiences = own) {
      const [, id, key] = TOKEN.exec(token) ?? [];
      const shared = audiences.filter((one) => own.includes(one));
      if (id === undefined || key === undefined || shared.length === 0) return undefined;
      const identity = find(id, key);
      return identity && { identity, audiences: shared, isValid: () => find(id, key) !== undefined };
    },
  };
}

const textOf = (secret: ApiObject, key: string): string =>
  Buffer.from((secret["data"] as Readonly<Record<string, string>> | undefined)?.[key] ?? "", "base64").toString();

/** Whether a Secret has this token, and it has not expired. */
function isAccepted(secret: ApiObject, id: string, key: string, now: number): boolean {
  if (secret.metadata.deletionTimestamp !== undefined || secret["type"] !== TYPE) return false;
  const stored = Buffer.from(textOf(secret, "token-secret"));
  const isSame = stored.length === key.length && timingSafeEqual(stored, Buffer.from(key));
  const expiration = textOf(secret, "expiration");
  // A malformed time counts as expired: the token was not meant to be valid for ever.
  const isExpired = expiration !== "" && !(Date.parse(expiration) > now);
  return isSame && textOf(secret, "token-id") === id && !isExpired && textOf(secret, USAGE) === "true";
}

const USAGE = "usage-bootstrap-authentication";

/** The user of a token; undefined where it has forbidden groups. */
function userOf(secret: ApiObject, id: string): Identity | undefined {
  const named = textOf(secret, "auth-extra-groups");
  const more = named === "" ? [] : named.split(",");
  if (!more.every((group) => MORE_GROUPS.test(group))) return undefined;
  return { user: `system:bootstrap:${id}`, groups: [...new Set([GROUP, ...more])].toSorted() };
}
