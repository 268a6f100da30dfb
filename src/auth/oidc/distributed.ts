import { type ValueObject, isObject } from "../../value/value.ts";
import { TokenRefused } from "../contract.ts";

/**
 * Where a claim stands that a token has only by reference (OIDC-16, OpenID Connect Core 5.6.2); undefined where the token has
 * it itself, or not at all. @throws TokenRefused for a reference that leads nowhere
 */
export function distributedSource(
  claims: ValueObject,
  claim: string,
): { readonly endpoint: string; readonly token: string | undefined } | undefined {
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
