import { expect, test } from "vitest";
import type { DaemonSet, Node, Pod } from "../../client/kinds/index.ts";
import type { PodTemplate } from "../common/template.ts";
import { FailureMemory } from "./backoff.ts";
import { fitOf } from "./fit.ts";
import { isUpdated, targetOf, templateGeneration, tolerationsOf } from "./pod.ts";

const node = (labels: object, taints: readonly object[] = [], name = "a"): Node =>
  ({ apiVersion: "v1", kind: "Node", metadata: { name, labels }, spec: { taints } }) as unknown as Node;
const template = (spec: object = {}): PodTemplate => ({ spec: { containers: [], ...spec } }) as unknown as PodTemplate;
const taint = (effect: string, key = "k") => ({ key, value: "v", effect });
const affinity = (terms: readonly object[]) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
});

test.each([
  [{}, node({}), "runs"],
  [{ nodeName: "a" }, node({}), "runs"],
  [{ nodeName: "b" }, node({}), "none"],
  [{ nodeSelector: { x: "1" } }, node({ x: "1" }), "runs"],
  [{ nodeSelector: { x: "1" } }, node({ x: "2" }), "none"],
  [affinity([{ matchExpressions: [{ key: "x", operator: "Exists" }] }]), node({ x: "" }), "runs"],
  [affinity([{ matchExpressions: [{ key: "x", operator: "Exists" }] }]), node({}), "none"],
  [affinity([]), node({}), "none"],
  [{}, node({}, [taint("NoSchedule")]), "stays"],
  [{}, node({}, [taint("PreferNoSchedule")]), "runs"],
  [{}, node({}, [taint("NoExecute")]), "none"],
  [{}, node({}, [taint("NoSchedule"), taint("NoExecute", "l")]), "none"],
  [{ tolerations: [{ key: "k", operator: "Exists" }] }, node({}, [taint("NoSchedule"), taint("NoExecute")]), "runs"],
  [{}, node({}, [taint("NoExecute", "node.kubernetes.io/unreachable")]), "runs"],
  [{}, node({}, [taint("NoSchedule", "node.kubernetes.io/network-unavailable")]), "stays"],
  [{ hostNetwork: true }, node({}, [taint("NoSchedule", "node.kubernetes.io/network-unavailable")]), "runs"],
] as const)("WL-DS-1, WL-DS-2, WL-DS-3: %j on %j: %s", (spec, on, expected) => {
  const fit = fitOf(template(spec));
  expect(fit(on)).toBe(expected);
  expect(fit(on)).toBe(expected);
});

test("WL-DS-2: a toleration of the template that ends some time does not end", () => {
  const own = { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 9 };
  const all = tolerationsOf(template({ tolerations: [own, { key: "x", operator: "Exists" }] }));
  expect(all).toHaveLength(7);
  expect(all.filter(({ key }) => key === own.key)).toEqual([
    { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  ]);
});

test("WL-DS-1: the node of a Pod is where it is bound, or the only one that it fits", () => {
  const pod = (spec: object): Pod => ({ spec }) as unknown as Pod;
  const only = (values: readonly string[]) =>
    affinity([{ matchFields: [{ key: "metadata.name", operator: "In", values }] }]);
  expect(targetOf(pod({ nodeName: "a", ...only(["b"]) }))).toBe("a");
  expect(targetOf(pod(only(["b"])))).toBe("b");
  expect(targetOf(pod(only(["b", "c"])))).toBeUndefined();
  expect(targetOf(pod({}))).toBeUndefined();
});

test("WL-DS-7: a Pod is of the present template by its hash, or by the generation of the template", () => {
  const set = (generation: string): DaemonSet =>
    ({ metadata: { annotations: { "deprecated.daemonset.template.generation": generation } } }) as unknown as DaemonSet;
  const pod = (hash: string, generation: string): Pod =>
    ({
      metadata: { labels: { "controller-revision-hash": hash, "pod-template-generation": generation } },
    }) as unknown as Pod;
  expect(templateGeneration(set("x"))).toBeUndefined();
  expect(isUpdated(set("2"), pod("h", "1"), "h")).toBe(true);
  expect(isUpdated(set("2"), pod("g", "2"), "h")).toBe(true);
  expect(isUpdated(set("2"), pod("g", "1"), "h")).toBe(false);
});

test("WL-DS-5: a node waits 1 s after a failure, twice as long after the next, and starts again after half an hour", () => {
  const memory = new FailureMemory();
  expect(memory.wait("a", 0)).toBeUndefined();
  memory.add("a", 0);
  expect(memory.wait("a", 400)).toBe(600);
  expect(memory.wait("a", 1000)).toBeUndefined();
  expect(memory.wait("b", 0)).toBeUndefined();
  memory.add("a", 1000);
  expect(memory.wait("a", 1000)).toBe(2000);
  memory.add("a", 1000 + 31 * 60_000);
  expect(memory.wait("a", 1000 + 31 * 60_000)).toBe(1000);
});

test("what is remembered of failures that are over is dropped", () => {
  const memory = new FailureMemory();
  for (let i = 0; i < 5000; i++) memory.add(`node-${i}`, i * 60_000);
  expect(memory.size).toBeLessThan(2100);
});
