/**
 * Tokens that were found good, remembered for a while (AUTHN-10), so that a client that sends its token with every request
 * costs a comparison. A token that is refused is not remembered, and never is a token itself: it is known by its digest,
 * or by the connection on which it was sent last.
 *
 * @module
 */
import { hash } from "node:crypto";
import { BoundedCache } from "../util/bounded-cache.ts";
import type { Clock, Random } from "../util/clock.ts";
import type { Connection, Identity, TokenOwner } from "./contract.ts";
import { identityBytes } from "./identity-key.ts";
import { known } from "./known.ts";

/** How long an answer is remembered, in milliseconds. */
const REMEMBERED_MS = 10_000;
/** So many answers are remembered, and so many bytes of them; with more go those that were not shown for longest. */
const MOST = { entries: 10_000, bytes: 16 << 20 };

/** An owner that was found, with what is said of them. */
interface Found {
  readonly identity: Identity;
  readonly holds: (() => boolean) | undefined;
  /** Steady milliseconds. */
  readonly until: number;
  /** What it weighs: what `holds` looks at may be as long as the token. */
  readonly bytes: number;
}

/** Looks tokens up, each at most once at a time. */
export class TokenMemory {
  readonly #clock: Pick<Clock, "steady">;
  readonly #identify: (token: string) => Promise<TokenOwner | undefined> | TokenOwner | undefined;
  /** Makes the digests of this process its own. */
  readonly #salt: string;
  /** By digest. */
  readonly #found = new BoundedCache<Found>({ ...MOST, weigh: ({ bytes }) => bytes });
  readonly #asked = new Map<string, Promise<Found | undefined>>();
  readonly #last = new WeakMap<Connection, { readonly token: string; readonly found: Found }>();
  /** Of those who were found by a token that somebody may take back: whether that has happened. */
  readonly #revocations = new WeakMap<Identity, () => boolean>();

  /** @param identify whose a token is; undefined for one that nobody knows */
  constructor(
    { clock, random }: { readonly clock: Pick<Clock, "steady">; readonly random: Random },
    identify: (token: string) => Promise<TokenOwner | undefined> | TokenOwner | undefined,
  ) {
    this.#clock = clock;
    this.#identify = identify;
    this.#salt = random.uuid();
  }

  /** How many are remembered. */
  get size(): number {
    return this.#found.size;
  }

  /** Whether the token by which somebody was found was taken back since. */
  isRevoked(identity: Identity): boolean {
    return this.#revocations.get(identity)?.() ?? false;
  }

  /** The owner of a token that came on a connection; undefined for a token of nobody's. Fails as `identify` does. */
  ownerOf(token: string, connection: Connection): Identity | undefined | Promise<Identity | undefined> {
    const last = this.#last.get(connection);
    if (last?.token === token && this.#isGood(last.found)) return last.found.identity;
    const digest = hash("sha256", this.#salt + token, "base64");
    const found = this.#found.get(digest);
    if (found && this.#isGood(found)) {
      this.#last.set(connection, { token, found });
      return found.identity;
    }
    return this.#ask(token, digest, connection);
  }

  #ask(token: string, digest: string, connection: Connection): Identity | undefined | Promise<Identity | undefined> {
    const taken = (owner: Found | undefined): Identity | undefined => {
      if (owner) this.#last.set(connection, { token, found: owner });
      return owner?.identity;
    };
    const asked = this.#asked.get(digest);
    if (asked) return asked.then(taken);
    const answer = this.#identify(token);
    if (!(answer instanceof Promise)) return taken(this.#remember(token, digest, answer));
    const finding = answer
      .then((owner) => this.#remember(token, digest, owner))
      .finally(() => void this.#asked.delete(digest));
    this.#asked.set(digest, finding);
    return finding.then(taken);
  }

  #isGood({ until, holds }: Found): boolean {
    return this.#clock.steady() < until && (holds?.() ?? true);
  }

  #remember(token: string, digest: string, owner: TokenOwner | undefined): Found | undefined {
    if (!owner) return undefined;
    const now = this.#clock.steady();
    const identity = known(owner.identity);
    const bytes = identityBytes(identity) + 2 * token.length;
    const found: Found = { identity, holds: owner.holds, until: now + REMEMBERED_MS, bytes };
    if (owner.isRevoked) this.#revocations.set(identity, owner.isRevoked);
    this.#found.trim(({ until }) => until <= now);
    this.#found.set(digest, found);
    return found;
  }
}
