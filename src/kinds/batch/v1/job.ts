/**
 * Job: Pods of one template that run until enough of them have succeeded (KIND-Job-1..19). Nothing here makes a Pod.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dnsLabel } from "../../../meta/names.ts";
import { humanDuration, parseTime } from "../../../meta/time.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ApiObject, Column, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { validateLabelSelector } from "../../../schema/validation/label-selector.ts";
import { PodTemplates } from "../../core/v1/pod/template.ts";
import { selectionOf, selectorText } from "../../rules/label-selection.ts";
import { containerColumns, orNone } from "../../rules/template-columns.ts";
import { isCounted, templateOf, workload } from "../../core/v1/workload.ts";
import { jobSpecWarnings, validateJobChange, validateJobSpec } from "./job-rules.ts";
import { type Job, JobStatus, jobSpecSchema } from "./job-schema.ts";
import { validateJobStatus } from "./job-status.ts";

const MAX_INT32 = 2 ** 31 - 1;
const MAX_LABEL_LENGTH = 63;

function setDefaults({ metadata, spec }: Pick<Job, "metadata" | "spec">): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : MAX_INT32;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
  for (const { onPodConditions = [] } of spec.podFailurePolicy?.rules ?? []) {
    for (const condition of onPodConditions) condition.status ||= "True";
  }
  takeLabels({ metadata, spec });
}

/** A Job without labels has those of its template (KIND-Job-3): the same object, so that it gets the labels that the server adds. */
function takeLabels({ metadata, spec }: Pick<Job, "metadata" | "spec">): void {
  const labels = spec.template?.metadata?.labels;
  if (labels && !hasLabels(metadata)) metadata.labels = labels;
}

const hasLabels = ({ labels }: ApiObject["metadata"]): boolean => Object.keys(labels ?? {}).length > 0;

/** The labels by which a Job finds its Pods, and those that older versions used (KIND-Job-2). */
function madeLabels(
  { metadata }: ApiObject,
  { dialect }: Pick<ApiContext, "dialect">,
): Readonly<Record<string, string>> {
  const { uid = "", name = "" } = metadata;
  return {
    [`batch.${dialect.labelDomain}/controller-uid`]: uid,
    [`batch.${dialect.labelDomain}/job-name`]: name,
    "controller-uid": uid,
    "job-name": name,
  };
}

const selecting = ({ dialect }: Pick<ApiContext, "dialect">): string => `batch.${dialect.labelDomain}/controller-uid`;

/** Sets the selector and labels of a new Job, unless the client does; values of the client are validated. */
function makeSelector(job: Job, ctx: WriteContext): void {
  const { metadata, spec } = job;
  if (spec.manualSelector) return;
  const made = madeLabels(job, ctx);
  const isShared = hasLabels(metadata) && metadata.labels === spec.template.metadata?.labels;
  // A name that is too long for a label is an error of the template, where the server sets it.
  const takesLabels = isShared || (!hasLabels(metadata) && (metadata.name ?? "").length <= MAX_LABEL_LENGTH);
  spec.template.metadata = { ...spec.template.metadata, labels: { ...made, ...spec.template.metadata?.labels } };
  if (takesLabels) metadata.labels = { ...spec.template.metadata.labels };
  const key = selecting(ctx);
  spec.selector = { ...spec.selector, matchLabels: { [key]: made[key]!, ...spec.selector?.matchLabels } };
}

/** The server sets its own labels where it generates the selector (KIND-Job-4); an update keeps those of the Job. */
function validateMade(job: Job, old: Job | undefined, errors: FieldErrors, ctx: WriteContext): void {
  const { spec } = job;
  if (spec.manualSelector || !spec.selector) return;
  const labels = spec.template.metadata?.labels ?? {};
  const had = old?.spec.template.metadata?.labels;
  const made = Object.entries(madeLabels(job, ctx));
  const isOld = old !== undefined && made.some(([key]) => key.includes("/") && had?.[key] === undefined);
  const expected = isOld ? made.filter(([key]) => !key.includes("/")) : made;
  for (const [key, value] of expected) {
    const field = `spec.template.metadata.labels[${key}]`;
    const why = `expected ${value}, as the server makes it`;
    if (labels[key] === undefined) errors.required(field, why);
    else if (labels[key] !== value) errors.invalid(field, labels[key], why);
  }
  if (selectionOf(spec.selector)?.matches(Object.fromEntries(expected)) === false) {
    errors.invalid("spec.selector", spec.selector, "expected one that finds the labels which the server makes");
  }
}

