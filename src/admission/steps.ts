/**
 * The steps of admission, in the order in which they run.
 *
 * To add one: write a file beside those that are imported here, give it a line in the list, and where it can be switched, an
 * entry in `names.ts`.
 *
 * @module
 */
import type { Gates } from "../meta/gates.ts";
import type { Clock, Random } from "../util/clock.ts";
import { alwaysAdmit, alwaysDeny } from "./all-or-none.ts";
import type { AdmissionStep } from "./contract.ts";
import { nodeDeclaredFeatureValidator } from "./declared-features.ts";
import { escalation } from "./escalation.ts";
import { alwaysPullImages } from "./images.ts";
import { limitRanger } from "./limits.ts";
import { type PluginChoice, type PluginName, isChosen } from "./names.ts";
import { type ProvisionNamespace, namespaceExists, namespaceLifecycle } from "./namespaces.ts";
import { mutatingAdmissionPolicy } from "./policies/mutating-policies.ts";
import type { PolicyParts } from "./policies/parts.ts";
import { validatingAdmissionPolicy } from "./policies/validating-policies.ts";
import { defaultIngressClass } from "./networking.ts";
import { nodeRestriction } from "./node-restriction.ts";
import { type OwnerParts, ownerReferences } from "./owner-references.ts";
import {
  extendedResourceToleration,
  limitPodHardAntiAffinityTopology,
  podNodeSelector,
  podTolerationRestriction,
  podTopologyLabels,
} from "./placement.ts";
import type { PodSecurityMetrics } from "./pod-security/metrics.ts";
import { podSecurity } from "./pod-security/pod-security.ts";
import { defaultTolerationSeconds, priority, runtimeClass, taintNodesByCondition } from "./pods.ts";
import { policyParameters } from "./policy-parameters.ts";
import { type QuotaParts, resourceQuota } from "./quota/step.ts";
import { denyServiceExternalIPs } from "./services.ts";
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
  podCertificateSigning,
} from "./signers.ts";
import { serviceAccount } from "./service-account.ts";
import { mutatingWebhooks } from "./webhooks/mutating.ts";
import { validatingWebhooks } from "./webhooks/validating.ts";
import type { WebhookParts } from "./webhooks/webhook-parts.ts";
import { defaultStorageClass, persistentVolumeClaimResize, storageObjectInUseProtection } from "./storage.ts";

/** The parts that the steps need. */
export interface AdmissionParts extends QuotaParts, OwnerParts, PolicyParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly gates: Gates;
  readonly provision: ProvisionNamespace;
  readonly webhooks: WebhookParts;
  readonly podSecurity: PodSecurityMetrics;
}

/** The steps that the operator of a cluster has configured. */
export interface AdmissionChoice {
  /** The steps that can be enabled or disabled; those of the dialect by default. */
  readonly plugins?: PluginChoice | undefined;
  /** Additional steps. */
  readonly added?: readonly AdmissionStep[];
}

/** The steps of a dialect, in their order. */
export function admissionSteps(parts: AdmissionParts, choice: AdmissionChoice = {}): readonly AdmissionStep[] {
  const { dialect, authorizer, gates, podSecurity: metrics } = parts;
  const { plugins = {}, added = [] } = choice;
  const runs = (name: PluginName): boolean => isChosen(name, plugins, dialect.rules);
  const switched = (name: PluginName, step: AdmissionStep): AdmissionStep[] => (runs(name) ? [step] : []);
  const hasController = plugins.controllers?.includes("serviceaccount") === true;
  const provision = runs("NamespaceAutoProvision") ? parts.provision : undefined;
  return [
    ...switched("AlwaysAdmit", alwaysAdmit),
    namespaceLifecycle({ dialect, provision }),
    // A namespace that is created by this request does not exist yet.
    ...(provision ? [] : switched("NamespaceExists", namespaceExists)),
    ...switched("LimitPodHardAntiAffinityTopology", limitPodHardAntiAffinityTopology(dialect)),
    ...switched("LimitRanger", limitRanger(parts)),
    ...switched("ServiceAccount", serviceAccount({ ...parts, hasController })),
    ...switched("NodeRestriction", nodeRestriction(authorizer)),
    ...switched("TaintNodesByCondition", taintNodesByCondition(dialect)),
    ...switched("AlwaysPullImages", alwaysPullImages),
    ...switched("PodSecurity", podSecurity({ ...parts, metrics })),
    ...switched("PodNodeSelector", podNodeSelector(dialect)),
    ...switched("Priority", priority()),
    ...switched("DefaultTolerationSeconds", defaultTolerationSeconds(dialect)),
    ...switched("PodTolerationRestriction", podTolerationRestriction(dialect)),
    ...switched("ExtendedResourceToleration", extendedResourceToleration(dialect)),
    ...switched("DefaultStorageClass", defaultStorageClass(dialect)),
    ...switched("StorageObjectInUseProtection", storageObjectInUseProtection(dialect)),
    ...switched("OwnerReferencesPermissionEnforcement", ownerReferences(parts)),
    ...switched("PersistentVolumeClaimResize", persistentVolumeClaimResize(dialect)),
    ...switched("RuntimeClass", runtimeClass()),
    ...switched("CertificateApproval", certificateApproval(authorizer)),
    ...switched("CertificateSigning", certificateSigning(authorizer)),
    ...switched("ClusterTrustBundleAttest", clusterTrustBundleAttest(authorizer)),
    ...switched("CertificateSubjectRestriction", certificateSubjectRestriction),
    ...switched("DefaultIngressClass", defaultIngressClass(dialect)),
    ...switched("DenyServiceExternalIPs", denyServiceExternalIPs),
    ...switched("PodTopologyLabels", podTopologyLabels(dialect)),
    ...(gates.NodeDeclaredFeatures ? switched("NodeDeclaredFeatureValidator", nodeDeclaredFeatureValidator) : []),
    podCertificateSigning(authorizer),
    policyParameters(parts),
    ...switched("MutatingAdmissionPolicy", mutatingAdmissionPolicy(parts)),
    ...switched("MutatingAdmissionWebhook", mutatingWebhooks(parts.webhooks)),
    // They evaluate a definition and a role with the changes of the steps before.
    ...added,
    escalation(parts),
    ...switched("ValidatingAdmissionPolicy", validatingAdmissionPolicy(parts)),
    ...switched("ValidatingAdmissionWebhook", validatingWebhooks(parts.webhooks)),
    // It charges writes that all other steps have allowed.
    ...switched("ResourceQuota", resourceQuota(parts)),
    ...switched("AlwaysDeny", alwaysDeny),
  ];
}
