import type { Messages } from "./numbers.ts";

/** `node.k8s.io/v1`. */
export const node: Messages = {
  RuntimeClass: {
    metadata: [1, "meta.ObjectMeta"],
    handler: 2,
    overhead: [3, "Overhead"],
    scheduling: [4, "Scheduling"],
  },
  Overhead: { podFixed: 1 },
  Scheduling: { nodeSelector: 1, tolerations: [2, "core.Toleration"] },
};
