/**
 * Signing in and out: the responses below `/console/` that are about a session.
 *
 * @module
 */
import { ANONYMOUS, type HeldCredential } from "../../auth/contract.ts";
import {
  CONSOLE_LINK_MILLIS,
  CONSOLE_LOGIN_PATH,
  type ConsoleLink,
  type ConsoleSession,
} from "../../meta/console-session.ts";
import { ApiError, badRequest, unauthorized } from "../../meta/status.ts";
import { type ServerContext, type ServerRequest, credentialsOf, endRevoked } from "../../server/index.ts";
import type { Log } from "../../util/log.ts";
import { hostOf } from "../origin.ts";
import { cookieOf, isOfConsole, setCookie } from "./cookie.ts";
import { SAFE_HEADERS } from "./headers.ts";
import { type LinkOwner, Links } from "./links.ts";
import { respondWithText } from "./page.ts";
import type { SealedSession } from "./sealed-session.ts";
import { type SessionCookies, type SessionParts, Sessions } from "./sessions.ts";

/** What the desk needs. */
export interface DeskParts extends SessionParts {
  readonly log: Log;
  /** The version of the server. */
  readonly version: string;
  /** Shares a session that was signed out with the other servers of the store; rejects where that is not possible. */
  readonly share: (change: Parameters<ShareSignOut>[0]) => Promise<void>;
}

/** Changes the sessions that the servers of a store share as signed out. */
export type ShareSignOut = (
  change: (sessions: Readonly<Record<string, string>>) => Readonly<Record<string, string>>,
) => Promise<void>;

/** Bodies of these requests say nothing. */
const MAX_BODY_BYTES = 1024;
const MAX_HOST_LENGTH = 300;
const HOST = /^[\w.\-:[\]]+$/;

