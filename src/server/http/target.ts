/**
 * The host and the resource of an HTTP/1.1 request (RFC 9112 3.2).
 *
 * @module
 */

/** The prefix of the path where the client sends a request as to a proxy. */
const AUTHORITY = /^https?:\/\/[^/?#]*/i;

/** Path and query of a target in either form: `/livez`, or `http://host/livez`, with any host (RFC 9112 3.2.2). */
export function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  const found = AUTHORITY.exec(target);
  if (!found) return target;
  const rest = target.slice(found[0].length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/**
 * Whether a request names its host exactly once (RFC 9112 3.2): two readers may choose different ones of several.
 *
 * @param rawHeaders names, each followed by its value, as they were sent
 */
export function hasOneHost(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (/^host$/i.test(rawHeaders[i]!)) hosts++;
  return hosts === 1;
}
