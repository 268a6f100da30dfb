import { afterEach, beforeEach, expect, test } from "vitest";
import { CustomResourceDefinition, ValidatingAdmissionPolicy } from "../../src/client/kinds/index.ts";
import { policyTypeChecking } from "../../src/controllers/policies/type-checking.ts";
import { World } from "../runtime/world.ts";

let world: World;
beforeEach(async () => {
  world = await World.create();
  await world.run(policyTypeChecking);
});
afterEach(() => world[Symbol.asyncDispose]());

type Spec = ValidatingAdmissionPolicy["spec"];

const rule = (group: string, version: string, ...resources: string[]) => ({
  apiGroups: [group],
  apiVersions: [version],
  operations: ["CREATE"],
  resources,
});

/** Stores a policy and returns its warnings, by the path of the expression. */
async function warningsOf(spec: Spec, name = "p"): Promise<Readonly<Record<string, string>>> {
  await world.resource(ValidatingAdmissionPolicy).create({ metadata: { name }, spec });
  await world.settled();
  return written(name);
}

async function written(name = "p"): Promise<Readonly<Record<string, string>>> {
  const { metadata, status } = await world.resource(ValidatingAdmissionPolicy).get({ name });
  expect(status).toMatchObject({ observedGeneration: metadata.generation, typeChecking: expect.anything() as object });
  const warnings = status.typeChecking?.expressionWarnings ?? [];
  return Object.fromEntries(warnings.map(({ fieldRef, warning }) => [fieldRef, warning]));
}

const about = (...rules: ReturnType<typeof rule>[]): Pick<Spec, "matchConstraints"> => ({
  matchConstraints: { resourceRules: rules },
});

test("POL-A-9 expressions are checked against the types of their objects, under the words of kube-controller-manager", async () => {
  const warnings = await warningsOf({
    ...about(rule("apps", "v1", "deployments", "deployments/scale")),
    variables: [{ name: "count", expression: "object.spec.replicas" }],
    validations: [
      { expression: "object.spec.replicas > 1 && variables.count < 9 && object.metadata.labels['a'] == 'b'" },
      { expression: "object.spec.replicas > '1'", messageExpression: "string(object.spec.none)" },
      { expression: "variables.count == 'x'" },
    ],
  });
  expect(warnings).toEqual({
    "spec.validations[1].expression":
      "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'\n" +
      " | object.spec.replicas > '1'\n | .....................^\n",
    "spec.validations[1].messageExpression":
      "apps/v1, Kind=Deployment: ERROR: <input>:1:19: undefined field 'none'\n | string(object.spec.none)\n | ..................^\n",
    "spec.validations[2].expression": expect.stringContaining("'(int, string)'") as string,
  });
  const { metadata } = await world.resource(ValidatingAdmissionPolicy).get({ name: "p" });
  const owner = metadata.managedFields?.find(({ subresource }) => subresource === "status");
  expect(owner?.manager).toBe("validatingadmissionpolicy-status-controller");
});

test("POL-A-9 every kind that a rule names has findings of its own, and wildcards are not checked", async () => {
  const validations = [{ expression: "object.data.size() > 0" }];
  const both = await warningsOf({ ...about(rule("", "v1", "configmaps", "services")), validations });
  expect(Object.values(both)).toEqual([expect.stringMatching(/^\/v1, Kind=Service: ERROR: .*undefined field 'data'/s)]);
  for (const [i, wild] of [rule("*", "v1", "services"), rule("", "*", "services"), rule("", "v1", "*")].entries()) {
    expect(await warningsOf({ ...about(wild), validations }, `wild-${i}`)).toEqual({});
  }
});

test("POL-A-9 an expression of more than 20,000 characters is not checked, and its type is dyn for others", async () => {
  const wrongAt = (length: number): string => `object.none == [${"1,".repeat((length - 18) / 2)}]`.padEnd(length);
  const variables = [{ name: "long", expression: `object.spec.replicas${" ".repeat(20_000)}` }];
  const validations = [
    { expression: wrongAt(20_002) },
    { expression: wrongAt(20_000) },
    { expression: "variables.long == 'x'" },
  ];
  const warnings = await warningsOf({ ...about(rule("apps", "v1", "deployments")), variables, validations });
  expect(Object.keys(warnings)).toEqual(["spec.validations[1].expression"]);
});

test("POL-A-9 at most ten types are checked", async () => {
  const names = [
    "bindings",
    "configmaps",
    "endpoints",
    "events",
    "limitranges",
    "namespaces",
    "nodes",
    "persistentvolumeclaims",
    "persistentvolumes",
    "pods",
    "secrets",
    "services",
  ];
  const warnings = await warningsOf({
    ...about(rule("", "v1", ...names)),
    validations: [{ expression: "object.none == 1" }],
  });
  expect(Object.values(warnings)[0]?.match(/Kind=/g)).toHaveLength(10);
});

test("POL-A-9 params have the type of their kind", async () => {
  const warnings = await warningsOf({
    ...about(rule("", "v1", "configmaps")),
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    validations: [{ expression: "params.data['a'] == 'b'" }, { expression: "params.spec.a == 'b'" }],
  });
  expect(Object.keys(warnings)).toEqual(["spec.validations[1].expression"]);
});

test("POL-A-9 a changed definition, and a changed policy, are checked again", async () => {
  const define = (type: string) => ({
    group: "example.com",
    scope: "Namespaced" as const,
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { size: { type } } } },
      },
    ],
  });
  const definitions = world.resource(CustomResourceDefinition);
  await definitions.create({ metadata: { name: "widgets.example.com" }, spec: define("string") });
  await world.settled();
  const spec = { ...about(rule("example.com", "v1", "widgets")), validations: [{ expression: "object.size > 3" }] };
  expect(Object.values(await warningsOf(spec))).toEqual([expect.stringContaining("'(string, int)'")]);
  const stored = await definitions.get({ name: "widgets.example.com" });
  await definitions.update({ ...stored, spec: define("integer") });
  await world.settled();
  expect(await written()).toEqual({});
  const policy = await world.resource(ValidatingAdmissionPolicy).get({ name: "p" });
  await world
    .resource(ValidatingAdmissionPolicy)
    .update({ ...policy, spec: { ...spec, validations: [{ expression: "object.none == 3" }] } });
  await world.settled();
  expect(Object.values(await written())).toEqual([expect.stringContaining("undefined field 'none'")]);
});

test("POL-A-9 a policy without findings is written once", async () => {
  await warningsOf({ ...about(rule("", "v1", "configmaps")), validations: [{ expression: "true" }] });
  const { metadata } = await world.resource(ValidatingAdmissionPolicy).get({ name: "p" });
  await world.advance(600_000);
  const after = await world.resource(ValidatingAdmissionPolicy).get({ name: "p" });
  expect(after.metadata.resourceVersion).toBe(metadata.resourceVersion);
});
