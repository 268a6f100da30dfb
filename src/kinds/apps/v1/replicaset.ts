/**
 * ReplicaSet: a number of Pods of one template (KIND-ReplicaSet-1..6). Nothing here makes a Pod.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import {
  type Static,
  always,
  int32,
  keyedList,
  optional,
  pointer,
  requiredOrNull,
  struct,
} from "../../../meta/types.ts";
import type { ApiContext, ApiObject, Column, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { LabelSelector } from "../../../schema/validation/label-selector.ts";
import { PodTemplates } from "../../core/v1/pod/template.ts";
import { validateNotNegative } from "../../rules/counts.ts";
import { scaleOf } from "../../autoscaling/v1/scale.ts";
import {
  Condition,
  type Workload,
  ageColumn,
  containerColumns,
  counted,
  numberColumn,
  observed,
  replicasOf,
  selectorColumn,
  selectorOf,
  statusOf,
  templateOf,
  validateReplicaCounts,
  validateSameSelector,
  validateSelector,
  validateTemplate,
  workload,
} from "../../core/v1/workload.ts";

const description = "A number of Pods of one template.";

const Status = struct("How many Pods there are.", {
  replicas: always(int32("Pods that there are.")),
  fullyLabeledReplicas: counted("Pods with all labels of the template."),
  readyReplicas: counted("Pods that are ready."),
  availableReplicas: counted("Pods that have been ready for long enough."),
  terminatingReplicas: pointer(int32("Pods that are about to go.")),
  observedGeneration: observed,
  conditions: optional(keyedList(Condition, ["type"], "What is known of the set.")),
});

const schemaOf = (ctx: ApiContext) =>
  objectSchema(description, {
    spec: always(
      struct("What is wanted.", {
        replicas: pointer(int32("How many Pods are wanted; 1 by default.")),
        minReadySeconds: optional(int32("How long a Pod must be ready before it counts as available.")),
        selector: requiredOrNull(LabelSelector),
        template: always(PodTemplates.of(ctx).schema),
      }),
    ),
    status: always(Status),
  });

interface ReplicaSet extends Workload {
  status: Static<typeof Status>;
}

function validate(object: ApiObject, templates: PodTemplates, errors: FieldErrors, ctx: WriteContext): void {
  const { spec } = object as ReplicaSet;
  validateNotNegative(spec, ["replicas", "minReadySeconds"], "spec", errors);
  validateSelector(spec.selector, "spec.selector", errors);
  validateTemplate(spec, templates, errors, ctx);
}

const columns: readonly Column[] = [
  numberColumn("Desired", "How many Pods are wanted.", replicasOf),
  numberColumn("Current", "How many Pods there are.", (object) => statusOf(object, "replicas")),
  numberColumn("Ready", "Pods that are ready.", (object) => statusOf(object, "readyReplicas")),
  ageColumn,
  ...containerColumns(templateOf),
  selectorColumn(),
];

/** The definition of ReplicaSet. */
export function replicaSet(ctx: ApiContext): ResourceDefinition {
  const templates = PodTemplates.of(ctx);
  return {
    group: "apps",
    version: "v1",
    kind: "ReplicaSet",
    plural: "replicasets",
    singular: "replicaset",
    shortNames: ["rs"],
    categories: ["all"],
    scope: "Namespaced",
    description,
    schema: schemaOf(ctx),
    deleteAnswers: "status",
    ...workload(templates, {
      setDefaults({ spec }) {
        spec.replicas ??= 1;
      },
      validate: (object, errors, write) => validate(object, templates, errors, write),
      validateChange: validateSameSelector,
      firstStatus: { replicas: 0 },
      validateStatus: (object, _old, errors) => validateReplicaCounts((object as ReplicaSet).status, errors),
      subresources: { scale: scaleOf(selectorOf) },
    }),
    columns,
  };
}
