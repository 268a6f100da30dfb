import { describe, expect, test } from "vitest";
import type { PersistentVolumeClaim, Pod, StatefulSet } from "../../client/kinds/index.ts";
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
/** The revision of an older template, whose Pods have the label `v: old`. */
const OLD = {
  apiVersion: "apps/v1",
  kind: "ControllerRevision",
  metadata: { name: "t-old", uid: "r", labels: { app: "a" }, ownerReferences: podOf("t-0").metadata.ownerReferences },
  data: {
    spec: {
      template: { metadata: { labels: { app: "a", v: "old" } }, spec: { containers: [] }, $patch: "replace" },
    },
  },
  revision: 1,
} as never;
const EMPTY = { pods: [], revisions: [], revisionNamed: () => undefined, claimNamed: () => undefined, now: NOW };
const plan = (set: StatefulSet, pods: readonly Pod[] = [], claims: readonly PersistentVolumeClaim[] = []) =>
  planStatefulSet({
    ...EMPTY,
    set,
    pods,
    claimNamed: (name) => claims.find(({ metadata }) => metadata.name === name),
  });
const going = { deletionTimestamp: "2026-01-01T01:00:30Z" };
const withMetadata = (pod: Pod, metadata: object): Pod => ({ ...pod, metadata: { ...pod.metadata, ...metadata } });
const claimOf = (name: string, metadata: object = {}): PersistentVolumeClaim =>
  ({ metadata: { name, namespace: "n", uid: name, ...metadata } }) as unknown as PersistentVolumeClaim;
const NOT_READY = { conditions: [{ type: "Ready", status: "False" }] };
const withClaims = { volumeClaimTemplates: [{ metadata: { name: "data" }, spec: {} }] };
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

  const ofPods = (...all: Parameters<typeof plan>): string[] =>
    lines(plan(...all).stages).filter((line) => !line.includes("ControllerRevision"));

  test("WL-STS-2: a Pod that is going holds up the next one, though it is still ready", () => {
    const pods = [withMetadata(podOf("t-0"), going)];
    expect(ofPods(setOf({}), pods)).toEqual([]);
    expect(ofPods(setOf({}), [podOf("t-0")])).toEqual(["create Pod t-1"]);
  });

  test("WL-STS-2: of Pods that are too many and not ready the lowest goes first, others wait for it", () => {
    const pods = ["t-0", "t-1", "t-2"].map((name) => podOf(name, name === "t-0" ? {} : NOT_READY));
    expect(ofPods(setOf({ replicas: 1 }), pods)).toEqual([]);
    expect(ofPods(setOf({ replicas: 1 }), [pods[0]!, podOf("t-1"), pods[2]!])).toEqual(["delete Pod t-2"]);
    const parallel = setOf({ replicas: 1, podManagementPolicy: "Parallel", updateStrategy: { type: "OnDelete" } });
    expect(ofPods(parallel, pods)).toEqual(["delete Pod t-2", "delete Pod t-1"]);
  });

  test("WL-STS-7: a Pod that is going is one of those that may be unavailable", () => {
    const set = setOf({ podManagementPolicy: "Parallel" });
    expect(ofPods(set, [withMetadata(podOf("t-0"), going), podOf("t-1")])).toEqual([]);
    expect(ofPods(set, [podOf("t-0"), podOf("t-1")])).toEqual(["delete Pod t-1"]);
  });

  test("WL-STS-7, WL-STS-13: the partition counts from the first ordinal", () => {
    const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 1, maxUnavailable: 2 } };
    const pods = [podOf("t-5"), podOf("t-6")];
    expect(ofPods(setOf({ ordinals: { start: 5 }, updateStrategy }), pods)).toEqual(["delete Pod t-6"]);
  });

  test("WL-STS-14: a Pod that is deleted for an update is no longer one of the current revision", () => {
    const pods = ["t-0", "t-1"].map((name) => podOf(name, {}, { app: "a", "controller-revision-hash": "t-old" }));
    const set = setOf({}, { currentRevision: "t-old" });
    const { afterwards } = planStatefulSet({ ...EMPTY, set, pods, revisions: [OLD] });
    expect(afterwards?.([], false)).toMatchObject([{ object: { status: { replicas: 2, currentReplicas: 1 } } }]);
  });

  test("WL-STS-6: a revision that a Pod has stays, whatever the limit", () => {
    const set = setOf({ revisionHistoryLimit: 0 });
    const written = (pods: readonly Pod[]): string[] => {
      const { afterwards } = planStatefulSet({ ...EMPTY, set, pods, revisions: [OLD] });
      return lines([afterwards?.([], false) ?? []]).filter((line) => line.startsWith("delete"));
    };
    expect(written([podOf("t-0", {}, { app: "a", "controller-revision-hash": "t-old" })])).toEqual([]);
    expect(written([])).toEqual(["delete ControllerRevision t-old"]);
  });

  test("WL-GEN-7: a refused claim is reported on the StatefulSet with its Pod, but not one that exists already", () => {
    const { stages, afterwards } = plan(setOf(withClaims));
    const series = stages.flat().find(({ verb }) => verb === "series");
    const write = series?.verb === "series" ? series.writes[0]! : undefined!;
    const told = (reason: string): string[] => lines([afterwards?.([{ write, reason, message: "no" }], false) ?? []]);
    expect(told("Forbidden")).toContain("FailedCreate");
    expect(told("AlreadyExists")).not.toContain("FailedCreate");
  });

  test("WL-STS-10, WL-STS-11: a terminating claim delays its Pod, and is reported and tried again", () => {
    const claims = [claimOf("data-t-0", going)];
    const absent = plan(setOf(withClaims), [], claims);
    expect(ofPods(setOf(withClaims), [], claims)).toEqual(["FailedCreate"]);
    expect(absent.obstacle).toBe("pvc data-t-0 is being deleted");
    const pending = plan(setOf(withClaims), [podOf("t-0", { phase: "Pending" })], claims);
    expect(pending.obstacle).toBe("pvc data-t-0 is being deleted");
  });

  test("WL-STS-4, WL-STS-11: a Pod that has ended gives back its claim before it is deleted", () => {
    const toPod = { apiVersion: "v1", kind: "Pod", name: "t-0", uid: "t-0", controller: true };
    const claims = [claimOf("data-t-0", { ownerReferences: [toPod] })];
    const policy = { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Delete" } };
    expect(ofPods(setOf({ ...withClaims, ...policy }), [podOf("t-0", { phase: "Failed" })], claims)).toEqual([
      "update+delete",
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
    const made = (currentReplicas: number, spec: object = {}) => {
      const set = setOf({ updateStrategy, replicas: 1, ...spec }, { currentRevision: "t-old", currentReplicas });
      const { stages } = planStatefulSet({ ...EMPTY, set, revisions: [OLD] });
      const write = stages.flat().find((one) => one.verb === "create" && one.kind.kind === "Pod");
      return write && "object" in write ? write.object.metadata.labels?.["v"] : "none";
    };
    expect(made(1)).toBe("old");
    expect(made(0)).toBeUndefined();
    expect(made(1, { ordinals: { start: 5 } })).toBe("old");
  });
});
