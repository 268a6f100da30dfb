/**
 * Deployment: Pods of one template, replaced step by step when it changes (KIND-Deployment-1..13). Nothing here makes a Pod.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, Column, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { sameMeaning } from "../../../schema/same-meaning.ts";
import { LabelSelector } from "../../../schema/validation/label-selector.ts";
import { PodTemplates } from "../../core/v1/pod/template.ts";
import {
  shareOf,
  validateAtMost,
  validateAtMostAll,
  validateNotLess,
  validateNotNegative,
  validateShare,
} from "../../rules/counts.ts";
import { scaleOf } from "../../autoscaling/v1/scale.ts";
import {
  counted,
  observed,
  readyColumn,
  selectorColumn,
  selectorOf,
  templateOf,
  validateSameSelector,
  validateSelector,
  validateTemplate,
  workload,
} from "../../core/v1/workload.ts";
import { containerColumns } from "../../rules/template-columns.ts";
import { same } from "../../rules/same.ts";
import { reportedCondition } from "../../rules/condition.ts";

const Strategy = t.struct("How Pods of an old template are replaced.", {
  type: t.optional(t.text("RollingUpdate: some at a time. Recreate: all old ones go first.")),
  rollingUpdate: t.pointer(
    t.struct("How many at a time.", {
      maxUnavailable: t.pointer(t.intOrString("How many Pods may be missing, as a number or a percentage.")),
      maxSurge: t.pointer(t.intOrString("How many Pods may exist above the desired number, or a percentage of it.")),
    }),
  ),
});

const Condition = reportedCondition(
  "A condition of the deployment.",
  "The type of the condition: Available, Progressing or ReplicaFailure.",
  {
    lastUpdateTime: t.nullable(t.time("When it was last written.")),
  },
);

const Status = t.struct("How far the deployment is.", {
  observedGeneration: observed,
  replicas: counted("Pods that there are."),
  updatedReplicas: counted("Pods of the current template."),
  readyReplicas: counted("Pods that are ready."),
  availableReplicas: counted("Pods that have been ready for long enough."),
  unavailableReplicas: counted("Pods that are missing."),
  terminatingReplicas: t.pointer(t.int32("Pods that are about to go.")),
  conditions: t.optional(t.keyedList(Condition, ["type"], "The conditions of the deployment.")),
  collisionCount: t.pointer(t.int32("How often a name of a revision was taken.")),
});

const schemaOf = (ctx: ApiContext) =>
  objectSchema("Pods of one template, which are replaced step by step when the template changes.", {
    spec: t.always(
      t.struct("The desired state.", {
        replicas: t.pointer(t.int32("The desired number of Pods; 1 by default.")),
        selector: t.requiredOrNull(LabelSelector),
        template: t.required(PodTemplates.of(ctx).schema),
        strategy: t.always(t.patchedBy("retainKeys", Strategy)),
        minReadySeconds: t.optional(t.int32("How long a Pod must be ready before it counts as available.")),
        revisionHistoryLimit: t.pointer(t.int32("How many old revisions are kept; 10 by default.")),
        paused: t.optional(t.bool("Whether a change of the template waits.")),
        progressDeadlineSeconds: t.pointer(t.int32("After how long without progress it has failed; 600 by default.")),
      }),
    ),
    status: t.always(Status),
  });

type Deployment = ObjectOf<ReturnType<typeof schemaOf>>;

const SHARE = "25%";

function setDefaults({ spec }: Deployment): void {
  spec.replicas ??= 1;
  const { strategy } = spec;
  strategy.type ||= "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    strategy.rollingUpdate ??= {};
    strategy.rollingUpdate.maxUnavailable ??= SHARE;
    strategy.rollingUpdate.maxSurge ??= SHARE;
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
}

function validateStrategy({ type, rollingUpdate }: Deployment["spec"]["strategy"], errors: FieldErrors): void {
  const at = "spec.strategy";
  if (type === "Recreate") {
    if (rollingUpdate) errors.forbidden(`${at}.rollingUpdate`, "expected none together with the type Recreate");
    return;
  }
  if (type !== "RollingUpdate") return errors.notSupported(at, type, ["Recreate", "RollingUpdate"]);
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
  validateShare(maxUnavailable, `${at}.rollingUpdate.maxUnavailable`, errors);
  validateShare(maxSurge, `${at}.rollingUpdate.maxSurge`, errors);
  if (shareOf(maxUnavailable) === 0 && shareOf(maxSurge) === 0) {
    errors.invalid(`${at}.rollingUpdate.maxUnavailable`, maxUnavailable, "expected more than 0 where maxSurge is 0");
  }
  validateAtMostAll(maxUnavailable, `${at}.rollingUpdate.maxUnavailable`, errors);
}

function validate({ spec }: Deployment, templates: PodTemplates, errors: FieldErrors, ctx: WriteContext): void {
  validateNotNegative(spec, ["replicas"], "spec", errors);
  validateSelector(spec.selector, "spec.selector", errors);
  validateTemplate(spec, templates, errors, ctx);
  validateStrategy(spec.strategy, errors);
  validateNotNegative(spec, ["minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"], "spec", errors);
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec;
  if (deadline !== undefined && deadline <= minReadySeconds) {
    errors.invalid("spec.progressDeadlineSeconds", deadline, "expected more than minReadySeconds");
  }
}

function validateStatus({ status }: Deployment, { status: before }: Deployment, errors: FieldErrors): void {
  const counts = ["observedGeneration", "replicas", "updatedReplicas", "readyReplicas"] as const;
  const more = ["availableReplicas", "unavailableReplicas", "terminatingReplicas", "collisionCount"] as const;
  validateNotNegative(status, [...counts, ...more], "status", errors);
  validateAtMost(
    status,
    [
      ["updatedReplicas", "replicas"],
      ["readyReplicas", "replicas"],
      ["availableReplicas", "replicas"],
      ["availableReplicas", "readyReplicas"],
    ],
    "status",
    errors,
  );
  validateNotLess(status.collisionCount, before.collisionCount, "status.collisionCount", errors);
}

const columns: readonly Column<Deployment>[] = [
  readyColumn,
  textColumn("Up-to-date", "Pods of the current template.", ({ status }) => status.updatedReplicas ?? 0),
  textColumn("Available", "Pods that have been ready for long enough.", ({ status }) => status.availableReplicas ?? 0),
  ageColumn,
  ...containerColumns(templateOf),
  selectorColumn,
];

/** The definition of Deployment. */
export function deployment(ctx: ApiContext): ResourceDefinition {
  const templates = PodTemplates.of(ctx);
  const schema = schemaOf(ctx);
  return defineResource(schema, {
    group: "apps",
    version: "v1",
    kind: "Deployment",
    plural: "deployments",
    shortNames: ["deploy"],
    categories: ["all"],
    scope: "Namespaced",
    ...workload<Deployment>(templates, {
      setDefaults,
      validate: (object, errors, write) => validate(object, templates, errors, write),
      validateChange: validateSameSelector,
      validateStatus,
      counts: (object, old) =>
        !sameMeaning(schema, { spec: object["spec"] }, { spec: old["spec"] }) ||
        !same(object.metadata.annotations ?? {}, old.metadata.annotations ?? {}),
      keepsLabels: true,
      subresources: { scale: scaleOf<Deployment>(selectorOf) },
    }),
    columns,
  });
}
