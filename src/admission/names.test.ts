import { expect, test } from "vitest";
import { kubernetes, neutral } from "../meta/dialect.ts";
import { gatesOf } from "../meta/gates.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { ADMISSION_PLUGINS, type PluginChoice, idleNames, unavailablePlugin } from "./names.ts";
import { PodSecurityMetrics } from "./pod-security/metrics.ts";
import { PolicyMetrics } from "./policies/policy-metrics.ts";
import { mastersAuthorizer } from "../auth/admin.ts";
import { admissionSteps } from "./steps.ts";
import { lookupOf } from "./testing/requests.ts";
import { WebhookParts } from "./webhooks/webhook-parts.ts";

function chain(dialect: typeof neutral, plugins?: PluginChoice, gates = gatesOf(dialect)): string[] {
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
    gates,
    podSecurity: new PodSecurityMetrics(),
    provision: () => Promise.resolve(),
    amend: () => Promise.resolve(undefined),
    resourcesOf: () => [],
    policyKinds: { storedKind: () => undefined, typeOf: () => undefined },
    policyMetrics: new PolicyMetrics(),
    webhooks: new WebhookParts({ ...own, hooks }),
  };
  return admissionSteps(parts, { plugins }).map(({ name }) => name);
}

/** The steps before the quotas. */
const LAST = [
  "PolicyParameters",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionWebhook",
  "escalation",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionWebhook",
];
/** Steps that are no plugins. */
const OWN = ["NamespaceLifecycle", "PodCertificateSigning", "PolicyParameters", "escalation"];

const SIGNERS = [
  "CertificateApproval",
  "CertificateSigning",
  "ClusterTrustBundleAttest",
  "CertificateSubjectRestriction",
];

test("HOOK-10, RBAC-46: a role is judged as mutation has made it, before anything validates it", () => {
  const names = chain(kubernetes);
  const at = names.indexOf("escalation");
  expect(names[at - 1]).toBe("MutatingAdmissionWebhook");
  expect(names[at + 1]).toBe("ValidatingAdmissionPolicy");
});

test("the neutral dialect runs the steps that its documents ask for", () => {
  expect(chain(neutral)).toEqual([
    "NamespaceAutoProvision",
    "DefaultStorageClass",
    ...SIGNERS,
    "DefaultIngressClass",
    "PodCertificateSigning",
    ...LAST,
  ]);
});

test("the kubernetes dialect runs the default steps of kube-apiserver, in its order", () => {
  expect(chain(kubernetes)).toEqual([
    "NamespaceLifecycle",
    "LimitRanger",
    "ServiceAccount",
    "TaintNodesByCondition",
    "PodSecurity",
    "Priority",
    "DefaultTolerationSeconds",
    "DefaultStorageClass",
    "StorageObjectInUseProtection",
    "PersistentVolumeClaimResize",
    "RuntimeClass",
    ...SIGNERS,
    "DefaultIngressClass",
    "PodTopologyLabels",
    "PodCertificateSigning",
    ...LAST,
    "ResourceQuota",
  ]);
});

test("every step has its row, and every row but those that are not available its step, in the same order", () => {
  const all = Object.keys(ADMISSION_PLUGINS).filter((name) => unavailablePlugin({ enable: [name] }) === undefined);
  const gates = { ...gatesOf(kubernetes), NodeDeclaredFeatures: true };
  const run = chain(kubernetes, { enable: all, disable: ["NamespaceAutoProvision"] }, gates);
  const provided = chain(kubernetes, { enable: ["NamespaceAutoProvision"] });
  expect(provided).toContain("NamespaceAutoProvision");
  const expected = all.filter((name) => name !== "NamespaceExists");
  expect(run.filter((name) => !OWN.includes(name))).toEqual(expected);
  const existing = all.filter((name) => name !== "NamespaceAutoProvision");
  expect(chain(kubernetes, { enable: existing }, gates)).toContain("NamespaceExists");
});

test("steps are disabled by name, and those of the gate NodeDeclaredFeatures run with it alone", () => {
  const disable = ["DefaultIngressClass", "StorageObjectInUseProtection", "PodSecurity", "ServiceAccount"];
  const all = chain(kubernetes);
  expect(chain(kubernetes, { disable })).toEqual(all.filter((name) => !disable.includes(name)));
  expect(chain(neutral, { enable: ["StorageObjectInUseProtection"] })).toContain("StorageObjectInUseProtection");
  expect(all).not.toContain("NodeDeclaredFeatureValidator");
  const gates = { ...gatesOf(kubernetes), NodeDeclaredFeatures: true };
  expect(chain(kubernetes, {}, gates)).toContain("NodeDeclaredFeatureValidator");
});

test("the accounts of Pods are looked after whether or not the controller runs that makes them", () => {
  expect(chain(kubernetes, { controllers: [] })).toContain("ServiceAccount");
  expect(chain(kubernetes, { controllers: ["serviceaccount"] })).toContain("ServiceAccount");
  expect(chain(neutral, { controllers: ["serviceaccount"] })).not.toContain("ServiceAccount");
});

test("names without effect are returned, and the step of namespaces runs whatever a choice names", () => {
  const choice = { enable: ["Priority", "PodSecurityPolicy"], disable: ["NamespaceLifecycle", "PodSecurityPolicy"] };
  expect(idleNames(choice)).toEqual({ unknown: ["PodSecurityPolicy"], always: ["NamespaceLifecycle"] });
  expect(chain(kubernetes, choice)).toContain("NamespaceLifecycle");
});

test("steps that need a configuration file are not available, and the reason is returned", () => {
  expect(unavailablePlugin({ enable: ["Priority", "AlwaysPullImages"] })).toBeUndefined();
  for (const name of ["EventRateLimit", "ImagePolicyWebhook"]) {
    expect(unavailablePlugin({ enable: ["Priority", name] })).toMatch(
      new RegExp(`^${name}: it needs a configuration file, which kube-apiserver reads with`),
    );
    expect(unavailablePlugin({ disable: [name] })).toBeUndefined();
  }
});
