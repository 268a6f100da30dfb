/**
 * Authenticates requests by every kind of credential, in this order (AUTHN-3):
 *
 *     headers of a front proxy -> client certificate -> bearer token (each kind of token) -> session -> anonymous
 *
 * The first accepted credential counts. Where one is refused, the next is tried. Where none is accepted and one was refused,
 * the response is 401 without a reason (AUTHN-5).
 *
 * @module
 */
import { type ApiError, tooManyRequests, unauthorized } from "../meta/status.ts";
import type { Clock, Random } from "../util/clock.ts";
import { bearerOf } from "./bearer.ts";
import type { CertificateUsers } from "./certificates.ts";
import {
  ANONYMOUS,
  type Authenticator,
  type Credentials,
  type Identity,
  type TokenAuthenticator,
  type TokenOwner,
  TokenRefused,
  AuthenticatorBusy,
} from "./contract.ts";
import { withAuthenticatedGroup } from "./authenticated-group.ts";
import { type Session, type SessionReader, SessionUsers } from "./sessions.ts";
import { TokenCache } from "./token-cache.ts";

/** The parts of the chain: one for each kind of credentials. */
export interface ChainParts {
  readonly clock: Pick<Clock, "steady">;
  readonly random: Random;
  /** The user in the headers of a front proxy. */
  readonly proxy?: ((credentials: Credentials) => Identity | undefined) | undefined;
  /** Without it, certificates are not accepted. */
  readonly certificate?: CertificateUsers;
  readonly tokens: readonly TokenAuthenticator[];
  /** The session of a request without another credential; without it there are none. */
  readonly sessions?: SessionReader | undefined;
  /** Whether anonymous requests of a path are allowed (AUTHN-14). */
  readonly anonymous: (path: string) => boolean;
  /** Called with the error of a token authenticator that fails otherwise than by refusing a token. */
  readonly onError?: (kind: string, error: unknown) => void;
}

/** Returns an authenticator of several kinds of credentials. */
export function authenticatorChain(parts: ChainParts): Authenticator {
  const { proxy, certificate, tokens, sessions, anonymous, onError = () => {} } = parts;
  const cache = new TokenCache(parts, (token) => ownerOf(tokens, token, undefined, onError));
  const users = new SessionUsers(cache, certificate);
  const refused = (error: unknown): never => {
    throw busy(error) ?? unauthorized();
  };
  const accepted = (identity: Identity | undefined): Identity => {
    if (identity) return identity;
    throw unauthorized();
  };
  const checked = (find: () => ReturnType<TokenCache["ownerOf"]>): Identity | Promise<Identity> => {
    try {
      const owner = find();
      return owner instanceof Promise ? owner.then(accepted, refused) : accepted(owner);
    } catch (error) {
      return refused(error);
    }
  };
  const withoutCredential = ({ connection, path }: Credentials): Identity | undefined => {
    if (connection.certificate) throw unauthorized();
    return anonymous(path) ? ANONYMOUS : undefined;
  };
  const ofSession = (
    session: Session | undefined,
    credentials: Credentials,
  ): Identity | undefined | Promise<Identity> =>
    session ? checked(() => users.userOf(session, credentials.connection)) : withoutCredential(credentials);
  return {
    authenticate(credentials) {
      const { connection, header } = credentials;
      const user = proxy?.(credentials) ?? certificate?.userOf(connection);
      if (user) return user;
      const token = bearerOf(header("authorization"));
      if (token !== undefined) return checked(() => cache.ownerOf(token, connection));
      const session = sessions?.(credentials);
      return session instanceof Promise
        ? session.then((found) => ofSession(found, credentials))
        : ofSession(session, credentials);
    },
    credentialOf(credentials) {
      const { connection, header } = credentials;
      if (proxy?.(credentials)) return undefined;
      if (connection.certificate && certificate?.userOf(connection)) {
        const { signedBy: _, ...held } = connection.certificate;
        return { kind: "certificate", certificate: held };
      }
      const token = bearerOf(header("authorization"));
      return token === undefined ? undefined : { kind: "token", token };
    },
    isRevoked: (identity, connection) =>
      cache.isRevoked(identity) ||
      (certificate?.isRevoked(identity, connection) ?? false) ||
      (sessions !== undefined && users.isRevoked(identity)),
    async review(token, audiences) {
      try {
        const owner = await ownerOf(tokens, token, audiences, onError);
        return owner && { ...owner, identity: withAuthenticatedGroup(owner.identity) };
      } catch (error) {
        throw busy(error) ?? error;
      }
    },
  };
}

/** The response where an authenticator is busy; undefined for other failures. */
const busy = (error: unknown): ApiError | undefined =>
  error instanceof AuthenticatorBusy ? tooManyRequests(error.message, "token reviews that wait") : undefined;

/**
 * The owner of a token: that of the first authenticator that knows it. Fails with {@link AuthenticatorBusy} where none does
 * and one is busy, else with {@link TokenRefused} where one has refused the token or has failed.
 */
function ownerOf(
  tokens: readonly TokenAuthenticator[],
  token: string,
  audiences: readonly string[] | undefined,
  onError: (kind: string, error: unknown) => void,
): TokenOwner | undefined | Promise<TokenOwner | undefined> {
  const reasons: string[] = [];
  let busyError: AuthenticatorBusy | undefined;
  const record = ({ name }: TokenAuthenticator, error: unknown): undefined => {
    if (error instanceof AuthenticatorBusy) {
      busyError = error;
      return;
    }
    if (!(error instanceof TokenRefused)) onError(name, error);
    reasons.push(error instanceof TokenRefused ? error.message : `${name}: the token could not be authenticated`);
  };
  const from = (at: number): TokenOwner | undefined | Promise<TokenOwner | undefined> => {
    for (const [i, one] of tokens.entries()) {
      if (i < at) continue;
      try {
        const found = one.identify(token, audiences);
        if (found instanceof Promise) {
          return found.catch((error: unknown) => record(one, error)).then((owner) => owner ?? from(i + 1));
        }
        if (found) return found;
      } catch (error) {
        record(one, error);
      }
    }
    if (busyError) throw busyError;
    if (reasons.length > 0) throw new TokenRefused(reasons.join("; "));
    return undefined;
  };
  return from(0);
}
