import { describe, expect, test } from "vitest";
import { type Pod, ReplicaSet } from "../../client/kinds/index.ts";
import { planReplicas } from "./plan.ts";

const NOW = Date.parse("2026-01-01T01:00:00Z");
const GOING = { deletionTimestamp: "2026-01-01T01:00:30Z" };

const setOf = (replicas: number, spec: object = {}): ReplicaSet =>
  ({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "t", namespace: "n", uid: "set", generation: 1 },
    spec: {
      replicas,
      selector: { matchLabels: { app: "a" } },
      template: { metadata: { labels: { app: "a" } }, spec: { containers: [] } },
      ...spec,
    },
    status: { replicas: 0 },
  }) as unknown as ReplicaSet;
const podOf = (name: string, metadata: object = {}, phase = "Running"): Pod =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "n",
      uid: name,
      labels: { app: "a" },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "t", uid: "set", controller: true }],
      ...metadata,
    },
    spec: {},
    status: { phase },
  }) as unknown as Pod;
const planOf = (object: ReplicaSet, candidates: readonly Pod[] = []) =>
  planReplicas({ kind: ReplicaSet as never, object, candidates, related: () => [], now: NOW });
const statusOf = (...all: Parameters<typeof planOf>): object | undefined => {
  const [write] = planOf(...all).afterwards?.([], false) ?? [];
  return write?.verb === "status" ? (write.object as ReplicaSet).status : undefined;
};

describe("planReplicas", () => {
  test("WL-GEN-5: at most 500 Pods are made or deleted at a time", () => {
    expect(planOf(setOf(100_000)).stages[0]).toHaveLength(500);
    const pods = Array.from({ length: 600 }, (_, i) => podOf(`p${i}`));
    const [deletions = []] = planOf(setOf(0), pods).stages;
    expect(deletions).toHaveLength(500);
    expect(deletions.every(({ verb }) => verb === "delete")).toBe(true);
  });

  test("WL-RS-6: Pods that are going count as terminating where they are its own and have not ended", () => {
    const others = [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "u", uid: "other", controller: true }];
    const pods = [
      podOf("p", GOING),
      podOf("ended", GOING, "Failed"),
      podOf("free", { ...GOING, ownerReferences: [] }),
      podOf("others", { ...GOING, ownerReferences: others }),
    ];
    expect(statusOf(setOf(0), pods)).toMatchObject({ replicas: 0, terminatingReplicas: 1 });
  });

  test("the status counts what was written, and nothing of a plan that was not performed to its end", () => {
    const { afterwards } = planOf(setOf(2));
    expect(afterwards?.([], false)).toMatchObject([{ object: { status: { replicas: 2 } } }]);
    expect(afterwards?.([], true)).toMatchObject([{ object: { status: { replicas: 0 } } }]);
  });

  test("WL-GEN-1: an empty selector takes nothing over", () => {
    expect(planOf(setOf(1), [podOf("p", { ownerReferences: [] })]).adopts).toBe(true);
    const free = planOf(setOf(1, { selector: {} }), [podOf("p", { ownerReferences: [] })]);
    expect(free.adopts).toBeUndefined();
  });
});
