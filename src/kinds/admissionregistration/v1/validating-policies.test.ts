import { describe, expect, test } from "vitest";
import { kubernetes } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { admissionRegistrationGroup } from "../index.ts";

const RULE = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
const SPEC = { matchConstraints: { resourceRules: [RULE] }, validations: [{ expression: "true" }] };

const kindOf = (plural: string) => KindUnderTest.of(admissionRegistrationGroup, plural, contextOf(kubernetes));
const policies = kindOf("validatingadmissionpolicies");
const bindings = kindOf("validatingadmissionpolicybindings");

const shortened = (causes: readonly string[]): readonly string[] =>
  causes.map((cause) => cause.replace("FieldValue", "").replace("spec.", ""));
const policy = (members: object): readonly string[] =>
  shortened(policies.create({ spec: { ...SPEC, ...members } }).causes);
const binding = (members: object): readonly string[] =>
  shortened(bindings.create({ spec: { policyName: "p", validationActions: ["Deny"], ...members } }).causes);
const validation = (members: object, more: object = {}): readonly string[] =>
  policy({ validations: [{ expression: "true", ...members }], ...more }).map((cause) =>
    cause.replace("validations[0].", ""),
  );
const param = (paramRef: object): readonly string[] =>
  binding({ paramRef }).map((cause) => cause.replace("paramRef", "P"));

test("POL-A-1: defaults of a policy and of a binding", () => {
  const defaults = { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} };
  expect(policies.create({ spec: SPEC }).object["spec"]).toEqual({
    ...SPEC,
    failurePolicy: "Fail",
    matchConstraints: { ...defaults, resourceRules: [{ ...RULE, scope: "*" }] },
  });
  const spec = { policyName: "p", validationActions: ["Deny"] };
  expect(bindings.create({ spec }).object["spec"]).toEqual(spec);
  expect(bindings.create({ spec: { ...spec, matchResources: {} } }).object["spec"]).toEqual({
    ...spec,
    matchResources: defaults,
  });
});

test.each([
  [["Deny", "Audit"], []],
  [["Warn", "Audit"], []],
  [[], ["Required validationActions"]],
  [["Deny", "Warn"], ["Invalid validationActions"]],
  [["Audit", "Audit"], ["Duplicate validationActions[1]"]],
  [["Log"], ["NotSupported validationActions[0]"]],
])("POL-A-1: the actions %j", (validationActions, expected) => {
  expect(binding({ validationActions })).toEqual(expected);
});

test.each([
  [{ policyName: "" }, ["Required policyName"]],
  [{ policyName: "A" }, ["Invalid policyName"]],
  [{ matchResources: { matchPolicy: "Some" } }, ["NotSupported matchResources.matchPolicy"]],
  [
    { matchResources: { excludeResourceRules: [{ ...RULE, scope: "x" }] } },
    ["NotSupported matchResources.excludeResourceRules[0].scope"],
  ],
  [
    { matchResources: { resourceRules: [{ ...RULE, resourceNames: ["a", "a", "b/c"] }] } },
    [
      "Duplicate matchResources.resourceRules[0].resourceNames[1]",
      "Invalid matchResources.resourceRules[0].resourceNames[2]",
    ],
  ],
])("POL-A-1: a binding with %j", (members, expected) => {
  expect(binding(members)).toEqual(expected);
});

test.each([
  [{ name: "a", parameterNotFoundAction: "Deny" }, []],
  [{ selector: {}, parameterNotFoundAction: "Allow" }, []],
  [{ name: "a" }, ["Required P.parameterNotFoundAction"]],
  [{ parameterNotFoundAction: "Deny" }, ["Required P"]],
  [{ name: "a", selector: {}, parameterNotFoundAction: "Deny" }, ["Forbidden P.name", "Forbidden P.selector"]],
  [{ name: "a/b", parameterNotFoundAction: "Deny" }, ["Invalid P.name"]],
  [{ name: "a", parameterNotFoundAction: "Warn" }, ["NotSupported P.parameterNotFoundAction"]],
  [{ selector: { matchLabels: { "a b": "c" } }, parameterNotFoundAction: "Deny" }, ["Invalid P.selector.matchLabels"]],
])("POL-A-6: the parameters %j", (paramRef, expected) => {
  expect(param(paramRef)).toEqual(expected);
});

