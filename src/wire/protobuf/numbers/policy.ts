import type { Messages } from "./numbers.ts";

/** `policy/v1`: disruption budgets and evictions. */
export const policy: Messages = {
  Eviction: { metadata: [1, "meta.ObjectMeta"], deleteOptions: [2, "meta.DeleteOptions"] },
  PodDisruptionBudget: {
    metadata: [1, "meta.ObjectMeta"],
    spec: [2, "PodDisruptionBudgetSpec"],
    status: [3, "PodDisruptionBudgetStatus"],
  },
  PodDisruptionBudgetSpec: {
    minAvailable: 1,
    selector: [2, "meta.LabelSelector"],
    maxUnavailable: 3,
    unhealthyPodEvictionPolicy: 4,
  },
  PodDisruptionBudgetStatus: {
    observedGeneration: 1,
    disruptedPods: 2,
    disruptionsAllowed: 3,
    currentHealthy: 4,
    desiredHealthy: 5,
    expectedPods: 6,
    conditions: [7, "meta.Condition"],
  },
};
