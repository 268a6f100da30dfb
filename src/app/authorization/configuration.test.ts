import { expect, test } from "vitest";
import { readAuthorizationConfiguration } from "./configuration.ts";

const HEAD = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\n";

const WEBHOOK = `
authorizers:
- {type: Node, name: node}
- type: Webhook
  name: mine
  webhook:
    timeout: 3s
    authorizedTTL: 1m
    cacheUnauthorizedRequests: false
    subjectAccessReviewVersion: v1
    matchConditionSubjectAccessReviewVersion: v1
    failurePolicy: Deny
    connectionInfo: {type: KubeConfigFile, kubeConfigFile: /w.yaml}
    matchConditions:
    - expression: request.user != 'x'
- {type: RBAC, name: rbac}
`;

const faultsOf = (text: string): string[] => {
  try {
    readAuthorizationConfiguration(text);
  } catch (error) {
    return (error as Error).message.split("\n");
  }
  return [];
};

test("RBAC-38: authorizers are called in the order of the file", () => {
  expect(readAuthorizationConfiguration(HEAD + WEBHOOK)).toMatchObject([
    "Node",
    {
      name: "mine",
      kubeconfig: "/w.yaml",
      timeoutMillis: 3000,
      version: "v1",
      allowedMillis: 60_000,
      refusedMillis: 0,
      failurePolicy: "Deny",
      conditions: [{ source: "request.user != 'x'" }],
    },
    "RBAC",
  ]);
});

test.each([
  ["{", [expect.stringContaining("expected YAML or JSON")]],
  ["[]", ["expected an object of kind AuthorizationConfiguration, found none"]],
  [`${HEAD}authorizers: []`, ["authorizers: expected at least one"]],
  [
    "kind: Other\nauthorizers: [{type: RBAC, name: a}]",
    [expect.stringContaining("apiVersion: expected"), "kind: expected AuthorizationConfiguration"],
  ],
  [
    `${HEAD}authorizers: [{type: RBAC, name: a}, {type: RBAC, name: b}]`,
    ["authorizers[1].type: expected RBAC once, found it twice"],
  ],
  [
    `${HEAD}authorizers: [{type: Node, name: a}, {type: RBAC, name: a}]`,
    ["authorizers[1].name: expected a name of its own, found a twice"],
  ],
  [`${HEAD}authorizers: [{type: ABAC, name: a}]`, [expect.stringContaining("authorizers[0].type: expected Node")]],
  [
    `${HEAD}authorizers: [{type: RBAC, name: A b}]`,
    [expect.stringContaining("authorizers[0].name: a lowercase RFC 1123 subdomain must")],
  ],
  [
    `${HEAD}authorizers: [{type: RBAC, name: a, webhook: {}}]`,
    ["authorizers[0].webhook: expected it with the type Webhook only"],
  ],
  [`${HEAD}authorizers: [{type: RBAC, name: a, x: 1}]`, ["authorizers[0].x: unknown"]],
])("reports the errors in %j", (text, faults) => {
  expect(faultsOf(text)).toEqual(faults);
});

test.each([
  ["timeout: 3s", "timeout: 31s", "timeout: expected a duration such as 3s, at most 30s"],
  ["timeout: 3s", "timeout: 0s", "timeout: expected a duration such as 3s, at most 30s"],
  ["failurePolicy: Deny", "failurePolicy: Allow", "failurePolicy: expected NoOpinion or Deny"],
  ["type: KubeConfigFile", "type: InClusterConfig", "connectionInfo.type: expected KubeConfigFile"],
  ["request.user != 'x'", "request.user", expect.stringContaining("matchConditions[0].expression: ")],
  [
    "AccessReviewVersion: v1\n    failure",
    "AccessReviewVersion: v2\n    failure",
    "matchConditionSubjectAccessReviewVersion: expected v1",
  ],
])("reports %j of a webhook as %j", (from, to, fault) => {
  const found = faultsOf((HEAD + WEBHOOK).replace(from, to)).map((line) => line.replace("authorizers[1].webhook.", ""));
  expect(found).toEqual([fault]);
});
