/**
 * What a HorizontalPodAutoscaler consists of (`autoscaling/v2`, in which it is stored).
 *
 * @module
 */
import {
  type Static,
  always,
  atomicList,
  int32,
  int64,
  keyedList,
  named,
  nullable,
  optional,
  pointer,
  quantity,
  required,
  struct,
  text,
  time,
} from "../../../meta/types.ts";
import type { ObjectOf } from "../../../schema/define-resource.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { LabelSelector } from "../../../schema/validation/label-selector.ts";

const referenceMembers = {
  kind: required(text("Its kind.")),
  name: required(text("Its name.")),
  apiVersion: optional(text("Group and version of its kind.")),
};

/** An object of the same namespace, whose members have owners of their own. */
const ObjectReference = struct("An object of the same namespace.", referenceMembers);

/** The same with one owner, as v1 has it. */
export const AtomicObjectReference = struct("An object of the same namespace.", referenceMembers, { atomic: true });

const MetricIdentifier = struct("Which metric.", {
  name: required(text("Its name.")),
  selector: pointer(LabelSelector),
});

const MetricTarget = struct("What the metric is to be; one of the values.", {
  type: required(text("Which of the values: Utilization, Value or AverageValue.")),
  value: pointer(quantity("The value itself.")),
  averageValue: pointer(quantity("The value divided by the number of Pods.")),
  averageUtilization: pointer(int32("The share of what the Pods ask for, in percent, on average.")),
});

const MetricValue = struct("What the metric is.", {
  value: pointer(quantity("The value itself.")),
  averageValue: pointer(quantity("The value divided by the number of Pods.")),
  averageUtilization: pointer(int32("The share of what the Pods ask for, in percent, on average.")),
});

/** What a metric says of itself, `member` being what it is to be or what it is. */
const metricMembers = <M extends Record<string, ReturnType<typeof struct>>>(member: M) => ({
  type: required(text("Which of the members: ContainerResource, External, Object, Pods or Resource.")),
  object: pointer(
    struct("A metric of one object of the cluster.", {
      describedObject: required(ObjectReference),
      metric: required(MetricIdentifier),
      ...member,
    }),
  ),
  pods: pointer(struct("A metric of each Pod, averaged.", { metric: required(MetricIdentifier), ...member })),
  resource: pointer(
    struct("What the Pods use of a resource.", { name: required(text("The resource: cpu, memory.")), ...member }),
  ),
  containerResource: pointer(
    struct("What one container of each Pod uses of a resource.", {
      name: required(text("The resource: cpu, memory.")),
      container: required(text("The container.")),
      ...member,
    }),
  ),
  external: pointer(
    struct("A metric of something outside of the cluster.", { metric: required(MetricIdentifier), ...member }),
  ),
});

const MetricSpec = struct("A metric to go by.", metricMembers({ target: required(MetricTarget) }));

const MetricStatus = struct("A metric as it was last read.", metricMembers({ current: required(MetricValue) }));

const ScalingPolicy = struct("How much may change within a time.", {
  type: required(text("What the value counts: Pods or Percent.")),
  value: required(int32("How much may change.")),
  periodSeconds: required(int32("Within how many seconds; at most 1800.")),
});

const ScalingRules = named(
  "HPAScalingRules",
  struct("How fast the number of Pods changes in one direction.", {
    stabilizationWindowSeconds: pointer(int32("How far back what was wanted counts, too; at most 3600 seconds.")),
    selectPolicy: pointer(text("Which policy counts: Max, the one that allows most, Min, or Disabled, none.")),
    // None at all is not the same as an empty list: that is refused.
    policies: pointer(atomicList(ScalingPolicy, "What may change.")),
    tolerance: pointer(quantity("How far a metric may be off without any change, as a part of its target.")),
  }),
);

const Condition = struct("What is known of one side of the autoscaler.", {
  type: required(text("What it is about: AbleToScale, ScalingActive or ScalingLimited.")),
  status: required(text("True, False or Unknown.")),
  lastTransitionTime: nullable(time("When the status last changed.")),
  reason: optional(text("Why, for programs.")),
  message: optional(text("Why, for people.")),
});

const Spec = struct("What is wanted.", {
  scaleTargetRef: required(ObjectReference),
  minReplicas: pointer(int32("The least number of Pods; 1 by default.")),
  maxReplicas: required(int32("The greatest number of Pods.")),
  metrics: optional(atomicList(MetricSpec, "What to go by, the one that asks for most; 80% of cpu by default.")),
  behavior: pointer(
    struct("How fast the number of Pods changes.", {
      scaleUp: pointer(ScalingRules),
      scaleDown: pointer(ScalingRules),
    }),
  ),
});

const Status = struct("How it is.", {
  observedGeneration: pointer(int64("The generation of the object that the status speaks of.")),
  lastScaleTime: pointer(time("When the number of Pods was last changed.")),
  currentReplicas: optional(int32("How many Pods there were.")),
  desiredReplicas: required(int32("How many Pods there are to be.")),
  currentMetrics: nullable(atomicList(MetricStatus, "The metrics as they were last read.")),
  conditions: optional(keyedList(Condition, ["type"], "What is known of the autoscaler.")),
});

/** What the kind is. */
export const description = "Changes the number of Pods of a workload by what metrics say.";

/** The schema of the kind. */
export const schema = objectSchema(description, { spec: always(Spec), status: always(Status) });

/** A HorizontalPodAutoscaler as it is stored. */
export type Autoscaler = ObjectOf<typeof schema>;

/** A metric to go by. */
export type Metric = Static<typeof MetricSpec>;

/** A metric as it was last read. */
export type CurrentMetric = Static<typeof MetricStatus>;

/** How fast the number of Pods changes in one direction. */
export type Rules = Static<typeof ScalingRules>;
