/**
 * Tokens that say nothing by themselves: whoever made them keeps a list of them, by their digests.
 *
 * @module
 */
import { hash } from "node:crypto";
import type { Identity, TokenAuthenticator } from "./contract.ts";

/** What a token is kept and looked for as: looking for a digest tells nothing of other tokens by its time. */
export const digestOf = (token: string): string => hash("sha256", token, "base64");

/** Where tokens are looked for. */
export interface OpaqueTokens {
  readonly name: string;
  /** This server's: such tokens are for no others. */
  readonly audiences: readonly string[];
  /** Whose token has this digest; asked again when a token is used again. */
  readonly find: (digest: string) => Identity | undefined;
}

/** Tokens by their digests. */
export const opaqueTokens = ({ name, audiences: own, find }: OpaqueTokens): TokenAuthenticator => ({
  name,
  identify(token, audiences = own) {
    const digest = digestOf(token);
    const identity = find(digest);
    const those = audiences.filter((one) => own.includes(one));
    if (!identity || (those.length === 0 && audiences.length > 0)) return undefined;
    return {
      identity,
      audiences: those,
      holds: () => find(digest) === identity,
      isRevoked: () => find(digest) === undefined,
    };
  },
});
