/**
 * The steps of admission, in the order in which they run.
 *
 * To add one: write a file beside those that are imported here, give it a line in the list, and where it can be switched, an
 * entry in `names.ts`.
 *
 * @module
 */
import type { Lookup } from "../schema/lookup.ts";
import type { Random } from "../util/clock.ts";
import type { AdmissionStep } from "./contract.ts";
import { escalation } from "./escalation.ts";
import { limitRanger } from "./limits.ts";
import { type PluginChoice, type PluginName, isChosen } from "./names.ts";
import { type ProvisionNamespace, namespaceLifecycle } from "./namespaces.ts";
import { mutatingAdmissionPolicy } from "./policies/mutating-policies.ts";
import type { PolicyParts } from "./policies/parts.ts";
import { validatingAdmissionPolicy } from "./policies/validating-policies.ts";
import { defaultIngressClass } from "./networking.ts";
import { nodeRestriction } from "./node-restriction.ts";
import { type OwnerParts, ownerReferences } from "./owner-references.ts";
import { defaultTolerationSeconds, priority, runtimeClass, taintNodesByCondition } from "./pods.ts";
import { policyParameters } from "./policy-parameters.ts";
import { type QuotaParts, resourceQuota } from "./quota.ts";
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

/** What the steps are made of. */
export interface AdmissionParts extends QuotaParts, OwnerParts, PolicyParts {
  /** Reads what is stored, for what is kept from one request to the next. */
  readonly lookup: Lookup;
  readonly clock: QuotaParts["clock"] & PolicyParts["clock"];
  readonly random: Random;
  readonly provision: ProvisionNamespace;
  readonly webhooks: WebhookParts;
}

/** What an owner of a cluster chooses of the steps. */
export interface AdmissionChoice {
  /** The steps that can be switched; those of the dialect by default. */
  readonly plugins?: PluginChoice | undefined;
  /** Steps that are added. */
  readonly added?: readonly AdmissionStep[];
}

/** The steps of a dialect, in their order. */
export function admissionSteps(parts: AdmissionParts, choice: AdmissionChoice = {}): readonly AdmissionStep[] {
  const { dialect, authorizer, random } = parts;
  const { plugins = {}, added = [] } = choice;
  const switched = (name: PluginName, step: AdmissionStep): AdmissionStep[] =>
    isChosen(name, plugins, dialect.rules) ? [step] : [];
  return [
    namespaceLifecycle(dialect, parts.provision),
    ...switched("LimitRanger", limitRanger(dialect)),
    ...switched("ServiceAccount", serviceAccount({ dialect, random })),
    ...switched("NodeRestriction", nodeRestriction(authorizer)),
    ...switched("TaintNodesByCondition", taintNodesByCondition(dialect)),
    ...switched("Priority", priority()),
    ...switched("DefaultTolerationSeconds", defaultTolerationSeconds(dialect)),
    ...switched("DefaultStorageClass", defaultStorageClass(dialect)),
    ...switched("StorageObjectInUseProtection", storageObjectInUseProtection(dialect)),
    ...switched("PersistentVolumeClaimResize", persistentVolumeClaimResize(dialect)),
    ...switched("RuntimeClass", runtimeClass()),
    ...switched("CertificateApproval", certificateApproval(authorizer)),
    ...switched("CertificateSigning", certificateSigning(authorizer)),
    ...switched("ClusterTrustBundleAttest", clusterTrustBundleAttest(authorizer)),
    ...switched("CertificateSubjectRestriction", certificateSubjectRestriction),
    ...switched("DefaultIngressClass", defaultIngressClass(dialect)),
    ...switched("OwnerReferencesPermissionEnforcement", ownerReferences(parts)),
    podCertificateSigning(authorizer),
    policyParameters(parts),
    ...added,
    ...switched("MutatingAdmissionPolicy", mutatingAdmissionPolicy(parts)),
    ...switched("MutatingAdmissionWebhook", mutatingWebhooks(parts.webhooks)),
    // It judges a role as the steps before have made it.
    escalation(parts),
    ...switched("ValidatingAdmissionPolicy", validatingAdmissionPolicy(parts)),
    ...switched("ValidatingAdmissionWebhook", validatingWebhooks(parts.webhooks)),
    // It counts what all others have let pass.
    ...switched("ResourceQuota", resourceQuota(parts)),
  ];
}
