import { expect, test } from "vitest";
import type { ServedKind } from "../client/kind.ts";
import type { AdmissionFacts, BindingFact, PolicyFact, WebhookFact } from "./admission-facts.ts";
import { admissionFindings } from "./admission-findings.ts";

const kind = (
  plural: string,
  name: string,
  subresources: Readonly<Record<string, readonly string[]>> = {},
): ServedKind => ({
  group: "",
  version: "v1",
  kind: name,
  plural,
  scope: "Namespaced",
  singular: "",
  shortNames: [],
  categories: [],
  verbs: ["create", "update", "patch", "delete", "get", "list"],
  subresources: new Map(Object.entries(subresources)),
});

const rule = (resource: string, operation = "CREATE") => ({
  operations: [operation],
  apiGroups: [""],
  apiVersions: ["v1"],
  resources: [resource],
});

const webhook = (more: Partial<WebhookFact> = {}): WebhookFact => ({
  source: "ValidatingWebhookConfiguration/c",
  name: "w.example.com",
  mutates: false,
  fails: true,
  timeoutSeconds: 10,
  rules: [rule("pods")],
  ...more,
});

const policy = (more: Partial<PolicyFact> = {}): PolicyFact => ({
  source: "ValidatingAdmissionPolicy/p",
  name: "p",
  warnings: [],
  rules: [rule("pods")],
  ...more,
});

const binding = (more: Partial<BindingFact> = {}): BindingFact => ({
  source: "ValidatingAdmissionPolicyBinding/b",
  name: "b",
  policyKind: "ValidatingAdmissionPolicy",
  policyName: "p",
  rules: [],
  ...more,
});

const find = (facts: Partial<AdmissionFacts>): readonly string[] =>
  admissionFindings({
    webhooks: [],
    policies: [],
    bindings: [],
    kinds: [
      kind("pods", "Pod", { exec: ["create", "get"], status: ["get", "patch", "update"] }),
      kind("configmaps", "ConfigMap"),
    ],
    namespaces: new Map([["hooks", { name: "hooks" }]]),
    services: new Map(),
    ...facts,
  }).map(({ severity, says }) => `${severity}: ${says}`);

const service = { namespace: "hooks", name: "s" };
const services = new Map([["hooks/s", { selector: { app: "hook" }, pods: [] }]]);

test("a webhook without mistakes, and a policy with its binding", () => {
  expect(find({ webhooks: [webhook()], policies: [policy()], bindings: [binding()] })).toEqual([]);
});

test("a webhook that matches the Pods of its own Service", () => {
  const own = expect.stringContaining("it matches the Pods of its own Service hooks/s");
  expect(find({ services, webhooks: [webhook({ service })] })).toEqual([own]);
  const others = [
    { fails: false },
    { rules: [rule("configmaps")] },
    { rules: [rule("pods", "UPDATE")] },
    { namespaceSelector: { matchExpressions: [{ key: "name", operator: "NotIn", values: ["hooks"] }] } },
    { objectSelector: { matchExpressions: [{ key: "app", operator: "DoesNotExist" }] } },
  ];
  const namespaces = new Map([
    ["hooks", { name: "hooks" }],
    ["other", {}],
  ]);
  for (const more of others)
    expect(find({ services, namespaces, webhooks: [webhook({ service, ...more })] })).toEqual([]);
});

test("a Service that does not exist", () => {
  expect(find({ webhooks: [webhook({ service })] })).toEqual([
    "error: its Service hooks/s does not exist: every write that it matches is refused",
  ]);
  expect(find({ webhooks: [webhook({ service, fails: false })] })).toEqual([
    "warning: its Service hooks/s does not exist: it is never called",
  ]);
});

test("rules that no served resource meets", () => {
  const rules = [
    rule("widgets"),
    rule("pods/exec", "CONNECT"),
    rule("pods/status", "UPDATE"),
    rule("pods/status", "DELETE"),
  ];
  expect(find({ webhooks: [webhook({ rules })] })).toEqual([
    "warning: no served resource meets its rule CREATE of widgets in core/v1",
    "warning: no served resource meets its rule DELETE of pods/status in core/v1",
  ]);
});

test("selectors that select nothing", () => {
  const namespaceSelector = { matchLabels: { name: "nothing" } };
  const contradiction = {
    matchLabels: { a: "1" },
    matchExpressions: [{ key: "a", operator: "NotIn", values: ["1", "2"] }],
  };
  expect(find({ webhooks: [webhook({ namespaceSelector, objectSelector: contradiction })] })).toEqual([
    "warning: its namespaceSelector selects no namespace",
    "warning: its objectSelector can select no object: it contradicts itself",
  ]);
  const possible = [
    { matchExpressions: [{ key: "a", operator: "NotIn", values: ["1"] }] },
    { matchExpressions: [{ key: "a", operator: "Exists" }] },
    { matchLabels: { a: "1" }, matchExpressions: [{ key: "b", operator: "DoesNotExist" }] },
  ];
  for (const objectSelector of possible) expect(find({ webhooks: [webhook({ objectSelector })] })).toEqual([]);
});

test("time-outs of mutating webhooks that add up to more than a request has", () => {
  const slow = (name: string, mutates = true) => webhook({ name, mutates, timeoutSeconds: 30 });
  expect(find({ webhooks: [slow("a.example.com"), slow("b.example.com"), slow("c.example.com", false)] })).toEqual([]);
  expect(find({ webhooks: ["a", "b", "c"].map((name) => slow(`${name}.example.com`)) })).toEqual([
    "warning: the time-outs of the mutating webhooks of pods add up to 90 s, and a request has 60 s: a.example.com, b.example.com, c.example.com",
  ]);
});

test("policies and bindings without each other, parameters that are not served, and what type checking found", () => {
  expect(find({ policies: [policy()] })).toEqual(["error: it has no binding, so it is never evaluated"]);
  expect(find({ bindings: [binding()] })).toEqual(["error: its policy p does not exist"]);
  const paramKind = { apiVersion: "example.com/v1", kind: "Limit" };
  const warnings = ["spec.validations[0].expression: undefined field 'x'"];
  expect(find({ policies: [policy({ paramKind, warnings })], bindings: [binding()] })).toEqual([
    "error: its paramKind Limit of example.com/v1 is not served",
    "warning: type checking found in spec.validations[0].expression: undefined field 'x'",
  ]);
});
