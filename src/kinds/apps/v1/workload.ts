/**
 * What workloads have in common: a template of Pods, a selector that finds them, a status of counts.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { int32, int64, nullable, optional, required, struct, text, time } from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import type { ApiObject, Column, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import type { LabelSelectorValue } from "../../../schema/validation/label-selector.ts";
import { validateLabelSelector } from "../../../schema/validation/label-selector.ts";
import { type Value, equal } from "../../../value/value.ts";
import type { PodTemplate, PodTemplates } from "../../core/v1/pod/template.ts";
import { isEmptySelector, labelsText, selectionOf, selectorText } from "../../rules/label-selection.ts";

/** A workload as its rules see it. */
export interface Workload extends ApiObject {
  spec: {
    replicas?: number;
    selector?: LabelSelectorValue;
    template: PodTemplate;
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
  };
  status: { readonly [member: string]: unknown };
}

/** A condition of a workload. */
export const Condition = struct("What is known of one side of the workload.", {
  type: required(text("What it is about.")),
  status: required(text("True, False or Unknown.")),
  lastTransitionTime: nullable(time("When the status last changed.")),
  reason: optional(text("Why, for programs.")),
  message: optional(text("Why, for people.")),
});

/** Numbers of a status, with what they count. */
export const counted = (description: string) => optional(int32(description));

/** The generation that whoever wrote the status had seen. */
export const observed = optional(int64("The generation of the object that the status speaks of."));

/** What a selector must be: there, asking for something, and well formed (KIND-Deployment-2, KIND-All-15). */
export function validateSelector(selector: LabelSelectorValue | undefined, field: string, errors: FieldErrors): void {
  if (!selector) return errors.required(field, "expected a selector of the labels of the template");
  validateLabelSelector(selector, field, errors);
  if (isEmptySelector(selector)) errors.invalid(field, selector, "expected a selector that asks for something");
}

/** Tells labels of a template that its selector does not find. */
export function validateSelected(
  selector: LabelSelectorValue | undefined,
  template: PodTemplate,
  at: string,
  errors: FieldErrors,
): void {
  const { labels } = template.metadata ?? {};
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

/** The selector and the template of a workload, together (KIND-Deployment-2, KIND-ReplicaSet-2, KIND-StatefulSet-6). */
export function validateTemplate(
  { selector, template }: Workload["spec"],
  templates: PodTemplates,
  errors: FieldErrors,
  ctx: WriteContext,
): void {
  const at = "spec.template";
  if (selector && !selectionOf(selector)) {
    errors.invalid("spec.selector", selector, "expected a selector that can be read");
    return;
  }
  validateSelected(selector, template, at, errors);
  templates.validate(template, at, errors, ctx);
  validateLasting(template, at, errors);
}

/** Tells a member of the spec that is not what it was. */
export function validateSame(now: unknown, before: unknown, field: string, errors: FieldErrors): void {
  if (!equal(now as Value | undefined, before as Value | undefined)) errors.invalid(field, now ?? null, "the field does not change");
}

/**
 * The status, and what counts as a change: a create begins without a status, an update of the object keeps it, and its own
 * path writes nothing else of the object (KIND-All-2).
 */
export const withStatus = (
  status: (object: ApiObject, old: ApiObject, errors: FieldErrors) => void,
): Pick<ResourceDefinition, "resetFields" | "generation"> & {
  readonly keep: (object: ApiObject, old: ApiObject) => void;
  readonly path: NonNullable<ResourceDefinition["subresources"]>[string];
} => ({
  resetFields: ["status"],
  generation: "fromOne",
  keep(object, old) {
    object["status"] = old["status"];
  },
  path: {
    verbs: ["get", "patch", "update"],
    resetFields: ["spec"],
    prepareForUpdate(object, old) {
      object["spec"] = old["spec"];
    },
    validateUpdate: status,
  },
});

/** The selector of a workload as a query. */
export const selectorOf = (object: ApiObject): string => selectorText((object as Workload).spec.selector);

const orNone = (text: string): string => (text === "" ? "<none>" : text);

const containersOf = (template: Partial<PodTemplate> | undefined): readonly { name?: string; image?: string }[] =>
  template?.spec?.containers ?? [];

/** Wide columns of a template: the names and the images of its containers. */
export const containerColumns = (
  templateOf: (object: ApiObject) => Partial<PodTemplate> | undefined,
  wide = true,
): readonly Column[] => [
  textColumn(
    "Containers",
    "The names of the containers in the template.",
    (object) => containersOf(templateOf(object)).map(({ name }) => name).join(","),
    wide,
  ),
  textColumn(
    "Images",
    "The images of the containers in the template.",
    (object) => containersOf(templateOf(object)).map(({ image }) => image ?? "").join(","),
    wide,
  ),
];

/** The template of a workload. */
export const templateOf = (object: ApiObject): Partial<PodTemplate> | undefined =>
  (object as Partial<Workload>).spec?.template;

/** A wide column of the selector, by default that of a workload. */
export const selectorColumn = (
  textOf: (object: ApiObject) => string = (object) => selectorText((object as Partial<Workload>).spec?.selector),
): Column => textColumn("Selector", "The selector of the Pods.", (object) => orNone(textOf(object)), true);

/** A column of a number below the object; 0 where there is none. */
export const numberColumn = (
  name: string,
  description: string,
  read: (object: ApiObject) => unknown,
): Column => ({ name, type: "integer", description, cell: (object) => Number(read(object) ?? 0) });

/** A member of the status. */
export const statusOf = (object: ApiObject, member: string): unknown =>
  (object as Partial<Workload>).status?.[member];

/** A member of the spec that says how many Pods there are to be. */
export const replicasOf = (object: ApiObject): number => (object as Partial<Workload>).spec?.replicas ?? 0;

/** Labels as a column shows them. */
export const shownLabels = (labels: Readonly<Record<string, string>> | undefined): string => orNone(labelsText(labels));

export { ageColumn };
