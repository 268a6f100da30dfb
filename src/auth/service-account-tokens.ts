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

/** What a token is asked to say. */
export interface TokenClaims {
  readonly namespace: string;
  readonly serviceAccount: Named;
  /** The objects that the token is bound to, or that it says are those of its Pod; a node that is not there has no uid. */
  readonly pod?: Named;
  readonly secret?: Named;
  readonly node?: { readonly name: string; readonly uid?: string };
  readonly audiences: readonly string[];
  readonly seconds: number;
  /** After how many seconds its use is noted, where it goes on to work after them (AUTHN-29). */
  readonly warnAfterSeconds?: number;
}

/** Of whom tokens are, and how long they may be good. */
export interface Issuance {
  /** Who signs: an URI. */
  readonly issuer: string;
  /** The audiences of this server, which a token has that asks for none. */
  readonly audiences: readonly string[];
  /** The longest that a token is good, in seconds; without it there is no bound but that of requests. */
  readonly maxSeconds?: number | undefined;
  /** Whether tokens of Pods go on to work after their time (AUTHN-29). */
  readonly extendsExpiration: boolean;
}

/** Signs tokens with the server's key. */
export interface TokenSigner {
  readonly issuance: Issuance;
  /** The token, and the id that it has. */
  sign(claims: TokenClaims): Promise<{ readonly token: string; readonly id: string }>;
  /** A token of a Secret, without an end. */
  signForSecret(namespace: string, account: Named, secret: string): Promise<string>;
}

/** What a signer needs of its server. */
export type SignerContext = Pick<ApiContext, "dialect" | "clock" | "random">;

/** The issuer of tokens without an end, in both dialects (AUTHN-33). */
export const SECRET_ISSUER = "kubernetes/serviceaccount";

/** What claims of tokens of Secrets begin with. */
export const secretClaims = (labelDomain: string): string => `${labelDomain}/serviceaccount/`;

/** The name of the user that a service account is (AUTHN-21). */
export const accountUser = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`;

/** A signer; `keys` is asked for each token, so that the next one is signed with a key that is new. */
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
      const place = {
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
        [labelDomain]: place,
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
