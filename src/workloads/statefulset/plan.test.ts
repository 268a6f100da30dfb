import { describe, expect, test } from "vitest";
import type { Pod, StatefulSet } from "../../client/kinds/index.ts";
import type { PlannedWrite } from "../common/plan.ts";
import { planStatefulSet } from "./plan.ts";

const NOW = Date.parse("2026-01-01T01:00:00Z");

const setOf = (spec: object, status: object = {}): StatefulSet =>
  ({
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "t", namespace: "n", uid: "set", generation: 1 },
    spec: {
      replicas: 2,
      serviceName: "s",
      selector: { matchLabels: { app: "a" } },
      template: { metadata: { labels: { app: "a" } }, spec: { containers: [] } },
      podManagementPolicy: "OrderedReady",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      ...spec,
    },
    status,
  }) as unknown as StatefulSet;
const podOf = (name: string, status: object = {}, labels: object = { app: "a" }): Pod =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "n",
      uid: name,
      labels: { ...labels, "statefulset.kubernetes.io/pod-name": name },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "t", uid: "set", controller: true }],
    },
    spec: { containers: [] },
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:59:50Z" }],
      ...status,
    },
  }) as unknown as Pod;
const plan = (set: StatefulSet, pods: readonly Pod[] = []) =>
  planStatefulSet({ set, pods, revisions: [], revisionNamed: () => undefined, claimNamed: () => undefined, now: NOW });
const lines = (stages: readonly (readonly PlannedWrite[])[]): string[] =>
  stages.flat().map((write) => {
    if (write.verb === "event") return write.reason;
    if (write.verb === "series") return write.writes.map((one) => one.verb).join("+");
    return `${write.verb} ${write.kind.kind} ${write.object.metadata.name}`;
  });

describe("planStatefulSet", () => {
  test("WL-STS-3: of very many Pods 500 are made per plan", () => {
    const { stages } = plan(setOf({ replicas: 2_000_000_000, podManagementPolicy: "Parallel" }));
    expect(lines(stages).filter((line) => line.startsWith("create Pod"))).toHaveLength(500);
  });

  describe("very many templates of claims", () => {
    const volumeClaimTemplates = Array.from({ length: 4000 }, (_, i) => ({ metadata: { name: `c-${i}` }, spec: {} }));
    const manyClaims = { volumeClaimTemplates, podManagementPolicy: "Parallel" };
    const pending = (count: number): Pod[] =>
      Array.from({ length: count }, (_, i) => podOf(`t-${i}`, { phase: "Pending" }));
    const series = (stages: readonly (readonly PlannedWrite[])[]) =>
      stages.flat().filter((write) => write.verb === "series");

    test("WL-STS-10: a plan makes the claims of some missing Pods, and of some that wait for them", () => {
      expect(series(plan(setOf({ ...manyClaims, replicas: 500 })).stages)).toHaveLength(3);
      expect(series(plan(setOf({ ...manyClaims, replicas: 500 }), pending(500)).stages)).toHaveLength(3);
    });

    test("WL-STS-11: a plan looks up the claims of some Pods that are too many, the highest first", () => {
      const { stages } = plan(setOf({ ...manyClaims, replicas: 0 }), pending(600));
      const deleted = lines(stages).filter((line) => line.startsWith("delete Pod"));
      expect(deleted).toHaveLength(250);
      expect(deleted[0]).toBe("delete Pod t-599");
    });
  });

  test("WL-STS-10: a Pod and its claims are one series", () => {
    const volumeClaimTemplates = ["a", "b"].map((name) => ({ metadata: { name }, spec: {} }));
    expect(lines(plan(setOf({ volumeClaimTemplates })).stages)).toEqual([
      expect.stringMatching(/^create ControllerRevision t-/),
      "create+create+create",
    ]);
  });

  test("WL-STS-15: it is planned again when the next Pod is available", () => {
    const { stages, againMillis } = plan(setOf({ minReadySeconds: 30 }), [podOf("t-0")]);
    expect(lines(stages).filter((line) => line.includes("Pod"))).toEqual([]);
    expect(againMillis).toBe(20_000);
  });

  test("WL-STS-12: what is taken over or released is planned alone", () => {
    const free = { ...podOf("t-1"), metadata: { ...podOf("t-1").metadata, ownerReferences: [] } };
    const other = podOf("t-0", {}, { app: "b" });
    const { stages, adopts, afterwards } = plan(setOf({}), [free, other]);
    expect(lines(stages)).toEqual(["update Pod t-1", "update Pod t-0"]);
    expect(adopts).toBe(true);
    expect(afterwards).toBeUndefined();
  });

  test("WL-STS-14: no status is written that speaks of a revision which was refused", () => {
    const { stages, afterwards } = plan(setOf({}));
    const [write] = stages[0]!;
    expect(afterwards?.([{ write: write!, reason: "Forbidden", message: "no" }], false)).toEqual([]);
    expect(afterwards?.([], false)).toHaveLength(1);
    expect(afterwards?.([], true)).toEqual([]);
  });

  test("WL-STS-7: without rollingUpdate a lost Pod among the first currentReplicas is of the current revision", () => {
    const updateStrategy = { type: "RollingUpdate" };
    const old = { metadata: { labels: { app: "a", v: "old" } }, spec: { containers: [] } };
    const current = {
      apiVersion: "apps/v1",
      kind: "ControllerRevision",
      metadata: {
        name: "t-old",
        uid: "r",
        labels: { app: "a" },
        ownerReferences: podOf("t-0").metadata.ownerReferences,
      },
      data: { spec: { template: { ...old, $patch: "replace" } } },
      revision: 1,
    } as never;
    const made = (currentReplicas: number) => {
      const set = setOf({ updateStrategy, replicas: 1 }, { currentRevision: "t-old", currentReplicas });
      const view = { set, pods: [], revisions: [current], revisionNamed: () => undefined };
      const { stages } = planStatefulSet({ ...view, claimNamed: () => undefined, now: NOW });
      const write = stages.flat().find((one) => one.verb === "create" && one.kind.kind === "Pod");
      return write && "object" in write ? write.object.metadata.labels?.["v"] : "none";
    };
    expect(made(1)).toBe("old");
    expect(made(0)).toBeUndefined();
  });
});
