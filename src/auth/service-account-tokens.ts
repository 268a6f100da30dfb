/**
 * Signed tokens for service accounts: JWTs (RFC 7519) with an audience and a lifetime (SUP-7, DEC-35).
 *
 * @module
 */
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

const ALGORITHM = "ES256";

/** A signer with a PEM private key (PKCS#8, P-256); the issuer is also the default audience. */
export function tokenSigner(pem: string, issuer: string, api: SignerContext): TokenSigner {
  // Loaded with the first token: most servers never sign one.
  const signing = (async () => {
    const { SignJWT, importPKCS8 } = await import("jose");
    return { SignJWT, key: await importPKCS8(pem, ALGORITHM) };
  })();
  return {
    defaultAudience: issuer,
    async sign({ namespace, serviceAccount, bound, audiences, seconds }) {
      const now = Math.floor(api.clock.now() / 1000);
      const place = { namespace, serviceaccount: serviceAccount, ...(bound && { [bound.kind]: withoutKind(bound) }) };
      const { SignJWT, key } = await signing;
      const token = await new SignJWT({ [api.dialect.labelDomain]: place })
        .setProtectedHeader({ alg: ALGORITHM, typ: "JWT" })
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
