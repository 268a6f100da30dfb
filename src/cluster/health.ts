import type { CacherStats } from "../cache/index.ts";
import type { HealthCheck } from "../server/index.ts";
import type { Store } from "../storage/contract.ts";
import type { Clock } from "../util/clock.ts";

/** How long the cache may be behind the store before the process counts as unwell, in ms. */
const LAG_MS = 30_000;

/**
 * Tells that the store has no room. The server stays ready: it serves reads, and whoever would make room has to reach it.
 */
export const roomCheck = (store: Pick<Store, "room">): HealthCheck => ({
  name: "store-room",
  live: false,
  advises: true,
  check: () => (store.room?.full ? "the disk is full: reads and deletes go on, other writes are refused" : undefined),
});

/** What the checks look at. */
export interface Watched {
  readonly clock: Clock;
  /** The newest revision that the store has committed. */
  readonly stored: () => number;
  /** The revision up to which the cache answers, and what it answers for. */
  readonly cached: () => Pick<CacherStats, "revision" | "resources">;
  /** How many resources are to be answered for now; they come and go. */
  readonly kinds: { readonly storedResources: number };
}

/**
 * The watch cache is unwell when it has stopped to serve a resource that is to be served, and when it is behind the store
 * without coming closer: a restart is the remedy then, so `/livez` asks it too.
 */
export function cacheCheck({ clock, stored, cached, kinds }: Watched): HealthCheck {
  let seen = -1;
  let since = 0;
  return {
    name: "watch-cache",
    check() {
      const now = cached();
      const [wanted, served] = [kinds.storedResources, now.resources.length];
      if (served < wanted) return `expected ${wanted} resources to be served, got ${served}`;
      const behind = stored() - now.revision;
      if (behind <= 0 || now.revision !== seen) {
        seen = now.revision;
        since = clock.steady();
        return undefined;
      }
      return clock.steady() - since > LAG_MS ? `${behind} revisions behind the store` : undefined;
    },
  };
}
