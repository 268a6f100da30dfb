/**
 * DaemonSet: one Pod of a template on each node that fits (KIND-DaemonSet-1..9). Nothing here makes a Pod.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import { badRequest } from "../../../meta/status.ts";
import { ageColumn, numberColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ApiObject, Column, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { sameMeaning } from "../../../schema/same-meaning.ts";
import { LabelSelector, validateLabelSelector } from "../../../schema/validation/label-selector.ts";
import { PodTemplates } from "../../core/v1/pod/template.ts";
import { shareOf, validateAtMostAll, validateNotLess, validateNotNegative, validateShare } from "../../rules/counts.ts";
import { isEmptySelector, isValidSelector } from "../../rules/label-selection.ts";
import {
  Condition,
  counted,
  observed,
  selectorColumn,
  templateOf,
  validateLasting,
  validateSameSelector,
  validateSelected,
  workload,
} from "../../core/v1/workload.ts";
import { containerColumns, shownLabels } from "../../rules/template-columns.ts";

const description = "One Pod of a template on each matching node.";

const Status = t.struct("On how many nodes the Pods are.", {
  currentNumberScheduled: t.required(t.int32("Nodes that have a Pod and should have one.")),
  numberMisscheduled: t.required(t.int32("Nodes that have a Pod and should have none.")),
  desiredNumberScheduled: t.required(t.int32("Nodes that should have a Pod.")),
  numberReady: t.required(t.int32("Nodes with a Pod that is ready.")),
  observedGeneration: observed,
  updatedNumberScheduled: counted("Nodes with a Pod of the current template."),
  numberAvailable: counted("Nodes with a Pod that has been ready for long enough."),
  numberUnavailable: counted("Nodes that should have such a Pod and have none."),
  collisionCount: t.pointer(t.int32("How often a name of a revision was taken.")),
  conditions: t.optional(t.keyedList(Condition, ["type"], "The conditions of the set.")),
});

const UpdateStrategy = t.struct("How Pods of an old template are replaced.", {
  type: t.optional(t.text("RollingUpdate: some nodes at a time. OnDelete: when they are deleted.")),
  rollingUpdate: t.pointer(
    t.struct("How many nodes at a time; one of the two is 0.", {
      maxUnavailable: t.pointer(t.intOrString("On how many nodes a Pod may be missing, as a number or a percentage.")),
      maxSurge: t.pointer(t.intOrString("On how many nodes there may be two, as a number or a percentage.")),
    }),
  ),
});

const schemaOf = (ctx: ApiContext) =>
  objectSchema(description, {
    spec: t.always(
      t.struct("The desired state.", {
        selector: t.requiredOrNull(LabelSelector),
        template: t.required(PodTemplates.of(ctx).schema),
        updateStrategy: t.always(UpdateStrategy),
        minReadySeconds: t.optional(t.int32("How long a Pod must be ready before it counts as available.")),
        revisionHistoryLimit: t.pointer(t.int32("How many old revisions are kept; 10 by default.")),
      }),
    ),
    status: t.always(Status),
  });

type DaemonSet = ObjectOf<ReturnType<typeof schemaOf>>;

/** Counts the templates; the server's own (KIND-DaemonSet-2). */
const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

/** The number in the annotation; 0 where there is none. Throws a 400 for any other text. */
function templateGeneration({ metadata }: ApiObject): bigint {
  const sent = metadata.annotations?.[TEMPLATE_GENERATION];
  if (sent === undefined) return 0n;
  if (!/^[+-]?\d+$/.test(sent))
    throw badRequest(`expected a number in the annotation ${TEMPLATE_GENERATION}, got ${JSON.stringify(sent)}`);
  return BigInt(sent.replace(/^\+/, ""));
}

function writeGeneration({ metadata }: ApiObject, count: bigint): void {
  metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: String(count) };
}

/** Sets the template generation: a client may set it on create, not on update. */
function countTemplate({ schema }: PodTemplates, object: DaemonSet, old: DaemonSet | undefined): void {
  const before = templateGeneration(old ?? object);
  const isNew = old ? !sameMeaning(schema, templateOf(object), templateOf(old)) : before < 1n;
  writeGeneration(object, isNew ? before + 1n : before);
}

