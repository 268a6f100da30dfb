/**
 * The built-in controllers. Each is a client: it reads through informers, acts through the API, and never touches
 * registry or storage.
 *
 * There is a folder for each subject, and no subject imports another: `storage/` (claims, volumes, attachments),
 * `scheduler/` (Pods to nodes), `nodes/` (their taints), `pods/` (Pods of lost nodes), `namespaces/`, `garbage/` (owners,
 * old Events), `quota/`, `policies/` (types of their expressions),
 * `certificates/`, `access/` (tokens, roles), `election/`, `storage-versions/` and `workloads/` (Deployments, Jobs, Services ...). `common/` has what several share.
 */
import type { Dialect } from "../meta/dialect.ts";
import type { KeyPair } from "../pki/index.ts";
import type { Controller } from "../runtime/index.ts";
import { type SecretTokens, accountTokens } from "./access/account-tokens.ts";
import { roleAggregation } from "./access/role-aggregation.ts";
import { certificateApproving } from "./certificates/approving.ts";
import { certificateCleaner, podCertificateCleaner } from "./certificates/cleaner.ts";
import { certificateSigning } from "./certificates/signing.ts";
import { trustBundlePublisher } from "./certificates/trust-bundle.ts";
import { coordinatedElection } from "./election/election.ts";
import { garbageCollector } from "./garbage/collector.ts";
import { eventExpiry } from "./garbage/event-expiry.ts";
import { defaultServiceAccount, rootCaPublisher } from "./namespaces/defaults.ts";
import { namespaceLifecycle } from "./namespaces/lifecycle.ts";
import { systemNamespaces } from "./namespaces/system-namespaces.ts";
import { type NodeLifecycleSettings, nodeLifecycle } from "./nodes/lifecycle.ts";
import { nodeTtl } from "./nodes/ttl.ts";
import { policyTypeChecking } from "./policies/type-checking.ts";
import { type PodGarbageSettings, podGarbage } from "./pods/garbage/controller.ts";
import { taintEviction } from "./pods/taint-eviction/controller.ts";
import { type QuotaSettings, resourceQuota } from "./quota/controller.ts";
import { scheduler } from "./scheduler/scheduler.ts";
import { storageVersionMigrator } from "./storage-versions/migrator.ts";
import { type AttachSettings, attachDetach } from "./storage/attach/controller.ts";
import { volumeBinder } from "./storage/binder/binder.ts";
import { ephemeralVolumes } from "./storage/ephemeral-volumes.ts";
import { volumeExpansion } from "./storage/expansion.ts";
import { attributesClassProtection, claimProtection, volumeProtection } from "./storage/protection.ts";
import { ownName } from "./names.ts";
import { type WorkloadSettings, workloadControllers } from "./workloads/index.ts";

export { loadBalancers } from "./workloads/load-balancers.ts";

/** The settings of the controllers. */
export interface ControllerSettings
  extends AttachSettings, PodGarbageSettings, QuotaSettings, NodeLifecycleSettings, WorkloadSettings {
  readonly dialect: Dialect;
  readonly eventTtlMillis: number;
  /** The CA of the serving certificate in PEM; empty without TLS. */
  readonly caCertificate: string;
  /** Signs the tokens of Secrets; the TokenRequest API by default. */
  readonly secretTokens?: SecretTokens | undefined;
  /** The CA that signs client certificates; without it none are signed. */
  readonly signingCa?: () => KeyPair;
  /** The time of certificates in ms since the epoch, where the clock of the controllers is faster than that of clients. */
  readonly wallTime?: (() => number) | undefined;
}

/** The built-in controllers of a dialect. */
export interface BuiltInControllers {
  /** Those of `*`. */
  readonly usual: readonly Controller[];
  /** Those that run only by name. */
  readonly onRequest: readonly Controller[];
}

/**
 * Returns the controllers of a dialect: those for Pods only in the kubernetes one; protection is on request in the
 * neutral one (DEC-57).
 */
export function builtInControllers(settings: ControllerSettings): BuiltInControllers {
  const { dialect, caCertificate, secretTokens, signingCa, endedPods } = settings;
  const { defaultAdmission, namespaceObjects, storageProtection } = dialect.rules;
  const protections = [claimProtection(dialect), volumeProtection(dialect), attributesClassProtection(dialect)];
  const usual = [
    ...lifecycleControllers(settings),
    systemNamespaces(dialect),
    ...(namespaceObjects ? [accountTokens(dialect, caCertificate, secretTokens)] : []),
    garbageCollector,
    resourceQuota(settings),
    volumeBinder(dialect),
    volumeExpansion(dialect),
    attachDetach(dialect, settings),
    ephemeralVolumes,
    ...(defaultAdmission ? [nodeLifecycle(dialect, settings), nodeTtl] : []),
    taintEviction,
    podGarbage(dialect, endedPods === undefined ? {} : { endedPods }),
    coordinatedElection(dialect),
    storageVersionMigrator(dialect),
    certificateApproving,
    ...(signingCa ? [certificateSigning(signingCa, settings.wallTime)] : []),
    certificateCleaner,
    podCertificateCleaner,
    trustBundlePublisher(caCertificate),
    roleAggregation,
    policyTypeChecking,
    ...(defaultAdmission ? workloadControllers(settings) : []),
  ];
  const placing = scheduler(dialect);
  return storageProtection
    ? { usual: [...usual, ...protections], onRequest: [placing] }
    : { usual, onRequest: [...protections, placing] };
}

/** The name of a controller in `--controllers`, without the prefix `keelson-`. */
export const shortName = ({ name }: Controller): string => name.replace(/^keelson-/, "");

/** The controllers of namespaces, their default objects, and Events. */
export function lifecycleControllers({
  dialect,
  eventTtlMillis,
  caCertificate,
}: Pick<ControllerSettings, "dialect" | "eventTtlMillis" | "caCertificate">): readonly Controller[] {
  const { namespaceObjects } = dialect.rules;
  return [
    namespaceLifecycle,
    eventExpiry(eventTtlMillis),
    ...(namespaceObjects ? [defaultServiceAccount, rootCaPublisher(caCertificate)] : []),
  ];
}

/**
 * Returns the controllers in a list of names: `*` for the default ones, `name` for one, `-name` for the default ones without it, `none`.
 * Names of kube-controller-manager are understood, too. @throws for an unknown name
 */
export function chooseControllers(
  { usual, onRequest }: BuiltInControllers,
  given: readonly string[],
): readonly Controller[] {
  const names = given.map(ownName);
  const all = [...usual, ...onRequest];
  const known = all.map(shortName);
  for (const name of names) {
    const bare = name.replace(/^-/, "");
    if (bare !== "*" && bare !== "none" && !known.includes(bare)) {
      throw new Error(`expected --controllers to name some of ${known.join(", ")}, got "${name}"`);
    }
  }
  const onlyWithout = names.length > 0 && names.every((name) => name.startsWith("-"));
  const wanted = onlyWithout || names.includes("*") ? usual : [];
  return all.filter((one) => {
    const name = shortName(one);
    return !names.includes(`-${name}`) && (wanted.includes(one) || names.includes(name));
  });
}
