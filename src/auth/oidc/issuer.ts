/**
 * One issuer: its tokens are verified, their times and audiences looked at, and their bearers found (OIDC-6..16).
 *
 * @module
 */
import { readCompactToken } from "../compact-token.ts";
import { TokenRefused, type TokenOwner } from "../contract.ts";
import type { Clock } from "../../util/clock.ts";
import { decodePlainJson } from "../../value/json.ts";
import { type ValueObject, asJsonNumber, isObject } from "../../value/value.ts";
import { bearerOf } from "./claims.ts";
import { distributedSource } from "./distributed.ts";
import { IssuerKeys, type KeySources } from "./keys.ts";
import type { Issuer } from "./rules.ts";

const refused = (why: string): TokenRefused => new TokenRefused(`oidc: ${why}`);

/** How far ahead `nbf` may be: clocks differ (OIDC-9). */
const NBF_LEEWAY_SECONDS = 60;

/** See the head of this file. */
export class IssuerTokens implements Disposable {
  readonly issuer: Issuer;
  readonly #keys: IssuerKeys;
  readonly #sources: KeySources;
  readonly #clock: Pick<Clock, "now">;
  #isGiven = false;

  /** @param before the same issuer with other rules: its keys are taken over where they are read from the same place */
  constructor(issuer: Issuer, sources: KeySources & { readonly clock: Pick<Clock, "now"> }, before?: IssuerTokens) {
    this.issuer = issuer;
    this.#sources = sources;
    this.#clock = sources.clock;
    this.#keys = before && hasSameKeys(issuer, before.issuer) ? before.#give() : new IssuerKeys(issuer, sources);
  }

  /** The keys, which somebody else lets go from now on. */
  #give(): IssuerKeys {
    this.#isGiven = true;
    return this.#keys;
  }

  /** Whether its keys were read. */
  get isReady(): boolean {
    return this.#keys.isReady;
  }

  [Symbol.dispose](): void {
    if (!this.#isGiven) this.#keys[Symbol.dispose]();
  }

  /** Whose a token is. Rejects with TokenRefused. */
  async identify(token: string): Promise<Pick<TokenOwner, "identity" | "holds">> {
    const claims = await this.#claimsOf(token);
    const groups = this.issuer.groups;
    const claim = groups && "claim" in groups ? groups.claim : undefined;
    const source = claim === undefined ? undefined : distributedSource(claims, claim);
    const whole = source ? { ...claims, [claim!]: await this.#fetched(claim!, source) } : claims;
    // Its end was found to be ahead: a token that is remembered ends like any other (OIDC-9).
    const end = numberOf(claims["exp"])!;
    return { identity: bearerOf(this.issuer, whole), holds: () => !this.#isOver(end) };
  }

  /** The claims of a token that is good now, and for us. */
  async #claimsOf(token: string): Promise<ValueObject> {
    if (!readCompactToken(token)) throw refused("expected a signed token in the compact form");
    const claims = decodePlainJson(await this.#keys.verify(token));
    if (!isObject(claims)) throw refused("the claims of the token are no object");
    this.#checkAudience(claims);
    this.#checkTimes(claims);
    return claims;
  }

  #checkAudience({ iss, aud }: ValueObject): void {
    if (iss !== this.issuer.url) throw refused("the token is of another issuer");
    const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
    if (!this.issuer.audiences.some((audience) => audiences.includes(audience))) {
      throw refused(`expected the token to be for one of ${JSON.stringify(this.issuer.audiences)}`);
    }
  }

  #checkTimes({ exp, nbf }: ValueObject): void {
    const end = numberOf(exp);
    if (end === undefined) throw refused("expected the token to say when it ends");
    if (this.#isOver(end)) throw refused("the token has ended");
    const begin = nbf === undefined ? undefined : (numberOf(nbf) ?? Infinity);
    if (begin !== undefined && begin > this.#seconds() + NBF_LEEWAY_SECONDS) throw refused("the token has not begun");
  }

  /** Whether the time that `exp` says has come. */
  #isOver(exp: number): boolean {
    return exp <= this.#seconds();
  }

  /** Since 1970. */
  #seconds(): number {
    return this.#clock.now() / 1000;
  }

  /** A claim that stands in a token of its own elsewhere. */
  async #fetched(
    claim: string,
    { endpoint, token }: { readonly endpoint: string; readonly token: string | undefined },
  ) {
    let text: string;
    try {
      text = (await this.#sources.fetch(endpoint, { ca: this.issuer.ca, token })).trim();
    } catch (error) {
      throw refused(`distributed claim ${claim} could not be read: ${(error as Error).message}`);
    }
    const claims = await this.#claimsOf(text);
    if (!Object.hasOwn(claims, claim)) throw refused(`what was read for distributed claim ${claim} does not have it`);
    return claims[claim]!;
  }
}

const hasSameKeys = (one: Issuer, other: Issuer): boolean =>
  one.discovery === other.discovery && one.ca === other.ca && String(one.algorithms) === String(other.algorithms);

const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === "number" ? value : asJsonNumber(value as never)?.value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
};
