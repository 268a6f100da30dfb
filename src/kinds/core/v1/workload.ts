/**
 * The common parts of workloads: a template of Pods, a selector that finds them, a status with counts.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import { numberColumn, textColumn } from "../../../schema/columns.ts";
import type { ApiObject, Column, ResourceRules, WriteContext } from "../../../schema/definition.ts";
import { sameMeaning } from "../../../schema/same-meaning.ts";
import type { LabelSelectorValue } from "../../../schema/validation/label-selector.ts";
import { LabelSelector, validateLabelSelector } from "../../../schema/validation/label-selector.ts";
import type { PodTemplate, PodTemplates } from "./pod/template.ts";
import { nameWarnings } from "./pod/warnings.ts";
import { validateAtMost, validateNotNegative } from "../../rules/counts.ts";
import { isEmptySelector, isValidSelector, selectionOf, selectorText } from "../../rules/label-selection.ts";
import { orNone } from "../../rules/template-columns.ts";
import { reportedCondition } from "../../rules/condition.ts";

/** A workload in the view of the common rules. */
interface Workload extends ApiObject {
  spec: { readonly template?: PodTemplate };
  status: object;
}

interface Selecting extends ApiObject {
  readonly spec: { readonly selector?: LabelSelectorValue | null };
}

/** A condition of a workload. */
export const Condition = reportedCondition("A condition of the workload.", "The type of the condition.", {});

/** Numbers of a status, with their names. */
export const counted = (description: string) => t.optional(t.int32(description));

/** The generation that the writer of the status has observed. */
export const observed = t.optional(t.int64("The generation of the object that the status speaks of."));

/** The rules of a selector: it exists, is not empty, and is well formed (KIND-Deployment-2, KIND-All-15). */
export function validateSelector(
  selector: LabelSelectorValue | null | undefined,
  field: string,
  errors: FieldErrors,
): void {
  if (!selector) return errors.required(field, "expected a selector of the labels of the template");
  validateLabelSelector(selector, field, errors);
  if (isEmptySelector(selector)) errors.invalid(field, selector, "expected a selector that asks for something");
}

/** Reports labels of a template that its selector does not match. */
export function validateSelected(
  selector: LabelSelectorValue | null | undefined,
  template: PodTemplate,
  at: string,
  errors: FieldErrors,
): void {
  const { labels } = template.metadata;
  if (selector && (isEmptySelector(selector) || selectionOf(selector)?.matches(labels))) return;
  errors.invalid(`${at}.metadata.labels`, labels ?? null, "expected labels that the selector finds");
}

/** A template whose Pods run for ever (KIND-All-14). */
export function validateLasting({ spec }: PodTemplate, at: string, errors: FieldErrors): void {
  const { restartPolicy = "Always", activeDeadlineSeconds } = spec;
  if (restartPolicy !== "Always") errors.notSupported(`${at}.spec.restartPolicy`, restartPolicy, ["Always"]);
  if (activeDeadlineSeconds !== undefined && activeDeadlineSeconds !== null) {
    errors.forbidden(`${at}.spec.activeDeadlineSeconds`, "expected none: the Pods have no end");
  }
}

/**
 * The selector and the template of a workload, together (KIND-Deployment-2, KIND-ReplicaSet-2, KIND-StatefulSet-6); a template is compared
 * with a selector that can be read. Returns whether it was.
 */
export function validateTemplate(
  { selector, template }: Selecting["spec"] & { readonly template: PodTemplate },
  templates: PodTemplates,
  errors: FieldErrors,
  ctx: WriteContext,
): boolean {
  const at = "spec.template";
  if (selector && !isValidSelector(selector)) {
    errors.invalid("spec.selector", selector, "expected a selector that can be read");
    return false;
  }
  validateSelected(selector, template, at, errors);
  templates.validate(template, at, errors, ctx);
  validateLasting(template, at, errors);
  return true;
}

/** Reports a changed selector. */
export function validateSameSelector(object: Selecting, old: Selecting, errors: FieldErrors): void {
  const [{ selector: now }, { selector: before }] = [object.spec, old.spec];
  if (!sameMeaning(LabelSelector, now, before)) errors.invalid("spec.selector", now ?? null, "field is immutable");
}

/** Reports impossible counts of a status (KIND-ReplicaSet-4). */
export function validateReplicaCounts(status: ReplicaCounts, errors: FieldErrors): void {
  validateNotNegative(status, REPLICA_COUNTS, "status", errors);
  validateAtMost(
    status,
    [
      ["fullyLabeledReplicas", "replicas"],
      ["readyReplicas", "replicas"],
      ["availableReplicas", "replicas"],
      ["availableReplicas", "readyReplicas"],
    ],
    "status",
    errors,
  );
}

const REPLICA_COUNTS = [
  "replicas",
  "fullyLabeledReplicas",
  "readyReplicas",
  "availableReplicas",
  "observedGeneration",
  "terminatingReplicas",
] as const;

type ReplicaCounts = { readonly [member in (typeof REPLICA_COUNTS)[number]]?: number };

