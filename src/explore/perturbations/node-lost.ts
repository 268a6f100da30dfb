import { durationText } from "../../util/duration.ts";
import type { PerturbationRule } from "./rule.ts";

/** Shorter and longer than the 5 min after which Pods of a lost node are evicted. */
const TIMES = [60_000, 900_000] as const;

export const nodeLost: PerturbationRule<"node-lost"> = {
  type: "node-lost",
  title: "A node is lost",
  permitted:
    "A node may lose its power or its network at any time, and come back. After 50 s without a heartbeat its condition `Ready` is `Unknown` (kube-controller-manager, `--node-monitor-grace-period`), and after 5 more minutes its Pods are evicted (taints and tolerations, taint based evictions).",
  describe: ({ step, node, forMillis }) =>
    `node ${node} is lost when step ${step + 1} begins, and comes back after ${durationText(forMillis)}`,
  propose: (_run, { usual, nodes }) =>
    usual.flatMap((step) =>
      nodes.flatMap((node) =>
        TIMES.map((forMillis, i) => ({
          perturbation: { type: "node-lost", step, node, forMillis } as const,
          worth: 25 + 10 * i,
        })),
      ),
    ),
};
