import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { admissionRegistrationGroup } from "../index.ts";

const RULE = { operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
const WEBHOOK = {
  name: "w.example.com",
  clientConfig: { url: "https://example.com/x" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};

const kindOf = (plural: string) => KindUnderTest.of(admissionRegistrationGroup, plural, contextOf(kubernetes));
const mutating = kindOf("mutatingwebhookconfigurations");
const validating = kindOf("validatingwebhookconfigurations");

/** The causes of a webhook, without the path to it. */
const causes = (members: object, kind = mutating): readonly string[] =>
  kind
    .create({ webhooks: [{ ...WEBHOOK, ...members }] })
    .causes.map((cause) => cause.replace("FieldValue", "").replace("webhooks[0].", ""));
const rule = (members: object): readonly string[] =>
  causes({ rules: [{ ...RULE, ...members }] }).map((cause) => cause.replace("rules[0].", ""));
const client = (clientConfig: object): readonly string[] =>
  causes({ clientConfig }).map((cause) => cause.replace("clientConfig", "C"));
const condition = (expression: string, name = "c"): readonly string[] =>
  causes({ matchConditions: [{ name, expression }] }).map((cause) => cause.replace("matchConditions[0].", ""));

describe("HOOK-1: defaults", () => {
  const defaults = {
    failurePolicy: "Fail",
    matchPolicy: "Equivalent",
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
  };

  test.each([
    [validating, {}],
    [mutating, { reinvocationPolicy: "Never" }],
  ])("of a webhook of %#", (kind, more) => {
    const { object } = kind.create({ webhooks: [{ ...WEBHOOK, rules: [RULE] }] });
    expect(object["webhooks"]).toEqual([{ ...WEBHOOK, ...defaults, ...more, rules: [{ ...RULE, scope: "*" }] }]);
  });

  test("of the port of a service", () => {
    const service = { name: "s", namespace: "n" };
    const { object } = validating.create({ webhooks: [{ ...WEBHOOK, clientConfig: { service } }] });
    expect(object["webhooks"]).toMatchObject([{ clientConfig: { service: { ...service, port: 443 } } }]);
  });

  test("a configuration may have no webhooks, and a webhook no rules", () => {
    expect(validating.create({}).causes).toEqual([]);
    expect(causes({}, validating)).toEqual([]);
  });
});

test("HOOK-1: generation counts changes of the webhooks", () => {
  const { object } = validating.create({ webhooks: [WEBHOOK] });
  expect(object.metadata.generation).toBe(1);
  const labelled = validating.change(object, { metadata: { ...object.metadata, labels: { a: "b" } } });
  expect(labelled.object.metadata.generation).toBe(1);
  expect(validating.change(object, { webhooks: [] }).object.metadata.generation).toBe(2);
});

test("HOOK-1: the columns", () => {
  const { object } = validating.create({ webhooks: [WEBHOOK] });
  expect(validating.columns(object).slice(0, 1)).toEqual([["Webhooks", 1]]);
});

test("the group has the same name in every dialect, and mutating policies only behind their gate", () => {
  const served = (dialect: typeof neutral, isOn: boolean): string[] =>
    admissionRegistrationGroup(contextOf(dialect, { MutatingAdmissionPolicy: isOn }))
      .filter((definition) => definition.served !== false)
      .map(({ group, version }) => `${group}/${version}`);
  expect(served(kubernetes, false)).toEqual(Array(4).fill("admissionregistration.k8s.io/v1"));
  expect(served(neutral, false)).toEqual(served(kubernetes, false));
  expect(new Set(served(kubernetes, true).slice(4))).toEqual(
    new Set(["admissionregistration.k8s.io/v1beta1", "admissionregistration.k8s.io/v1alpha1"]),
  );
  expect(contextOf(kubernetes).gates.MutatingAdmissionPolicy).toBe(false);
});

test.each([
  [{ name: "" }, ["Required name"]],
  [{ name: "example.com" }, ["Invalid name"]],
  [{ name: "W.example.com" }, ["Invalid name"]],
  [{ failurePolicy: "Maybe" }, ["NotSupported failurePolicy"]],
  [{ matchPolicy: "Some" }, ["NotSupported matchPolicy"]],
  [{ reinvocationPolicy: "Always" }, ["NotSupported reinvocationPolicy"]],
  [{ sideEffects: null }, ["Required sideEffects"]],
  [{ sideEffects: "NoneOnDryRun" }, []],
  [{ sideEffects: "Some" }, ["NotSupported sideEffects"]],
  [{ timeoutSeconds: 0 }, ["Invalid timeoutSeconds"]],
  [{ timeoutSeconds: 1 }, []],
  [{ timeoutSeconds: 30 }, []],
  [{ timeoutSeconds: 31 }, ["Invalid timeoutSeconds"]],
  [{ admissionReviewVersions: [] }, ["Required admissionReviewVersions"]],
  [{ admissionReviewVersions: ["v9"] }, ["Invalid admissionReviewVersions"]],
  [{ admissionReviewVersions: ["v9", "v1beta1"] }, []],
  [{ admissionReviewVersions: ["v1", "v1"] }, ["Invalid admissionReviewVersions[1]"]],
  [{ admissionReviewVersions: ["1", "v1"] }, ["Invalid admissionReviewVersions[0]"]],
  [{ objectSelector: { matchLabels: { a: "b c" } } }, ["Invalid objectSelector.matchLabels"]],
  [
    { namespaceSelector: { matchExpressions: [{ key: "a", operator: "Odd" }] } },
    ["Invalid namespaceSelector.matchExpressions[0].operator"],
  ],
])("HOOK-2: a webhook with %j", (members, expected) => {
  expect(causes(members)).toEqual(expected);
});

test("HOOK-2: names are unique in a configuration", () => {
  expect(validating.create({ webhooks: [WEBHOOK, WEBHOOK] }).causes).toEqual(["FieldValueDuplicate webhooks[1].name"]);
});

test.each([
  [{}, ["Required C"]],
  [{ url: "https://a", service: { name: "a", namespace: "b" } }, ["Required C"]],
  [{ url: "http://a" }, ["Invalid C.url"]],
  [{ url: "https://a/?q" }, ["Invalid C.url"]],
  [{ url: "https://u@a/" }, ["Invalid C.url"]],
  [{ url: "https://a/#f" }, ["Invalid C.url"]],
  [{ url: "https:///a" }, ["Invalid C.url"]],
  [{ url: "https://a/%zz" }, ["Required C.url"]],
  [{ url: "https://a:99999/" }, ["Invalid C.url"]],
  [{ url: "https://a" }, []],
  [{ service: { name: "a", namespace: "b", path: "//" } }, ["Invalid C.service.path"]],
  [{ service: { name: "a", namespace: "b", path: "/a/" } }, []],
  [{ service: { name: "a", namespace: "b", port: 0 } }, ["Invalid C.service.port"]],
  [{ service: { name: "a", namespace: "b", path: "x y" } }, ["Invalid C.service.path"]],
  [{ service: { name: "", namespace: "" } }, ["Required C.service.name", "Required C.service.namespace"]],
])("HOOK-2: the address %j", (clientConfig, expected) => {
  expect(client(clientConfig)).toEqual(expected);
});

test("HOOK-2: a missing member of a service is reported as Kubernetes does, at the other one", () => {
  const service = { name: "s", namespace: "" };
  const reported = (dialect: typeof neutral) =>
    KindUnderTest.of(admissionRegistrationGroup, "mutatingwebhookconfigurations", contextOf(dialect)).create({
      webhooks: [{ ...WEBHOOK, clientConfig: { service } }],
    }).causes;
  expect(reported(kubernetes)).toEqual(["FieldValueRequired webhooks[0].clientConfig.service.name"]);
  expect(reported(neutral)).toEqual(["FieldValueRequired webhooks[0].clientConfig.service.namespace"]);
});

test.each([
  [{ operations: [] }, ["Required operations"]],
  [{ operations: ["*", "CREATE"] }, ["Invalid operations"]],
  [{ operations: ["CREATE", "CREATE"] }, []],
  [{ operations: ["create"] }, ["NotSupported operations[0]"]],
  [{ operations: ["CONNECT", "UPDATE", "DELETE"] }, []],
  [{ apiGroups: [] }, ["Required apiGroups"]],
  [{ apiGroups: ["", "*"] }, ["Invalid apiGroups"]],
  [{ apiVersions: [] }, ["Required apiVersions"]],
  [{ apiVersions: [""] }, ["Required apiVersions[0]"]],
  [{ apiVersions: ["*", "v1"] }, ["Invalid apiVersions"]],
  [{ resources: [] }, ["Required resources"]],
  [{ resources: ["a", ""] }, ["Required resources[1]"]],
  [{ resources: ["*", "a"] }, ["Invalid resources"]],
  [{ resources: ["*", "a/b"] }, []],
  [{ resources: ["a", "a/*"] }, []],
  [{ resources: ["a/*", "a/b"] }, ["Invalid resources[1]"]],
  [{ resources: ["*/b", "a/b"] }, ["Invalid resources[1]"]],
  [{ resources: ["*/*", "a"] }, ["Invalid resources"]],
  [{ resources: ["a/*", "b/*", "b"] }, []],
  [{ scope: "Namespaced" }, []],
  [{ scope: "All" }, ["NotSupported scope"]],
])("HOOK-2: a rule with %j", (members, expected) => {
  expect(rule(members)).toEqual(expected);
});

test.each([
  ["object.data.a == 'x' && oldObject == null", []],
  ["request.operation == 'CREATE' && request.userInfo.username != ''", []],
  ["authorizer.group('').resource('pods').check('get').allowed()", []],
  ["authorizer.requestResource.check('get').allowed()", []],
  ["", ["Required expression"]],
  [" ", ["Required expression"]],
  ["1 +", ["Invalid expression"]],
  ["1", ["Invalid expression"]],
  ["params.a == 'x'", ["Invalid expression"]],
  ["variables.a", ["Invalid expression"]],
  ["self == 1", ["Invalid expression"]],
  ["request.uid == ''", ["Invalid expression"]],
  ["has(request.nosuch)", ["Invalid expression"]],
])("HOOK-2, CEL-1, CEL-2: the match condition %j", (expression, expected) => {
  expect(condition(expression)).toEqual(expected);
});

test("HOOK-2: names of match conditions are qualified and unique; there are at most 64", () => {
  expect(condition("true", "")).toEqual(["Required name"]);
  expect(condition("true", "a b")).toEqual(["Invalid name"]);
  expect(condition("true", "example.com/a")).toEqual([]);
  const named = (...names: string[]) =>
    causes({ matchConditions: names.map((name) => ({ name, expression: "true" })) });
  expect(named("a", "a")).toEqual(["Duplicate matchConditions[1].name"]);
  const many = Array.from({ length: 65 }, (_, i) => `c${i}`);
  expect(named(...many)).toEqual(["TooMany matchConditions"]);
  expect(named(...many.slice(1))).toEqual([]);
});

describe("HOOK-2: what was stored before it was refused may stay", () => {
  const stored = (...webhooks: object[]) => {
    const { object } = mutating.create({ webhooks: [] });
    return { ...object, webhooks: webhooks.map((one) => ({ ...WEBHOOK, ...one })) };
  };
  const update = (old: ReturnType<typeof stored>, ...webhooks: object[]) =>
    mutating.update(old, { ...old, webhooks: webhooks.map((one) => ({ ...WEBHOOK, ...one })) }).causes;

  test("side effects", () => {
    const old = stored({ sideEffects: "Some" });
    expect(update(old, { sideEffects: "Unknown" })).toEqual([]);
    expect(update(old, { sideEffects: "Odd" })).toEqual(["FieldValueNotSupported webhooks[0].sideEffects"]);
    expect(update(stored({}), { sideEffects: "Some" })).toEqual(["FieldValueNotSupported webhooks[0].sideEffects"]);
  });

  test("names that are there twice", () => {
    expect(update(stored({}, {}), {}, {}, {})).toEqual([]);
  });

  test("versions of reviews that are not known", () => {
    const old = stored({ admissionReviewVersions: ["v9"] });
    expect(update(old, { admissionReviewVersions: ["v8"] })).toEqual([]);
  });

  test("values of labels", () => {
    const selecting = (value: string) => ({
      objectSelector: { matchExpressions: [{ key: "a", operator: "In", values: [value] }] },
    });
    expect(update(stored(selecting("b c")), selecting("c d"))).toEqual([]);
    expect(update(stored({}), selecting("c d"))).toEqual([
      "FieldValueInvalid webhooks[0].objectSelector.matchExpressions[0].values[0]",
    ]);
  });

  test("unchanged match conditions", () => {
    const broken = { matchConditions: [{ name: "c", expression: "nosuch" }] };
    expect(update(stored(broken), { ...broken, timeoutSeconds: 5 })).toEqual([]);
    expect(update(stored({}), broken)).toEqual(["FieldValueInvalid webhooks[0].matchConditions[0].expression"]);
  });
});
