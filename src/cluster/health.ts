import type { CacherStats } from "../cache/index.ts";
import type { HealthCheck } from "../server/index.ts";
import type { Store } from "../storage/contract.ts";
import type { Clock } from "../util/clock.ts";

/** How long the cache may be behind the store before the process counts as unhealthy, in ms. */
const LAG_MS = 30_000;

/**
 * Reports that the disk of the store is full. The server stays ready: it serves reads, and the deletes that make space.
 */
export const roomCheck = (store: Pick<Store, "space">): HealthCheck => ({
  name: "store-room",
  live: false,
  advises: true,
  check: () => (store.space?.full ? "the disk is full: reads and deletes work, other writes are refused" : undefined),
});

/**
 * The health of the store, under the name that it has in a real server, which programs read: `/healthz/etcd`.
 *
 * @param failed whether the store has failed
 */
export const storeCheck = (failed: () => boolean): HealthCheck => ({
  name: "etcd",
  check: () => (failed() ? "the store has failed" : undefined),
});

/** Whether everything that serves reads has been loaded; a starting server is not ready before. */
export const syncCheck = ({ cached, kinds }: Pick<Watched, "cached" | "kinds">): HealthCheck => ({
  name: "informer-sync",
  live: false,
  check: () => missing(cached().resources.length, kinds.storedResources),
});

const missing = (served: number, wanted: number): string | undefined =>
  served < wanted ? `expected ${wanted} resources to be served, got ${served}` : undefined;

/** The inputs of the checks. */
export interface Watched {
  readonly clock: Clock;
  /** The newest revision that the store has committed. */
  readonly stored: () => number;
  /** The revision that the cache has reached, and the resources that it serves. */
  readonly cached: () => Pick<CacherStats, "revision" | "resources">;
  /** The number of resources that should be served; it changes. */
  readonly kinds: { readonly storedResources: number };
}

/**
 * The watch cache is unhealthy when it no longer serves a resource that should be served, and when it stays behind the store without
 * progress. A restart helps then, so it is a check of `/livez`, too.
 */
export function cacheCheck({ clock, stored, cached, kinds }: Watched): HealthCheck {
  let seen = -1;
  let since = 0;
  return {
    name: "watch-cache",
    check() {
      const now = cached();
      const wrong = missing(now.resources.length, kinds.storedResources);
      if (wrong !== undefined) return wrong;
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