/** The rules of one kind of workloads. */
interface Rules<T extends Workload> {
  /** Defaults besides those of the template; changes the object. */
  setDefaults(object: T, ctx: WriteContext): void;
  /** Validates a new object (without `old`), and a changed one besides immutability. */
  validate(object: T, errors: FieldErrors, ctx: WriteContext, old?: T): void;
  /** The immutable members. */
  validateChange?(object: T, old: T, errors: FieldErrors): void;
  validateStatus(object: T, old: T, errors: FieldErrors): void;
  /** Called before a create (without `old`) and an update of the object. */
  prepare?(object: T, old: T | undefined): void;
  /** Prepares a write of the status, besides the common rules; changes `object`. */
  prepareStatus?(object: T, old: T): void;
  /** Whether a change outside of the spec counts in the generation. */
  readonly counts?: ResourceRules<T>["counts"];
  /** Whether Pods have names that do not derive from the workload: then any name is valid. */
  readonly anyName?: true;
  /** Whether a change that keeps the generation has the Warnings of the template. */
  isNewTemplate?(object: T, old: T): boolean;
  /** Warnings besides those of the template, even where that has not changed. */
  warnings?(object: T, old: T | undefined): Iterable<string>;
  /** The status of a new object: the members that are always present; none by default. */
  readonly firstStatus?: object;
  /** Labels that a write of the status does not change. */
  readonly keepsLabels?: true;
  readonly subresources?: ResourceRules<T>["subresources"];
}

/**
 * The common behaviour of workloads: a create begins without a status, an update of the object keeps it, the status path changes nothing
 * else (KIND-All-2); the template gets defaults, is validated, and has Warnings when the generation changes (KIND-All-12, KIND-All-13).
 */
export const workload = <T extends Workload>(
  templates: PodTemplates,
  rules: Rules<T>,
): Pick<
  ResourceRules<T>,
  | "generation"
  | "counts"
  | "resetFields"
  | "defaults"
  | "prepareForCreate"
  | "prepareForUpdate"
  | "validate"
  | "validateUpdate"
  | "warnings"
  | "subresources"
> => ({
  generation: "fromOne",
  ...(rules.counts ? { counts: rules.counts } : {}),
  resetFields: ["status"],
  defaults(object, ctx) {
    rules.setDefaults(object, ctx);
    templates.setDefaults(object.spec.template, ctx);
  },
  prepareForCreate(object, ctx) {
    object.status = { ...rules.firstStatus };
    templates.dropGated(templateOf(object), undefined, ctx);
    rules.prepare?.(object, undefined);
  },
  prepareForUpdate(object, old, ctx) {
    object.status = old.status;
    templates.dropGated(templateOf(object), templateOf(old), ctx);
    rules.prepare?.(object, old);
  },
  validate: (object, errors, ctx) => rules.validate(object, errors, ctx),
  validateUpdate(object, old, errors, ctx) {
    rules.validate(object, errors, ctx, old);
    rules.validateChange?.(object, old, errors);
  },
  *warnings(object, old, ctx) {
    if (!old && !rules.anyName) yield* nameWarnings(object.metadata.name);
    const isNew = !old || (rules.isNewTemplate?.(object, old) ?? isCounted(object, old));
    const { template } = object.spec;
    if (isNew && template) yield* templates.warnings(template, "spec.template", ctx);
    if (rules.warnings) yield* rules.warnings(object, old);
  },
  subresources: {
    status: {
      verbs: ["get", "patch", "update"],
      uncounted: true,
      resetFields: rules.keepsLabels ? ["spec", "metadata.labels"] : ["spec"],
      prepareForUpdate(object, old) {
        object.spec = old.spec;
        if (rules.keepsLabels) keepLabels(object, old);
        rules.prepareStatus?.(object, old);
      },
      validateUpdate: (object, old, errors) => rules.validateStatus(object, old, errors),
    },
    ...rules.subresources,
  },
});

function keepLabels({ metadata }: ApiObject, { metadata: { labels } }: ApiObject): void {
  if (labels) metadata.labels = labels;
  else delete metadata.labels;
}

/** Whether an update counts in the generation. */
export const isCounted = (object: ApiObject, old: ApiObject): boolean =>
  object.metadata.generation !== old.metadata.generation;

/** The selector of a workload as a query. */
export const selectorOf = ({ spec }: Selecting): string => selectorText(spec.selector);

/** The template of a workload. */
export const templateOf = ({ spec }: Workload): PodTemplate | undefined => spec.template;

/** A wide column of the selector. */
export const selectorColumn: Column<Selecting> = textColumn(
  "Selector",
  "The selector of the Pods.",
  (object) => orNone(selectorOf(object)),
  true,
);

/** The number of ready Pods of the desired ones. */
export const readyColumn: Column<ApiObject & { spec: { replicas?: number }; status: { readyReplicas?: number } }> =
  textColumn(
    "Ready",
    "How many of the desired Pods are ready.",
    ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
  );

/** Columns of the numbers of desired, current and ready Pods. */
export const replicaColumns: readonly Column<ApiObject & { spec: { replicas?: number }; status: ReplicaCounts }>[] = [
  numberColumn("Desired", "The desired number of Pods.", ({ spec }) => spec.replicas),
  numberColumn("Current", "How many Pods there are.", ({ status }) => status.replicas),
  numberColumn("Ready", "Pods that are ready.", ({ status }) => status.readyReplicas),
];
