/**
 * The documents of the issuer of tokens of service accounts: its name, and the keys that sign tokens (AUTHN-35 to AUTHN-37,
 * OpenID Connect Discovery 1.0). Other programs verify tokens by them; reading them needs a right.
 *
 * @module
 */
import type { TokenKey } from "../../auth/token-keys.ts";
import { notAcceptable } from "../../meta/status.ts";
import { respondWithBytes } from "../response/encode.ts";
import { DOCUMENT, clausesOf, negotiate } from "../response/negotiate.ts";
import type { Route } from "../request/context.ts";
import type { ServerRequest } from "../request/request.ts";

/** The issuer of the documents. */
export interface IssuerFacts {
  readonly issuer: string;
  /** Where the keys can be read. */
  readonly jwksUri: () => string;
  readonly keys: () => readonly TokenKey[];
}

const JWK_SET = "application/jwk-set+json";
const CACHED = { "cache-control": "public, max-age=3600" };

/** The documents as routes; none where the issuer is no https URL without query and fragment. */
export function issuerRoutes({ issuer, jwksUri, keys }: IssuerFacts): readonly Route[] {
  if (!isHttps(issuer)) return [];
  return [
    {
      path: "/.well-known/openid-configuration",
      slash: true,
      methods: ["GET"],
      handle: (_server, request) => {
        negotiate(request.incoming, DOCUMENT);
        const body = JSON.stringify({
          issuer,
          jwks_uri: jwksUri(),
          response_types_supported: ["id_token"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: [...new Set(keys().map(({ alg }) => alg))].toSorted(),
        });
        return respondWithBytes(request.response, 200, Buffer.from(body), "application/json", CACHED);
      },
    },
    {
      path: "/openid/v1/jwks",
      slash: true,
      methods: ["GET"],
      handle: (_server, request) => {
        takesJwkSet(request);
        return respondWithBytes(request.response, 200, Buffer.from(jwkSet(keys())), JWK_SET, CACHED);
      },
    },
  ];
}

/** Whether an issuer is one that the standard allows (OpenID Connect Discovery 1.0, 3). */
function isHttps(issuer: string): boolean {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  return url?.protocol === "https:" && url.search === "" && url.hash === "";
}

/** The keys as a JWK set (RFC 7517 5). */
const jwkSet = (keys: readonly TokenKey[]): string =>
  JSON.stringify({
    keys: keys.map(({ kid, alg, key }) => ({ use: "sig", kid, alg, ...key.export({ format: "jwk" }) })),
  });

/** Throws 406 unless the client accepts a JWK set, which is the only form. */
function takesJwkSet(request: ServerRequest): void {
  const clauses = clausesOf(request.incoming.sent.header("accept"));
  const isTaken = clauses.some(({ type, media }) => media === "any" || media === "application" || type === JWK_SET);
  if (!isTaken) throw notAcceptable([JWK_SET]);
}
