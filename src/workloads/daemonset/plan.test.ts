import { describe, expect, test } from "vitest";
import type { DaemonSet, Node, Pod } from "../../client/kinds/index.ts";
import type { PlannedWrite } from "../common/plan.ts";
import { planDaemonSet } from "./plan.ts";

const NOW = Date.parse("2026-01-01T01:00:00Z");
const GOING = { deletionTimestamp: "2026-01-01T01:00:30Z" };

const setOf = (spec: object = {}, metadata: object = {}): DaemonSet =>
  ({
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "t", namespace: "n", uid: "set", generation: 1, ...metadata },
    spec: {
      selector: { matchLabels: { app: "a" } },
      template: { metadata: { labels: { app: "a" } }, spec: { containers: [] } },
      updateStrategy: { type: "OnDelete" },
      ...spec,
    },
    status: {},
  }) as unknown as DaemonSet;
const rolling = (maxSurge: number, maxUnavailable: number) => ({
  updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } },
});
const nodeOf = (name: string, taints: readonly object[] = []): Node =>
  ({ metadata: { name, labels: {} }, spec: { taints } }) as unknown as Node;
const podOf = (name: string, nodeName: string, phase = "Running", metadata: object = {}): Pod =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "n",
      uid: name,
      labels: { app: "a" },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "t", uid: "set", controller: true }],
      ...metadata,
    },
    spec: { nodeName },
    status: { phase, conditions: [{ type: "Ready", status: phase === "Running" ? "True" : "False" }] },
  }) as unknown as Pod;
/** A Pod for a node that is not bound yet. */
const unbound = (name: string, node: string): Pod => {
  const matchFields = [{ key: "metadata.name", operator: "In", values: [node] }];
  const requiredDuringSchedulingIgnoredDuringExecution = { nodeSelectorTerms: [{ matchFields }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution } };
  return { ...podOf(name, ""), spec: { affinity } } as unknown as Pod;
};
const planOf = (set: DaemonSet, nodes: readonly Node[], pods: readonly Pod[] = []) =>
  planDaemonSet({
    set,
    nodes,
    pods,
    revisions: [],
    revisionNamed: () => undefined,
    waitOf: () => undefined,
    now: NOW,
  });
/** The Pods that are created, as `+`, and those that are deleted, by their names. */
const podsOf = (...all: Parameters<typeof planOf>): string[] =>
  planOf(...all)
    .stages.flat()
    .flatMap((write: PlannedWrite) => {
      if (write.verb === "create" && write.kind.kind === "Pod") return ["+"];
      return write.verb === "delete" ? [`-${write.object.metadata.name}`] : [];
    });

describe("planDaemonSet", () => {
  test("WL-GEN-5: at most 250 Pods are made, and as many deleted, at a time", () => {
    const nodes = Array.from({ length: 600 }, (_, i) => nodeOf(`n${i}`, i < 300 ? [] : [{ effect: "NoExecute" }]));
    const pods = nodes.slice(300).map(({ metadata: { name } }) => podOf(`p-${name}`, name));
    const changes = podsOf(setOf(), nodes, pods);
    expect(changes.filter((one) => one === "+")).toHaveLength(250);
    expect(changes).toHaveLength(500);
  });

  test("WL-GEN-2: one that is being deleted makes and deletes nothing", () => {
    expect(podsOf(setOf({}, GOING), [nodeOf("a")])).toEqual([]);
    expect(podsOf(setOf(), [nodeOf("a")])).toEqual(["+"]);
  });

  test("WL-DS-1: a Pod that has ended and is going is no Pod of its node, one that is only going is", () => {
    expect(podsOf(setOf(), [nodeOf("a")], [podOf("p", "a", "Failed", GOING)])).toEqual(["+"]);
    expect(podsOf(setOf(), [nodeOf("a")], [podOf("p", "a", "Running", GOING)])).toEqual([]);
  });

  test("WL-DS-3: on a node that does not fit Pods are deleted, each once", () => {
    const node = nodeOf("a", [{ key: "k", effect: "NoExecute" }]);
    expect(podsOf(setOf(), [node], [podOf("p", "a"), podOf("q", "a", "Running", GOING)])).toEqual(["-p"]);
  });

  test("WL-DS-4: of Pods of nodes that are gone those are deleted that were never bound", () => {
    expect(podsOf(setOf(), [], [podOf("p", "gone"), unbound("q", "gone")])).toEqual(["-q"]);
  });

  test("WL-DS-8: where nothing may be unavailable and nothing may be more, one is replaced all the same", () => {
    const nodes = [nodeOf("a"), nodeOf("b")];
    expect(podsOf(setOf(rolling(0, 0)), nodes, [podOf("p", "a"), podOf("q", "b")])).toEqual(["-p"]);
  });

  test("with surge a Pod that has ended is deleted before another one is made", () => {
    expect(podsOf(setOf(rolling(1, 0)), [nodeOf("a")], [podOf("p", "a", "Failed")])).toEqual(["-p"]);
    expect(podsOf(setOf(rolling(1, 0)), [nodeOf("a")], [podOf("p", "a", "Running", GOING)])).toEqual(["+"]);
  });

  test("no status is written of a plan that was not performed to its end", () => {
    const { afterwards } = planOf(setOf(), [nodeOf("a")]);
    expect(afterwards?.([], false)).toHaveLength(1);
    expect(afterwards?.([], true)).toEqual([]);
  });
});
