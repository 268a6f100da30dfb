/**
 * The controllers that are built in. Each is a client: it reads through informers, acts through the API, and never
 * touches registry or storage.
 *
 * They lie by subject, and no subject imports another: `storage/` (claims, volumes, attachments), `scheduler/` (Pods to nodes), `pods/`
 * (Pods of lost nodes), `namespaces/`, `garbage/` (owners, old Events), `quota/`, `certificates/`, `access/` (tokens, roles), `election/`
 * and `storage-versions/`. `common/` has what several of them ask.
 *
 * @module
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
import { type PodGarbageSettings, podGarbage } from "./pods/garbage/controller.ts";
import { taintEviction } from "./pods/taint-eviction/controller.ts";
import { resourceQuota } from "./quota/controller.ts";
import { scheduler } from "./scheduler/scheduler.ts";
import { storageVersionMigrator } from "./storage-versions/migrator.ts";
import { type AttachSettings, attachDetach } from "./storage/attach/controller.ts";
import { volumeBinder } from "./storage/binder/binder.ts";
import { ephemeralVolumes } from "./storage/ephemeral-volumes.ts";
import { volumeExpansion } from "./storage/expansion.ts";
import { attributesClassProtection, claimProtection, volumeProtection } from "./storage/protection.ts";

/** What is set for the controllers. */
export interface ControllerSettings extends AttachSettings, PodGarbageSettings {
  readonly dialect: Dialect;
  readonly eventTtlMillis: number;
  /** PEM of the CA that signed the serving certificate; empty without TLS. */
  readonly caCertificate: string;
  /** Signs the tokens of Secrets; without it they are asked of the server. */
  readonly secretTokens?: SecretTokens | undefined;
  /** The CA that signs client certificates; without it nothing is signed. */
  readonly signingCa?: () => KeyPair;
}

/** The controllers of a dialect. */
export interface BuiltInControllers {
  /** Those that `*` stands for. */
  readonly usual: readonly Controller[];
  /** Those that run only when they are named. */
  readonly onRequest: readonly Controller[];
}

/**
 * Every controller of a dialect: those that only clusters with pods need are there only in the kubernetes one, and in the
 * neutral one nothing is protected unless it is asked for (DEC-57).
 */
export function builtInControllers(settings: ControllerSettings): BuiltInControllers {
  const { dialect, caCertificate, secretTokens, signingCa, endedPods } = settings;
  const { namespaceObjects, storageProtection } = dialect.rules;
  const protections = [claimProtection(dialect), volumeProtection(dialect), attributesClassProtection(dialect)];
  const usual = [
    ...lifecycleControllers(settings),
    systemNamespaces(dialect),
    ...(namespaceObjects ? [accountTokens(dialect, caCertificate, secretTokens)] : []),
    garbageCollector,
    resourceQuota(dialect),
    volumeBinder(dialect),
    volumeExpansion(dialect),
    attachDetach(dialect, settings),
    ephemeralVolumes,
    taintEviction,
    podGarbage(dialect, endedPods === undefined ? {} : { endedPods }),
    coordinatedElection(dialect),
    storageVersionMigrator(dialect),
    certificateApproving,
    ...(signingCa ? [certificateSigning(signingCa)] : []),
    certificateCleaner,
    podCertificateCleaner,
    trustBundlePublisher(caCertificate),
    roleAggregation,
  ];
  const placing = scheduler(dialect);
  return storageProtection
    ? { usual: [...usual, ...protections], onRequest: [placing] }
    : { usual, onRequest: [...protections, placing] };
}

/** The name of a controller in `--controllers`; its own has the name of the program before it. */
export const shortName = ({ name }: Controller): string => name.replace(/^keelson-/, "");

/** The controllers that look after namespaces, what every namespace has, and Events. */
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
 * The controllers that a list of names chooses: `*` for the usual ones, `name` for that one, `-name` for all usual others,
 * `none`. Throws for a name that no controller has.
 */
export function chooseControllers(
  { usual, onRequest }: BuiltInControllers,
  names: readonly string[],
): readonly Controller[] {
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
