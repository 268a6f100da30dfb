import type { DefinitionFactory } from "../../schema/definition.ts";
import { horizontalPodAutoscalerV1 } from "./v1/horizontalpodautoscaler.ts";
import { horizontalPodAutoscalerV2 } from "./v2/horizontalpodautoscaler.ts";

/** The kinds of autoscaling: one in two versions, of which v2 is stored. Their group has the same name in every dialect. */
export const autoscalingGroup: DefinitionFactory = (ctx) => [
  horizontalPodAutoscalerV2(ctx),
  horizontalPodAutoscalerV1(ctx),
];
