import { expect, test } from "vitest";
import { requestInfo } from "../meta/request-info.ts";
import { readPolicy } from "./policy.ts";
import { type RequestAuditConfig, compileRules } from "./rules.ts";

const USER = { user: "jane", groups: ["devs", "system:authenticated"] };

/** How rules, written as flow YAML, audit a request. */
function configOf(rules: string, request: string, user: typeof USER | undefined = USER): RequestAuditConfig {
  const [method = "", path = ""] = request.split(" ");
  const policy = readPolicy(`{apiVersion: audit.k8s.io/v1, kind: Policy, ${rules}}`);
  return compileRules(policy)(
    requestInfo(method, path, () => path.includes("watch=true")),
    user,
  );
}

const matches = (rule: string, request: string, user?: typeof USER): boolean =>
  configOf(`rules: [{level: Metadata, ${rule}}]`, request, user).level === "Metadata";

test("AUDIT-2: the first rule that matches decides, and without one there is no event", () => {
  const rules = "rules: [{level: None, verbs: [get]}, {level: Request, verbs: [get, list]}]";
  expect(configOf(rules, "GET /api/v1/pods").level).toBe("Request");
  expect(configOf(rules, "GET /api/v1/namespaces/a/pods/x").level).toBe("None");
  expect(configOf(rules, "POST /api/v1/namespaces/a/pods").level).toBe("None");
});

test("AUDIT-3: a rule matches where all its conditions match; one without conditions matches everything", () => {
  expect(matches("", "GET /healthz")).toBe(true);
  expect(matches("users: [jane], verbs: [list]", "GET /api/v1/pods")).toBe(true);
  expect(matches("users: [joe], verbs: [list]", "GET /api/v1/pods")).toBe(false);
  expect(matches("userGroups: [ops, devs]", "GET /api/v1/pods")).toBe(true);
  expect(matches("userGroups: [ops]", "GET /api/v1/pods")).toBe(false);
});

test("AUDIT-11: an unknown user matches no list of users", () => {
  const policy = readPolicy(
    "{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: Metadata, userGroups: [devs]}]}",
  );
  expect(
    compileRules(policy)(
      requestInfo("GET", "/api/v1/pods", () => false),
      undefined,
    ).level,
  ).toBe("None");
});

test("AUDIT-5: an empty name matches requests without a namespace; a Namespace is in itself", () => {
  expect(matches('namespaces: [""]', "GET /api/v1/nodes")).toBe(true);
  expect(matches('namespaces: [""]', "GET /healthz")).toBe(false);
  expect(matches("namespaces: [a]", "GET /api/v1/namespaces/a")).toBe(true);
  expect(matches("namespaces: [a]", "GET /api/v1/namespaces/a/pods")).toBe(true);
  expect(matches("namespaces: [a]", "GET /api/v1/namespaces/b/pods")).toBe(false);
});

test.each([
  ['[{group: ""}]', "GET /api/v1/pods", true],
  ['[{group: ""}]', "GET /apis/apps/v1/deployments", false],
  ["[{resources: [pods]}]", "GET /api/v1/namespaces/a/pods/x", true],
  ["[{resources: [pods]}]", "GET /api/v1/namespaces/a/pods/x/log", false],
  ["[{resources: [pods/log]}]", "GET /api/v1/namespaces/a/pods/x/log", true],
  ["[{resources: [pods/log]}]", "GET /api/v1/namespaces/a/pods/x", false],
  ["[{resources: [pods/*]}]", "GET /api/v1/namespaces/a/pods/x/log", true],
  ["[{resources: [pods/*]}]", "GET /api/v1/namespaces/a/pods/x", true],
  ['[{resources: ["*/status"]}]', "GET /api/v1/namespaces/a/pods/x/status", true],
  ['[{resources: ["*/status"]}]', "GET /api/v1/namespaces/a/pods/x/log", false],
  ['[{resources: ["*"]}]', "GET /api/v1/namespaces/a/pods/x/log", true],
  ["[{resources: [pods], resourceNames: [x]}]", "GET /api/v1/namespaces/a/pods/x", true],
  ["[{resources: [pods], resourceNames: [x]}]", "GET /api/v1/namespaces/a/pods/y", false],
  ["[{resources: [pods], resourceNames: [x]}]", "POST /api/v1/namespaces/a/pods", false],
  ["[{group: apps, resources: [deployments]}, {resources: [pods]}]", "GET /api/v1/pods", true],
])("AUDIT-6: %s and %s: %s", (resources, request, fits) => {
  expect(matches(`resources: ${resources}`, request)).toBe(fits);
});

test.each([
  ["[/healthz]", "GET /healthz", true],
  ["[/healthz]", "GET /healthz/etcd", false],
  ['["/healthz*"]', "GET /healthz/etcd", true],
  ['["*"]', "GET /anything", true],
  ['["*"]', "GET /api/v1/pods", false],
])("AUDIT-7: %s and %s: %s", (urls, request, fits) => {
  expect(matches(`nonResourceURLs: ${urls}`, request)).toBe(fits);
});

test("AUDIT-8: the stages of policy and rule add up; omitManagedFields of a rule overrides that of the policy", () => {
  const found = configOf(
    "omitStages: [RequestReceived], omitManagedFields: true, rules: [{level: Request, omitStages: [Panic], omitManagedFields: false}]",
    "GET /api/v1/pods",
  );
  expect([...found.omitStages]).toEqual(["RequestReceived", "Panic"]);
  expect(found.omitManagedFields).toBe(false);
  expect(configOf("omitManagedFields: true, rules: [{level: Request}]", "GET /api/v1/pods").omitManagedFields).toBe(
    true,
  );
});
