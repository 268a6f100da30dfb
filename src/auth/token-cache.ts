/**
 * Caches the owners of accepted tokens for a while (AUTHN-10), so that a client that sends its token with every request costs
 * one comparison. Refused tokens are not cached. A token is stored as its digest, and as the last token of its connection.
 *
 * @module
 */
import { hash } from "node:crypto";
import { BoundedCache } from "../util/bounded-cache.ts";
import type { Clock, Random } from "../util/clock.ts";
import type { Connection, Identity, TokenOwner } from "./contract.ts";
import { identityBytes } from "./identity-key.ts";
import { withAuthenticatedGroup } from "./authenticated-group.ts";

const TTL_MS = 10_000;
const CACHE_BOUNDS = { entries: 10_000, bytes: 16 << 20 };

/** A cached owner. */
interface CachedOwner {
  readonly identity: Identity;
  readonly isValid: (() => boolean) | undefined;
  /** Steady milliseconds. */
  readonly expiresAt: number;
  /** The size in memory: what `isValid` holds may be as long as the token. */
  readonly bytes: number;
}

/** Authenticates tokens, each at most once at a time. */
export class TokenCache {
  readonly #clock: Pick<Clock, "steady">;
  readonly #identify: (token: string) => Promise<TokenOwner | undefined> | TokenOwner | undefined;
  /** A random key, so that digests of this process differ from those of others. */
  readonly #salt: string;
  /** By digest. */
  readonly #owners = new BoundedCache<CachedOwner>({ ...CACHE_BOUNDS, weigh: ({ bytes }) => bytes });
  readonly #inFlight = new Map<string, Promise<CachedOwner | undefined>>();
  readonly #last = new WeakMap<Connection, { readonly token: string; readonly owner: CachedOwner }>();
  /** For users of tokens that can be revoked: whether that has happened. */
  readonly #revocations = new WeakMap<Identity, () => boolean>();
  /** For users of tokens that may become invalid: whether they are valid. */
  readonly #validity = new WeakMap<Identity, () => boolean>();

  /** @param identify the owner of a token; undefined for an unknown one */
  constructor(
    { clock, random }: { readonly clock: Pick<Clock, "steady">; readonly random: Random },
    identify: (token: string) => Promise<TokenOwner | undefined> | TokenOwner | undefined,
  ) {
    this.#clock = clock;
    this.#identify = identify;
    this.#salt = random.uuid();
  }

  /** The number of cached owners. */
  get size(): number {
    return this.#owners.size;
  }

  /** Whether the token of a user has been revoked. */
  isRevoked(identity: Identity): boolean {
    return this.#revocations.get(identity)?.() ?? false;
  }

  /** Whether the token of a user is still valid, as far as that can be said without authenticating it again. */
  isValid(identity: Identity): boolean {
    return !this.isRevoked(identity) && (this.#validity.get(identity)?.() ?? true);
  }

  /** The owner of a token on a connection; undefined for an unknown token. Fails as `identify` does. */
  ownerOf(token: string, connection: Connection): Identity | undefined | Promise<Identity | undefined> {
    const last = this.#last.get(connection);
    if (last?.token === token && this.#isFresh(last.owner)) return last.owner.identity;
    const digest = hash("sha256", this.#salt + token, "base64");
    const owner = this.#owners.get(digest);
    if (owner && this.#isFresh(owner)) {
      this.#last.set(connection, { token, owner });
      return owner.identity;
    }
    return this.#authenticate(token, digest, connection);
  }

  #authenticate(
    token: string,
    digest: string,
    connection: Connection,
  ): Identity | undefined | Promise<Identity | undefined> {
    const received = (owner: CachedOwner | undefined): Identity | undefined => {
      if (owner) this.#last.set(connection, { token, owner });
      return owner?.identity;
    };
    const inFlight = this.#inFlight.get(digest);
    if (inFlight) return inFlight.then(received);
    const found = this.#identify(token);
    if (!(found instanceof Promise)) return received(this.#store(token, digest, found));
    const stored = found
      .then((owner) => this.#store(token, digest, owner))
      .finally(() => void this.#inFlight.delete(digest));
    this.#inFlight.set(digest, stored);
    return stored.then(received);
  }

  #isFresh({ expiresAt, isValid }: CachedOwner): boolean {
    return this.#clock.steady() < expiresAt && (isValid?.() ?? true);
  }

  #store(token: string, digest: string, found: TokenOwner | undefined): CachedOwner | undefined {
    if (!found) return undefined;
    const now = this.#clock.steady();
    const identity = withAuthenticatedGroup(found.identity);
    const bytes = identityBytes(identity) + 2 * token.length;
    const owner: CachedOwner = { identity, isValid: found.isValid, expiresAt: now + TTL_MS, bytes };
    if (found.isValid) this.#validity.set(identity, found.isValid);
    if (found.isRevoked) this.#revocations.set(identity, found.isRevoked);
    this.#owners.trim(({ expiresAt }) => expiresAt <= now);
    this.#owners.set(digest, owner);
    return owner;
  }
}
