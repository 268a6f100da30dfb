/**
 * Links that sign a browser in: each can be used once, within a minute, on the server that made it.
 *
 * @module
 */
import type { HeldCredential } from "../../auth/contract.ts";
import { CONSOLE_LINK_MILLIS } from "../../meta/console-session.ts";
import { tooManyRequests } from "../../meta/status.ts";

/** Who is signed in by a link. */
export interface LinkOwner {
  /** A digest of the user's name. */
  readonly user: string;
  readonly credential: HeldCredential;
}

interface Link extends LinkOwner {
  /** By the steady counter. */
  readonly endsAt: number;
}

const MAX_LINKS = 1000;
const MAX_LINKS_PER_USER = 8;

/** The links that have not been used, in the order of their ends. */
export class Links {
  readonly #links = new Map<string, Link>();
  readonly #steady: () => number;
  readonly #secret: () => string;

  constructor(steady: () => number, secret: () => string) {
    this.#steady = steady;
    this.#secret = secret;
  }

  /** The number of links. */
  get size(): number {
    return this.#links.size;
  }

  /**
   * Makes a link and returns its code. A user who has as many as one may have loses the oldest one; 429 where all users
   * together have too many.
   */
  make(owner: LinkOwner): string {
    const now = this.#steady();
    for (const [code, { endsAt }] of this.#links) {
      if (endsAt > now) break;
      this.#links.delete(code);
    }
    const own = [...this.#links].filter(([, { user }]) => user === owner.user);
    const [oldest] = own;
    if (oldest && own.length >= MAX_LINKS_PER_USER) this.#links.delete(oldest[0]);
    if (this.#links.size >= MAX_LINKS)
      throw tooManyRequests(`${MAX_LINKS} links to the console are not opened yet; try again in a minute`, "links", 60);
    const code = this.#secret();
    this.#links.set(code, { ...owner, endsAt: now + CONSOLE_LINK_MILLIS });
    return code;
  }

  /** Uses a link; undefined for one that was used, is too old, or was never made. */
  use(code: string): LinkOwner | undefined {
    const found = this.#links.get(code);
    this.#links.delete(code);
    return found && found.endsAt > this.#steady() ? found : undefined;
  }
}
