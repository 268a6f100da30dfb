import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import type { ApiObject } from "../../../schema/definition.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { autoscalingGroup } from "../index.ts";

const ctx = contextOf(kubernetes);
const [v1, v2] = ["v1", "v2"].map((version) =>
  KindUnderTest.of(autoscalingGroup, "horizontalpodautoscalers", ctx, version),
) as [KindUnderTest, KindUnderTest];
const storedAs = v1.definition.storedAs!;
const toStored = (object: ApiObject, replaced?: ApiObject): ApiObject => storedAs.toStored(object, replaced);
const fromStored = (object: ApiObject): ApiObject => storedAs.fromStored(object);

const key = (name: string): string => `autoscaling.alpha.kubernetes.io/${name}`;
const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "x" };
const spec = { maxReplicas: 5, scaleTargetRef };
const resource = (name: string, target: object) => ({ type: "Resource", resource: { name, target } });
const cpu = (averageUtilization: number) => resource("cpu", { type: "Utilization", averageUtilization });
const average = { type: "AverageValue", averageValue: "10" };
const pods = { type: "Pods", pods: { metric: { name: "m" }, target: average } };
const describedObject = { kind: "Service", name: "s", apiVersion: "v1" };
const selector = { matchLabels: { b: "2", a: "<&>" } };

/** What is stored of an object of v2. */
const storedOf = (changes: object, status?: object): ApiObject => {
  const { object } = v2.create({ spec: { ...spec, ...changes } });
  return status ? v2.update(object, { ...object, status }, "status").object : object;
};
/** An object of v1 with annotations by their short names. */
const viewOf = (said: Record<string, string>, changes: object = {}): ApiObject => {
  const annotations = Object.fromEntries(Object.entries(said).map(([name, text]) => [key(name), text]));
  return v1.create({ metadata: { name: "x", annotations }, spec: { ...spec, ...changes } }).object;
};
const annotationsOf = (object: ApiObject): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fromStored(object).metadata.annotations ?? {}).map(([name, text]) => [
      name.slice(name.indexOf("/") + 1),
      JSON.parse(text),
    ]),
  );

test("KIND-HorizontalPodAutoscaler-2: what is filled in", () => {
  const { object, causes } = v1.create({ spec });
  expect(causes).toEqual([]);
  expect(object["spec"]).toEqual({ ...spec, minReplicas: 1, targetCPUUtilizationPercentage: 80 });
  expect(object["status"]).toEqual({ currentReplicas: 0, desiredReplicas: 0 });
  expect(toStored(object)["spec"]).toEqual({ ...spec, minReplicas: 1, metrics: [cpu(80)] });
});

