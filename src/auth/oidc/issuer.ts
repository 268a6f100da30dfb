/**
 * One issuer: verifies the signatures, times and audiences of its tokens, and maps their claims to users (OIDC-6..16).
 *
 * @module
 */
import { readCompactToken } from "../compact-token.ts";
import { TokenRefused, type TokenOwner } from "../contract.ts";
import type { Clock } from "../../util/clock.ts";
import { decodePlainJson } from "../../value/json.ts";
import { errorText } from "../../util/cut-text.ts";
import { type Value, type ValueObject, asJsonNumber, getMember, isObject } from "../../value/value.ts";
import { identityOf } from "./claims.ts";
import { type ClaimSource, distributedSource } from "./distributed-claims.ts";
import { IssuerKeys, type KeySources } from "./keys.ts";
import type { Issuer } from "./rules.ts";

const refused = (why: string): TokenRefused => new TokenRefused(`oidc: ${why}`);

/** How far `nbf` may be in the future, since clocks differ (OIDC-9). */
const NBF_LEEWAY_SECONDS = 60;

/** Authenticates the tokens of one issuer. */
export class IssuerTokens implements Disposable {
  readonly issuer: Issuer;
  readonly #keys: IssuerKeys;
  readonly #sources: KeySources;
  readonly #clock: Pick<Clock, "now">;
  #hasSharedKeys = false;

  /** @param before the issuer of the configuration before; its keys are reused where they come from the same URL */
  constructor(issuer: Issuer, sources: KeySources & { readonly clock: Pick<Clock, "now"> }, before?: IssuerTokens) {
    this.issuer = issuer;
    this.#sources = sources;
    this.#clock = sources.clock;
    this.#keys = before && hasSameKeys(issuer, before.issuer) ? before.#shareKeys() : new IssuerKeys(issuer, sources);
  }

  /** Returns the keys to an owner that disposes of them. */
  #shareKeys(): IssuerKeys {
    this.#hasSharedKeys = true;
    return this.#keys;
  }

  /** Whether the keys have been read. */
  get isReady(): boolean {
    return this.#keys.isReady;
  }

  [Symbol.dispose](): void {
    if (!this.#hasSharedKeys) this.#keys[Symbol.dispose]();
  }

  /** The owner of a token. Rejects with TokenRefused. */
  async identify(token: string): Promise<Pick<TokenOwner, "identity" | "isValid">> {
    const { claims, exp } = await this.#verified(token);
    const { groups } = this.issuer;
    const claim = groups && "claim" in groups ? groups.claim : "";
    const source = claim === "" ? undefined : distributedSource(claims, claim);
    const all = source ? { ...claims, [claim]: await this.#fetched(claim, source) } : claims;
    // A cached token expires, too (OIDC-9).
    return { identity: identityOf(this.issuer, all), isValid: () => !this.#isExpired(exp) };
  }

  /** The claims of a valid token, and its expiration time. */
  async #verified(token: string): Promise<{ readonly claims: ValueObject; readonly exp: number }> {
    if (!readCompactToken(token)) throw refused("expected a signed token in the compact form");
    const claims = decodePlainJson(await this.#keys.verify(token));
    if (!isObject(claims)) throw refused("expected the claims of the token to be an object");
    this.#checkAudience(claims);
    return { claims, exp: this.#checkTimes(claims) };
  }

  #checkAudience({ iss, aud }: ValueObject): void {
    if (iss !== this.issuer.url) throw refused("id token issued by a different provider");
    const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
    if (!this.issuer.audiences.some((audience) => audiences.includes(audience))) {
      throw refused(`expected the token to be for one of ${JSON.stringify(this.issuer.audiences)}`);
    }
  }

  /** Returns the expiration time, in seconds since the epoch. */
  #checkTimes({ exp, nbf }: ValueObject): number {
    const end = numberOf(exp);
    if (end === undefined) throw refused("expected the token to have an expiration time");
    if (this.#isExpired(end)) throw refused("the token has expired");
    const start = nbf === undefined ? undefined : (numberOf(nbf) ?? Infinity);
    if (start !== undefined && start > this.#seconds() + NBF_LEEWAY_SECONDS)
      throw refused("the token is not valid yet");
    return end;
  }

  #isExpired(exp: number): boolean {
    return exp <= this.#seconds();
  }

  /** Seconds since the epoch. */
  #seconds(): number {
    return this.#clock.now() / 1000;
  }

  /** The value of a distributed claim, which is in a token of its own. */
  async #fetched(claim: string, { endpoint, token }: ClaimSource): Promise<Value> {
    let text: string;
    try {
      text = (await this.#sources.fetch(endpoint, { ca: this.issuer.ca, token })).trim();
    } catch (error) {
      throw refused(`distributed claim ${claim} could not be fetched: ${errorText(error)}`);
    }
    const value = getMember((await this.#verified(text)).claims, claim);
    if (value === undefined) throw refused(`expected the token of distributed claim ${claim} to contain it`);
    return value;
  }
}

const hasSameKeys = (one: Issuer, other: Issuer): boolean =>
  one.discovery === other.discovery && one.ca === other.ca && String(one.algorithms) === String(other.algorithms);

const numberOf = (value: Value | undefined): number | undefined => {
  const number = typeof value === "number" ? value : asJsonNumber(value)?.value;
  return number !== undefined && Number.isFinite(number) ? number : undefined;
};
