/**
 * Sessions of browsers: a request without a credential of its own may belong to a session, which was begun with a credential.
 *
 * The credential is checked again with every request, by the authenticator for credentials of its kind. So a session ends with it: when
 * a token is revoked or expires, an account is deleted, or a certificate expires.
 *
 * @module
 */
import type { CertificateUsers } from "./certificates.ts";
import type { Connection, Credentials, HeldCredential, Identity } from "./contract.ts";
import type { TokenCache } from "./token-cache.ts";

/** A session of a browser; always the same object while it is cached. */
export interface Session {
  readonly credential: HeldCredential;
  /** Whether it has ended by itself: it has expired, or its user has signed out. */
  isOver(): boolean;
}

/** Returns the session of a request; undefined where it has none. Throws or rejects with `unauthorized()` for one that is not valid. */
export type SessionReader = (credentials: Credentials) => Session | undefined | Promise<Session | undefined>;

/** The user of a session, derived from the user of its credential. */
interface SessionUser {
  readonly of: Identity;
  readonly identity: Identity;
}

/** The users of sessions. */
export class SessionUsers {
  readonly #tokens: TokenCache;
  readonly #certificates: CertificateUsers | undefined;
  readonly #users = new WeakMap<Session, SessionUser>();
  /** Whether the session of a user has ended, or its credential is not valid any more. */
  readonly #over = new WeakMap<Identity, () => boolean>();

  constructor(tokens: TokenCache, certificates: CertificateUsers | undefined) {
    this.#tokens = tokens;
    this.#certificates = certificates;
  }

  /** The user of a session; undefined where its credential is not accepted any more. Fails as the check of its credential does. */
  userOf(session: Session, connection: Connection): Identity | undefined | Promise<Identity | undefined> {
    if (session.isOver()) return undefined;
    const { credential } = session;
    if (credential.kind === "certificate") {
      return this.#identify(session, this.#certificates?.userOfHeld(credential.certificate));
    }
    const owner = this.#tokens.ownerOf(credential.token, connection);
    return owner instanceof Promise
      ? owner.then((found) => this.#identify(session, found))
      : this.#identify(session, owner);
  }

  /** Whether an identity is the user of a session that has ended, or whose credential is not valid any more. */
  isRevoked(identity: Identity): boolean {
    return this.#over.get(identity)?.() ?? false;
  }

  /** Each session has an identity of its own, so that the requests of a session can be ended with it. */
  #identify(session: Session, of: Identity | undefined): Identity | undefined {
    if (!of) return undefined;
    const known = this.#users.get(session);
    if (known?.of === of) return known.identity;
    const identity = { ...of };
    this.#users.set(session, { of, identity });
    this.#over.set(identity, () => session.isOver() || !this.#isValid(session, of));
    return identity;
  }

  #isValid({ credential }: Session, of: Identity): boolean {
    if (credential.kind === "token") return this.#tokens.isValid(of);
    return this.#certificates?.userOfHeld(credential.certificate) !== undefined;
  }
}
