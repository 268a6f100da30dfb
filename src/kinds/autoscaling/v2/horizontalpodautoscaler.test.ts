import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import type { Gate } from "../../../meta/gates.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { horizontalPodAutoscalerV2 } from "./horizontalpodautoscaler.ts";

const kindWith = (dialect = kubernetes, gates: Partial<Record<Gate, boolean>> = {}): KindUnderTest => {
  const ctx = contextOf(dialect, gates);
  return new KindUnderTest(horizontalPodAutoscalerV2(ctx), ctx);
};

const kind = kindWith();
const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "x" };
const spec = { maxReplicas: 5, scaleTargetRef };
const causesOf = (changes: object): readonly string[] => kind.create({ spec: { ...spec, ...changes } }).causes;

const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } };
const target = { type: "AverageValue", averageValue: "10" };
const pods = { type: "Pods", pods: { metric: { name: "m" }, target } };
const describedObject = { kind: "Service", name: "s", apiVersion: "v1" };
const object = (changes: object = {}) => ({
  type: "Object",
  object: { metric: { name: "m" }, describedObject, target: { type: "Value", value: "2k" }, ...changes },
});
const external = (of: object) => ({ type: "External", external: { metric: { name: "q" }, target: of } });
const container = (changes: object) => ({
  type: "ContainerResource",
  containerResource: { ...cpu.resource, container: "c", ...changes },
});

/** What is wrong with metrics, named from the first of them. */
const wrong = (...metrics: object[]): readonly string[] =>
  causesOf({ metrics }).map((cause) => cause.replace("spec.metrics[0]", ""));

describe.each([neutral, kubernetes])("a HorizontalPodAutoscaler in the $name dialect", (dialect) => {
  test("KIND-HorizontalPodAutoscaler-2: what is filled in", () => {
    const { object: made, causes, unknown } = kindWith(dialect).create({ spec });
    expect({ causes, unknown }).toEqual({ causes: [], unknown: [] });
    expect(made["spec"]).toEqual({ ...spec, minReplicas: 1, metrics: [cpu] });
  });

  test("KIND-HorizontalPodAutoscaler-13, KIND-HorizontalPodAutoscaler-14: a new one has a status without numbers, and no generation", () => {
    const { object: made } = kindWith(dialect).create({ spec, status: { desiredReplicas: 7 } });
    const none = dialect === kubernetes ? { currentMetrics: null } : {};
    expect(made["status"]).toEqual({ desiredReplicas: 0, ...none });
    expect(made.metadata.generation).toBeUndefined();
  });

  test("KIND-HorizontalPodAutoscaler-4: annotations of v1 mean nothing here, and go", () => {
    const prefix = `autoscaling.alpha.${dialect.labelDomain}`;
    const old = Object.fromEntries(
      ["metrics", "current-metrics", "conditions", "behavior", "scale-up-tolerance", "scale-down-tolerance"].map(
        (name) => [`${prefix}/${name}`, "[]"],
      ),
    );
    const of = (annotations: object) => kindWith(dialect).create({ metadata: { name: "x", annotations }, spec }).object;
    expect(of({ ...old, a: "1" }).metadata.annotations).toEqual({ a: "1" });
    expect(of(old).metadata.annotations).toBeUndefined();
  });
});

