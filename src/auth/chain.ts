/**
 * Who sends a request, by every kind of credential in its order (AUTHN-3):
 *
 *     headers of a proxy -> client certificate -> bearer token (each kind of token in turn) -> nobody in particular
 *
 * The first that is accepted counts. One that is refused does not keep the next from being looked at; only where none is
 * accepted and one was refused the answer is 401, which does not tell why (AUTHN-5).
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
  TokenUnjudged,
} from "./contract.ts";
import { known } from "./known.ts";
import { TokenMemory } from "./token-memory.ts";

/** The kinds of credentials that are looked at. */
export interface ChainParts {
  readonly clock: Pick<Clock, "steady">;
  readonly random: Random;
  /** The user that a proxy in front names. */
  readonly proxy?: ((credentials: Credentials) => Identity | undefined) | undefined;
  /** The users of certificates; none is accepted without it. */
  readonly certificate?: CertificateUsers;
  readonly tokens: readonly TokenAuthenticator[];
  /** Whether a request without a credential is let in, by its path (AUTHN-14). */
  readonly anonymous: (path: string) => boolean;
  /** Is told of a kind of tokens that could not be asked, or that failed otherwise than by refusing a token. */
  readonly onError?: (kind: string, error: unknown) => void;
}

/** See the head of this file. */
export function authenticatorChain(parts: ChainParts): Authenticator {
  const { proxy, certificate, tokens, anonymous, onError = () => {} } = parts;
  const memory = new TokenMemory(parts, (token) => ownerOf(tokens, token, undefined, onError));
  const refused = (error: unknown): never => {
    throw busy(error) ?? unauthorized();
  };
  const accepted = (identity: Identity | undefined): Identity => {
    if (identity) return identity;
    throw unauthorized();
  };
  return {
    authenticate(credentials) {
      const { connection, header, path } = credentials;
      const shown = proxy?.(credentials) ?? certificate?.userOf(connection);
      if (shown) return shown;
      const token = bearerOf(header("authorization"));
      if (token === undefined) {
        if (connection.certificate) throw unauthorized();
        return anonymous(path) ? ANONYMOUS : undefined;
      }
      try {
        const owner = memory.ownerOf(token, connection);
        return owner instanceof Promise ? owner.then(accepted, refused) : accepted(owner);
      } catch (error) {
        return refused(error);
      }
    },
    isRevoked: (identity, connection) =>
      memory.isRevoked(identity) || (certificate?.isRevoked(identity, connection) ?? false),
    async review(token, audiences) {
      try {
        const owner = await ownerOf(tokens, token, audiences, onError);
        return owner && { ...owner, identity: known(owner.identity) };
      } catch (error) {
        throw busy(error) ?? error;
      }
    },
  };
}

/** The answer to who shows a token that nobody has the time to judge; undefined for other failures. */
const busy = (error: unknown): ApiError | undefined =>
  error instanceof TokenUnjudged ? tooManyRequests(error.message, "tokens that wait to be judged") : undefined;

/**
 * The owner of a token: the first that one of the kinds names. Fails with {@link TokenRefused} where none does and one has
 * refused it, or could not be asked; with {@link TokenUnjudged} where one had no time.
 */
function ownerOf(
  tokens: readonly TokenAuthenticator[],
  token: string,
  audiences: readonly string[] | undefined,
  onError: (kind: string, error: unknown) => void,
): TokenOwner | undefined | Promise<TokenOwner | undefined> {
  const whys: string[] = [];
  let unjudged: TokenUnjudged | undefined;
  const note = ({ name }: TokenAuthenticator, error: unknown): undefined => {
    if (error instanceof TokenUnjudged) {
      unjudged = error;
      return;
    }
    if (!(error instanceof TokenRefused)) onError(name, error);
    whys.push(error instanceof TokenRefused ? error.message : `${name}: could not be asked`);
  };
  const from = (at: number): TokenOwner | undefined | Promise<TokenOwner | undefined> => {
    for (const [i, one] of tokens.entries()) {
      if (i < at) continue;
      try {
        const found = one.identify(token, audiences);
        if (found instanceof Promise) {
          return found.catch((error: unknown) => note(one, error)).then((owner) => owner ?? from(i + 1));
        }
        if (found) return found;
      } catch (error) {
        note(one, error);
      }
    }
    if (unjudged) throw unjudged;
    if (whys.length > 0) throw new TokenRefused(whys.join("; "));
    return undefined;
  };
  return from(0);
}
