/**
 * The sessions of the console: begun with a credential, kept in a cookie, ended by their time, with their credential, or by
 * signing out.
 *
 * @module
 */
import { hash } from "node:crypto";
import type { HeldCredential } from "../../auth/contract.ts";
import { readCompactToken } from "../../auth/compact-token.ts";
import type { Session } from "../../auth/sessions.ts";
import { BoundedCache, textBytes } from "../../util/bounded-cache.ts";
import type { Clock } from "../../util/clock.ts";
import { memoizeLast } from "../../util/once.ts";
import { MAX_COOKIE_LENGTH } from "./cookie.ts";
import { type SealedSession, SessionSeals } from "./sealed-session.ts";
import { type SignedOutSessions, isSignedOut, withSignedOut } from "./signed-out.ts";

/** What sessions are made of. */
export interface SessionParts {
  readonly clock: Clock;
  /** The private key that signs tokens, PEM. */
  readonly key: () => string;
  /** The certificates of the authorities of clients, PEM. */
  readonly authorities: () => string;
  /** How long a session lasts that is not used. */
  readonly millis: number;
  readonly secret: () => string;
}

/** The sessions that the servers of a store share as signed out. */
export interface SharedSignOuts {
  /** Those of now; undefined where there are none. */
  read(): SignedOutSessions | undefined;
}

/** Used or not, a session ends this long after its begin. */
const MAX_MILLIS = 7 * 86_400_000;
const BOUNDS = { entries: 1000, bytes: 8 << 20 };

/** A session that a cookie names. */
export interface OpenSession extends Session {
  readonly sealed: SealedSession;
}

/** Sealed sessions, and those that were signed out on this server. */
export class Sessions {
  readonly #parts: SessionParts;
  readonly #seals: SessionSeals;
  readonly #digestOfAuthorities = memoizeLast((pem: string) => hash("sha256", pem, "base64url").slice(0, 22));
  #signedOut: SignedOutSessions = {};

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#seals = new SessionSeals(parts.key);
  }

  /** A digest of a user's name, which may be long. */
  digestOf(user: string): string {
    return hash("sha256", user, "base64url").slice(0, 22);
  }

  /** A session that begins now; undefined where its credential is too long for a cookie, or has ended. */
  async begin(
    user: string,
    credential: HeldCredential,
  ): Promise<{ cookie: string; session: SealedSession } | undefined> {
    const { clock, secret } = this.#parts;
    const now = clock.now();
    const ends = this.#endOf(credential, now, now);
    const authorities = credential.kind === "certificate" ? { authorities: this.#authorities() } : {};
    const session = { id: secret(), user, begun: now, ends, credential, ...authorities };
    const cookie = session.ends > now ? await this.#seals.seal(session) : "";
    return cookie === "" || cookie.length > MAX_COOKIE_LENGTH ? undefined : { cookie, session };
  }

  /** The same session with a later end; undefined where it would gain less than a tenth of its time. */
  async renew(session: SealedSession): Promise<{ cookie: string; session: SealedSession } | undefined> {
    const ends = this.#endOf(session.credential, session.begun, this.#parts.clock.now());
    if (ends - session.ends < this.#parts.millis / 10) return undefined;
    const renewed = { ...session, ends };
    return { cookie: await this.#seals.seal(renewed), session: renewed };
  }

  /** Signs a session out on this server. */
  signOut(session: SealedSession): void {
    this.#signedOut = this.withSignedOut(this.#signedOut, session);
  }

  /** Adds a session to those that were signed out. Another cookie of it may have been renewed, so its end may be later. */
  withSignedOut(sessions: SignedOutSessions, session: SealedSession): SignedOutSessions {
    return withSignedOut(sessions, { ...session, ends: lastEndOf(session) }, this.#parts.clock.now());
  }

  /** Reads cookies, for one cluster. */
  reader(shared: SharedSignOuts): SessionCookies {
    const isOver = (session: SealedSession): boolean =>
      session.ends <= this.#parts.clock.now() ||
      // Its chain is not kept, so another set of authorities may not accept it.
      (session.credential.kind === "certificate" && session.authorities !== this.#authorities()) ||
      isSignedOut(this.#signedOut, session) ||
      isSignedOut(shared.read() ?? {}, session);
    return new SessionCookies(this.#seals, isOver);
  }

  #authorities(): string {
    return this.#digestOfAuthorities(this.#parts.authorities());
  }

  #endOf(credential: HeldCredential, begun: number, now: number): number {
    return Math.min(now + this.#parts.millis, lastEndOf({ begun, credential }));
  }
}

/** When a session ends, however often it is renewed. */
const lastEndOf = ({ begun, credential }: Pick<SealedSession, "begun" | "credential">): number =>
  Math.min(begun + MAX_MILLIS, endOf(credential));

/** When a credential ends by itself, as far as it says so. */
function endOf(credential: HeldCredential): number {
  if (credential.kind === "certificate") return credential.certificate.notAfter;
  const end = readCompactToken(credential.token)?.claims["exp"];
  return typeof end === "number" ? end * 1000 : Infinity;
}

/** The sessions of cookies; those that were used last are remembered. */
export class SessionCookies {
  readonly #seals: SessionSeals;
  readonly #isOver: (session: SealedSession) => boolean;
  #open = new BoundedCache<OpenSession>({ ...BOUNDS, weigh: ({ sealed }) => 2000 + textBytes(JSON.stringify(sealed)) });
  #mark = "";

  constructor(seals: SessionSeals, isOver: (session: SealedSession) => boolean) {
    this.#seals = seals;
    this.#isOver = isOver;
  }

  /** The session of a cookie that is remembered. */
  known(cookie: string): OpenSession | undefined {
    const { mark } = this.#seals;
    if (mark !== this.#mark) {
      this.#mark = mark;
      this.#open = new BoundedCache({ ...BOUNDS, weigh: ({ sealed }) => 2000 + textBytes(JSON.stringify(sealed)) });
    }
    return this.#open.get(cookie);
  }

  /** The session of a cookie; undefined where it is none of ours. */
  async open(cookie: string): Promise<OpenSession | undefined> {
    const known = this.known(cookie);
    if (known) return known;
    const sealed = await this.#seals.open(cookie);
    if (!sealed) return undefined;
    // Another request with the same cookie may have been faster.
    const again = this.known(cookie);
    if (again) return again;
    const session = { sealed, credential: sealed.credential, isOver: () => this.#isOver(sealed) };
    this.#open.set(cookie, session);
    return session;
  }
}
