/**
 * ReplicationController: a number of Pods of one template, found by labels alone (KIND-ReplicationController-1..4). Nothing
 * here makes a Pod.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, Column, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { validateNotNegative } from "../../rules/counts.ts";
import { labelsText } from "../../rules/label-selection.ts";
import { scaleOf } from "../../autoscaling/v1/scale.ts";
import {
  Condition,
  counted,
  observed,
  replicaColumns,
  templateOf,
  validateLasting,
  validateReplicaCounts,
  workload,
} from "./workload.ts";
import { containerColumns, shownLabels } from "../../rules/template-columns.ts";
import { PodTemplates } from "./pod/template.ts";

const Status = t.struct("How many Pods there are.", {
  replicas: t.always(t.int32("Pods that there are.")),
  fullyLabeledReplicas: counted("Pods with all labels of the template."),
  readyReplicas: counted("Pods that are ready."),
  availableReplicas: counted("Pods that have been ready for long enough."),
  observedGeneration: observed,
  conditions: t.optional(t.keyedList(Condition, ["type"], "The conditions of the controller.")),
});

const schemaOf = (ctx: ApiContext) =>
  objectSchema("A number of Pods of one template, selected by equal labels.", {
    spec: t.always(
      t.struct("The desired state.", {
        replicas: t.pointer(t.int32("The desired number of Pods.", { default: 1 })),
        minReadySeconds: t.optional(t.int32("How long a Pod must be ready before it counts as available.")),
        selector: t.optional(
          t.map(t.text(), "Labels of the Pods; those of the template by default.", { atomic: true }),
        ),
        template: t.pointer(PodTemplates.of(ctx).schema),
      }),
    ),
    status: t.always(Status),
  });

type ReplicationController = ObjectOf<ReturnType<typeof schemaOf>>;

function setDefaults({ metadata, spec }: ReplicationController): void {
  spec.replicas ??= 1;
  const labels = spec.template?.metadata.labels ?? {};
  if (Object.keys(labels).length === 0) return;
  if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
  takeLabels({ metadata, spec });
}

/** A controller without labels has those of its template (KIND-ReplicationController-1). */
function takeLabels({ metadata, spec }: Pick<ReplicationController, "metadata" | "spec">): void {
  const labels = spec.template?.metadata.labels ?? {};
  if (Object.keys(labels).length > 0 && Object.keys(metadata.labels ?? {}).length === 0)
    metadata.labels = { ...labels };
}

function validate(
  object: ReplicationController,
  templates: PodTemplates,
  errors: FieldErrors,
  ctx: WriteContext,
): void {
  const { spec } = object;
  const { selector = {}, template } = spec;
  validateNotNegative(spec, ["minReadySeconds"], "spec", errors);
  if (Object.keys(selector).length === 0) errors.required("spec.selector", "expected labels of the template");
  validateNotNegative(spec, ["replicas"], "spec", errors);
  if (!template) return errors.required("spec.template", "expected a template of Pods");
  const labels = template.metadata.labels ?? {};
  if (Object.entries(selector).some(([key, value]) => labels[key] !== value)) {
    errors.invalid("spec.template.metadata.labels", labels, "expected labels that the selector finds");
  }
  templates.validate(template, "spec.template", errors, ctx);
  validateLasting(template, "spec.template", errors);
}

const selectorOf = (object: ReplicationController): Record<string, string> => object.spec.selector ?? {};

const columns: readonly Column<ReplicationController>[] = [
  ...replicaColumns,
  ageColumn,
  ...containerColumns(templateOf),
  textColumn("Selector", "The labels of the Pods.", (object) => shownLabels(selectorOf(object)), true),
];

/** The definition of ReplicationController. */
export function replicationController(ctx: ApiContext): ResourceDefinition {
  const templates = PodTemplates.of(ctx);
  return defineResource(schemaOf(ctx), {
    group: "",
    version: "v1",
    kind: "ReplicationController",
    plural: "replicationcontrollers",
    shortNames: ["rc"],
    categories: ["all"],
    scope: "Namespaced",
    orphansDependents: true,
    ...workload<ReplicationController>(templates, {
      setDefaults,
      validate: (object, errors, write) => validate(object, templates, errors, write),
      firstStatus: { replicas: 0 },
      validateStatus: (object, _old, errors) => validateReplicaCounts(object.status, errors),
      prepareStatus: takeLabels,
      subresources: { scale: scaleOf((object) => labelsText(selectorOf(object))) },
    }),
    selectableFields: {
      "status.replicas": (object) => String(object.status.replicas ?? 0),
    },
    columns,
  });
}
