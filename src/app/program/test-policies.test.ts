import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { PolicyTestReport } from "../../meta/policy-test-report.ts";
import { testPolicies } from "./test-policies.ts";

const root = mkdtempSync(join(tmpdir(), "keelson-policies-"));
afterAll(() => rmSync(root, { recursive: true }));

const counter = { folders: 0 };

/** A folder with files. */
function folder(files: Readonly<Record<string, string>>): string {
  const path = join(root, String(counter.folders++));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}

const run = (files: Readonly<Record<string, string>>, chosen = ""): Promise<PolicyTestReport> =>
  testPolicies([folder(files)], { run: chosen });

const casesOf = ({ suites }: PolicyTestReport): readonly (readonly [string, readonly string[]])[] =>
  suites.flatMap(({ cases }) => cases.map(({ name, failures }) => [name, failures] as const));

const POLICY = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: replicas
spec:
  paramKind: { apiVersion: rules.example.com/v1, kind: ReplicaLimit }
  matchConstraints:
    resourceRules:
      - { apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments] }
  matchConditions:
    - name: not-root
      expression: request.userInfo.username != 'root'
  variables:
    - name: isProduction
      expression: namespaceObject.?metadata.labels.env.orValue('') == 'prod'
  validations:
    - expression: >-
        !variables.isProduction ||
        object.spec.replicas <= params.max
      messageExpression: "'at most ' + string(params.max)"
  auditAnnotations:
    - key: production
      valueExpression: "variables.isProduction ? 'yes' : 'no'"
`;

const LIMIT = `
apiVersion: rules.example.com/v1
kind: ReplicaLimit
metadata: { name: limit }
max: 5
`;

const deployment = (name: string, replicas: number): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: shop }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: web, image: nginx }] }
`;

const OWN = (cases: string): string => `
apiVersion: keelson.dev/v1
kind: PolicyTest
metadata: { name: replicas }
cases:
${cases}
`;

const FILES = {
  "policy.yaml": POLICY,
  "objects.yaml": [deployment("web", 7), deployment("small", 1), LIMIT].join("---"),
};

test("a case is judged with params, labels of the namespace, and a user", async () => {
  const report = await run({
    ...FILES,
    "test.yaml": OWN(`
  - name: too many
    object: { kind: Deployment, name: web }
    namespaceLabels: { env: prod }
    expect: { result: denied, by: replicas, message: at most 5 }
  - name: elsewhere
    object: { kind: Deployment, name: web }
    expect: { result: allowed, auditAnnotations: { replicas/production: "no" }, warnings: [] }
  - name: by root
    object: { kind: Deployment, name: web }
    namespaceLabels: { env: prod }
    user: { name: root }
    expect: { result: skipped }
  - name: another limit
    object: { kind: Deployment, name: web }
    namespaceLabels: { env: prod }
    params: { apiVersion: rules.example.com/v1, kind: ReplicaLimit, metadata: { name: other }, max: 10 }
    expect: { result: allowed }
  - name: a delete is not judged
    oldObject: { kind: Deployment, name: web }
    expect: { result: skipped }
`),
  });
  expect(casesOf(report)).toEqual(
    ["too many", "elsewhere", "by root", "another limit", "a delete is not judged"].map((name) => [name, []]),
  );
  expect(report).toMatchObject({ passed: 5, failed: 0, coverage: { percent: 100, unreached: [] } });
});

test("what is not as expected is said, with what the policies said", async () => {
  const report = await run({
    ...FILES,
    "test.yaml": OWN(`
  - name: wrong
    object: { kind: Deployment, name: web }
    namespaceLabels: { env: prod }
    expect:
      result: allowed
      by: other
      message: no such message
      warnings: [careful]
      auditAnnotations: { replicas/production: "no" }
      object: { spec: { replicas: 3 } }
`),
  });
  const denied = "ValidatingAdmissionPolicy 'replicas' with binding 'replicas' denied request: at most 5";
  const text = `deployments.apps "web" is forbidden: ${denied}`;
  expect(casesOf(report)).toEqual([
    [
      "wrong",
      [
        `expected the write to be allowed, it is denied: ${text}`,
        'expected other to refuse, got ["replicas"]',
        `expected a refusal with the message "no such message", got ${JSON.stringify(text)}`,
        'expected a warning with "careful", got []',
        'expected the audit annotation replicas/production: "no", got {"replicas/production":"yes"}',
        "expected the object to have /spec/replicas = 3, got 7",
      ],
    ],
  ]);
  expect(report.suites[0]?.cases[0]?.said).toEqual(["ValidatingAdmissionPolicyBinding/replicas denied: at most 5"]);
});

test("coverage names expressions and branches that no case has reached, with their line", async () => {
  const report = await run({
    ...FILES,
    "test.yaml": OWN(`
  - name: elsewhere
    object: { kind: Deployment, name: small }
    expect: { result: allowed }
`),
  });
  const { coverage } = report;
  expect(coverage.unreached.map(({ place, path, what }) => [place.split("/").at(-1), path, what])).toEqual([
    ["policy.yaml:19", "spec.validations[0].expression", "the left side of || was never false"],
    ["policy.yaml:21", "spec.validations[0].messageExpression", "never evaluated"],
    ["policy.yaml:24", "spec.auditAnnotations[0].valueExpression", "the condition of ?: was never true"],
  ]);
  expect(coverage).toMatchObject({ parts: 9, reached: 6, percent: 66.6 });
});

const MUTATING = `
apiVersion: admissionregistration.k8s.io/v1beta1
kind: MutatingAdmissionPolicy
metadata: { name: team }
spec:
  matchConstraints:
    resourceRules:
      - { apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps] }
  reinvocationPolicy: Never
  mutations:
    - patchType: JSONPatch
      jsonPatch:
        expression: >
          [JSONPatch{op: "add", path: "/metadata/labels", value: {"team": object.metadata.namespace}}]
`;