test.each([
  [{ matchConstraints: null }, ["Required matchConstraints"]],
  [{ matchConstraints: {} }, ["Required matchConstraints.resourceRules"]],
  [{ validations: [] }, ["Required auditAnnotations", "Required validations"]],
  [{ validations: [], auditAnnotations: [{ key: "k", valueExpression: "'v'" }] }, []],
  [{ failurePolicy: "Maybe" }, ["NotSupported failurePolicy"]],
  [{ paramKind: {} }, ["Required paramKind.apiVersion", "Required paramKind.kind"]],
  [{ paramKind: { apiVersion: "v1", kind: "ConfigMap" } }, []],
  [{ paramKind: { apiVersion: "a/b/c", kind: "X" } }, ["Invalid paramKind.apiVersion"]],
  [{ paramKind: { apiVersion: "A/v1", kind: "X" } }, ["Invalid paramKind.apiVersion"]],
  [{ paramKind: { apiVersion: "a/", kind: "X" } }, ["Invalid paramKind.apiVersion"]],
  [{ paramKind: { apiVersion: "a/1", kind: "X Y" } }, ["Invalid paramKind.apiVersion", "Invalid paramKind.kind"]],
])("POL-A-2: a policy with %j", (members, expected) => {
  expect(policy(members)).toEqual(expected);
});

describe("POL-A-2, CEL-1: expressions", () => {
  const paramKind = { apiVersion: "v1", kind: "ConfigMap" };

  test.each([
    ["object.data.a == 'x'", []],
    ["namespaceObject.metadata.name == request.namespace", []],
    ["namespaceObject.nosuch == ''", ["Invalid expression"]],
    ["authorizer.requestResource.check('get').allowed()", []],
    ["'a'", ["Invalid expression"]],
    ["", ["Required expression"]],
    ["params.data.a == 'x'", ["Invalid expression"]],
    ["variables.a", ["Invalid expression"]],
  ])("%j", (expression, expected) => {
    expect(validation({ expression })).toEqual(expected);
  });

  test("params only where the policy has a kind of them", () => {
    const matchConditions = [{ name: "c", expression: "params.data.a == 'x'" }];
    const expression = "params.data.a == 'x'";
    expect(validation({ expression }, { paramKind, matchConditions })).toEqual([]);
    expect(policy({ matchConditions })).toEqual(["Invalid matchConditions[0].expression"]);
  });

  test("variables use those before them, and keep their types", () => {
    const variables = [
      { name: "a", expression: "1" },
      { name: "b", expression: "variables.a + 1" },
    ];
    expect(validation({ expression: "variables.b == 2" }, { variables })).toEqual([]);
    expect(validation({ expression: "variables.b == 'x'" }, { variables })).toEqual(["Invalid expression"]);
    expect(policy({ variables: variables.toReversed() })).toEqual(["Invalid variables[0].expression"]);
    expect(policy({ variables, matchConditions: [{ name: "c", expression: "variables.a == 1" }] })).toEqual([
      "Invalid matchConditions[0].expression",
    ]);
  });

  test.each([
    [{ name: "a-b", expression: "1" }, ["Invalid variables[0].name"]],
    [{ name: "in", expression: "1" }, ["Invalid variables[0].name"]],
    [{ name: "", expression: "1" }, ["Required variables[0].name"]],
    [{ name: "a", expression: " " }, ["Required variables[0].expression"]],
    [{ name: "a", expression: "nosuch" }, ["Invalid variables[0].expression"]],
  ])("the variable %j", (variable, expected) => {
    expect(policy({ variables: [variable] })).toEqual(expected);
  });

  test("a later variable of the same name is taken", () => {
    const variables = [
      { name: "a", expression: "1" },
      { name: "a", expression: "'x'" },
    ];
    expect(validation({ expression: "variables.a == 'x'" }, { variables })).toEqual([]);
  });
});

test.each([
  [{ reason: "Forbidden" }, []],
  [{ reason: "RequestEntityTooLarge" }, []],
  [{ reason: "Unauthorized" }, ["NotSupported reason"]],
  [{ message: " " }, ["Invalid message"]],
  [{ message: "a\nb" }, ["Invalid message"]],
  [{ message: "a\n" }, []],
  [{ messageExpression: " " }, ["Invalid messageExpression"]],
  [{ messageExpression: "'a' + object.metadata.name" }, []],
  [{ messageExpression: "1" }, ["Invalid messageExpression"]],
  [{ messageExpression: "authorizer.path('/').check('get').reason()" }, ["Invalid messageExpression"]],
])("POL-A-3: a validation with %j", (members, expected) => {
  expect(validation(members)).toEqual(expected);
});

test("POL-A-2: a message may use variables, which may have used the authorizer", () => {
  const variables = [{ name: "a", expression: "authorizer.path('/').check('get').reason()" }];
  expect(validation({ messageExpression: "variables.a" }, { variables })).toEqual([]);
  expect(validation({ messageExpression: "params.data.a" })).toEqual(["Invalid messageExpression"]);
});

