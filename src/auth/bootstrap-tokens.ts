/**
 * Bootstrap tokens: short-lived words with which new nodes come to a cluster, kept as Secrets (AUTHN-20).
 *
 *     07401b.f395accd246ae52d   is the Secret bootstrap-token-07401b in kube-system
 *
 * @module
 */
import { timingSafeEqual } from "node:crypto";
import type { ApiObject } from "../schema/definition.ts";
import type { Identity, TokenAuthenticator, TrustGround } from "./contract.ts";

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const TYPE = "bootstrap.kubernetes.io/token";
const GROUP = "system:bootstrappers";
const MORE_GROUPS = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** Tokens of Secrets; they are for this server alone. */
export function bootstrapTokens(own: readonly string[], { lookup, api: { clock } }: TrustGround): TokenAuthenticator {
  const find = (id: string, word: string): Identity | undefined => {
    const secret = lookup.get("secrets", "kube-system", `bootstrap-token-${id}`);
    return secret && isGood(secret, id, word, clock.now()) ? userOf(secret, id) : undefined;
  };
  return {
    name: "bootstrap token",
    identify(token, audiences = own) {
      const [, id, word] = TOKEN.exec(token) ?? [];
      const those = audiences.filter((one) => own.includes(one));
      if (id === undefined || word === undefined || those.length === 0) return undefined;
      const identity = find(id, word);
      return identity && { identity, audiences: those, holds: () => find(id, word) !== undefined };
    },
  };
}

const textOf = (secret: ApiObject, key: string): string =>
  Buffer.from((secret["data"] as Readonly<Record<string, string>> | undefined)?.[key] ?? "", "base64").toString();

/** Whether a Secret is a token that is in force, and this one. */
function isGood(secret: ApiObject, id: string, word: string, now: number): boolean {
  if (secret.metadata.deletionTimestamp !== undefined || secret["type"] !== TYPE) return false;
  const kept = Buffer.from(textOf(secret, "token-secret"));
  const isSame = kept.length === word.length && timingSafeEqual(kept, Buffer.from(word));
  const expiration = textOf(secret, "expiration");
  // What is no time has ended: nobody meant the token to be good for ever.
  const isOver = expiration !== "" && !(Date.parse(expiration) > now);
  return isSame && textOf(secret, "token-id") === id && !isOver && textOf(secret, USAGE) === "true";
}

const USAGE = "usage-bootstrap-authentication";

/** The user of a token; undefined where it names groups that it may not. */
function userOf(secret: ApiObject, id: string): Identity | undefined {
  const named = textOf(secret, "auth-extra-groups");
  const more = named === "" ? [] : named.split(",");
  if (!more.every((group) => MORE_GROUPS.test(group))) return undefined;
  return { user: `system:bootstrap:${id}`, groups: [...new Set([GROUP, ...more])].toSorted() };
}
