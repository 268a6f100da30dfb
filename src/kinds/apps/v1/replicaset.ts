/**
 * ReplicaSet: a number of Pods of one template (KIND-ReplicaSet-1..6). Nothing here makes a Pod.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, Column, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { LabelSelector } from "../../../schema/validation/label-selector.ts";
import { PodTemplates } from "../../core/v1/pod/template.ts";
import { validateNotNegative } from "../../rules/counts.ts";
import { scaleOf } from "../../autoscaling/v1/scale.ts";
import {
  Condition,
  counted,
  observed,
  replicaColumns,
  selectorColumn,
  selectorOf,
  templateOf,
  validateReplicaCounts,
  validateSameSelector,
  validateSelector,
  validateTemplate,
  workload,
} from "../../core/v1/workload.ts";
import { containerColumns } from "../../rules/template-columns.ts";

const Status = t.struct("How many Pods there are.", {
  replicas: t.always(t.int32("Pods that there are.")),
  fullyLabeledReplicas: counted("Pods with all labels of the template."),
  readyReplicas: counted("Pods that are ready."),
  availableReplicas: counted("Pods that have been ready for long enough."),
  terminatingReplicas: t.pointer(t.int32("Pods that are about to go.")),
  observedGeneration: observed,
  conditions: t.optional(t.keyedList(Condition, ["type"], "The conditions of the set.")),
});

const schemaOf = (ctx: ApiContext) =>
  objectSchema("A number of Pods of one template.", {
    spec: t.always(
      t.struct("The desired state.", {
        replicas: t.pointer(t.int32("The desired number of Pods; 1 by default.")),
        minReadySeconds: t.optional(t.int32("How long a Pod must be ready before it counts as available.")),
        selector: t.requiredOrNull(LabelSelector),
        template: t.always(PodTemplates.of(ctx).schema),
      }),
    ),
    status: t.always(Status),
  });

type ReplicaSet = ObjectOf<ReturnType<typeof schemaOf>>;

function validate({ spec }: ReplicaSet, templates: PodTemplates, errors: FieldErrors, ctx: WriteContext): void {
  validateNotNegative(spec, ["replicas", "minReadySeconds"], "spec", errors);
  validateSelector(spec.selector, "spec.selector", errors);
  validateTemplate(spec, templates, errors, ctx);
}

const columns: readonly Column<ReplicaSet>[] = [
  ...replicaColumns,
  ageColumn,
  ...containerColumns(templateOf),
  selectorColumn,
];

/** The definition of ReplicaSet. */
export function replicaSet(ctx: ApiContext): ResourceDefinition {
  const templates = PodTemplates.of(ctx);
  return defineResource(schemaOf(ctx), {
    group: "apps",
    version: "v1",
    kind: "ReplicaSet",
    plural: "replicasets",
    shortNames: ["rs"],
    categories: ["all"],
    scope: "Namespaced",
    ...workload<ReplicaSet>(templates, {
      setDefaults({ spec }) {
        spec.replicas ??= 1;
      },
      validate: (object, errors, write) => validate(object, templates, errors, write),
      validateChange: validateSameSelector,
      firstStatus: { replicas: 0 },
      validateStatus: (object, _old, errors) => validateReplicaCounts(object.status, errors),
      subresources: { scale: scaleOf<ReplicaSet>(selectorOf) },
    }),
    columns,
  });
}
