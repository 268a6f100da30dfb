import { describe, expect, test } from "vitest";
import type { Node, Pod } from "../../client/kinds/index.ts";
import { kubernetes } from "../../meta/dialect.ts";
import { schedulerNames } from "./names.ts";
import { NodeState } from "./node-state.ts";
import { podInfoOf } from "./pod-info.ts";
import { best } from "./score.ts";

const names = schedulerNames(kubernetes);
const podOf = (name: string, spec: object = {}) =>
  podInfoOf({ metadata: { name, namespace: "n", uid: name }, spec, status: {} } as unknown as Pod, names);
const requesting = (name: string, requests: object) =>
  podOf(name, { containers: [{ name: "c", resources: { requests } }] });

/** A node with a room for Pods, and what runs there. */
function nodeOf(
  name: string,
  more: object = {},
  allocatable: object = { pods: "10", cpu: "4", memory: "8Gi" },
  pods: object[] = [],
): NodeState {
  const state = new NodeState(name);
  state.setNode({
    metadata: { name, labels: { name } },
    spec: {},
    status: { allocatable },
    ...more,
  } as unknown as Node);
  for (const [i, requests] of pods.entries()) state.add(requesting(`${name}-${i}`, requests));
  return state;
}
const chosen = (pod: ReturnType<typeof podOf>, ...nodes: NodeState[]) => best(pod, nodes)?.name;

describe("of the nodes where a Pod fits", () => {
  test("the first of equal ones is chosen, and none of none", () => {
    expect(chosen(podOf("p"), nodeOf("a"), nodeOf("b"))).toBe("a");
    expect(chosen(podOf("p"))).toBeUndefined();
  });

  test.each<[string, object[]]>([
    ["cpu", [{ cpu: "2" }]],
    ["memory", [{ memory: "4Gi" }]],
    ["Pods", [{ cpu: "0" }, { cpu: "0" }, { cpu: "0" }]],
  ])("the one with more free %s is chosen", (_, pods) => {
    expect(chosen(podOf("p"), nodeOf("a", {}, undefined, pods), nodeOf("b"))).toBe("b");
  });

  test("a share counts, not an amount: a small free node is better than a large one that is used", () => {
    const large = nodeOf("a", {}, { pods: "10", cpu: "16", memory: "8Gi" }, [{ cpu: "12" }]);
    expect(chosen(podOf("p"), large, nodeOf("b", {}, { pods: "10", cpu: "2", memory: "8Gi" }))).toBe("b");
  });

  test("what is used up is no worse than full, and what a node does not have is full", () => {
    const over = nodeOf("a", {}, { pods: "10", cpu: "1", memory: "8Gi" }, [{ cpu: "5" }]);
    const without = nodeOf("b", {}, { pods: "10", memory: "8Gi" }, [{ cpu: "0" }]);
    expect(chosen(podOf("p"), over, without)).toBe("a");
    expect(chosen(podOf("p"), without, over)).toBe("b");
  });

  test("the requests of the Pod itself count", () => {
    const [small, large] = [
      nodeOf("a", {}, { pods: "10", cpu: "4", memory: "8Gi" }),
      nodeOf("b", {}, { pods: "8", cpu: "8", memory: "8Gi" }),
    ];
    expect(chosen(podOf("p"), small, large)).toBe("a");
    expect(chosen(requesting("p", { cpu: "3" }), small, large)).toBe("b");
  });

  const preferred = (name: string, weight: number) => ({
    weight,
    preference: { matchExpressions: [{ key: "name", operator: "In", values: [name] }] },
  });
  const preferring = (...all: object[]) =>
    podOf("p", { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: all } } });

  test("the one that it prefers more is chosen, whatever is free there", () => {
    const [a, b] = [nodeOf("a"), nodeOf("b", {}, undefined, [{ cpu: "3" }])];
    expect(chosen(preferring(preferred("b", 1)), a, b)).toBe("b");
    expect(chosen(preferring(preferred("b", 1), preferred("a", 2)), a, b)).toBe("a");
    expect(chosen(preferring(preferred("b", 1), preferred("a", 2), preferred("b", 2)), a, b)).toBe("b");
  });

  test("one that prefers other Pods is the last, unless the Pod tolerates that", () => {
    const taints = [{ key: "k", effect: "PreferNoSchedule" }];
    const [a, b] = [nodeOf("a", { spec: { taints } }), nodeOf("b", {}, undefined, [{ cpu: "3" }])];
    expect(chosen(preferring(preferred("a", 100)), a, b)).toBe("b");
    expect(chosen(podOf("p", { tolerations: [{ key: "k", operator: "Exists" }] }), a, b)).toBe("a");
  });
});
