/**
 * CronJob: Jobs that are created on a schedule (KIND-CronJob-1..9). Nothing here makes a Job.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { subdomainName } from "../../../meta/names.ts";
import { TemplateMetaSchema } from "../../../meta/object-meta.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, countOf, numberColumn, ageCells, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, Column, NameRule, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { PodTemplates } from "../../core/v1/pod/template.ts";
import { nameWarnings } from "../../core/v1/pod/warnings.ts";
import { ObjectReference } from "../../rules/references.ts";
import { validateNotNegative } from "../../rules/counts.ts";
import { selectorText } from "../../rules/label-selection.ts";
import { containerColumns, orNone } from "../../rules/template-columns.ts";
import { isCounted } from "../../core/v1/workload.ts";
import { jobSpecWarnings, validateJobSpec } from "./job-rules.ts";
import { type JobSpec, jobSpecSchema } from "./job-schema.ts";
import { scheduleFault } from "./schedule.ts";
import { isTimeZone } from "./time-zones.ts";
import { statusPath } from "../../rules/status.ts";

const description = "Jobs that start on a schedule.";

const JobTemplate = (ctx: ApiContext) =>
  t.struct("The template of the Jobs.", { metadata: t.always(TemplateMetaSchema), spec: t.always(jobSpecSchema(ctx)) });

const Status = t.struct("The Jobs that have begun.", {
  active: t.optional(t.atomicList(ObjectReference, "The Jobs that run.")),
  lastScheduleTime: t.pointer(t.time("When a Job began last.")),
  lastSuccessfulTime: t.pointer(t.time("When a Job had succeeded last.")),
});

const schemaOf = (ctx: ApiContext) =>
  objectSchema(description, {
    spec: t.always(
      t.struct("When, and what.", {
        schedule: t.required(
          t.text("When: minute, hour, day of the month, month and day of the week, or such as @daily."),
        ),
        timeZone: t.pointer(
          t.text("The zone of these times, such as Europe/Berlin; that of the controller by default."),
        ),
        startingDeadlineSeconds: t.pointer(t.int64("How late a Job may begin.")),
        concurrencyPolicy: t.optional(
          t.text("Allow; Forbid: not while another Job runs; Replace: the new Job replaces the running one.", {
            default: "Allow",
          }),
        ),
        suspend: t.pointer(t.bool("Whether no new Job begins for now.")),
        jobTemplate: t.required(JobTemplate(ctx)),
        successfulJobsHistoryLimit: t.pointer(t.int32("How many Jobs that have succeeded are kept; 3 by default.")),
        failedJobsHistoryLimit: t.pointer(t.int32("How many Jobs that have failed are kept; 1 by default.")),
      }),
    ),
    status: t.always(Status),
  });

type CronJob = ObjectOf<ReturnType<typeof schemaOf>>;

function setDefaults({ spec }: CronJob): void {
  spec.concurrencyPolicy ||= "Allow";
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
}

/** A zone in the text of a schedule, as older versions accepted. */
const ZONED = /TZ/;

function validateSchedule(
  { schedule, timeZone }: CronJob["spec"],
  old: CronJob | undefined,
  errors: FieldErrors,
): void {
  const field = "spec.schedule";
  if (schedule === "") return errors.required(field, "expected five fields, such as 0 3 * * *");
  // A stored text stays valid.
  if (ZONED.test(schedule)) {
    if (timeZone !== undefined || old?.spec.schedule !== schedule) {
      errors.invalid(field, schedule, "expected no zone in the schedule: spec.timeZone names it");
    }
    return;
  }
  const fault = scheduleFault(schedule);
  if (fault !== undefined) errors.invalid(field, schedule, fault);
}

function validateZone(zone: string | undefined, errors: FieldErrors): void {
  if (zone === undefined) return;
  const field = "spec.timeZone";
  const isLocal = zone.toLowerCase() === "local";
  if (isLocal) errors.invalid(field, zone, "expected a zone by its name, not the one of some machine");
  if (zone !== "Local" && !isTimeZone(zone)) errors.invalid(field, zone, "expected a name of the time zone database");
}

const POLICIES = ["Allow", "Forbid", "Replace"];

