/**
 * Tokens of OpenID Connect issuers. The issuer is found by the `iss` that a token says, compared exactly (OIDC-6); what is
 * configured may change while a server runs.
 *
 * @module
 */
import type { Clock } from "../../util/clock.ts";
import { readCompactToken } from "../compact-token.ts";
import type { TokenAuthenticator, TokenOwner } from "../contract.ts";
import { IssuerTokens } from "./issuer.ts";
import type { KeySources } from "./keys.ts";
import type { Issuer } from "./rules.ts";

/** What the authenticator is made of. */
export interface OidcParts extends KeySources {
  readonly clock: Clock;
  /** The audiences of the server, which a review tells (OIDC-10). */
  readonly audiences: readonly string[];
  /** Hears how long each judgement took, in seconds, and what came of it (OIDC-18). */
  readonly onJudged?: (issuer: string, result: "success" | "failure", seconds: number) => void;
}

/** See the head of this file. */
export class OidcAuthenticator implements TokenAuthenticator, Disposable {
  readonly name = "oidc";
  readonly #parts: OidcParts;
  #issuers = new Map<string, IssuerTokens>();

  constructor(issuers: readonly Issuer[], parts: OidcParts) {
    this.#parts = parts;
    this.configure(issuers);
  }

  /** Takes other issuers; those that stay keep their keys, so that no token is refused meanwhile. */
  configure(issuers: readonly Issuer[]): void {
    const before = this.#issuers;
    this.#issuers = new Map(
      issuers.map((issuer) => [issuer.url, new IssuerTokens(issuer, this.#parts, before.get(issuer.url))]),
    );
    for (const one of before.values()) one[Symbol.dispose]();
  }

  /** Whether the keys of all issuers were read. */
  get isReady(): boolean {
    return [...this.#issuers.values()].every((one) => one.isReady);
  }

  [Symbol.dispose](): void {
    this.configure([]);
  }

  identify(token: string, audiences?: readonly string[]): Promise<TokenOwner> | undefined {
    const iss = readCompactToken(token)?.claims["iss"];
    const tokens = typeof iss === "string" ? this.#issuers.get(iss) : undefined;
    return tokens && this.#judge(tokens, token, audiences);
  }

  async #judge(tokens: IssuerTokens, token: string, asked: readonly string[] | undefined): Promise<TokenOwner> {
    const { clock, audiences, onJudged } = this.#parts;
    const begun = clock.steady();
    const told = (result: "success" | "failure"): void =>
      onJudged?.(tokens.issuer.url, result, (clock.steady() - begun) / 1000);
    try {
      const owner = await tokens.identify(token);
      told("success");
      return { ...owner, audiences: asked ? asked.filter((one) => audiences.includes(one)) : audiences };
    } catch (error) {
      told("failure");
      throw error;
    }
  }
}
