/**
 * The messages between the page and the server of the console about the session.
 *
 * @module
 */

/** `POST` creates a session for a bearer token, `GET` describes it, `DELETE` ends it. */
export const CONSOLE_SESSION_PATH = "/console/session";
/** `POST` creates a link that signs a browser in, once. */
export const CONSOLE_LINKS_PATH = "/console/links";
/** The target of such a link. */
export const CONSOLE_LOGIN_PATH = "/console/login";
/** The header that requests of the page carry, with the value 1: a page of another origin cannot send it. */
export const CONSOLE_HEADER = "x-keelson-console";
/** How long a link can be used, in milliseconds. */
export const CONSOLE_LINK_MILLIS = 60_000;

/** The user of a session, its end, and the server. */
export interface ConsoleSession {
  readonly user: string;
  readonly groups: readonly string[];
  /** The kind of credential of the session; absent for a request with a credential of its own, which has no session. */
  readonly credential?: "token" | "certificate";
  /** When the session ends, RFC 3339; each `GET` extends it. Absent where there is no session. */
  readonly expires?: string;
  readonly dialect: "neutral" | "kubernetes";
  /** The version of the server. */
  readonly version: string;
}

/** A link for a browser. */
export interface ConsoleLink {
  /** For this server; the first user who opens it is signed in as the user who requested it. */
  readonly url: string;
  /** When it ends, RFC 3339. */
  readonly expires: string;
}