describe("how fast the number of Pods changes", () => {
  const behaviorOf = (behavior: object): unknown =>
    (kind.create({ spec: { ...spec, behavior } }).object["spec"] as { behavior: unknown }).behavior;
  const percent = { type: "Percent", value: 100, periodSeconds: 15 };
  const up = {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [{ type: "Pods", value: 4, periodSeconds: 15 }, percent],
  };
  const down = { selectPolicy: "Max", policies: [percent] };

  test.each([{}, { scaleUp: {} }, { scaleDown: {} }, { scaleUp: { policies: null } }])(
    "KIND-HorizontalPodAutoscaler-5: %j is filled in, in both directions",
    (behavior) => expect(behaviorOf(behavior)).toEqual({ scaleUp: up, scaleDown: down }),
  );

  test("KIND-HorizontalPodAutoscaler-5: what is sent stays; nothing is filled in where nothing is said", () => {
    const policies = [{ type: "Pods", value: 1, periodSeconds: 10 }];
    const sent = { scaleUp: { policies, selectPolicy: "Min" }, scaleDown: { stabilizationWindowSeconds: 5 } };
    expect(behaviorOf(sent)).toEqual({
      scaleUp: { ...up, ...sent.scaleUp },
      scaleDown: { ...down, ...sent.scaleDown },
    });
    expect(kind.create({ spec }).object["spec"]).not.toHaveProperty("behavior");
  });

  const rulesOf = (rules: object): readonly string[] =>
    causesOf({ behavior: { scaleUp: rules } }).map((cause) => cause.replace("spec.behavior.scaleUp", ""));
  const policyOf = (policy: object): readonly string[] => rulesOf({ policies: [{ ...percent, ...policy }] });

  test("KIND-HorizontalPodAutoscaler-11: windows, policies and how they are chosen", () => {
    expect(rulesOf({ stabilizationWindowSeconds: 3600, selectPolicy: "Disabled" })).toEqual([]);
    for (const stabilizationWindowSeconds of [-1, 3601]) {
      expect(rulesOf({ stabilizationWindowSeconds })).toEqual(["FieldValueInvalid .stabilizationWindowSeconds"]);
    }
    expect(rulesOf({ selectPolicy: "Mid" })).toEqual(["FieldValueNotSupported .selectPolicy"]);
    expect(rulesOf({ policies: [] })).toEqual(["FieldValueRequired .policies"]);
    expect(policyOf({ periodSeconds: 1800 })).toEqual([]);
    expect(policyOf({ type: "Nodes" })).toEqual(["FieldValueNotSupported .policies[0].type"]);
    expect(policyOf({ value: 0 })).toEqual(["FieldValueInvalid .policies[0].value"]);
    for (const periodSeconds of [0, 1801]) {
      expect(policyOf({ periodSeconds })).toEqual(["FieldValueInvalid .policies[0].periodSeconds"]);
    }
    expect(causesOf({ behavior: { scaleDown: { policies: [] } } })).toEqual([
      "FieldValueRequired spec.behavior.scaleDown.policies",
    ]);
  });

  test("KIND-HorizontalPodAutoscaler-11: a tolerance is not negative; without its feature it is dropped, unless it is there", () => {
    expect(rulesOf({ tolerance: "0.05" })).toEqual([]);
    expect(rulesOf({ tolerance: "-1" })).toEqual(["FieldValueInvalid .tolerance"]);
    const off = kindWith(kubernetes, { HPAConfigurableTolerance: false });
    const behavior = { scaleUp: { tolerance: "50m" } };
    const dropped = off.create({ spec: { ...spec, behavior } });
    expect(dropped.object["spec"]).toMatchObject({ behavior: { scaleUp: up } });
    expect(JSON.stringify(dropped.object)).not.toContain("tolerance");
    const { object: old } = kind.create({ spec: { ...spec, behavior } });
    const both = { scaleUp: { tolerance: "60m" }, scaleDown: { tolerance: "70m" } };
    expect(off.change(old, { spec: { ...spec, behavior: both } }).object["spec"]).toMatchObject({ behavior: both });
  });
});

