import { expect, test } from "vitest";
import { kubernetes, neutral } from "../meta/dialect.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { PolicyMetrics } from "./policies/policy-metrics.ts";
import { type PluginChoice, idleNames } from "./names.ts";
import { mastersAuthorizer } from "../auth/admin.ts";
import { admissionSteps } from "./steps.ts";
import { lookupOf } from "./testing/requests.ts";
import { WebhookParts } from "./webhooks/webhook-parts.ts";

/** The names of all steps. */
function steps(dialect: typeof neutral, plugins?: PluginChoice): string[] {
  const own = {
    lookup: lookupOf({}),
    clock: new ManualClock(),
    random: seededRandom(1),
    authorizer: mastersAuthorizer,
  };
  const hooks = { call: () => Promise.reject(new Error("expected no call")), close: () => undefined };
  const parts = {
    ...own,
    dialect,
    provision: () => Promise.resolve(),
    amend: () => Promise.resolve(undefined),
    resourcesOf: () => [],
    policyKinds: { storedKind: () => undefined, typeOf: () => undefined },
    policyMetrics: new PolicyMetrics(),
    webhooks: new WebhookParts({ ...own, hooks }),
  };
  return admissionSteps(parts, { plugins }).map(({ name }) => name);
}

/** The names of the steps that kube-apiserver has as well. */
const chain = (dialect: typeof neutral, plugins?: PluginChoice): string[] =>
  steps(dialect, plugins).filter((name) => name !== "escalation");

/** The steps before the quotas. */
const LAST = [
  "PolicyParameters",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionWebhook",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionWebhook",
];

const SIGNERS = [
  "CertificateApproval",
  "CertificateSigning",
  "ClusterTrustBundleAttest",
  "CertificateSubjectRestriction",
];

test("HOOK-10, RBAC-46: a role is judged as mutation has made it, before anything validates it", () => {
  const names = steps(kubernetes);
  const at = names.indexOf("escalation");
  expect(names[at - 1]).toBe("MutatingAdmissionWebhook");
  expect(names[at + 1]).toBe("ValidatingAdmissionPolicy");
});

test("the chain of each dialect runs in order, with the steps that its documents ask for", () => {
  expect(chain(neutral)).toEqual([
    "NamespaceAutoProvision",
    "DefaultStorageClass",
    ...SIGNERS,
    "DefaultIngressClass",
    "PodCertificateSigning",
    ...LAST,
  ]);
  expect(chain(kubernetes)).toEqual([
    "NamespaceLifecycle",
    "DefaultStorageClass",
    "StorageObjectInUseProtection",
    "PersistentVolumeClaimResize",
    ...SIGNERS,
    "DefaultIngressClass",
    "PodCertificateSigning",
    ...LAST,
  ]);
});

test("steps are switched on and off by name, and run in the order of kube-apiserver", () => {
  const late = ["ResourceQuota", "RuntimeClass", "DefaultTolerationSeconds"];
  const enable = [...late, "Priority", "TaintNodesByCondition", "LimitRanger"];
  expect(chain(kubernetes, { enable, disable: ["DefaultIngressClass", "StorageObjectInUseProtection"] })).toEqual([
    "NamespaceLifecycle",
    "LimitRanger",
    "TaintNodesByCondition",
    "Priority",
    "DefaultTolerationSeconds",
    "DefaultStorageClass",
    "PersistentVolumeClaimResize",
    "RuntimeClass",
    ...SIGNERS,
    "PodCertificateSigning",
    ...LAST,
    "ResourceQuota",
  ]);
  expect(chain(neutral, { enable: ["StorageObjectInUseProtection"] })).toContain("StorageObjectInUseProtection");
});

test("the accounts of Pods are looked after where the controller that makes them runs", () => {
  const controllers = ["serviceaccount"];
  expect(chain(kubernetes, { controllers })).toContain("ServiceAccount");
  expect(chain(kubernetes, { controllers, disable: ["ServiceAccount"] })).not.toContain("ServiceAccount");
  expect(chain(kubernetes, { enable: ["ServiceAccount"] })).toContain("ServiceAccount");
  expect(chain(neutral, { controllers })).not.toContain("ServiceAccount");
});

test("what a choice names in vain is told, and the namespaces are looked after whatever it says", () => {
  const choice = { enable: ["Priority", "AlwaysPullImages"], disable: ["NamespaceLifecycle", "AlwaysPullImages"] };
  expect(idleNames(choice)).toEqual({ unknown: ["AlwaysPullImages"], always: ["NamespaceLifecycle"] });
  expect(chain(kubernetes, choice)).toContain("NamespaceLifecycle");
});