function validate(object: Job, templates: PodTemplates, errors: FieldErrors, ctx: WriteContext): void {
  const { metadata, spec } = object;
  validateJobSpec(spec, "spec", templates, errors, ctx);
  const { selector } = spec;
  if (!selector) errors.required("spec.selector", "expected a selector where manualSelector is true");
  else validateLabelSelector(selector, "spec.selector", errors);
  const selection = selector && selectionOf(selector);
  const { labels } = spec.template.metadata ?? {};
  if (!selector || (selection && !selection.matches(labels))) {
    errors.invalid("spec.template.metadata.labels", labels ?? null, "expected labels that the selector finds");
  }
  if (spec.completionMode !== "Indexed" || !spec.completions) return;
  const longest = `${metadata.name}-${spec.completions - 1}`;
  const wrong = dnsLabel(longest);
  if (wrong !== undefined)
    errors.invalid("metadata.name", metadata.name, `expected a name for Pods such as ${longest}: ${wrong}`);
}

/** Whether Pods that do not exist yet may be scheduled differently (KIND-Job-14). */
const mayDirect = ({ spec, status }: Job): boolean => spec.suspend === true && status?.startTime === undefined;

const isTrue = ({ status }: Job, type: string): boolean =>
  (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === "True");

function statusOf(job: Job): string {
  for (const type of ["Complete", "Failed"]) if (isTrue(job, type)) return type;
  if (job.metadata.deletionTimestamp) return "Terminating";
  for (const type of ["Suspended", "FailureTarget", "SuccessCriteriaMet"]) if (isTrue(job, type)) return type;
  return "Running";
}

function completionsOf({ spec, status }: Job): string {
  const done = status?.succeeded ?? 0;
  if (spec.completions !== undefined) return `${done}/${spec.completions}`;
  const { parallelism = 0 } = spec;
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

function durationOf({ status }: Job, now: number): string {
  const start = parseTime(status?.startTime ?? "");
  if (start === undefined) return "";
  return humanDuration((parseTime(status.completionTime ?? "") ?? now) - start);
}

/** The duration of a Job that has ended, else the time since its start. */
function lastingDurationOf(job: Job): string {
  const { startTime, completionTime } = job.status ?? {};
  return startTime && !completionTime ? `since ${startTime}` : durationOf(job, 0);
}

const columns: readonly Column<Job>[] = [
  textColumn("Status", "How the Job is, in one word.", (object) => statusOf(object)),
  textColumn("Completions", "How many Pods have succeeded, of how many.", (object) => completionsOf(object)),
  {
    ...textColumn<Job>("Duration", "How long it has run.", (object, now) => durationOf(object, now)),
    timeless: { type: "string", cell: lastingDurationOf },
  },
  ageColumn,
  ...containerColumns(templateOf),
  textColumn("Selector", "The selector of the Pods.", (object) => orNone(selectorText(object.spec?.selector)), true),
];

/** The definition of Job. */
export function jobKind(ctx: ApiContext): ResourceDefinition {
  const templates = PodTemplates.of(ctx);
  const common = workload<Job>(templates, {
    setDefaults,
    validate: (object, errors, write) => validate(object, templates, errors, write),
    validateStatus: (object, old, errors) => validateJobStatus(object, old, errors),
    prepareStatus: (object) => takeLabels(object),
    *warnings(object, old) {
      if (!old || isCounted(object, old)) yield* jobSpecWarnings(object.spec, "spec");
    },
  });
  const spec = jobSpecSchema(ctx);
  return defineResource(
    objectSchema("Pods of one template that run until enough of them have succeeded.", {
      spec: t.always(spec),
      status: t.always(JobStatus),
    }),
    {
      group: "batch",
      version: "v1",
      kind: "Job",
      plural: "jobs",
      categories: ["all"],
      scope: "Namespaced",
      orphansDependents: { warning: "the Pods of the Job are kept; propagationPolicy=Background deletes them, too" },
      ...common,
      prepareForCreate(object, write) {
        common.prepareForCreate!(object, write);
        makeSelector(object, write);
      },
      validate(object, errors, write) {
        validateMade(object, undefined, errors, write);
        validate(object, templates, errors, write);
      },
      validateUpdate(object, old, errors, write) {
        validate(object, templates, errors, write);
        validateMade(object, old, errors, write);
        validateJobChange(spec, object.spec, old.spec, mayDirect(old), errors);
      },
      selectableFields: { "status.successful": (object) => String(object.status?.succeeded ?? 0) },
      columns,
    },
  );
}
