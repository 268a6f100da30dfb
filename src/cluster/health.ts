import type { HealthCheck } from "../server/index.ts";
import type { Clock } from "../util/clock.ts";

/** How long the cache may be behind the store before the process counts as unwell, in ms. */
const LAG_MS = 30_000;

/** What the checks look at. */
export interface Watched {
  readonly clock: Clock;
  /** The newest revision that the store has committed. */
  readonly stored: () => number;
  /** The revision up to which the cache answers, and how many resources it has. */
  readonly cached: () => { readonly revision: number; readonly resources: number };
}

/**
 * The watch cache is unwell when it has stopped to serve a resource, and when it is behind the store without coming
 * closer: a new start is the remedy then, so `/livez` asks it too.
 */
export function cacheCheck({ clock, stored, cached }: Watched): HealthCheck {
  const { resources } = cached();
  let seen = -1;
  let since = 0;
  return {
    name: "watch-cache",
    check() {
      const now = cached();
      if (now.resources < resources) return `expected ${resources} resources to be served, got ${now.resources}`;
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
