/**
 * The token of an `Authorization` header (RFC 6750 2.1); undefined where it holds none (AUTHN-6).
 *
 * The word `Bearer` stands in any case, one space behind it. What follows up to the next space is the token, so that two
 * spaces make it empty, and an empty one is none.
 */
export function bearerOf(authorization: string): string | undefined {
  const [scheme = "", token = ""] = authorization.trim().split(" ", 2);
  return token !== "" && scheme.toLowerCase() === "bearer" ? token : undefined;
}
