import type { Messages } from "./numbers.ts";

/** `autoscaling/v1`: Scale, and autoscalers of this version. */
export const autoscaling: Messages = {
  HorizontalPodAutoscaler: {
    metadata: [1, "meta.ObjectMeta"],
    spec: [2, "HorizontalPodAutoscalerSpec"],
    status: [3, "HorizontalPodAutoscalerStatus"],
  },
  Scale: { metadata: [1, "meta.ObjectMeta"], spec: [2, "ScaleSpec"], status: [3, "ScaleStatus"] },
  CrossVersionObjectReference: { kind: 1, name: 2, apiVersion: 3 },
  HorizontalPodAutoscalerSpec: {
    scaleTargetRef: [1, "CrossVersionObjectReference"],
    minReplicas: 2,
    maxReplicas: 3,
    targetCPUUtilizationPercentage: 4,
  },
  HorizontalPodAutoscalerStatus: {
    observedGeneration: 1,
    lastScaleTime: 2,
    currentReplicas: 3,
    desiredReplicas: 4,
    currentCPUUtilizationPercentage: 5,
  },
  ScaleSpec: { replicas: 1 },
  ScaleStatus: { replicas: 1, selector: 2 },
};

/** `autoscaling/v2`: autoscalers. */
export const autoscalingV2: Messages = {
  HorizontalPodAutoscaler: {
    metadata: [1, "meta.ObjectMeta"],
    spec: [2, "HorizontalPodAutoscalerSpec"],
    status: [3, "HorizontalPodAutoscalerStatus"],
  },
  ContainerResourceMetricSource: { name: 1, target: [2, "MetricTarget"], container: 3 },
  ContainerResourceMetricStatus: { name: 1, current: [2, "MetricValueStatus"], container: 3 },
  CrossVersionObjectReference: { kind: 1, name: 2, apiVersion: 3 },
  ExternalMetricSource: { metric: [1, "MetricIdentifier"], target: [2, "MetricTarget"] },
  ExternalMetricStatus: { metric: [1, "MetricIdentifier"], current: [2, "MetricValueStatus"] },
  HPAScalingPolicy: { type: 1, value: 2, periodSeconds: 3 },
  HPAScalingRules: { stabilizationWindowSeconds: 3, selectPolicy: 1, policies: [2, "HPAScalingPolicy"], tolerance: 4 },
  HorizontalPodAutoscalerBehavior: { scaleUp: [1, "HPAScalingRules"], scaleDown: [2, "HPAScalingRules"] },
  HorizontalPodAutoscalerCondition: { type: 1, status: 2, lastTransitionTime: 3, reason: 4, message: 5 },
  HorizontalPodAutoscalerSpec: {
    scaleTargetRef: [1, "CrossVersionObjectReference"],
    minReplicas: 2,
    maxReplicas: 3,
    metrics: [4, "MetricSpec"],
    behavior: [5, "HorizontalPodAutoscalerBehavior"],
  },
  HorizontalPodAutoscalerStatus: {
    observedGeneration: 1,
    lastScaleTime: 2,
    currentReplicas: 3,
    desiredReplicas: 4,
    currentMetrics: [5, "MetricStatus"],
    conditions: [6, "HorizontalPodAutoscalerCondition"],
  },
  MetricIdentifier: { name: 1, selector: [2, "meta.LabelSelector"] },
  MetricSpec: {
    type: 1,
    object: [2, "ObjectMetricSource"],
    pods: [3, "PodsMetricSource"],
    resource: [4, "ResourceMetricSource"],
    containerResource: [7, "ContainerResourceMetricSource"],
    external: [5, "ExternalMetricSource"],
  },
  MetricStatus: {
    type: 1,
    object: [2, "ObjectMetricStatus"],
    pods: [3, "PodsMetricStatus"],
    resource: [4, "ResourceMetricStatus"],
    containerResource: [7, "ContainerResourceMetricStatus"],
    external: [5, "ExternalMetricStatus"],
  },
  MetricTarget: { type: 1, value: 2, averageValue: 3, averageUtilization: 4 },
  MetricValueStatus: { value: 1, averageValue: 2, averageUtilization: 3 },
  ObjectMetricSource: {
    describedObject: [1, "CrossVersionObjectReference"],
    target: [2, "MetricTarget"],
    metric: [3, "MetricIdentifier"],
  },
  ObjectMetricStatus: {
    metric: [1, "MetricIdentifier"],
    current: [2, "MetricValueStatus"],
    describedObject: [3, "CrossVersionObjectReference"],
  },
  PodsMetricSource: { metric: [1, "MetricIdentifier"], target: [2, "MetricTarget"] },
  PodsMetricStatus: { metric: [1, "MetricIdentifier"], current: [2, "MetricValueStatus"] },
  ResourceMetricSource: { name: 1, target: [2, "MetricTarget"] },
  ResourceMetricStatus: { name: 1, current: [2, "MetricValueStatus"] },
};