describe("KIND-HorizontalPodAutoscaler-3: what v1 shows", () => {
  test("of metrics the first share of cpu; of the others the old form, in an annotation", () => {
    const metrics = [
      pods,
      resource("memory", { type: "AverageValue", averageValue: "100Mi" }),
      cpu(60),
      cpu(70),
      resource("cpu", { type: "AverageValue", averageValue: "1" }),
      {
        type: "Object",
        object: { metric: { name: "m", selector }, describedObject, target: { type: "Value", value: "2k" } },
      },
      { type: "Object", object: { metric: { name: "m" }, describedObject, target: average } },
      { type: "External", external: { metric: { name: "q", selector }, target: { type: "Value", value: "3" } } },
      { type: "External", external: { metric: { name: "q" }, target: average } },
      {
        type: "ContainerResource",
        containerResource: { name: "cpu", container: "c", target: { type: "Utilization", averageUtilization: 10 } },
      },
    ];
    const view = fromStored(storedOf({ metrics }));
    expect(view).toMatchObject({ apiVersion: "autoscaling/v1", spec: { targetCPUUtilizationPercentage: 60 } });
    expect(view["spec"]).not.toHaveProperty("metrics");
    const object = { target: describedObject, metricName: "m" };
    expect(annotationsOf(storedOf({ metrics }))).toEqual({
      metrics: [
        { type: "Pods", pods: { metricName: "m", targetAverageValue: "10" } },
        { type: "Resource", resource: { name: "memory", targetAverageValue: "100Mi" } },
        { type: "Resource", resource: { name: "cpu", targetAverageValue: "1" } },
        { type: "Object", object: { ...object, targetValue: "2k", selector } },
        { type: "Object", object: { ...object, targetValue: "0", averageValue: "10" } },
        { type: "External", external: { metricName: "q", metricSelector: selector, targetValue: "3" } },
        { type: "External", external: { metricName: "q", targetAverageValue: "10" } },
        {
          type: "ContainerResource",
          containerResource: { name: "cpu", targetAverageUtilization: 10, container: "c" },
        },
      ],
    });
  });

  test("an annotation has its members in order, and nothing that could end a script", () => {
    const metric = { name: "m", selector };
    const { annotations } = fromStored(
      storedOf({ metrics: [{ ...pods, pods: { metric, target: average } }] }),
    ).metadata;
    expect(annotations?.[key("metrics")]).toBe(
      String.raw`[{"type":"Pods","pods":{"metricName":"m","targetAverageValue":"10","selector":{"matchLabels":{"a":"\u003c\u0026\u003e","b":"2"}}}}]`,
    );
  });

  test("how fast the number of Pods changes, with capital letters", () => {
    const policies = [{ type: "Pods", value: 2, periodSeconds: 10 }];
    const behavior = { scaleUp: { stabilizationWindowSeconds: 5, selectPolicy: "Min", policies, tolerance: "50m" } };
    const all = [{ Type: "Percent", Value: 100, PeriodSeconds: 15 }];
    const written = {
      ScaleUp: {
        StabilizationWindowSeconds: 5,
        SelectPolicy: "Min",
        Policies: [{ Type: "Pods", Value: 2, PeriodSeconds: 10 }],
        Tolerance: "50m",
      },
      ScaleDown: { StabilizationWindowSeconds: null, SelectPolicy: "Max", Policies: all, Tolerance: null },
    };
    expect(fromStored(storedOf({ behavior })).metadata.annotations?.[key("behavior")]).toBe(JSON.stringify(written));
  });

  test("the status: the share of cpu, and in annotations all metrics and conditions", () => {
    const current = (of: object) => ({ type: "Resource", resource: { name: "cpu", current: of } });
    const metric = { name: "m" };
    const lastTransitionTime = "2026-01-01T00:00:00Z";
    const stored = storedOf(
      {},
      {
        observedGeneration: 3,
        lastScaleTime: lastTransitionTime,
        currentReplicas: 1,
        desiredReplicas: 2,
        currentMetrics: [
          current({ averageUtilization: 3, averageValue: "1" }),
          current({ averageUtilization: 4 }),
          { type: "Pods", pods: { metric, current: { averageValue: "5" } } },
          { type: "Object", object: { metric, describedObject, current: { value: "6" } } },
          { type: "External", external: { metric, current: { averageValue: "7" } } },
          { type: "ContainerResource", containerResource: { name: "cpu", container: "c", current: {} } },
        ],
        conditions: [
          { type: "AbleToScale", status: "True", lastTransitionTime, reason: "R", message: "M" },
          { type: "ScalingActive", status: "False" },
        ],
      },
    );
    expect(fromStored(stored)["status"]).toEqual({
      observedGeneration: 3,
      lastScaleTime: lastTransitionTime,
      currentReplicas: 1,
      desiredReplicas: 2,
      currentCPUUtilizationPercentage: 4,
    });
    const old = (of: object) => ({ type: "Resource", resource: { name: "cpu", ...of } });
    expect(annotationsOf(stored)).toEqual({
      "current-metrics": [
        old({ currentAverageUtilization: 3, currentAverageValue: "1" }),
        old({ currentAverageUtilization: 4, currentAverageValue: "0" }),
        { type: "Pods", pods: { metricName: "m", currentAverageValue: "5" } },
        { type: "Object", object: { target: describedObject, metricName: "m", currentValue: "6" } },
        { type: "External", external: { metricName: "m", currentValue: "0", currentAverageValue: "7" } },
        { type: "ContainerResource", containerResource: { name: "cpu", currentAverageValue: "0", container: "c" } },
      ],
      conditions: [
        { type: "AbleToScale", status: "True", lastTransitionTime, reason: "R", message: "M" },
        { type: "ScalingActive", status: "False", lastTransitionTime: null },
      ],
    });
  });
});

