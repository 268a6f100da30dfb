import { expect, test } from "vitest";
import { requestInfo } from "../meta/request-info.ts";
import { readPolicy } from "./policy.ts";
import { type Verdict, compileRules } from "./rules.ts";

const USER = { user: "jane", groups: ["devs", "system:authenticated"] };

/** The verdict of rules, written as YAML flows, on a request. */
function judge(rules: string, request: string, sender: typeof USER | undefined = USER): Verdict {
  const [method = "", path = ""] = request.split(" ");
  const policy = readPolicy(`{apiVersion: audit.k8s.io/v1, kind: Policy, ${rules}}`);
  return compileRules(policy)(
    requestInfo(method, path, () => path.includes("watch=true")),
    sender,
  );
}

const isMeant = (rule: string, request: string, sender?: typeof USER): boolean =>
  judge(`rules: [{level: Metadata, ${rule}}]`, request, sender).level === "Metadata";

test("AUDIT-2: the first rule that fits decides, and without one nothing is written", () => {
  const rules = "rules: [{level: None, verbs: [get]}, {level: Request, verbs: [get, list]}]";
  expect(judge(rules, "GET /api/v1/pods").level).toBe("Request");
  expect(judge(rules, "GET /api/v1/namespaces/a/pods/x").level).toBe("None");
  expect(judge(rules, "POST /api/v1/namespaces/a/pods").level).toBe("None");
});

test("AUDIT-3: a rule fits where all that it names fits; one that names nothing fits everything", () => {
  expect(isMeant("", "GET /healthz")).toBe(true);
  expect(isMeant("users: [jane], verbs: [list]", "GET /api/v1/pods")).toBe(true);
  expect(isMeant("users: [joe], verbs: [list]", "GET /api/v1/pods")).toBe(false);
  expect(isMeant("userGroups: [ops, devs]", "GET /api/v1/pods")).toBe(true);
  expect(isMeant("userGroups: [ops]", "GET /api/v1/pods")).toBe(false);
});

test("AUDIT-11: who is not known is in no list of users", () => {
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

test("AUDIT-5: an empty name stands for requests without a namespace; a namespace is in itself", () => {
  expect(isMeant('namespaces: [""]', "GET /api/v1/nodes")).toBe(true);
  expect(isMeant('namespaces: [""]', "GET /healthz")).toBe(false);
  expect(isMeant("namespaces: [a]", "GET /api/v1/namespaces/a")).toBe(true);
  expect(isMeant("namespaces: [a]", "GET /api/v1/namespaces/a/pods")).toBe(true);
  expect(isMeant("namespaces: [a]", "GET /api/v1/namespaces/b/pods")).toBe(false);
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
  expect(isMeant(`resources: ${resources}`, request)).toBe(fits);
});

test.each([
  ["[/healthz]", "GET /healthz", true],
  ["[/healthz]", "GET /healthz/etcd", false],
  ['["/healthz*"]', "GET /healthz/etcd", true],
  ['["*"]', "GET /anything", true],
  ['["*"]', "GET /api/v1/pods", false],
])("AUDIT-7: %s and %s: %s", (urls, request, fits) => {
  expect(isMeant(`nonResourceURLs: ${urls}`, request)).toBe(fits);
});

test("AUDIT-8: stages of policy and rule add up; what a rule says of owners counts more than the policy", () => {
  const found = judge(
    "omitStages: [RequestReceived], omitManagedFields: true, rules: [{level: Request, omitStages: [Panic], omitManagedFields: false}]",
    "GET /api/v1/pods",
  );
  expect([...found.omitStages]).toEqual(["RequestReceived", "Panic"]);
  expect(found.omitManagedFields).toBe(false);
  expect(judge("omitManagedFields: true, rules: [{level: Request}]", "GET /api/v1/pods").omitManagedFields).toBe(true);
});
