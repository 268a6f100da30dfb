import { describe, expect, test } from "vitest";
import type { Deployment, ReplicaSet } from "../../client/kinds/index.ts";
import { scaleAnnotations } from "./revisions.ts";
import { planDeployment } from "./plan.ts";

const NOW = Date.parse("2026-01-01T01:00:00Z");
const GOING = { deletionTimestamp: "2026-01-01T01:00:30Z" };
const templateOf = (image: string) => ({
  metadata: { labels: { app: "a" } },
  spec: { containers: [{ name: "c", image }] },
});

const deploymentOf = (spec: object = {}, metadata: object = {}, status: object = {}): Deployment =>
  ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "w", namespace: "n", uid: "d", generation: 1, ...metadata },
    spec: {
      replicas: 4,
      selector: { matchLabels: { app: "a" } },
      template: templateOf("new"),
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
      progressDeadlineSeconds: 600,
      ...spec,
    },
    status,
  }) as unknown as Deployment;
const setOf = (name: string, replicas: number, image = "old"): ReplicaSet =>
  ({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name,
      namespace: "n",
      uid: name,
      labels: { app: "a" },
      creationTimestamp: "2026-01-01T00:00:00Z",
      annotations: scaleAnnotations(deploymentOf()),
      ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name: "w", uid: "d", controller: true }],
    },
    spec: { replicas, selector: { matchLabels: { app: "a" } }, template: templateOf(image) },
    status: { replicas, availableReplicas: replicas, observedGeneration: 1 },
  }) as unknown as ReplicaSet;
const planOf = (deployment: Deployment, candidates: readonly ReplicaSet[] = []) =>
  planDeployment({ deployment, candidates, named: () => undefined, podsOf: () => [], now: NOW });
const verbsOf = (...all: Parameters<typeof planOf>): string[] =>
  planOf(...all)
    .stages.flat()
    .flatMap(({ verb }) => (verb === "event" ? [] : [verb]));

describe("planDeployment", () => {
  test("a new ReplicaSet is made before an old one is changed", () => {
    expect(verbsOf(deploymentOf(), [setOf("w-old", 4)])).toEqual(["create", "update"]);
  });

  test("WL-GEN-2: one that is being deleted changes no ReplicaSet, and waits for no deadline", () => {
    const plan = planOf(deploymentOf({}, GOING), [setOf("w-old", 4)]);
    expect([plan.stages, plan.againMillis]).toEqual([[], undefined]);
    expect(plan.afterwards?.([], false)).toHaveLength(1);
  });

  test("no status is written of a plan that was not performed to its end", () => {
    const { afterwards } = planOf(deploymentOf());
    expect(afterwards?.([], false)).toHaveLength(1);
    expect(afterwards?.([], true)).toEqual([]);
  });

  test("a refused ReplicaSet is reported, but not one whose name was just taken", () => {
    const { stages, afterwards } = planOf(deploymentOf());
    const [write] = stages.flat();
    const verbs = (reason: string): string[] =>
      (afterwards?.([{ write: write!, reason, message: "no" }], false) ?? []).map(({ verb }) => verb);
    expect(verbs("Forbidden")).toEqual(["status", "event"]);
    expect(verbs("AlreadyExists")).toEqual([]);
  });

  test("WL-DEP-7: old revisions are deleted when the rollout was complete, not before", () => {
    const sets = [setOf("w-old", 0), setOf("w-new", 4, "new")];
    const complete = { replicas: 4, updatedReplicas: 4, availableReplicas: 4, observedGeneration: 1 };
    const spec = { revisionHistoryLimit: 0 };
    expect(verbsOf(deploymentOf(spec, {}, complete), sets)).toContain("delete");
    expect(verbsOf(deploymentOf(spec, {}, { ...complete, availableReplicas: 3 }), sets)).not.toContain("delete");
    // The counts in the status are those of an older spec.
    expect(verbsOf(deploymentOf(spec, {}, { ...complete, observedGeneration: 0 }), sets)).not.toContain("delete");
  });
});