const MAP = `{ apiVersion: v1, kind: ConfigMap, metadata: { name: a, namespace: red } }`;

test("the object that comes out of a mutation is compared", async () => {
  const report = await run({
    "p/policy.yaml": MUTATING,
    "t/test.yaml": `
apiVersion: keelson.dev/v1
kind: PolicyTest
policies: [../p/policy.yaml]
cases:
  - { name: right, object: ${MAP}, expect: { result: allowed, object: { metadata: { labels: { team: red } } } } }
  - { name: wrong, object: ${MAP}, expect: { object: { metadata: { labels: { team: blue } } } } }
`,
  });
  expect(casesOf(report)).toEqual([
    ["right", []],
    ["wrong", ['expected the object to have /metadata/labels/team = "blue", got "red"']],
  ]);
});

test("only the chosen cases run", async () => {
  const one = (name: string): string => `  - { name: ${name}, object: ${MAP}, expect: {} }`;
  const report = await run(
    { "policy.yaml": MUTATING, "test.yaml": OWN([one("first"), one("second")].join("\n")) },
    "sec",
  );
  expect(casesOf(report)).toEqual([["second", []]]);
});

const SIMPLE = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: small }
spec:
  matchConstraints:
    resourceRules:
      - { apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments] }
  validations:
    - { expression: object.spec.replicas <= 5, message: too many replicas }
    - { expression: object.spec.replicas <= 6, message: far too many }
`;

test("tests of Kyverno are read", async () => {
  const result = (resource: string, expected: string): string => `
  - { policy: small, isValidatingAdmissionPolicy: true, kind: Deployment, resources: [${resource}], result: ${expected} }`;
  const report = await run({
    "policy.yaml": SIMPLE,
    "resources.yaml": [deployment("web", 7), deployment("small", 1), MAP].join("\n---\n"),
    "kyverno-test.yaml": `
apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: { name: replicas }
policies: [policy.yaml]
resources: [resources.yaml]
results:${result("shop/web", "fail")}${result("small", "pass")}${result("web", "pass")}
  - { policy: small, isValidatingAdmissionPolicy: true, kind: ConfigMap, resources: [a], result: skip }
`,
  });
  expect(casesOf(report).map(([name, failures]) => [name, failures.length])).toEqual([
    ["small: shop/web", 0],
    ["small: small", 0],
    ["small: web", 2],
    ["small: a", 0],
  ]);
});

test("older tests of Kyverno are read", async () => {
  const result = (resource: string, expected: string): string => `
  - { policy: small, resource: ${resource}, isValidatingAdmissionPolicy: true, kind: Deployment, result: ${expected} }`;
  const report = await run({
    "policy.yaml": SIMPLE,
    "resources.yaml": [deployment("web", 7), deployment("small", 1)].join("\n---\n"),
    "kyverno-test.yaml": `
name: replicas
policies: [policy.yaml]
resources: [resources.yaml]
results:${result("web", "fail")}${result("small", "pass")}
`,
  });
  expect(report).toMatchObject({ passed: 2, failed: 0, suites: [{ name: "replicas" }] });
});

test("tests of gator are read", async () => {
  const report = await run({
    "policy.yaml": SIMPLE,
    "web.yaml": deployment("web", 7),
    "small.yaml": deployment("small", 1),
    "suite.yaml": `
apiVersion: test.gatekeeper.sh/v1alpha1
kind: Suite
tests:
  - name: replicas
    template: policy.yaml
    cases:
      - { name: two, object: web.yaml, assertions: [{ violations: 2 }, { violations: 1, message: "^too .*replicas" }] }
      - { name: none, object: small.yaml, assertions: [{ violations: no }] }
      - { name: wrong, object: web.yaml, assertions: [{ violations: no }] }
      - { name: left out, skip: true, object: nowhere.yaml }
`,
  });
  expect(casesOf(report)).toEqual([
    ["two", []],
    ["none", []],
    ["wrong", ['expected 0 violations, got 2 of ["too many replicas","far too many"]']],
  ]);
});

test.each([
  [
    "an unknown member of a case",
    { "test.yaml": OWN(`  - { object: ${MAP}, expect: {}, colour: red }`) },
    "expected cases[0].colour of",
  ],
  ["no expectation", { "test.yaml": OWN(`  - { object: ${MAP} }`) }, "expected cases[0].expect of"],
  [
    "an object that is not there",
    { "test.yaml": OWN("  - { object: { name: x }, expect: {} }") },
    "to mean an object, there is none",
  ],
  [
    "a member of Kyverno that is not read",
    { "test.yaml": "{ apiVersion: cli.kyverno.io/v1alpha1, kind: Test, variables: v.yaml }" },
    "expected variables of",
  ],
  [
    "a rule of Kyverno",
    { "test.yaml": "{ apiVersion: cli.kyverno.io/v1alpha1, kind: Test, results: [{ policy: p }] }" },
    "isMutatingAdmissionPolicy to be true",
  ],
  [
    "another version",
    { "test.yaml": "{ apiVersion: keelson.dev/v2, kind: PolicyTest }" },
    "to be keelson.dev/v1, got keelson.dev/v2",
  ],
  ["no test", {}, "expected a test in"],
  [
    "a policy that the server would refuse",
    { "bad.yaml": SIMPLE.replace("<= 5", "<="), "test.yaml": OWN(`  - { object: ${MAP}, expect: {} }`) },
    "compilation failed",
  ],
])("%s is an error", async (_, files, message) => {
  await expect(run({ "policy.yaml": MUTATING, ...(files as Record<string, string>) })).rejects.toThrow(message);
});
