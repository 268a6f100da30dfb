import type { Messages } from "./numbers.ts";

/** `autoscaling/v1`: what a scale path takes. */
export const autoscaling: Messages = {
  Scale: { metadata: [1, "meta.ObjectMeta"], spec: [2, "ScaleSpec"], status: [3, "ScaleStatus"] },
  ScaleSpec: { replicas: 1 },
  ScaleStatus: { replicas: 1, selector: 2 },
};
