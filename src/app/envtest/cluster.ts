/**
 * The cluster of an API server of envtest. This file imports most of the program; it is loaded while the store opens in its
 * thread.
 *
 * @module
 */
import { generateKeyPairSync } from "node:crypto";
import { authorizerOf } from "../../auth/authorizer.ts";
import { type Cluster, createCluster } from "../../cluster/index.ts";
import { builtInDefinitions } from "../../kinds/index.ts";
import { kubernetes as dialect } from "../../meta/dialect.ts";
import { gatesOf } from "../../meta/gates.ts";
import type { Auditing } from "../../server/index.ts";
import type { Simulation } from "../../simulation/index.ts";
import type { Store } from "../../storage/contract.ts";
import { type Authentication, openAuthentication } from "../authentication/authentication.ts";
import { bodyMemory, memoryOfProcess } from "../memory/body-memory.ts";
import type { Encryption } from "../encryption/encryption.ts";
import type { SystemParts } from "../process/system-parts.ts";
import { VERSION } from "../process/version.ts";
import { filtersWith } from "../start/filters.ts";
import { urlHost } from "../start/listen.ts";
import { type ApiServerPlan, isServed } from "./apiserver-flags.ts";

export { openAudit } from "../audit/open-audit.ts";

/** Opens the authentication of a plan, and reads its files. */
export function authenticationOf({ options, authorization }: ApiServerPlan, system: SystemParts): Authentication {
  let key: string | undefined;
  return openAuthentication(options.authentication, {
    ...system,
    dialect,
    allowsAll: () => authorization.includes("AlwaysAllow"),
    keys: () => [(key ??= newKey())],
    url: () => `https://${urlHost(options.bind)}:${options.port}`,
  });
}

interface Parts extends SystemParts {
  readonly store: Store;

  readonly encryption: Encryption | undefined;
  readonly authentication: Authentication;
  readonly auditing: Auditing | undefined;
  /** The simulation of nodes; undefined until there is one. */
  readonly simulated: { readonly simulation?: Simulation };
}

/** Creates the cluster of a plan. */
export function openCluster(
  plan: ApiServerPlan,
  { store, encryption, authentication, auditing, simulated, ...system }: Parts,
): Promise<Cluster> {
  const { options, authorization, versions, plugins, isVerbose } = plan;
  const gates = gatesOf(dialect, plan.gates);
  return createCluster({
    store,
    dialect,
    gates,
    ...system,
    ...(plan.hasWorkloads ? { simulation: () => simulated.simulation } : {}),
    allowsPrivileged: options.allowsPrivileged,
    definitions: builtInDefinitions({ dialect, ...system, gates }).map((definition) =>
      isServed(versions, definition) ? definition : { ...definition, served: false },
    ),
    authenticator: authentication.authenticator,
    authorizer: authorizerOf(authorization),
    defaultRoles: authorization.includes("RBAC"),
    plugins,
    signer: authentication.signer,
    fairness: options.fairness,
    server: {
      version: VERSION,
      limits: {
        reads: options.maxReads,
        writes: options.maxWrites,
        requestMillis: options.requestMillis,
        watchMillis: options.watchMillis,
        bodyMemoryBytes: bodyMemory(memoryOfProcess()),
      },
      filters: filtersWith(
        auditing,
        isVerbose ? (entry) => system.log.debug("request completed", { ...entry }) : undefined,
        undefined,
      ),
      health: encryption?.health ?? [],
      collectors: [
        ...[auditing?.metrics.collector, encryption?.metrics].flatMap((one) => one ?? []),
        ...authentication.metrics,
      ],
      routes: authentication.routes,
    },
  });
}

/** Creates a key for tokens, which is not saved. */
function newKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}
