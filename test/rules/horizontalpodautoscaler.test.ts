import { describe, expect, test } from "vitest";
import { fresh, serve } from "./api.ts";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "x" };
const cpu = (averageUtilization: number) => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});
const pods = { type: "Pods", pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "10" } } };

describe.each(["neutral", "kubernetes"])("an autoscaler in the %s dialect", (dialect) => {
  const api = serve({ dialect });

  /** The paths of an autoscaler in a namespace of its own, and how it is applied in either version. */
  async function paths() {
    const ns = fresh("ns");
    await api.post("/api/v1/namespaces", { metadata: { name: ns } });
    const at = (version: string): string => `/apis/autoscaling/${version}/namespaces/${ns}/horizontalpodautoscalers`;
    const apply = (version: string, manager: string, spec: object, query = {}) =>
      api.apply(
        `${at(version)}/x`,
        manager,
        { apiVersion: `autoscaling/${version}`, kind: "HorizontalPodAutoscaler", metadata: { name: "x" }, spec },
        query,
      );
    const create = (version: string, spec: object) =>
      api.post(at(version), { metadata: { name: "x" }, spec: { maxReplicas: 5, scaleTargetRef, ...spec } });
    return { v1: `${at("v1")}/x`, v2: `${at("v2")}/x`, lists: at, apply, create };
  }

  test("KIND-HorizontalPodAutoscaler-1: is one object in two versions", async () => {
    const { v1, v2, lists, create } = await paths();
    const made = await create("v1", { targetCPUUtilizationPercentage: 50 });
    expect(made).toMatchObject({ status: 201, body: { apiVersion: "autoscaling/v1" } });
    const other = await api.get(v2);
    expect(other.body).toMatchObject({ apiVersion: "autoscaling/v2", spec: { metrics: [cpu(50)] } });
    expect([other.uid, other.resourceVersion]).toEqual([made.uid, made.resourceVersion]);
    expect((await api.get(lists("v2"))).names).toEqual(["x"]);
    const deleted = await api.delete(v2);
    expect(deleted.body).toMatchObject({ kind: "Status", details: { group: "autoscaling" } });
    expect((await api.get(v1)).status).toBe(404);
  });

  test("KIND-HorizontalPodAutoscaler-4: a patch through v1 loses nothing that only v2 says", async () => {
    const { v1, v2, create } = await paths();
    await create("v2", { metrics: [cpu(60), pods], behavior: { scaleDown: { selectPolicy: "Disabled" } } });
    const status = {
      desiredReplicas: 1,
      conditions: [{ type: "AbleToScale", status: "True", lastTransitionTime: null }],
    };
    await api.merge(`${v2}/status`, { status });
    const before = await api.get(v2);
    expect((await api.merge(v1, { spec: { targetCPUUtilizationPercentage: 70 } })).status).toBe(200);
    const after = await api.get(v2);
    expect(after.at("spec.metrics")).toEqual([pods, cpu(70)]);
    for (const member of ["spec.behavior", "status"]) expect(after.at(member)).toEqual(before.at(member));
    expect(after.at("metadata.annotations")).toBeUndefined();
    expect((await api.merge(`${v1}/status`, { status: { desiredReplicas: 3 } })).status).toBe(200);
    const last = await api.get(v2);
    expect(last.at("spec")).toEqual(after.at("spec"));
    expect(last.at("status")).toEqual({ ...(before.at("status") as object), desiredReplicas: 3 });
  });

  test("KIND-HorizontalPodAutoscaler-4: what an annotation said is not written by a patch that takes it away", async () => {
    const { v1, v2, create } = await paths();
    await create("v2", { metrics: [pods] });
    await api.merge(v1, { metadata: { annotations: null } });
    expect((await api.get(v2)).at("spec.metrics")).toEqual([cpu(80)]);
  });

  test("KIND-HorizontalPodAutoscaler-12: a strategic merge replaces metrics; they have one owner", async () => {
    const { v2, apply, create } = await paths();
    await create("v2", { metrics: [cpu(60)] });
    expect((await api.strategic(v2, { spec: { metrics: [pods] } })).at("spec.metrics")).toEqual([pods]);
    const refused = await apply("v2", "one", { metrics: [cpu(60)] });
    expect(refused).toMatchObject({ status: 409 });
    expect(refused.causes).toEqual(["FieldManagerConflict .spec.metrics"]);
  });

  test("KIND-HorizontalPodAutoscaler-15: an apply in the other version converts what its manager owned", async () => {
    const { v2, apply } = await paths();
    const both = { maxReplicas: 5, scaleTargetRef };
    expect((await apply("v1", "one", { ...both, targetCPUUtilizationPercentage: 50 })).status).toBe(201);
    const applied = await apply("v2", "one", { ...both, metrics: [cpu(50)] });
    expect(applied.at("metadata.managedFields")).toMatchObject([
      {
        manager: "one",
        apiVersion: "autoscaling/v2",
        fieldsV1: {
          "f:spec": {
            "f:maxReplicas": {},
            "f:metrics": {},
            "f:scaleTargetRef": { "f:apiVersion": {}, "f:kind": {}, "f:name": {} },
          },
        },
      },
    ]);
    expect((await api.get(v2)).at("spec.minReplicas")).toBe(1);
  });

  test("KIND-HorizontalPodAutoscaler-15: conflicts name the fields of the version of the request", async () => {
    const { apply } = await paths();
    const both = { maxReplicas: 5, scaleTargetRef };
    await apply("v2", "one", { ...both, minReplicas: 2, metrics: [cpu(50)] });
    expect((await apply("v1", "two", { minReplicas: 3 })).causes).toEqual(["FieldManagerConflict .spec.minReplicas"]);
    expect((await apply("v1", "two", { minReplicas: 2 })).status).toBe(200);
    expect((await apply("v1", "two", { minReplicas: 3 }, { force: "true" })).at("spec.minReplicas")).toBe(3);
  });
});
