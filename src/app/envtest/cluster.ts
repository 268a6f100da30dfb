/**
 * The cluster that an API server of the directory answers for. Most of the program is behind this file: it is read while
 * the store opens in its thread.
 *
 * @module
 */
import { generateKeyPairSync } from "node:crypto";
import { authorizerOf } from "../../auth/authorizer.ts";
import { type Cluster, createCluster } from "../../cluster/index.ts";
import { builtInDefinitions } from "../../kinds/index.ts";
import { kubernetes as dialect } from "../../meta/dialect.ts";
import { gatesOf } from "../../meta/gates.ts";
import { type Auditing, DEFAULT_FILTERS, type Filter, accessLog, audit, withFilter } from "../../server/index.ts";
import type { Store } from "../../storage/contract.ts";
import type { Clock, Random } from "../../util/clock.ts";
import type { Log } from "../../util/log.ts";
import { openAudit } from "../audit/open-audit.ts";
import { type Authentication, openAuthentication } from "../authentication/authentication.ts";
import { bodyMemory, memoryOfProcess } from "../memory/body-memory.ts";
import type { Encryption } from "../encryption/encryption.ts";
import { VERSION } from "../process/version.ts";
import { type ApiServerPlan, isServed } from "./apiserver-flags.ts";

/** What the program stands on. */
export interface SourceParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Who asks a server of a plan; files are read here. */
export function authenticationOf(plan: ApiServerPlan, ground: SourceParts): Authentication {
  let key: string | undefined;
  const host = plan.host.includes(":") ? `[${plan.host}]` : plan.host;
  return openAuthentication(plan.authentication, {
    ...ground,
    dialect,
    allowsAll: () => plan.authorization.includes("AlwaysAllow"),
    keys: () => [(key ??= newKey())],
    url: () => `https://${host}:${plan.port}`,
  });
}

/** What the parts of a cluster are made from. */
interface Made extends SourceParts {
  readonly store: Store;
  /** What encrypts in front of the store, where something does. */
  readonly encryption: Encryption | undefined;
  readonly authentication: Authentication;
  readonly auditing: Auditing | undefined;
}

/** Who did what, for a file or a webhook of a plan; files are opened here, and closed with `open`. */
export const auditingOf = (
  plan: ApiServerPlan,
  ground: SourceParts,
  open: AsyncDisposableStack,
): Auditing | undefined => openAudit(plan.audit, ground, open);

/** Puts the cluster of a plan together; it answers when this resolves. */
export function openCluster(
  plan: ApiServerPlan,
  { store, encryption, authentication, auditing, ...around }: Made,
): Promise<Cluster> {
  const { authorization, versions, plugins } = plan;
  const gates = gatesOf(dialect, plan.gates);
  return createCluster({
    store,
    dialect,
    gates,
    ...around,
    allowsPrivileged: plan.allowsPrivileged,
    definitions: builtInDefinitions({ dialect, ...around, gates }).map((definition) =>
      isServed(versions, definition) ? definition : { ...definition, served: false },
    ),
    authenticator: authentication.authenticator,
    authorizer: authorizerOf(authorization),
    defaultRoles: authorization.includes("RBAC"),
    plugins,
    signer: authentication.signer,
    fairness: plan.fairness,
    server: {
      version: VERSION,
      limits: {
        reads: plan.reads,
        writes: plan.writes,
        requestMillis: plan.requestMillis,
        watchMillis: plan.watchMillis,
        bodyMemoryBytes: bodyMemory(memoryOfProcess()),
      },
      filters: filtersOf(plan, auditing, around.log),
      health: encryption?.health ?? [],
      collectors: [
        ...[auditing?.metrics.collector, encryption?.metrics].flatMap((one) => one ?? []),
        ...authentication.metrics,
      ],
      routes: authentication.routes,
    },
  });
}

function filtersOf({ isVerbose }: ApiServerPlan, auditing: Auditing | undefined, log: Log): readonly Filter[] {
  const audited = auditing ? withFilter(audit(auditing), { after: "authenticate" }) : DEFAULT_FILTERS;
  if (!isVerbose) return audited;
  const told = accessLog((entry) => log.debug("a request is over", { ...entry }));
  return withFilter(told, { after: "audit id" }, audited);
}

/** A key that is forgotten, where none is named. */
function newKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}
