/**
 * Counts the share of one user in the resources of a server: connections, running requests, watches. So one
 * user cannot take all descriptors and all memory.
 *
 * Members of `system:masters` are not counted.
 *
 * @module
 */
import { isMaster } from "../../auth/admin.ts";
import type { Identity } from "../../auth/contract.ts";
import { tooManyRequests } from "../../meta/status.ts";
import type { Collector } from "../../util/exposition.ts";
import { ShortLivedMap } from "../../util/short-lived.ts";

/** One slot of a user; to dispose it twice has no further effect. */
export type UserSlot = Disposable;

/** What is counted, and its limit. */
export interface UserSlotsOptions {
  readonly what: "connections" | "requests" | "watches" | "sessions";
  /** How many one user may have at the same time; 0 for no limit. */
  readonly most: number;
  /** When a user at the limit is to retry; a second by default. */
  readonly retrySeconds?: number;
}

/** A taken slot. It is small: each request of a user has one. */
class Held implements UserSlot {
  readonly #taken: ShortLivedMap<string, number>;
  #user: string | undefined;

  constructor(taken: ShortLivedMap<string, number>, user: string) {
    this.#taken = taken;
    this.#user = user;
  }

  [Symbol.dispose](): void {
    if (this.#user === undefined) return;
    const left = (this.#taken.get(this.#user) ?? 0) - 1;
    if (left > 0) this.#taken.set(this.#user, left);
    else this.#taken.delete(this.#user);
    this.#user = undefined;
  }
}

const UNCOUNTED: UserSlot = { [Symbol.dispose]() {} };

/** Counts the slots of each user. It keeps nothing for users without slots. */
export class UserSlots {
  readonly #options: UserSlotsOptions;
  readonly #taken = new ShortLivedMap<string, number>();
  #refused = 0;

  constructor(options: UserSlotsOptions) {
    this.#options = options;
  }

  /** Takes a slot, until it is disposed; 429 where the user is at the limit. */
  take(identity: Pick<Identity, "user" | "groups">): UserSlot {
    const { what, most, retrySeconds } = this.#options;
    if (most === 0 || isMaster(identity)) return UNCOUNTED;
    const { user } = identity;
    const taken = this.#taken.get(user) ?? 0;
    if (taken >= most) {
      this.#refused++;
      const found = `expected at most ${most} ${what} of one user at a time (--max-${what}-per-user), found as many open`;
      throw tooManyRequests(found, what, retrySeconds);
    }
    this.#taken.set(user, taken + 1);
    return new Held(this.#taken, user);
  }

  /** Users with at least one slot. */
  get users(): number {
    return this.#taken.size;
  }

  /** What is counted; the most that a user has; how often one was refused. */
  get figures(): { readonly limit: string; readonly highest: number; readonly refused: number } {
    let highest = 0;
    for (const taken of this.#taken.values()) highest = Math.max(highest, taken);
    return { limit: this.#options.what, highest, refused: this.#refused };
  }
}

/** How near users are to their limits, and how often they were refused. No user is named: their number is unbounded. */
export const userSlotsMetrics =
  (all: readonly UserSlots[]): Collector =>
  () => {
    const figures = all.map((one) => one.figures);
    return [
      {
        name: "keelson_user_limit_highest",
        type: "gauge",
        help: "The current number of the user with the most, for each limit of one user.",
        samples: figures.map(({ limit, highest }) => ({ labels: { limit }, value: highest })),
      },
      {
        name: "keelson_user_limit_refusals_total",
        type: "counter",
        help: "Requests that were refused because their user had as much as one may have.",
        samples: figures.map(({ limit, refused }) => ({ labels: { limit }, value: refused })),
      },
    ];
  };