function setDefaults({ spec }: DaemonSet): void {
  const { updateStrategy } = spec;
  updateStrategy.type ||= "RollingUpdate";
  if (updateStrategy.type === "RollingUpdate") {
    updateStrategy.rollingUpdate ??= {};
    updateStrategy.rollingUpdate.maxUnavailable ??= 1;
    updateStrategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
}

function validateStrategy({ type, rollingUpdate }: DaemonSet["spec"]["updateStrategy"], errors: FieldErrors): void {
  const at = "spec.updateStrategy";
  if (type === "OnDelete") return;
  if (type !== "RollingUpdate") return errors.notSupported(at, type, ["OnDelete", "RollingUpdate"]);
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
  const [missing, extra] = [`${at}.rollingUpdate.maxUnavailable`, `${at}.rollingUpdate.maxSurge`];
  validateShare(maxUnavailable, missing, errors);
  validateShare(maxSurge, extra, errors);
  const [some, more] = [shareOf(maxUnavailable) !== 0, shareOf(maxSurge) !== 0];
  if (some && more) errors.invalid(extra, maxSurge, "expected 0 where maxUnavailable is more");
  if (!some && !more) errors.required(missing, "expected more than 0 where maxSurge is 0");
  validateAtMostAll(maxUnavailable, missing, errors);
  validateAtMostAll(maxSurge, extra, errors);
}

function validate({ spec }: DaemonSet, templates: PodTemplates, errors: FieldErrors, ctx: WriteContext): void {
  const { selector, template } = spec;
  if (selector) validateLabelSelector(selector, "spec.selector", errors);
  if (!selector || isValidSelector(selector)) validateSelected(selector, template, "spec.template", errors);
  if (selector && isEmptySelector(selector)) {
    errors.invalid("spec.selector", selector, "expected a selector that asks for something");
  }
  templates.validate(template, "spec.template", errors, ctx);
  validateLasting(template, "spec.template", errors);
  validateNotNegative(spec, ["minReadySeconds"], "spec", errors);
  validateStrategy(spec.updateStrategy, errors);
  validateNotNegative(spec, ["revisionHistoryLimit"], "spec", errors);
}

function validateStatus({ status }: DaemonSet, { status: before }: DaemonSet, errors: FieldErrors): void {
  const counts = ["currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"] as const;
  const more = ["updatedNumberScheduled", "numberAvailable", "numberUnavailable"] as const;
  validateNotNegative(status, [...counts, "observedGeneration", ...more, "collisionCount"], "status", errors);
  validateNotLess(status.collisionCount, before.collisionCount, "status.collisionCount", errors);
}

const columns: readonly Column<DaemonSet>[] = [
  numberColumn("Desired", "Nodes that should have a Pod.", ({ status }) => status.desiredNumberScheduled),
  numberColumn("Current", "Nodes that have a Pod and should have one.", ({ status }) => status.currentNumberScheduled),
  numberColumn("Ready", "Nodes with a Pod that is ready.", ({ status }) => status.numberReady),
  numberColumn(
    "Up-to-date",
    "Nodes with a Pod of the current template.",
    (object) => object.status.updatedNumberScheduled,
  ),
  numberColumn(
    "Available",
    "Nodes with a Pod that has been ready for long enough.",
    ({ status }) => status.numberAvailable,
  ),
  textColumn("Node Selector", "The labels that a node must have.", ({ spec }) =>
    shownLabels(spec.template.spec.nodeSelector),
  ),
  ageColumn,
  ...containerColumns(templateOf),
  selectorColumn,
];

/** The definition of DaemonSet. */
export function daemonSet(ctx: ApiContext): ResourceDefinition {
  const templates = PodTemplates.of(ctx);
  return defineResource(schemaOf(ctx), {
    group: "apps",
    version: "v1",
    kind: "DaemonSet",
    plural: "daemonsets",
    shortNames: ["ds"],
    categories: ["all"],
    scope: "Namespaced",
    ...workload<DaemonSet>(templates, {
      setDefaults(object) {
        setDefaults(object);
        writeGeneration(object, templateGeneration(object));
      },
      firstStatus: {
        currentNumberScheduled: 0,
        numberMisscheduled: 0,
        desiredNumberScheduled: 0,
        numberReady: 0,
      },
      prepare: (object, old) => countTemplate(templates, object, old),
      prepareStatus: (object, old) => writeGeneration(object, templateGeneration(old)),
      anyName: true,
      isNewTemplate: (object, old) => templateGeneration(object) !== templateGeneration(old),
      validate: (object, errors, write) => validate(object, templates, errors, write),
      validateChange: validateSameSelector,
      validateStatus,
    }),
    columns,
  });
}
