/**
 * The steps that are built in, in the order in which they run.
 *
 * @module
 */
import type { Dialect } from "../meta/dialect.ts";
import type { Lookup } from "../schema/lookup.ts";
import type { Random } from "../util/clock.ts";
import type { Admission, AdmissionStep } from "./contract.ts";
import { limitRanger } from "./limits.ts";
import { type PluginChoice, type PluginName, isChosen } from "./names.ts";
import { type ProvisionNamespace, namespaceLifecycle } from "./namespaces.ts";
import { defaultIngressClass } from "./networking.ts";
import { nodeRestriction } from "./node-restriction.ts";
import { type OwnerParts, ownerReferences } from "./owner-references.ts";
import { defaultTolerationSeconds, priority, runtimeClass, taintNodesByCondition } from "./pods.ts";
import { type QuotaParts, resourceQuota } from "./quota.ts";
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
  podCertificateSigning,
} from "./signers.ts";
import { serviceAccount } from "./service-account.ts";
import { defaultStorageClass, persistentVolumeClaimResize, storageObjectInUseProtection } from "./storage.ts";

export type { Admission } from "./contract.ts";
export type { PluginChoice } from "./names.ts";
export type { ResourceOfKind } from "./owner-references.ts";

/** What the steps are made of. */
export interface AdmissionParts extends QuotaParts, OwnerParts {
  readonly provision: ProvisionNamespace;
  readonly random: Random;
  /** The steps of the dialect where nothing is said. */
  readonly plugins?: PluginChoice;
}

/** The steps that can be switched, in their order. */
const PLUGINS: Readonly<
  Record<
    Exclude<PluginName, "ResourceQuota">,
    (lookup: Lookup, dialect: Dialect, parts: AdmissionParts) => AdmissionStep
  >
> = {
  LimitRanger: limitRanger,
  ServiceAccount: (lookup, dialect, { random }) => serviceAccount({ lookup, dialect, random }),
  NodeRestriction: (lookup, _dialect, { authorizer }) => nodeRestriction({ lookup, authorizer }),
  TaintNodesByCondition: (_lookup, dialect) => taintNodesByCondition(dialect),
  Priority: priority,
  DefaultTolerationSeconds: (_lookup, dialect) => defaultTolerationSeconds(dialect),
  DefaultStorageClass: defaultStorageClass,
  StorageObjectInUseProtection: (_lookup, dialect) => storageObjectInUseProtection(dialect),
  PersistentVolumeClaimResize: persistentVolumeClaimResize,
  RuntimeClass: runtimeClass,
  CertificateApproval: (_lookup, _dialect, { authorizer }) => certificateApproval(authorizer),
  CertificateSigning: (_lookup, _dialect, { authorizer }) => certificateSigning(authorizer),
  ClusterTrustBundleAttest: (_lookup, _dialect, { authorizer }) => clusterTrustBundleAttest(authorizer),
  CertificateSubjectRestriction: () => certificateSubjectRestriction,
  DefaultIngressClass: defaultIngressClass,
  OwnerReferencesPermissionEnforcement: (_lookup, _dialect, parts) => ownerReferences(parts),
};

/** The chain of a dialect, with the steps that are chosen; what somebody adds comes before the last ones. */
export interface BuiltInAdmission {
  readonly steps: Admission;
  /** What counts is what is left when everybody else agreed. */
  readonly last: Admission;
}

/** The chain of a dialect, with the steps that are chosen. */
export function builtInAdmission(parts: AdmissionParts): BuiltInAdmission {
  const { lookup, dialect, provision, plugins = {} } = parts;
  const isOn = (name: PluginName): boolean => isChosen(name, plugins, dialect.rules);
  const chosen = (Object.keys(PLUGINS) as (keyof typeof PLUGINS)[]).filter(isOn);
  return {
    steps: [
      namespaceLifecycle(lookup, dialect, provision),
      ...chosen.map((name) => PLUGINS[name](lookup, dialect, parts)),
      podCertificateSigning(parts.authorizer),
    ],
    last: isOn("ResourceQuota") ? [resourceQuota(parts)] : [],
  };
}
