/**
 * The parts of a cluster that it does not share with others; a fork has its own, too.
 *
 * @module
 */
import { PodSecurityMetrics } from "../admission/pod-security/metrics.ts";
import { Fairness, type FlowConfiguration } from "../fairness/index.ts";
import { type Hooks, openHooks } from "../hooks/hooks.ts";
import { gatesOf } from "../meta/gates.ts";
import type { Manager } from "../runtime/index.ts";
import type { ApiContext } from "../schema/definition.ts";
import { DEFAULT_LIMITS, ThreadPool } from "../server/index.ts";
import type { Store } from "../storage/contract.ts";
import { type Random, newSystemClock, systemRandom } from "../util/clock.ts";
import type { Running } from "./components.ts";
import type { ClusterParts } from "./contract.ts";

/** The parts of a cluster that it does not share. */
export interface Own {
  readonly api: ApiContext;
  /** See {@link ClusterParts.chance}. */
  readonly chance: Random;
  readonly hooks: Hooks;
  readonly threads: ThreadPool;
  readonly fairness: Fairness | undefined;
  readonly podSecurity: PodSecurityMetrics;
  /** The controllers of this process, and the manager that runs them. */
  readonly running: (Running & { readonly manager: Manager })[];
  /** Whether the store has failed, and serves no reads or writes any more. */
  readonly storeFailed: () => boolean;
}

/** Opens the parts of the cluster itself; they are closed with the cluster. */
export function openOwn(parts: ClusterParts, opened: AsyncDisposableStack, configuration?: FlowConfiguration): Own {
  const { dialect, clock = newSystemClock(), random = systemRandom, gates = gatesOf(dialect) } = parts;
  const { wallClock = clock, chance = random } = parts;
  const threads = opened.adopt(new ThreadPool(wallClock), (pool) => pool.close());
  const hooks =
    parts.hooks ?? opened.adopt(openHooks({ clock: wallClock, currentSpan: parts.currentSpan }), (own) => own.close());
  const fairness =
    parts.fairness === false
      ? undefined
      : opened.use(new Fairness({ clock: wallClock, seats: seatsOf(parts), configuration }));
  return {
    api: {
      dialect,
      clock,
      random,
      gates,
      threads: threads,
      ...(parts.serviceRanges ? { serviceRanges: parts.serviceRanges } : {}),
      ...(parts.allowsPrivileged === undefined ? {} : { allowsPrivileged: parts.allowsPrivileged }),
    },
    chance,
    hooks,
    threads,
    fairness,
    podSecurity: new PodSecurityMetrics(),
    running: [],
    storeFailed: failureOf(parts.store),
  };
}

/** Records whether a store has failed. */
function failureOf(store: Store): () => boolean {
  let failed = false;
  void store.failed.then(() => {
    failed = true;
  });
  return () => failed;
}

/** The limit of concurrent requests, reads and writes together. */
function seatsOf({ server }: ClusterParts): number {
  const { reads, writes } = { ...DEFAULT_LIMITS, ...server?.limits };
  return reads + writes;
}
