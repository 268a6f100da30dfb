/**
 * The token of an `Authorization` header (RFC 6750 2.1); undefined where it has none (AUTHN-6).
 *
 * The scheme `Bearer` is case-insensitive. One space follows, then the token up to the next space: after two spaces the token
 * is empty, which counts as none.
 */
export function bearerOf(authorization: string): string | undefined {
  const [scheme = "", token = ""] = authorization.trim().split(" ", 2);
  return token !== "" && scheme.toLowerCase() === "bearer" ? token : undefined;
}
