/**
 * What the cluster of a server is made of.
 *
 * @module
 */
import type { Pod } from "../../client/kinds/index.ts";
import type { ClusterParts } from "../../cluster/index.ts";
import { gatesOf } from "../../meta/gates.ts";
import { DEFAULT_FILTERS, type Filter, accessLog, audit, withFilter } from "../../server/index.ts";
import { backupRoute } from "./backup-route.ts";
import { bodyMemory, memoryOfProcess } from "../memory/body-memory.ts";
import { connectionLimits } from "./connection-limits.ts";
import type { Stores } from "./open-store.ts";
import type { ServerParts } from "./server-parts.ts";
import { VERSION } from "../process/version.ts";

/** What the cluster is a function of. */
export function clusterParts({ store, stored, encryption }: Stores, parts: ServerParts): ClusterParts {
  const { options, authentication, authorization, renewal, access, auditing, around } = parts;
  const { dialect } = options;
  return {
    store,
    dialect,
    gates: gatesOf(dialect, options.featureGates),
    plugins: options.plugins,
    serviceRanges: options.serviceRanges,
    allowsPrivileged: options.allowsPrivileged,
    kinds: options.kinds,
    fairness: options.fairness,
    ...around,
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
        reads: options.maxReads,
        writes: options.maxWrites,
        requestMillis: options.requestMillis,
        watchMillis: options.watchMillis,
        slowMillis: options.slowMillis,
        bodyMemoryBytes: bodyMemory(memoryOfProcess()),
      },
      programs: (way, pod, ...asked) => (way === "log" ? logOf(parts, pod as unknown as Pod, ...asked) : undefined),
      // A backup holds what is stored.
      routes: [backupRoute(stored, dialect, around.clock), ...authentication.routes],
      filters: filtersOf(parts),
      health: [...(renewal?.health ?? []), ...(encryption?.health ?? [])],
      collectors: [
        ...[renewal?.metrics, access?.metrics, auditing?.metrics.collector, encryption?.metrics].flatMap(
          (one) => one ?? [],
        ),
        () => parts.node.agent?.collect() ?? [],
        ...authentication.metrics,
        ...authorization.metrics,
      ],
    },
  };
}

/** The log of a Pod of the node in this process; undefined for another one. */
function logOf(
  { node: { agent } }: ServerParts,
  pod: Pod,
  ...asked: readonly [parameter: (name: string) => string | undefined, signal: AbortSignal]
): Promise<AsyncIterable<Uint8Array>> | undefined {
  return agent !== undefined && pod.spec.nodeName === agent.name ? agent.log(pod, ...asked) : undefined;
}

/** The way of a request: with more steps where requests are written down, each by itself, or audited. */
function filtersOf({ options, access, auditing, around }: ServerParts): readonly Filter[] {
  const audited = auditing ? withFilter(audit(auditing), { after: "authenticate" }) : DEFAULT_FILTERS;
  if (access)
    return withFilter(
      accessLog((entry) => access.add(JSON.stringify(entry))),
      { after: "audit id" },
      audited,
    );
  if (options.logLevel !== "debug") return audited;
  return withFilter(
    accessLog((entry) => around.log.debug("a request is over", { ...entry })),
    { after: "audit id" },
    audited,
  );
}
