import type { Pod } from "../../client/kinds/index.ts";
import type { ClusterParts } from "../../cluster/index.ts";
import { openWindows } from "../../console/index.ts";
import { gatesOf } from "../../meta/gates.ts";
import { backupRoute } from "./backup-route.ts";
import { bodyMemory, memoryOfProcess } from "../memory/body-memory.ts";
import { connectionLimits } from "./connection-limits.ts";
import { filtersWith } from "./filters.ts";
import type { Stores } from "./open-store.ts";
import type { ServerParts } from "./server-parts.ts";
import { VERSION } from "../process/version.ts";
import type { Progress } from "../../util/progress.ts";

/** Returns the parts of the cluster of a server. */
export function clusterParts({ store, stored, encryption }: Stores, parts: ServerParts): ClusterParts {
  const { options, authentication, authorization, renewal, access, auditing, system } = parts;
  const { dialect } = options;
  const windows = options.console ? openWindows({ store: stored }) : undefined;
  return {
    store,
    dialect,
    cache: { onLoaded: counting(parts.progress) },
    gates: gatesOf(dialect, options.featureGates),
    plugins: options.plugins,
    serviceRanges: options.serviceRanges,
    services: options.services,
    allowsPrivileged: options.allowsPrivileged,
    kinds: options.kinds,
    fairness: options.fairness,
    ...system,
    clock: parts.clusterClock,
    ...(parts.clusterClock === system.clock ? {} : { wallClock: system.clock }),
    simulation: () => parts.simulated.simulation,
    authenticator: authentication.authenticator,
    authorizer: authorization.authorizer,
    defaultRoles: authorization.hasRoles && !options.readOnly,
    signer: authentication.signer,
    server: {
      version: VERSION,
      faults: parts.faults,
      limits: {
        ...connectionLimits(options),
        requestsPerUser: options.maxRequestsPerUser,
        watchesPerUser: options.maxWatchesPerUser,
        sessionsPerUser: options.maxSessionsPerUser,
        reads: options.maxReads,
        writes: options.maxWrites,
        requestMillis: options.requestMillis,
        watchMillis: options.watchMillis,
        slowMillis: options.slowMillis,
        bodyMemoryBytes: bodyMemory(memoryOfProcess()),
      },
      programs: (way, pod, ...request) =>
        way === "log" ? newLog(parts, pod as unknown as Pod, ...request) : undefined,
      // A backup has the stored bytes, which may be encrypted.
      routes: [
        backupRoute(stored, dialect, system.clock),
        ...authentication.routes,
        // Before the page, which has all other paths below /console/.
        ...(windows?.routes ?? []),
        ...(parts.door?.routes ?? []),
      ],
      filters: filtersWith(auditing, onRequestOf(parts), parts.tracing),
      health: [...(renewal?.health ?? []), ...(encryption?.health ?? [])],
      collectors: [
        ...[
          renewal?.metrics,
          access?.metrics,
          auditing?.metrics.collector,
          encryption?.metrics,
          parts.tracing?.metrics,
          parts.etcdTimes?.collect,
        ].flatMap((one) => one ?? []),
        ...(windows ? [windows.metrics] : []),
        () => parts.node.agent?.collect() ?? [],
        ...authentication.metrics,
        ...authorization.metrics,
      ],
    },
  };
}

/** Reports how many records the cache has loaded so far. */
function counting(progress: Progress): (records: number) => void {
  let loaded = 0;
  return (records) => progress.at((loaded += records));
}

/** Reads the log of a Pod of the node in this process; undefined for another node. */
function newLog(
  { node: { agent } }: ServerParts,
  pod: Pod,
  ...request: readonly [parameter: (name: string) => string | undefined, signal: AbortSignal]
): Promise<AsyncIterable<Uint8Array>> | undefined {
  return agent !== undefined && pod.spec.nodeName === agent.name ? agent.log(pod, ...request) : undefined;
}

/** Returns the observer for the access log, or for the log at the level debug. */
function onRequestOf({ options, access, system: { log } }: ServerParts): Parameters<typeof filtersWith>[1] {
  if (access) return (entry) => access.add(JSON.stringify(entry));
  return options.logLevel === "debug" ? (entry) => log.debug("request completed", { ...entry }) : undefined;
}