describe("the numbers and the target", () => {
  test("KIND-HorizontalPodAutoscaler-6: maxReplicas is required, and no less than minReplicas", () => {
    for (const maxReplicas of [0, -1])
      expect(causesOf({ maxReplicas })).toEqual(["FieldValueInvalid spec.maxReplicas"]);
    expect(kind.create({ spec: { scaleTargetRef } }).causes).toEqual(["FieldValueInvalid spec.maxReplicas"]);
    expect(causesOf({ minReplicas: 6 })).toEqual(["FieldValueInvalid spec.maxReplicas"]);
    expect(causesOf({ minReplicas: 5 })).toEqual([]);
    expect(causesOf({ minReplicas: -1 })).toEqual(["FieldValueInvalid spec.minReplicas"]);
  });

  test("KIND-HorizontalPodAutoscaler-6: minReplicas 0 is a feature, and needs a metric of something else than Pods", () => {
    const needs = "FieldValueForbidden spec.metrics";
    const metrics = [external({ type: "Value", value: "3" })];
    expect(causesOf({ minReplicas: 0 })).toEqual([needs, "FieldValueInvalid spec.minReplicas"]);
    expect(causesOf({ minReplicas: 0, metrics })).toEqual(["FieldValueInvalid spec.minReplicas"]);
    const on = kindWith(kubernetes, { HPAScaleToZero: true });
    expect(on.create({ spec: { ...spec, minReplicas: 0 } }).causes).toEqual([needs]);
    for (const metric of [...metrics, object()]) {
      const { object: old, causes } = on.create({ spec: { ...spec, minReplicas: 0, metrics: [metric] } });
      expect(causes).toEqual([]);
      // Who has it keeps it.
      expect(kind.change(old, { spec: { ...(old["spec"] as object), maxReplicas: 9 } }).causes).toEqual([]);
    }
  });

  const refCauses = (changes: object): readonly string[] =>
    causesOf({ scaleTargetRef: { ...scaleTargetRef, ...changes } }).map((cause) =>
      cause.replace("spec.scaleTargetRef.", ""),
    );

  test("KIND-HorizontalPodAutoscaler-7: the target has a kind and a name, and a version with a group", () => {
    expect(refCauses({ kind: "", name: "" })).toEqual(["FieldValueRequired kind", "FieldValueRequired name"]);
    expect(refCauses({ kind: "a/b", name: "c/d" })).toEqual(["FieldValueInvalid kind", "FieldValueInvalid name"]);
    for (const apiVersion of ["", "v1", "/v1", "/", "x/y/z"]) {
      expect(refCauses({ apiVersion })).toEqual(["FieldValueInvalid apiVersion"]);
    }
    for (const apiVersion of ["", "v1", "apps/v1"]) {
      expect(refCauses({ kind: "ReplicationController", apiVersion })).toEqual([]);
    }
    expect(refCauses({ kind: "ReplicationController", apiVersion: "x/y/z" })).toEqual(["FieldValueInvalid apiVersion"]);
    expect(kind.create({ spec: { maxReplicas: 5 } }).causes).toEqual([
      "FieldValueInvalid spec.scaleTargetRef.apiVersion",
      "FieldValueRequired spec.scaleTargetRef.kind",
      "FieldValueRequired spec.scaleTargetRef.name",
    ]);
  });

  test("KIND-HorizontalPodAutoscaler-7: a version that was stored is not looked at again", () => {
    const { object: old } = kind.create({ spec: { ...spec, scaleTargetRef: { kind: "Thing", name: "x" } } });
    const to = (ref: object): readonly string[] => kind.change(old, { spec: { ...spec, scaleTargetRef: ref } }).causes;
    expect(to({ kind: "Thing", name: "y" })).toEqual([]);
    expect(to({ kind: "Other", name: "y" })).toEqual(["FieldValueInvalid spec.scaleTargetRef.apiVersion"]);
  });
});

