/**
 * Opaque tokens, which are looked up by their digests.
 *
 * @module
 */
import { hash } from "node:crypto";
import type { Identity, TokenAuthenticator } from "./contract.ts";

/** The digest of a token, under which it is stored; the time of a lookup by digest reveals nothing about other tokens. */
export const digestOf = (token: string): string => hash("sha256", token, "base64");

/** A set of opaque tokens. */
export interface OpaqueTokens {
  readonly name: string;
  /** The audiences of this server: opaque tokens are for no others. */
  readonly audiences: readonly string[];
  /** The owner of the token with a digest; called for each use of the token. */
  readonly find: (digest: string) => Identity | undefined;
}

/** Authenticates opaque tokens. */
export const opaqueTokens = ({ name, audiences: own, find }: OpaqueTokens): TokenAuthenticator => ({
  name,
  identify(token, audiences = own) {
    const digest = digestOf(token);
    const identity = find(digest);
    const shared = audiences.filter((one) => own.includes(one));
    if (!identity || (shared.length === 0 && audiences.length > 0)) return undefined;
    return {
      identity,
      audiences: shared,
      isValid: () => find(digest) === identity,
      isRevoked: () => find(digest) === undefined,
    };
  },
});