describe("audit annotations", () => {
  const annotations = (...auditAnnotations: object[]) => policy({ auditAnnotations });

  test.each([
    [{ key: "k", valueExpression: "'v'" }, []],
    [{ key: "k", valueExpression: "null" }, []],
    [{ key: "k", valueExpression: "1" }, ["Invalid auditAnnotations[0].valueExpression"]],
    [{ key: "k", valueExpression: "" }, ["Required auditAnnotations[0].valueExpression"]],
    [{ key: "k", valueExpression: `'${"v".repeat(5119)}'` }, ["Required auditAnnotations[0].valueExpression"]],
    [{ key: "a b", valueExpression: "'v'" }, ["Invalid auditAnnotations[0].key"]],
  ])("%#", (annotation, expected) => {
    expect(annotations(annotation)).toEqual(expected);
  });

  test("keys are unique, and there are at most 20", () => {
    const one = { key: "k", valueExpression: "'v'" };
    expect(annotations(one, one)).toEqual(["Duplicate auditAnnotations[1].key"]);
    const many = Array.from({ length: 21 }, (_, i) => ({ ...one, key: `k${i}` }));
    expect(annotations(...many)).toEqual(["Invalid auditAnnotations"]);
    expect(annotations(...many.slice(1))).toEqual([]);
  });
});

describe("updates", () => {
  const broken = { ...SPEC, matchConditions: [{ name: "c", expression: "nosuch" }] };
  const stored = { ...policies.create({ spec: SPEC }).object, spec: broken };

  test("keep match conditions that do not compile any more, while the kind of parameters stays", () => {
    expect(policies.change(stored, { spec: { ...broken, failurePolicy: "Ignore" } }).causes).toEqual([]);
    const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
    expect(policies.change(stored, { spec: { ...broken, paramKind } }).causes).toEqual([
      "FieldValueInvalid spec.matchConditions[0].expression",
    ]);
  });

  test("of the metadata alone are not judged by the rules of the spec", () => {
    expect(policies.change(stored, { metadata: { ...stored.metadata, labels: { a: "b" } } }).causes).toEqual([]);
  });
});

describe("POL-A-9: the status", () => {
  const { object } = policies.create({ spec: SPEC, status: { observedGeneration: 1 } });
  const condition = { type: "A", status: "True", reason: "R", message: "", lastTransitionTime: "2024-01-01T00:00:00Z" };
  const status = (members: object) => policies.update(object, { status: members }, "status");

  test("is written by its own path, which keeps the rest", () => {
    expect(object["status"]).toEqual({});
    const { object: changed } = status({ observedGeneration: 1, conditions: [condition] });
    expect(changed).toMatchObject({ spec: { failurePolicy: "Fail" }, status: { observedGeneration: 1 } });
    expect(policies.change(changed, { status: {} }).object["status"]).toEqual(changed["status"]);
  });

  test.each([
    [{ fieldRef: "spec.validations[0].expression", warning: "w" }, []],
    [{ fieldRef: "", warning: "" }, ["Required E.fieldRef", "Required E.warning"]],
    [{ fieldRef: "spec.a[", warning: "w" }, ["Invalid E.fieldRef"]],
  ])("has warnings with a path: %j", (warning, expected) => {
    const { causes } = status({ typeChecking: { expressionWarnings: [warning] } });
    const at = "status.typeChecking.expressionWarnings[0]";
    expect(causes.map((cause) => cause.replace("FieldValue", "").replace(at, "E"))).toEqual(expected);
  });

  test("has conditions, each type once", () => {
    expect(status({ conditions: [condition, condition] }).causes).toEqual([
      "FieldValueDuplicate status.conditions[1].type",
    ]);
  });
});

test("POL-A-1: the columns", () => {
  const shown = (spec: object) => policies.cells(policies.create({ spec: { ...SPEC, ...spec } }).object).slice(0, 2);
  expect(shown({})).toEqual([1, "<unset>"]);
  expect(shown({ paramKind: { apiVersion: "v1", kind: "ConfigMap" } })).toEqual([1, "v1/ConfigMap"]);
  const ref = (paramRef?: object) => bindings.cells(bindings.create({ spec: { policyName: "p", paramRef } }).object)[1];
  expect(ref()).toBe("<unset>");
  expect(ref({ name: "a" })).toBe("*/a");
  expect(ref({ name: "a", namespace: "n" })).toBe("n/a");
  expect(
    ref({ selector: { matchLabels: { b: "c", a: "b" }, matchExpressions: [{ key: "k", operator: "Exists" }] } }),
  ).toBe(
    "&LabelSelector{MatchLabels:map[string]string{a: b,b: c,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:Exists,Values:[],},},}",
  );
});
