/**
 * Signed tokens for service accounts: JWTs (RFC 7519) with an audience and a lifetime (SUP-7, DEC-35).
 *
 * @module
 */
import { createPrivateKey, type KeyObject } from "node:crypto";
import type { ApiContext } from "../schema/definition.ts";

/** What a token is asked to say. */
export interface TokenClaims {
  readonly namespace: string;
  readonly serviceAccount: { readonly name: string; readonly uid: string };
  /** The object that the token is bound to, if any: its kind in lower case, name and uid. */
  readonly bound?: { readonly kind: string; readonly name: string; readonly uid: string };
  readonly audiences: readonly string[];
  readonly seconds: number;
}

/** Signs tokens with the server's key. */
export interface TokenSigner {
  /** The audience of tokens that name none: this server. */
  readonly defaultAudience: string;
  /** The token, and when it ends (milliseconds since the epoch). */
  sign(claims: TokenClaims): Promise<{ readonly token: string; readonly expires: number }>;
}

/** What a signer needs of its server. */
export type SignerContext = Pick<ApiContext, "dialect" | "clock" | "random">;

/** How keys sign, by their curve. */
const ALGORITHMS: Readonly<Record<string, string>> = { prime256v1: "ES256", secp384r1: "ES384", secp521r1: "ES512" };

/** The algorithm of a key; that of RSA where it has no curve. */
const algorithmOf = ({ asymmetricKeyDetails }: KeyObject): string =>
  ALGORITHMS[asymmetricKeyDetails?.namedCurve ?? ""] ?? "RS256";

/** A signer with a PEM private key; the issuer is also the default audience, unless another one is named. */
export function tokenSigner(
  pem: string,
  issuer: string,
  api: SignerContext,
  defaultAudience: string = issuer,
): TokenSigner {
  // Loaded with the first token: most servers never sign one.
  const signing = (async () => {
    const { SignJWT } = await import("jose");
    const key = createPrivateKey(pem);
    return { SignJWT, key, alg: algorithmOf(key) };
  })();
  return {
    defaultAudience,
    async sign({ namespace, serviceAccount, bound, audiences, seconds }) {
      const now = Math.floor(api.clock.now() / 1000);
      const place = { namespace, serviceaccount: serviceAccount, ...(bound && { [bound.kind]: withoutKind(bound) }) };
      const { SignJWT, key, alg } = await signing;
      const token = await new SignJWT({ [api.dialect.labelDomain]: place })
        .setProtectedHeader({ alg, typ: "JWT" })
        .setIssuer(issuer)
        .setSubject(`system:serviceaccount:${namespace}:${serviceAccount.name}`)
        .setAudience([...audiences])
        .setIssuedAt(now)
        .setNotBefore(now)
        .setExpirationTime(now + seconds)
        .setJti(api.random.uuid())
        .sign(key);
      return { token, expires: (now + seconds) * 1000 };
    },
  };
}

const withoutKind = ({ name, uid }: { name: string; uid: string }): { name: string; uid: string } => ({ name, uid });
