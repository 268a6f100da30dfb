/**
 * The cookie of a session, and which requests it counts for.
 *
 * A browser adds it to every request for this host, whatever page has caused it. So it counts only if the request says that the
 * console's own page has made it: by a header that pages of other origins cannot send, or, for a WebSocket, by its Origin.
 *
 * @module
 */
import type { Credentials } from "../../auth/contract.ts";
import { CONSOLE_HEADER } from "../../meta/console-session.ts";
import { type Originated, hostOf, isSameOrigin, isWebSocket } from "../origin.ts";

/** The part of a request that says where it comes from, and its cookies. */
type Sent = Originated & Pick<Credentials, "lines">;

/** The longest value that browsers store, with its name. */
export const MAX_COOKIE_LENGTH = 4000;

/**
 * The name of the cookie. Cookies know no ports, so the port is a part of it: servers on one machine do not overwrite each
 * other's. With `__Host-` no other host can set it.
 */
export function cookieName(request: Sent): string {
  const { encrypted } = request.connection;
  const [, port = encrypted ? "443" : "80"] = /:(\d{1,5})$/.exec(hostOf(request)) ?? [];
  return `${encrypted ? "__Host-" : ""}keelson-${port}`;
}

/** The value of a Set-Cookie header. @param seconds how long the browser keeps it; 0 removes it */
export const setCookie = (request: Sent, value: string, seconds: number): string =>
  `${cookieName(request)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${request.connection.encrypted ? "; Secure" : ""}`;

/** Whether the console's page has sent a request. */
export const isOfConsole = (request: Sent): boolean =>
  (isWebSocket(request) || request.header(CONSOLE_HEADER) === "1") && isSameOrigin(request);

/** The value of the cookie of a request; undefined where it has none, or the cookie does not count. */
export function cookieOf(request: Sent): string | undefined {
  if (request.header("cookie") === "" || !isOfConsole(request)) return undefined;
  const start = `${cookieName(request)}=`;
  const found = request
    .lines("cookie")
    .flatMap((line) => line.split(";"))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start));
  // With two of them, one is not ours.
  const [only = ""] = found.length === 1 ? found : [];
  const value = only.slice(start.length);
  return value === "" || value.length > MAX_COOKIE_LENGTH ? undefined : value;
}
