/**
 * Signed tokens for service accounts: JWTs (RFC 7519) with audiences and a lifetime (SUP-7, AUTHN-26), and those of Secrets,
 * which have neither and end with their Secret (AUTHN-33).
 *
 * @module
 */
import { type KeyObject, createPrivateKey } from "node:crypto";
import type { JWTPayload } from "jose";
import type { ApiContext } from "../schema/definition.ts";
import { type TokenKeys, tokenKeyOf } from "./token-keys.ts";

/** An object that a token names. */
export interface Named {
  readonly name: string;
  readonly uid: string;
}

/** The claims of a token that is requested. */
export interface TokenClaims {
  readonly namespace: string;
  readonly serviceAccount: Named;
  /** The objects that the token is bound to, or those of its Pod; a node that does not exist has no uid. */
  readonly pod?: Named;
  readonly secret?: Named;
  readonly node?: { readonly name: string; readonly uid?: string };
  readonly audiences: readonly string[];
  readonly seconds: number;
  /** Seconds after which its use is counted as stale, though it stays valid (AUTHN-29). */
  readonly warnAfterSeconds?: number;
}

/** The issuer and the lifetime of tokens. */
export interface Issuance {
  /** A URI. */
  readonly issuer: string;
  /** The audiences of this server, and of tokens for which none are requested. */
  readonly audiences: readonly string[];
  /** The longest lifetime of a token in seconds; without it only the limit of requests applies. */
  readonly maxSeconds?: number | undefined;
  /** Whether tokens of Pods stay valid after their requested lifetime (AUTHN-29). */
  readonly extendsExpiration: boolean;
}

/** Signs tokens with the key of the server. */
export interface TokenSigner {
  readonly issuance: Issuance;
  /** The token, and its ID (`jti`). */
  sign(claims: TokenClaims): Promise<{ readonly token: string; readonly id: string }>;
  /** A token of a Secret, which does not expire. */
  signForSecret(namespace: string, account: Named, secret: string): Promise<string>;
}

/** The parts of the server that a signer needs. */
export type SignerContext = Pick<ApiContext, "dialect" | "clock" | "random">;

/** The issuer of tokens of Secrets, in both dialects (AUTHN-33). */
export const SECRET_ISSUER = "kubernetes/serviceaccount";

/** The prefix of the claims of tokens of Secrets. */
export const secretClaims = (labelDomain: string): string => `${labelDomain}/serviceaccount/`;

/** The user name of a service account (AUTHN-21). */
export const accountUser = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`;

/** Returns a signer; `keys` is called for each token, so that a new key is used at once. */
export function tokenSigner(keys: () => TokenKeys, issuance: Issuance, api: SignerContext): TokenSigner {
  const { labelDomain } = api.dialect;
  const { issuer } = issuance;
  let held: { readonly pem: string; readonly kid: string; readonly alg: string; readonly key: KeyObject } | undefined;
  const sign = async (payload: JWTPayload): Promise<string> => {
    // Loaded with the first token: most servers never sign one.
    const { SignJWT } = await import("jose");
    const { signing } = keys();
    if (held?.pem !== signing) held = { pem: signing, ...tokenKeyOf(signing), key: createPrivateKey(signing) };
    const { alg, kid, key } = held;
    return new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(key);
  };
  return {
    issuance,
    async sign({ namespace, serviceAccount, pod, secret, node, audiences, seconds, warnAfterSeconds }) {
      const now = Math.floor(api.clock.now() / 1000);
      const id = api.random.uuid();
      const bound = {
        namespace,
        serviceaccount: serviceAccount,
        ...(pod && { pod }),
        ...(secret && { secret }),
        ...(node && { node }),
        ...(warnAfterSeconds !== undefined && { warnafter: now + warnAfterSeconds }),
      };
      const token = await sign({
        aud: [...audiences],
        exp: now + seconds,
        iat: now,
        iss: issuer,
        jti: id,
        [labelDomain]: bound,
        nbf: now,
        sub: accountUser(namespace, serviceAccount.name),
      });
      return { token, id };
    },
    signForSecret(namespace, { name, uid }, secret) {
      const prefix = secretClaims(labelDomain);
      return sign({
        iss: SECRET_ISSUER,
        [`${prefix}namespace`]: namespace,
        [`${prefix}secret.name`]: secret,
        [`${prefix}service-account.name`]: name,
        [`${prefix}service-account.uid`]: uid,
        sub: accountUser(namespace, name),
      });
    },
  };
}
