import { type ValueObject, isObject } from "../../value/value.ts";
import { TokenRefused } from "../contract.ts";

/** The source of a distributed claim. */
export interface ClaimSource {
  readonly endpoint: string;
  readonly token: string | undefined;
}

/**
 * The source of a distributed claim of a token (OIDC-16, OpenID Connect Core 5.6.2); undefined where the token has the claim
 * itself, or not at all. @throws TokenRefused for an invalid source
 */
export function distributedSource(claims: ValueObject, claim: string): ClaimSource | undefined {
  const { _claim_names: names, _claim_sources: sources } = claims;
  if (Object.hasOwn(claims, claim) || !isObject(names) || !Object.hasOwn(names, claim)) return undefined;
  const name = names[claim];
  const source =
    typeof name === "string" && isObject(sources) && Object.hasOwn(sources, name) ? sources[name] : undefined;
  const { endpoint, access_token: token } = isObject(source) ? source : {};
  if (typeof endpoint !== "string" || URL.parse(endpoint)?.protocol !== "https:") {
    throw new TokenRefused(`oidc: expected the source of distributed claim ${claim} to have an https endpoint`);
  }
  return { endpoint, token: typeof token === "string" ? token : undefined };
}