function validate(
  object: CronJob,
  old: CronJob | undefined,
  templates: PodTemplates,
  errors: FieldErrors,
  ctx: WriteContext,
): void {
  const { spec } = object;
  validateSchedule(spec, old, errors);
  validateNotNegative(spec, ["startingDeadlineSeconds"], "spec", errors);
  validateZone(spec.timeZone, errors);
  const { concurrencyPolicy: policy = "" } = spec;
  if (!POLICIES.includes(policy)) errors.notSupported("spec.concurrencyPolicy", policy, POLICIES);
  const { selector, manualSelector } = spec.jobTemplate.spec;
  const at = "spec.jobTemplate.spec";
  validateJobSpec(spec.jobTemplate.spec, at, templates, errors, ctx);
  if (selector) errors.invalid(`${at}.selector`, selector, "expected none: the server makes that of each Job");
  if (manualSelector) errors.notSupported(`${at}.manualSelector`, manualSelector, ["null", "false"]);
  validateNotNegative(spec, ["successfulJobsHistoryLimit", "failedJobsHistoryLimit"], "spec", errors);
}

const MAX_NAME = 52;

/** The names of its Jobs have eleven characters more. */
const nameRule: NameRule = (name) => {
  const right = subdomainName(name);
  if (right !== true) return right;
  return name.length <= MAX_NAME ? true : `expected at most ${MAX_NAME} characters`;
};

const templateOf = (object: CronJob): JobSpec["template"] | undefined => object.spec?.jobTemplate?.spec?.template;

const suspended = (suspend: boolean | undefined): string =>
  suspend === undefined ? "<unset>" : suspend ? "True" : "False";

const columns: readonly Column<CronJob>[] = [
  textColumn("Schedule", "When a Job begins.", (object) => object.spec.schedule ?? ""),
  textColumn("Timezone", "The zone of these times.", (object) => object.spec.timeZone ?? "<none>"),
  {
    name: "Suspend",
    type: "boolean",
    description: "Whether no new Job begins for now.",
    cell: (object) => suspended(object.spec.suspend),
  },
  numberColumn("Active", "How many Jobs run.", (object) => countOf(object.status?.active)),
  {
    name: "Last Schedule",
    type: "string",
    description: "When a Job began last.",
    ...ageCells((object: CronJob) => object.status?.lastScheduleTime, "<none>"),
  },
  ageColumn,
  ...containerColumns(templateOf),
  textColumn(
    "Selector",
    "The selector of the Pods.",
    (object) => orNone(selectorText(object.spec?.jobTemplate?.spec?.selector)),
    true,
  ),
];

/** The definition of CronJob. */
export function cronJob(ctx: ApiContext): ResourceDefinition {
  const templates = PodTemplates.of(ctx);
  return defineResource(schemaOf(ctx), {
    group: "batch",
    version: "v1",
    kind: "CronJob",
    plural: "cronjobs",
    shortNames: ["cj"],
    categories: ["all"],
    scope: "Namespaced",
    nameRule,
    generation: "fromOne",
    resetFields: ["status"],
    defaults(object, write) {
      const { spec } = object;
      if (!spec) return;
      setDefaults(object);
      templates.setDefaults(templateOf(object), write);
    },
    prepareForCreate(object, write) {
      object["status"] = {};
      templates.dropGated(templateOf(object), undefined, write);
    },
    prepareForUpdate(object, old, write) {
      object["status"] = old["status"];
      templates.dropGated(templateOf(object), templateOf(old), write);
    },
    validate: (object, errors, write) => validate(object, undefined, templates, errors, write),
    validateUpdate: (object, old, errors, write) => validate(object, old, templates, errors, write),
    *warnings(object, old, write) {
      if (!old) yield* nameWarnings(object.metadata.name);
      else if (!isCounted(object, old)) return;
      yield* jobSpecWarnings(object.spec.jobTemplate.spec, "spec.jobTemplate.spec");
      const template = templateOf(object);
      if (template) yield* templates.warnings(template, "spec.jobTemplate.spec.template", write);
    },
    subresources: {
      status: statusPath({ uncounted: true }),
    },
    columns,
  });
}
