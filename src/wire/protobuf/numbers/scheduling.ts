import type { Messages } from "./numbers.ts";

/** `scheduling.k8s.io/v1`. */
export const scheduling: Messages = {
  PriorityClass: {
    metadata: [1, "meta.ObjectMeta"],
    value: 2,
    globalDefault: 3,
    description: 4,
    preemptionPolicy: 5,
  },
};
