import { describe, expect, test } from "vitest";
import { kubernetes } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { admissionRegistrationGroup } from "../index.ts";

const RULE = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
const APPLY = { patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } };
const PATCH = { patchType: "JSONPatch", jsonPatch: { expression: "[JSONPatch{op: 'add', path: '/a', value: 1}]" } };
const SPEC = { matchConstraints: { resourceRules: [RULE] }, reinvocationPolicy: "Never", mutations: [APPLY] };

const context = contextOf(kubernetes, { MutatingAdmissionPolicy: true });
const kindOf = (plural: string, version = "v1beta1") =>
  KindUnderTest.of(admissionRegistrationGroup, plural, context, version);
const policies = kindOf("mutatingadmissionpolicies");
const bindings = kindOf("mutatingadmissionpolicybindings");

const shortened = (causes: readonly string[]): readonly string[] =>
  causes.map((cause) => cause.replace("FieldValue", "").replace("spec.", ""));
const policy = (members: object): readonly string[] =>
  shortened(policies.create({ spec: { ...SPEC, ...members } }).causes);
const mutation = (members: object): readonly string[] =>
  policy({ mutations: [members] }).map((cause) => cause.replace("mutations[0].", ""));

describe("POL-A-20: a mutating policy", () => {
  test("has the defaults of a validating one", () => {
    const defaults = { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} };
    expect(policies.create({ spec: SPEC }).object["spec"]).toEqual({
      ...SPEC,
      failurePolicy: "Fail",
      matchConstraints: { ...defaults, resourceRules: [{ ...RULE, scope: "*" }] },
    });
    const { object } = bindings.create({ spec: { policyName: "p", matchResources: {} } });
    expect(object["spec"]).toEqual({ policyName: "p", matchResources: defaults });
  });

  test.each([
    [{ mutations: [] }, ["Required mutations"]],
    [{ reinvocationPolicy: "" }, ["Required reinvocationPolicy"]],
    [{ reinvocationPolicy: "Sometimes" }, ["NotSupported reinvocationPolicy"]],
    [{ reinvocationPolicy: "IfNeeded" }, []],
    [{ failurePolicy: "Maybe" }, ["NotSupported failurePolicy"]],
    [{ matchConstraints: null }, ["Required matchConstraints"]],
    [{ matchConstraints: {} }, ["Required matchConstraints.resourceRules"]],
    [
      { matchConstraints: { resourceRules: [{ ...RULE, operations: ["DELETE"] }] } },
      ["NotSupported matchConstraints.resourceRules.operations"],
    ],
    [{ variables: [{ name: "a b", expression: "1" }] }, ["Invalid variables[0].name"]],
    [{ matchConditions: [{ name: "c", expression: "1" }] }, ["Invalid matchConditions[0].expression"]],
  ])("with %j", (members, expected) => {
    expect(policy(members)).toEqual(expected);
  });

  test.each([
    [APPLY, []],
    [PATCH, []],
    [{ ...APPLY, patchType: "" }, ["Required patchType"]],
    [{ ...APPLY, patchType: "Merge" }, ["NotSupported patchType"]],
    [{ ...APPLY, patchType: "JSONPatch" }, ["Invalid applyConfiguration", "Required jsonPatch"]],
    [{ ...APPLY, ...PATCH }, ["Invalid applyConfiguration"]],
    [{ ...PATCH, ...APPLY }, ["Invalid jsonPatch"]],
    [{ patchType: "ApplyConfiguration" }, ["Required applyConfiguration"]],
    [{ ...APPLY, applyConfiguration: { expression: " " } }, ["Required applyConfiguration.expression"]],
  ])("with the mutation %j", (members, expected) => {
    expect(mutation(members)).toEqual(expected);
  });
});

test.each([
  ["Object{}", []],
  ["Object{metadata: Object.metadata{labels: {'a': jsonpatch.escapeKey('a/b')}}}", []],
  ["Object{nosuch: 1}", []],
  ["object", ["Invalid applyConfiguration.expression"]],
  ["{}", ["Invalid applyConfiguration.expression"]],
  ["1", ["Invalid applyConfiguration.expression"]],
  ["Object{metadata: Object.metadata{name: params.data.a}}", ["Invalid applyConfiguration.expression"]],
])("POL-A-20, CEL-27: the apply configuration %j", (expression, expected) => {
  expect(mutation({ ...APPLY, applyConfiguration: { expression } })).toEqual(expected);
});

test.each([
  ["[JSONPatch{op: 'add', path: '/a', value: 1}, JSONPatch{op: 'test', path: '/b', value: 'x'}]", []],
  ["object.x ? [JSONPatch{op: 'remove', path: '/a'}] : []", []],
  ["[]", ["Invalid jsonPatch.expression"]],
  ["['a']", ["Invalid jsonPatch.expression"]],
  ["[{'op': 'add'}]", ["Invalid jsonPatch.expression"]],
  ["[JSONPatch{op: 'add', nosuch: 1}]", ["Invalid jsonPatch.expression"]],
])("POL-A-20, CEL-27: the JSON patch %j", (expression, expected) => {
  expect(mutation({ ...PATCH, jsonPatch: { expression } })).toEqual(expected);
});

test("POL-A-20: mutations read variables", () => {
  const reading = (name: string) => ({ expression: `Object{a: variables.${name}}` });
  const variables = [{ name: "x", expression: "'v'" }];
  const mutations = (name: string) => [{ ...APPLY, applyConfiguration: reading(name) }];
  expect(policy({ variables, mutations: mutations("x") })).toEqual([]);
  expect(policy({ variables, mutations: mutations("y") })).toEqual([
    "Invalid mutations[0].applyConfiguration.expression",
  ]);
});

test("POL-A-20: a binding mutates creates and updates only", () => {
  const bound = (operation: string) =>
    bindings.create({
      spec: { policyName: "p", matchResources: { resourceRules: [{ ...RULE, operations: [operation] }] } },
    }).causes;
  expect(bound("UPDATE")).toEqual([]);
  expect(bound("DELETE")).toEqual(["FieldValueNotSupported spec.matchResources.resourceRules.operations"]);
});

test("in v1alpha1 a parameter that is not found refuses by default", () => {
  const spec = { policyName: "p", paramRef: { name: "a" } };
  const { object } = kindOf("mutatingadmissionpolicybindings", "v1alpha1").create({ spec });
  expect(object["spec"]).toMatchObject({ paramRef: { parameterNotFoundAction: "Deny" } });
  expect(bindings.create({ spec }).causes).toEqual(["FieldValueRequired spec.paramRef.parameterNotFoundAction"]);
});

test("POL-A-25: answers in beta and alpha versions have a warning", () => {
  const deprecated = admissionRegistrationGroup(context).filter(({ version }) => version !== "v1");
  expect(deprecated).toHaveLength(4);
  for (const { deprecated: warning, version } of deprecated) expect(warning).toContain(version);
});