describe("metrics", () => {
  test("KIND-HorizontalPodAutoscaler-8: the member of the type, and no other", () => {
    expect(wrong({ type: "Nope" })).toEqual(["FieldValueNotSupported .type"]);
    expect(wrong({})).toEqual(["FieldValueNotSupported .type", "FieldValueRequired .type"]);
    for (const [type, member] of [
      ["Resource", "resource"],
      ["Pods", "pods"],
      ["Object", "object"],
      ["External", "external"],
      ["ContainerResource", "containerResource"],
    ]) {
      expect(wrong({ type })).toEqual([`FieldValueRequired .${member}`]);
    }
    expect(wrong({ ...pods, type: "Resource" })).toEqual(["FieldValueRequired .resource"]);
    expect(wrong({ ...cpu, ...pods, type: "Resource" })).toEqual(["FieldValueForbidden .pods"]);
  });

  const use = (of: object): readonly string[] =>
    wrong({ type: "Resource", resource: { name: "cpu", target: of } }).map((cause) => cause.replace(".resource", ""));

  test("KIND-HorizontalPodAutoscaler-9: the target of what Pods use", () => {
    expect(use({ type: "Utilization", averageUtilization: 1 })).toEqual([]);
    expect(use({ type: "AverageValue", averageValue: "1" })).toEqual([]);
    expect(use({ type: "Utilization", averageUtilization: 0 })).toEqual([
      "FieldValueInvalid .target.averageUtilization",
    ]);
    expect(use({ type: "Utilization", averageUtilization: 1, averageValue: "1" })).toEqual([
      "FieldValueForbidden .target.averageValue",
    ]);
    expect(use({ type: "Value", value: "1" })).toEqual(["FieldValueRequired .target.averageUtilization"]);
    expect(use({ type: "AverageValue", averageValue: "0" })).toEqual(["FieldValueInvalid .target.averageValue"]);
    expect(use({ type: "Average", averageValue: "1" })).toEqual(["FieldValueInvalid .target.type"]);
    expect(use({})).toEqual([
      "FieldValueInvalid .target.type",
      "FieldValueRequired .target.averageUtilization",
      "FieldValueRequired .target.type",
    ]);
    expect(wrong(container({ target: { type: "Value" } }))).toEqual([
      "FieldValueRequired .containerResource.target.averageUtilization",
    ]);
  });

  test("KIND-HorizontalPodAutoscaler-9: the target of other metrics", () => {
    const none = { type: "Value" };
    const both = { type: "Value", value: "1", averageValue: "1" };
    expect(wrong({ type: "Pods", pods: { metric: { name: "m" }, target: none } })).toEqual([
      "FieldValueRequired .pods.target.averageValue",
    ]);
    expect(wrong(object({ target: none }))).toEqual(["FieldValueRequired .object.target.averageValue"]);
    expect(wrong(object({ target: both }))).toEqual([]);
    expect(wrong(external(none))).toEqual(["FieldValueRequired .external.target.averageValue"]);
    expect(wrong(external(both))).toEqual(["FieldValueForbidden .external.target.value"]);
    expect(wrong(external({ type: "Value", value: "-1" }))).toEqual(["FieldValueInvalid .external.target.value"]);
  });

  test("KIND-HorizontalPodAutoscaler-10: names", () => {
    const named = (name: string): readonly string[] => wrong({ ...pods, pods: { metric: { name }, target } });
    expect(named("")).toEqual(["FieldValueRequired .pods.metric.name"]);
    expect(named("a/b")).toEqual(["FieldValueInvalid .pods.metric.name"]);
    expect(wrong(object({ describedObject: {} }))).toEqual([
      "FieldValueRequired .object.describedObject.kind",
      "FieldValueRequired .object.describedObject.name",
    ]);
    expect(wrong(object({ describedObject: { ...describedObject, apiVersion: "a/b/c" } }))).toEqual([
      "FieldValueInvalid .object.describedObject.apiVersion",
    ]);
    expect(wrong({ type: "Resource", resource: { ...cpu.resource, name: "" } })).toEqual([
      "FieldValueRequired .resource.name",
    ]);
    expect(wrong(container({ name: "" }))).toEqual(["FieldValueRequired .containerResource.name"]);
    expect(wrong(container({ name: "pods" }))).toEqual(["FieldValueInvalid .containerResource.name"]);
    expect(wrong(container({ container: "" }))).toEqual(["FieldValueRequired .containerResource.container"]);
    expect(wrong(container({ container: "A b" }))).toEqual(["FieldValueInvalid .containerResource.container"]);
    expect(wrong(container({ name: "example.com/gpu" }))).toEqual([]);
  });
});

