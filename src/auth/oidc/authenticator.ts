/**
 * Authenticates tokens of OpenID Connect issuers. The issuer is found by an exact comparison with the `iss` of the token
 * (OIDC-6). The configuration may change while a server runs.
 *
 * @module
 */
import type { Clock } from "../../util/clock.ts";
import { readCompactToken } from "../compact-token.ts";
import type { TokenAuthenticator, TokenOwner } from "../contract.ts";
import { IssuerTokens } from "./issuer.ts";
import type { KeySources } from "./keys.ts";
import type { Issuer } from "./rules.ts";

/** The parts of {@link OidcAuthenticator}. */
export interface OidcParts extends KeySources {
  readonly clock: Clock;
  /** The audiences of the server, which reviews return (OIDC-10). */
  readonly audiences: readonly string[];
  /** Called with the result and the seconds of each authentication (OIDC-18). */
  readonly onResult?: (issuer: string, result: "success" | "failure", seconds: number) => void;
}

/** Authenticates tokens of the configured issuers. */
export class OidcAuthenticator implements TokenAuthenticator, Disposable {
  readonly name = "oidc";
  readonly #parts: OidcParts;
  #issuers = new Map<string, IssuerTokens>();

  constructor(issuers: readonly Issuer[], parts: OidcParts) {
    this.#parts = parts;
    this.configure(issuers);
  }

  /** Replaces the issuers; those that stay keep their keys, so that none of their tokens is refused. */
  configure(issuers: readonly Issuer[]): void {
    const before = this.#issuers;
    this.#issuers = new Map(
      issuers.map((issuer) => [issuer.url, new IssuerTokens(issuer, this.#parts, before.get(issuer.url))]),
    );
    for (const one of before.values()) one[Symbol.dispose]();
  }

  /** Whether the keys of all issuers have been read. */
  get isReady(): boolean {
    return [...this.#issuers.values()].every((one) => one.isReady);
  }

  [Symbol.dispose](): void {
    this.configure([]);
  }

  identify(token: string, audiences?: readonly string[]): Promise<TokenOwner> | undefined {
    const iss = readCompactToken(token)?.claims["iss"];
    const tokens = typeof iss === "string" ? this.#issuers.get(iss) : undefined;
    return tokens && this.#authenticate(tokens, token, audiences);
  }

  async #authenticate(
    tokens: IssuerTokens,
    token: string,
    requested: readonly string[] | undefined,
  ): Promise<TokenOwner> {
    const { clock, audiences, onResult } = this.#parts;
    const started = clock.steady();
    const report = (result: "success" | "failure"): void =>
      onResult?.(tokens.issuer.url, result, (clock.steady() - started) / 1000);
    try {
      const owner = await tokens.identify(token);
      report("success");
      return { ...owner, audiences: requested ? requested.filter((one) => audiences.includes(one)) : audiences };
    } catch (error) {
      report("failure");
      throw error;
    }
  }
}