/** See the head of this file. */
export class Desk {
  readonly sessions: Sessions;
  readonly #parts: DeskParts;
  readonly #links: Links;
  /** Opens cookies, whose sessions may be over. */
  readonly #cookies: SessionCookies;

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.sessions = new Sessions(parts);
    this.#links = new Links(() => parts.clock.steady(), parts.secret);
    this.#cookies = this.sessions.reader({ read: () => undefined });
  }

  /** The number of links that were not used. */
  get links(): number {
    return this.#links.size;
  }

  /** `POST /console/links` */
  async link(server: ServerContext, request: ServerRequest): Promise<void> {
    const owner = await this.#ownerOf(server, request);
    const sent = credentialsOf(request);
    const host = hostOf(sent);
    if (host.length > MAX_HOST_LENGTH || !HOST.test(host))
      throw badRequest("expected a header Host with the name of the server");
    const code = this.#links.make(owner);
    const link: ConsoleLink = {
      url: `${sent.connection.encrypted ? "https" : "http"}://${host}${CONSOLE_LOGIN_PATH}?code=${code}`,
      expires: this.#time(this.#parts.clock.now() + CONSOLE_LINK_MILLIS),
    };
    respondWithJson(request, 201, link);
  }

  /** `GET /console/login?code=...` */
  async login(request: ServerRequest): Promise<void> {
    const { sent, query } = request.incoming;
    const refuse = (why: string): void => respondWithText(request, 403, why, this.#parts.secret());
    // A page of another origin may not sign its reader in as another user.
    if (["cross-site", "same-site"].includes(sent.header("sec-fetch-site")))
      return refuse("Open this link by itself, not from another page: copy it to the address bar.");
    const owner = this.#links.use(query.text("code"));
    const begun = owner && (await this.sessions.begin(owner.user, owner.credential));
    if (!begun)
      return refuse("This link was used before, or is older than a minute. Run `keelson console` for a new one.");
    const { response } = request;
    const headers = { ...response.headers(""), ...SAFE_HEADERS, "cache-control": "no-store" };
    response.respond(303, { ...headers, location: safeTarget(query.text("to")), ...this.#cookie(request, begun) });
  }

  /** `POST /console/session` */
  async signIn(server: ServerContext, request: ServerRequest): Promise<void> {
    const owner = await this.#ownerOf(server, request);
    if (!isOfConsole(credentialsOf(request))) throw onlyConsole();
    const begun = await this.sessions.begin(owner.user, owner.credential);
    if (!begun) throw tooLong();
    respondWithJson(request, 201, this.#describe(server, request, begun.session), this.#cookie(request, begun));
  }

  /** `GET /console/session` */
  async show(server: ServerContext, request: ServerRequest): Promise<void> {
    checkUser(request);
    const session = await this.#sessionOf(server, request);
    const renewed = session && (await this.sessions.renew(session));
    const cookie = renewed ? this.#cookie(request, renewed) : {};
    respondWithJson(request, 200, this.#describe(server, request, renewed?.session ?? session), cookie);
  }

  /** `DELETE /console/session` */
  async signOut(server: ServerContext, request: ServerRequest): Promise<void> {
    checkUser(request);
    const session = await this.#sessionOf(server, request);
    if (session) {
      this.sessions.signOut(session);
      await this.#share(session);
      const { ongoing, authenticator, clock, faults } = server;
      await endRevoked(ongoing, authenticator, clock.loop, (error) => faults.report("connection", error));
    }
    respondWithJson(request, 200, {}, { "set-cookie": setCookie(credentialsOf(request), "", 0) });
  }

  async #share(session: SealedSession): Promise<void> {
    try {
      await this.#parts.share((sessions) => this.sessions.withSignedOut(sessions, session));
    } catch (error) {
      this.#parts.log.warn("a session of the console was signed out on this server only", { error: String(error) });
    }
  }

  /** The session that a request belongs to; undefined for a request with a credential of its own. */
  async #sessionOf(server: ServerContext, request: ServerRequest): Promise<SealedSession | undefined> {
    const credentials = credentialsOf(request);
    if (server.authenticator.credentialOf?.(credentials)) return undefined;
    const cookie = cookieOf(credentials);
    return cookie === undefined ? undefined : (await this.#cookies.open(cookie))?.sealed;
  }

  /** Who is to be signed in by a request, and with what. */
  async #ownerOf(server: ServerContext, request: ServerRequest): Promise<LinkOwner> {
    await request.incoming.sent.readBody(MAX_BODY_BYTES);
    checkUser(request);
    if (request.sender)
      throw badRequest("expected no impersonation: a session is for the user of the credential itself");
    const credential = server.authenticator.credentialOf?.(credentialsOf(request));
    if (!credential) throw noCredential();
    const user = this.sessions.digestOf(request.identity.user);
    // What does not fit is said now, and not in the browser.
    if (!(await this.sessions.begin(user, credential))) throw tooLong();
    return { user, credential };
  }

  #describe(
    { dialect }: ServerContext,
    { identity }: ServerRequest,
    session: SealedSession | undefined,
  ): ConsoleSession {
    const { user, groups } = identity;
    const own = session && { credential: session.credential.kind, expires: this.#time(session.ends) };
    return { user, groups, ...own, dialect: dialect.name, version: this.#parts.version };
  }

  #cookie(request: ServerRequest, { cookie, session }: { readonly cookie: string; readonly session: SealedSession }) {
    const seconds = Math.max(1, Math.floor((session.ends - this.#parts.clock.now()) / 1000));
    return { "set-cookie": setCookie(credentialsOf(request), cookie, seconds) };
  }

  #time(millis: number): string {
    return new Date(millis).toISOString();
  }
}

/** The kinds of credentials by which a session can be begun, for people. */
const EXPECTED: Readonly<Record<HeldCredential["kind"], string>> = {
  token: "a bearer token",
  certificate: "a client certificate",
};

const noCredential = (): ApiError =>
  new ApiError(
    "Forbidden",
    `expected ${Object.values(EXPECTED).join(" or ")} with the request, because a session ends with its credential`,
    {
      details: {},
    },
  );

const onlyConsole = (): ApiError =>
  new ApiError("Forbidden", "expected a request of the console's own page", { details: {} });

const tooLong = (): ApiError =>
  badRequest(
    "expected a credential that has not expired and fits into a cookie: a token of at most about 3500 characters",
  );

/** Anonymous requests have no session. */
function checkUser({ identity }: ServerRequest): void {
  if (identity.user === ANONYMOUS.user) throw unauthorized();
}

const ORIGIN = "https://console.invalid";

/** Where a login leads: a path of the console, whatever was asked for. */
export function safeTarget(to: string): string {
  const home = "/console/";
  if (!to.startsWith(home) || to.length > 2000 || !URL.canParse(to, ORIGIN)) return home;
  const { origin, pathname, search, hash } = new URL(to, ORIGIN);
  return origin === ORIGIN && pathname.startsWith(home) ? pathname + search + hash : home;
}

function respondWithJson(
  { response }: ServerRequest,
  code: number,
  value: object,
  more: Readonly<Record<string, string>> = {},
): void {
  const headers = { ...response.headers("application/json"), ...SAFE_HEADERS, "cache-control": "no-store", ...more };
  response.respond(code, headers, Buffer.from(`${JSON.stringify(value)}\n`));
}
