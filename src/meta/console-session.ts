/**
 * What the console's page and server say to each other about who is signed in.
 *
 * @module
 */

/** `POST` makes a session of a bearer token, `GET` describes it, `DELETE` ends it. */
export const CONSOLE_SESSION_PATH = "/console/session";
/** `POST` makes a link that signs a browser in, once. */
export const CONSOLE_LINKS_PATH = "/console/links";
/** Where such a link leads. */
export const CONSOLE_LOGIN_PATH = "/console/login";
/** The header that requests of the page carry, with the value 1: a page of another origin cannot send it. */
export const CONSOLE_HEADER = "x-keelson-console";
/** How long a link can be used, in milliseconds. */
export const CONSOLE_LINK_MILLIS = 60_000;

/** Who is signed in, until when and where. */
export interface ConsoleSession {
  readonly user: string;
  readonly groups: readonly string[];
  /** What the user signed in with; absent for a request with a credential of its own, which is no session. */
  readonly credential?: "token" | "certificate";
  /** When the session ends, RFC 3339; each `GET` moves it on. Absent where there is no session. */
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