describe("KIND-HorizontalPodAutoscaler-4: what a write through v1 means", () => {
  const storedSpec = (said: Record<string, string>, changes: object = {}): Record<string, unknown> =>
    toStored(viewOf(said, changes))["spec"] as Record<string, unknown>;
  const old = JSON.stringify([{ type: "Pods", pods: { metricName: "m", targetAverageValue: "10" } }]);

  test("metrics of the annotation stand in front of the share of cpu, which is filled in where there is nothing else", () => {
    expect(storedSpec({ metrics: old })["metrics"]).toEqual([pods]);
    expect(storedSpec({ metrics: old }, { targetCPUUtilizationPercentage: 70 })["metrics"]).toEqual([pods, cpu(70)]);
    for (const nothing of ["[]", "null"]) expect(storedSpec({ metrics: nothing })["metrics"]).toEqual([cpu(80)]);
  });

  test.each([
    "",
    "x",
    "{}",
    "5",
    "[5]",
    '[{"type":5}]',
    '[{"type":"Pods","pods":5}]',
    '[{"type":"Pods","pods":{"targetAverageValue":"x"}}]',
  ])("%j is no list of metrics, and goes", (text) => {
    const { object } = { object: viewOf({ metrics: text }) };
    expect(object.metadata.annotations).toBeUndefined();
    expect(object["spec"]).toMatchObject({ targetCPUUtilizationPercentage: 80 });
  });

  test("members may be written in capital letters or not; unknown members are dropped", () => {
    const text = '[{"Type":"Pods","PODS":{"metricname":"m","TargetAverageValue":10,"more":1}}]';
    expect(storedSpec({ metrics: text })["metrics"]).toEqual([pods]);
    const policies = '[{"type":"Pods","value":1,"periodSeconds":2}]';
    expect(storedSpec({ behavior: `{"scaleUp":{"policies":${policies}}}` })["behavior"]).toMatchObject({
      scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 2 }], stabilizationWindowSeconds: 0 },
      scaleDown: { selectPolicy: "Max" },
    });
  });

  test.each(["", "{}", "null", "[]", '{"ScaleUp":5}', '{"ScaleUp":{"Policies":[{"Value":"1"}]}}'])(
    "%j says nothing of how fast the number of Pods changes",
    (text) => expect(storedSpec({ behavior: text })).not.toHaveProperty("behavior"),
  );

  test("faults are reported with the fields of v2, before defaults are set", () => {
    const causesOf = (said: Record<string, string>, changes: object = {}): readonly string[] => {
      const annotations = Object.fromEntries(Object.entries(said).map(([name, text]) => [key(name), text]));
      return v1.create({ metadata: { name: "x", annotations }, spec: { ...spec, ...changes } }).causes;
    };
    expect(causesOf({}, { maxReplicas: -1, minReplicas: 0, targetCPUUtilizationPercentage: -1 })).toEqual([
      "FieldValueForbidden spec.metrics",
      "FieldValueInvalid spec.maxReplicas",
      "FieldValueInvalid spec.metrics[0].resource.target.averageUtilization",
      "FieldValueInvalid spec.minReplicas",
    ]);
    expect(causesOf({ metrics: '[{"type":"Pods"}]' })).toEqual(["FieldValueRequired spec.metrics[0].pods"]);
    expect(causesOf({ behavior: '{"ScaleUp":{"SelectPolicy":"Max"}}' })).toEqual([
      "FieldValueRequired spec.behavior.scaleUp.policies",
    ]);
  });

  test("what it says in both forms and was not changed stays as it was stored", () => {
    const target = { type: "Utilization", value: "9", averageUtilization: 10 };
    const metrics = [
      { type: "Object", object: { metric: { name: "m" }, describedObject, target: average } },
      resource("memory", target),
    ];
    const stored = storedOf(
      { metrics, behavior: {} },
      {
        desiredReplicas: 1,
        currentMetrics: [
          { type: "Object", object: { metric: { name: "m" }, describedObject, current: { averageValue: "1" } } },
        ],
        conditions: [{ type: "AbleToScale", status: "True", lastTransitionTime: null }],
      },
    );
    const view = fromStored(stored);
    const labelled = v1.change(view, { metadata: { ...view.metadata, labels: { a: "1" } } });
    expect(labelled.causes).toEqual([]);
    expect(toStored(labelled.object, stored)).toMatchObject({ spec: stored["spec"], status: stored["status"] });
    const wider = v1.change(view, { spec: { ...(view["spec"] as object), maxReplicas: 9 } });
    expect(wider.causes).toEqual([]);
    expect(toStored(wider.object, stored)).toMatchObject({
      spec: { maxReplicas: 9, metrics: [metrics[0], { resource: { target: { averageUtilization: 10 } } }] },
      status: stored["status"],
    });
  });

  test("the spec and the status are written apart, whatever the annotations say", () => {
    const stored = storedOf(
      { metrics: [pods], behavior: {} },
      { desiredReplicas: 1, conditions: [{ type: "AbleToScale", status: "True", lastTransitionTime: null }] },
    );
    const view = fromStored(stored);
    const bare = { ...view.metadata, annotations: {} };
    const ofSpec = v1.change(view, { metadata: bare, status: { desiredReplicas: 9 } });
    expect(toStored(ofSpec.object, stored)).toMatchObject({ spec: { metrics: [cpu(80)] }, status: stored["status"] });
    const status = { currentReplicas: 4, desiredReplicas: 5, currentCPUUtilizationPercentage: 6 };
    const ofStatus = v1.update(view, { ...view, metadata: bare, spec: {}, status }, "status");
    expect(toStored(ofStatus.object, stored)).toMatchObject({
      spec: stored["spec"],
      status: {
        currentReplicas: 4,
        desiredReplicas: 5,
        currentMetrics: [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: 6 } } }],
      },
    });
    expect(toStored(ofStatus.object, stored)["status"]).not.toHaveProperty("conditions");
    expect(v1.update(view, { ...view, status: { desiredReplicas: -1 } }, "status").causes).toEqual([
      "FieldValueInvalid status.desiredReplicas",
    ]);
  });

  test("current metrics of the annotation say more than the share of cpu", () => {
    const text = JSON.stringify([{ type: "Resource", resource: { name: "cpu", currentAverageValue: "1" } }]);
    const view = {
      ...viewOf({}),
      status: { currentReplicas: 1, desiredReplicas: 1, currentCPUUtilizationPercentage: 9 },
    };
    view.metadata.annotations = { [key("current-metrics")]: text };
    expect(toStored(view)["status"]).toMatchObject({
      currentMetrics: [{ type: "Resource", resource: { name: "cpu", current: { averageValue: "1" } } }],
    });
  });
});

test("KIND-HorizontalPodAutoscaler-1: columns are those of v2", () => {
  const { object } = v1.create({ spec });
  expect(v1.columns(object)).toEqual(v2.columns(v2.create({ spec }).object));
  expect(v1.cells(object)).toEqual(["Deployment/x", "cpu: <unknown>/80%", "1", 5, 0, "0s"]);
});

test("CONV-10: the annotations have the domain of the dialect", () => {
  const other = KindUnderTest.of(autoscalingGroup, "horizontalpodautoscalers", contextOf(neutral), "v1");
  const stored = storedOf({ metrics: [pods] });
  expect(Object.keys(other.definition.storedAs!.fromStored(stored).metadata.annotations!)).toEqual([
    "autoscaling.alpha.svc.io/metrics",
  ]);
});
