/**
 * The schema of a HorizontalPodAutoscaler (`autoscaling/v2`, in which it is stored).
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import type { ObjectOf } from "../../../schema/define-resource.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { LabelSelector } from "../../../schema/validation/label-selector.ts";
import { reportedCondition } from "../../rules/condition.ts";

const referenceMembers = {
  kind: t.required(t.text("Its kind.")),
  name: t.required(t.text("Its name.")),
  apiVersion: t.optional(t.text("Group and version of its kind.")),
};

/** An object of the same namespace, whose members have owners of their own. */
const ObjectReference = t.struct("An object of the same namespace.", referenceMembers);

/** The same with one owner, as v1 has it. */
export const AtomicObjectReference = t.struct("An object of the same namespace.", referenceMembers, { atomic: true });

const MetricIdentifier = t.struct("Which metric.", {
  name: t.required(t.text("Its name.")),
  selector: t.pointer(LabelSelector),
});

const MetricTarget = t.struct("The target of the metric; one of the values.", {
  type: t.required(t.text("Which of the values: Utilization, Value or AverageValue.")),
  value: t.pointer(t.quantity("The value itself.")),
  averageValue: t.pointer(t.quantity("The value divided by the number of Pods.")),
  averageUtilization: t.pointer(t.int32("The share of what the Pods ask for, in percent, on average.")),
});

const MetricValue = t.struct("The current value of the metric.", {
  value: t.pointer(t.quantity("The value itself.")),
  averageValue: t.pointer(t.quantity("The value divided by the number of Pods.")),
  averageUtilization: t.pointer(t.int32("The share of what the Pods ask for, in percent, on average.")),
});

/** The members of a metric; `member` is its target or its current value. */
const metricMembers = <M extends Record<string, ReturnType<typeof t.struct>>>(member: M) => ({
  type: t.required(t.text("Which of the members: ContainerResource, External, Object, Pods or Resource.")),
  object: t.pointer(
    t.struct("A metric of one object of the cluster.", {
      describedObject: t.required(ObjectReference),
      metric: t.required(MetricIdentifier),
      ...member,
    }),
  ),
  pods: t.pointer(t.struct("A metric of each Pod, averaged.", { metric: t.required(MetricIdentifier), ...member })),
  resource: t.pointer(
    t.struct("The usage of a resource by the Pods.", {
      name: t.required(t.text("The resource: cpu, memory.")),
      ...member,
    }),
  ),
  containerResource: t.pointer(
    t.struct("The usage of a resource by one container of each Pod.", {
      name: t.required(t.text("The resource: cpu, memory.")),
      container: t.required(t.text("The container.")),
      ...member,
    }),
  ),
  external: t.pointer(
    t.struct("A metric from outside of the cluster.", { metric: t.required(MetricIdentifier), ...member }),
  ),
});

const MetricSpec = t.struct("A metric for the scaling.", metricMembers({ target: t.required(MetricTarget) }));

const MetricStatus = t.struct("A metric as it was last read.", metricMembers({ current: t.required(MetricValue) }));

const ScalingPolicy = t.struct("How much may change within a time.", {
  type: t.required(t.text("The unit of the value: Pods or Percent.")),
  value: t.required(t.int32("How much may change.")),
  periodSeconds: t.required(t.int32("Within how many seconds; at most 1800.")),
});

const ScalingRules = t.named(
  "HPAScalingRules",
  t.struct("How fast the number of Pods changes in one direction.", {
    stabilizationWindowSeconds: t.pointer(
      t.int32("The time in which earlier recommendations count, too; at most 3600 seconds."),
    ),
    selectPolicy: t.pointer(t.text("Which policy counts: Max, the one that allows most, Min, or Disabled, none.")),
    // An absent list differs from an empty one, which is refused.
    policies: t.pointer(t.atomicList(ScalingPolicy, "The permitted changes.")),
    tolerance: t.pointer(t.quantity("How far a metric may be off without any change, as a part of its target.")),
  }),
);

const Condition = reportedCondition(
  "A condition of the autoscaler.",
  "The type of the condition: AbleToScale, ScalingActive or ScalingLimited.",
  {},
);

const Spec = t.struct("The desired state.", {
  scaleTargetRef: t.required(ObjectReference),
  minReplicas: t.pointer(t.int32("The least number of Pods; 1 by default.")),
  maxReplicas: t.required(t.int32("The greatest number of Pods.")),
  metrics: t.optional(
    t.atomicList(MetricSpec, "The metrics, of which the one with the highest result decides; 80% of cpu by default."),
  ),
  behavior: t.pointer(
    t.struct("How fast the number of Pods changes.", {
      scaleUp: t.pointer(ScalingRules),
      scaleDown: t.pointer(ScalingRules),
    }),
  ),
});

const Status = t.struct("How it is.", {
  observedGeneration: t.pointer(t.int64("The generation of the object that the status speaks of.")),
  lastScaleTime: t.pointer(t.time("When the number of Pods was last changed.")),
  currentReplicas: t.optional(t.int32("How many Pods there were.")),
  desiredReplicas: t.required(t.int32("How many Pods there are to be.")),
  currentMetrics: t.nullable(t.atomicList(MetricStatus, "The metrics as they were last read.")),
  conditions: t.optional(t.keyedList(Condition, ["type"], "The conditions of the autoscaler.")),
});

/** The description of the kind. */
export const description = "Changes the number of Pods of a workload according to metrics.";

/** The schema of the kind. */
export const schema = objectSchema(description, { spec: t.always(Spec), status: t.always(Status) });

/** A HorizontalPodAutoscaler as it is stored. */
export type Autoscaler = ObjectOf<typeof schema>;

/** The target of a metric. */
export type Metric = t.Static<typeof MetricSpec>;

/** A metric as it was last read. */
export type CurrentMetric = t.Static<typeof MetricStatus>;

/** How fast the number of Pods changes in one direction. */
export type Rules = t.Static<typeof ScalingRules>;
