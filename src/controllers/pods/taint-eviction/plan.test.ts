import { describe, expect, test } from "vitest";
import type { Node, Pod } from "../../../client/kinds/index.ts";
import { type EvictionPlan, planEviction } from "./plan.ts";

const NOW = 1_000_000;
const evicts = (key: string, value?: string) => ({ key, value, effect: "NoExecute" });
const node = (...taints: readonly object[]) => ({ spec: { taints } }) as unknown as Node;
const pod = (...tolerations: readonly object[]) => ({ spec: { nodeName: "n", tolerations } }) as unknown as Pod;
const bears = (key: string, tolerationSeconds?: number) => ({ key, operator: "Exists", tolerationSeconds });
const at = (until: number | undefined, isCancelled = false): EvictionPlan => ({ isCancelled, until });
const stays = at(undefined);

describe("when a pod is to go", () => {
  test.each<[string, Pod, Node, EvictionPlan]>([
    ["a node without taints keeps it", pod(), node(), stays],
    ["other effects evict no Pod", pod(), node({ key: "a", effect: "NoSchedule" }), stays],
    ["CTL-TAINT-1: what it does not bear evicts it at once", pod(bears("b")), node(evicts("a")), at(NOW)],
    ["CTL-TAINT-1: one of two is enough", pod(bears("b")), node(evicts("b"), evicts("a")), at(NOW)],
    ["CTL-TAINT-2: what it tolerates for ever lets it stay", pod(bears("a")), node(evicts("a")), stays],
    [
      "CTL-TAINT-2: a value is tolerated that is named",
      pod({ key: "a", operator: "Equal", value: "1" }),
      node(evicts("a", "1")),
      stays,
    ],
    ["CTL-TAINT-1: another value is not", pod({ key: "a", value: "1" }), node(evicts("a", "2")), at(NOW)],
    [
      "CTL-TAINT-1: a toleration for another effect is none",
      pod({ ...bears("a"), effect: "NoSchedule" }),
      node(evicts("a")),
      at(NOW),
    ],
    ["CTL-TAINT-2: a toleration of everything bears it", pod({ operator: "Exists" }), node(evicts("a")), stays],
    ["CTL-TAINT-3: seconds are waited for", pod(bears("a", 60)), node(evicts("a")), at(NOW + 60_000)],
    [
      "CTL-TAINT-3: the shortest time counts",
      pod(bears("a", 60), bears("b", 5), bears("c")),
      node(evicts("a"), evicts("b"), evicts("c")),
      at(NOW + 5000),
    ],
    [
      "CTL-TAINT-3: of tolerations of one taint the first counts",
      pod(bears("a", 60), bears("a", 5)),
      node(evicts("a")),
      at(NOW + 60_000),
    ],
    [
      "CTL-TAINT-3: tolerations that no taint needs do not count",
      pod(bears("a"), bears("b", 5)),
      node(evicts("a")),
      stays,
    ],
    ["CTL-TAINT-3: no seconds are at once", pod(bears("a", 0)), node(evicts("a")), at(NOW)],
    ["CTL-TAINT-3: fewer than none are, too", pod(bears("a", -7)), node(evicts("a")), at(NOW)],
  ])("%s", (_, who, where, expected) => {
    expect(planEviction({ pod: who, node: where, until: undefined }, NOW)).toEqual(expected);
  });
});

describe("when a time was said before", () => {
  const until = NOW + 1000;
  test.each<[string, Pod, Node | undefined, EvictionPlan]>([
    ["CTL-TAINT-4: it is called off when the taints go", pod(bears("a", 60)), node(), at(undefined, true)],
    [
      "CTL-TAINT-4: it is cancelled when they are tolerated for ever",
      pod(bears("a")),
      node(evicts("a")),
      at(undefined, true),
    ],
    ["CTL-TAINT-4: it is called off for what evicts at once", pod(bears("a", 60)), node(evicts("b")), at(NOW, true)],
    ["CTL-TAINT-5: it is not counted anew", pod(bears("a", 60)), node(evicts("a")), at(until)],
    ["CTL-TAINT-5: a shorter toleration changes nothing", pod(bears("a", 0)), node(evicts("a")), at(until)],
    ["CTL-TAINT-5: it holds where the node is gone", pod(), undefined, at(until)],
  ])("%s", (_, who, where, expected) => {
    expect(planEviction({ pod: who, node: where, until }, NOW)).toEqual(expected);
  });
});