test("KIND-HorizontalPodAutoscaler-12: everything of the spec may change, and is judged again", () => {
  const { object: old } = kind.create({ spec });
  const other = { maxReplicas: 7, scaleTargetRef: { ...scaleTargetRef, name: "y" }, metrics: [pods], behavior: {} };
  expect(kind.change(old, { spec: other })).toMatchObject({ causes: [], object: { spec: { metrics: [pods] } } });
  expect(kind.change(old, { spec: { ...spec, maxReplicas: 0 } }).causes).toEqual([
    "FieldValueInvalid spec.maxReplicas",
  ]);
});

test("KIND-HorizontalPodAutoscaler-13: a status, which leaves the spec alone", () => {
  const { object: old } = kind.create({ spec });
  const status = {
    observedGeneration: 3,
    currentReplicas: 1,
    desiredReplicas: 2,
    currentMetrics: [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: 3 } } }],
    conditions: [{ type: "AbleToScale", status: "True", lastTransitionTime: null }],
  };
  const changed = kind.update(old, { ...old, spec: { ...spec, maxReplicas: 9 }, status }, "status");
  expect(changed).toMatchObject({ causes: [], unknown: [], object: { spec: old["spec"], status } });
  expect(kind.update(old, { ...old, status: { currentReplicas: -1, desiredReplicas: -1 } }, "status").causes).toEqual([
    "FieldValueInvalid status.currentReplicas",
    "FieldValueInvalid status.desiredReplicas",
  ]);
});

describe("KIND-HorizontalPodAutoscaler-16: its columns", () => {
  const shown = (metrics: object[], currentMetrics: object[] = []): unknown => {
    const { object: made } = kind.create({ spec: { ...spec, metrics } });
    return kind.cells({ ...made, status: { currentMetrics, currentReplicas: 3 } });
  };

  test("the reference, the numbers, and what is not known", () => {
    expect(shown([cpu])).toEqual(["Deployment/x", "cpu: <unknown>/80%", "1", 5, 3, "0s"]);
    const empty = { scaleTargetRef: { kind: "", name: "" }, maxReplicas: 0 };
    expect(kind.cells({ ...kind.create({}).object, spec: empty }).slice(0, 3)).toEqual(["/", "<none>", "<unset>"]);
  });

  const average = { type: "AverageValue", averageValue: "5" };
  const value = { type: "Value", value: "2k" };
  test.each([
    ["cpu: 30%/80%", cpu, { resource: { current: { averageUtilization: 30, averageValue: "1" } } }],
    [
      "m: 4/5",
      { type: "Resource", resource: { name: "m", target: average } },
      { resource: { current: { averageValue: "4" } } },
    ],
    ["cpu: 4%/80%", container({}), { containerResource: { current: { averageUtilization: 4 } } }],
    ["9/10", pods, { pods: { current: { averageValue: "9" } } }],
    ["1k/2k", object(), { object: { current: { value: "1k" } } }],
    ["4/5 (avg)", object({ target: average }), { object: { current: { averageValue: "4" } } }],
    ["1/2k", external(value), { external: { current: { value: "1" } } }],
    ["<unknown>/5 (avg)", external(average), { external: { current: { value: "1" } } }],
  ])("%s", (text, metric, current) => {
    expect((shown([metric], [current]) as unknown[])[1]).toBe(text);
  });

  test("more than two are counted", () => {
    expect((shown([cpu, pods, object(), external(value)]) as unknown[])[1]).toBe(
      "cpu: <unknown>/80%, <unknown>/10 + 2 more...",
    );
  });
});
