/**
 * The rules of a Job's spec (KIND-Job-5, KIND-Job-7..14).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { domainPrefixedPath, qualifiedName } from "../../../meta/names.ts";
import type { WriteContext } from "../../../schema/definition.ts";
import { sameMeaning } from "../../../schema/same-meaning.ts";
import type { PodTemplate, PodTemplates } from "../../core/v1/pod/template.ts";
import { validateNotNegative } from "../../rules/counts.ts";
import type { JobSpec, JobSpecSchema } from "./job-schema.ts";
import { countIndexes, indexFault } from "./indexes.ts";

const MAX_PARALLEL = 100_000;
const MAX_FAILED = 100_000;
const MANY_COMPLETIONS = 100_000;
const MAX_BESIDE_MANY = 10_000;
const MAX_RULES = 20;
const MANY_PARALLEL = 10_000;
const MAX_MANAGER_BYTES = 63;
const MAX_INDEXES_BYTES = 64 * 1024;

/** All faults of a spec at `at`, except those of its selector. */
export function validateJobSpec(
  spec: JobSpec,
  at: string,
  templates: PodTemplates,
  errors: FieldErrors,
  ctx: WriteContext,
): void {
  const counts = ["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit"] as const;
  const more = ["ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"] as const;
  validateNotNegative(spec, [...counts, ...more], at, errors);
  validateManager(spec.managedBy, `${at}.managedBy`, errors);
  validateIndexed(spec, at, errors);
  const policies = spec.podFailurePolicy ? ["Failed"] : ["Failed", "TerminatingOrFailed"];
  if (spec.podReplacementPolicy !== undefined && !policies.includes(spec.podReplacementPolicy)) {
    errors.notSupported(`${at}.podReplacementPolicy`, spec.podReplacementPolicy, policies);
  }
  validateFailurePolicy(spec, `${at}.podFailurePolicy`, errors);
  validateSuccessPolicy(spec, `${at}.successPolicy`, errors);
  templates.validate(spec.template, `${at}.template`, errors, ctx);
  validateRestart(spec, `${at}.template.spec.restartPolicy`, errors);
}

/** The Warning about a spec at `at` whose indexes may exceed the limit of the status. */
export function* jobSpecWarnings({ completionMode, completions = 0, parallelism = 0 }: JobSpec, at: string) {
  if (completionMode !== "Indexed" || completions <= MANY_COMPLETIONS || parallelism <= MANY_PARALLEL) return;
  yield `${at}: with more than ${MANY_COMPLETIONS} completions and a parallelism above ${MANY_PARALLEL} not all failed indexes may find room in the status`;
}

function validateManager(manager: string | undefined, field: string, errors: FieldErrors): void {
  if (manager === undefined) return;
  if (manager === "") return errors.required(field, "expected a domain and a path, such as example.com/controller");
  const wrong = domainPrefixedPath(manager);
  if (wrong !== undefined) errors.invalid(field, manager, wrong);
  if (manager.length > MAX_MANAGER_BYTES) errors.tooLong(field, MAX_MANAGER_BYTES);
}

function validateIndexed(spec: JobSpec, at: string, errors: FieldErrors): void {
  const { completionMode, completions, parallelism = 0, backoffLimitPerIndex, maxFailedIndexes } = spec;
  const isIndexed = completionMode === "Indexed";
  if (completionMode !== undefined && !isIndexed && completionMode !== "NonIndexed") {
    errors.notSupported(`${at}.completionMode`, completionMode, ["Indexed", "NonIndexed"]);
  } else if (!isIndexed) {
    for (const member of ["backoffLimitPerIndex", "maxFailedIndexes"] as const) {
      if (spec[member] === undefined) continue;
      errors.invalid(`${at}.${member}`, spec[member], "expected the completionMode Indexed together with it");
    }
  }
  if (maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined) {
    errors.required(`${at}.backoffLimitPerIndex`, "expected a number together with maxFailedIndexes");
  }
  if (!isIndexed) return;
  if (maxFailedIndexes !== undefined && maxFailedIndexes > Math.min(completions ?? MAX_FAILED, MAX_FAILED)) {
    errors.invalid(`${at}.maxFailedIndexes`, maxFailedIndexes, `expected no more than completions, and ${MAX_FAILED}`);
  }
  if (completions === undefined) errors.required(`${at}.completions`, "expected a number where the Job is Indexed");
  if (parallelism > MAX_PARALLEL) errors.invalid(`${at}.parallelism`, parallelism, `expected at most ${MAX_PARALLEL}`);
  if ((completions ?? 0) <= MANY_COMPLETIONS || backoffLimitPerIndex === undefined) return;
  const why = `expected at most ${MAX_BESIDE_MANY} together with more than ${MANY_COMPLETIONS} completions`;
  if (maxFailedIndexes === undefined) errors.required(`${at}.maxFailedIndexes`, why);
  else if (maxFailedIndexes > MAX_BESIDE_MANY) errors.invalid(`${at}.maxFailedIndexes`, maxFailedIndexes, why);
  if (parallelism > MAX_BESIDE_MANY) errors.invalid(`${at}.parallelism`, parallelism, why);
}

function validateRestart({ template, podFailurePolicy }: JobSpec, field: string, errors: FieldErrors): void {
  const { restartPolicy = "Always" } = template.spec;
  const words = ["Never", "OnFailure"];
  if (restartPolicy === "Always") errors.required(field, `expected one of ${words.join(", ")}`);
  else if (!words.includes(restartPolicy)) errors.notSupported(field, restartPolicy, words);
  else if (podFailurePolicy && restartPolicy !== "Never") {
    errors.invalid(field, restartPolicy, "expected Never together with a podFailurePolicy");
  }
}

type FailureRule = NonNullable<NonNullable<JobSpec["podFailurePolicy"]>["rules"]>[number];

const ACTIONS = ["Count", "FailIndex", "FailJob", "Ignore"];

function validateFailurePolicy(spec: JobSpec, at: string, errors: FieldErrors): void {
  const rules = spec.podFailurePolicy?.rules ?? [];
  if (rules.length > MAX_RULES) errors.tooMany(`${at}.rules`, rules.length, MAX_RULES);
  const { containers, initContainers } = spec.template.spec;
  const names = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name));
  for (const [i, rule] of rules.entries()) validateFailureRule(rule, spec, names, `${at}.rules[${i}]`, errors);
}

function validateFailureRule(
  { action, onExitCodes, onPodConditions = [] }: FailureRule,
  spec: JobSpec,
  names: ReadonlySet<string>,
  at: string,
  errors: FieldErrors,
): void {
  if (!action) errors.required(`${at}.action`, `expected one of ${ACTIONS.join(", ")}`);
  else if (!ACTIONS.includes(action)) errors.notSupported(`${at}.action`, action, ACTIONS);
  else if (action === "FailIndex" && spec.backoffLimitPerIndex === undefined) {
    errors.invalid(`${at}.action`, action, "expected backoffLimitPerIndex together with it");
  }
  if (onExitCodes) validateExitCodes(onExitCodes, names, `${at}.onExitCodes`, errors);
  if (onPodConditions.length > MAX_RULES) {
    errors.tooMany(`${at}.onPodConditions`, onPodConditions.length, MAX_RULES);
  }
  for (const [i, { type, status }] of onPodConditions.entries()) {
    const field = `${at}.onPodConditions[${i}]`;
    const wrong = type ? qualifiedName(type) : "expected a type";
    if (wrong !== undefined) errors.invalid(`${field}.type`, type ?? "", wrong);
    const statuses = ["False", "True", "Unknown"];
    if (!status) errors.required(`${field}.status`, `expected one of ${statuses.join(", ")}`);
    else if (!statuses.includes(status)) errors.notSupported(`${field}.status`, status, statuses);
  }
  if (onExitCodes && onPodConditions.length > 0) {
    errors.invalid(at, "", "expected only one of onExitCodes and onPodConditions");
  } else if (!onExitCodes && onPodConditions.length === 0) {
    errors.invalid(at, "", "expected one of onExitCodes and onPodConditions");
  }
}

function validateExitCodes(
  { operator, values, containerName }: NonNullable<FailureRule["onExitCodes"]>,
  names: ReadonlySet<string>,
  at: string,
  errors: FieldErrors,
): void {
  const operators = ["In", "NotIn"];
  if (!operator) errors.required(`${at}.operator`, `expected one of ${operators.join(", ")}`);
  else if (!operators.includes(operator)) errors.notSupported(`${at}.operator`, operator, operators);
  if (containerName !== undefined && !names.has(containerName)) {
    errors.invalid(`${at}.containerName`, containerName, "expected the name of a container of the template");
  }
  const codes = values ?? [];
  if (codes.length === 0) errors.invalid(`${at}.values`, codes, "expected at least one code");
  if (codes.length > 255) errors.tooMany(`${at}.values`, codes.length, 255);
  const seen = new Set<number>();
  for (const [i, code] of codes.entries()) {
    if (operator === "In" && code === 0)
      errors.invalid(`${at}.values[${i}]`, code, "expected another code than 0 for In");
    if (seen.has(code)) errors.duplicate(`${at}.values[${i}]`, code);
    seen.add(code);
  }
  if (codes.some((code, i) => i > 0 && code < codes[i - 1]!)) {
    errors.invalid(`${at}.values`, codes, "expected the codes in ascending order");
  }
}

function validateSuccessPolicy(
  { successPolicy, completionMode, completions }: JobSpec,
  at: string,
  errors: FieldErrors,
): void {
  if (!successPolicy) return;
  if (completionMode !== "Indexed") {
    errors.invalid(at, successPolicy, "expected the completionMode Indexed together with it");
    return;
  }
  const rules = successPolicy.rules ?? [];
  if (rules.length === 0) errors.required(`${at}.rules`, "expected at least one rule");
  if (rules.length > MAX_RULES) errors.tooMany(`${at}.rules`, rules.length, MAX_RULES);
  for (const [i, { succeededCount: count, succeededIndexes: indexes }] of rules.entries()) {
    const field = `${at}.rules[${i}]`;
    if (indexes !== undefined && indexes.length > MAX_INDEXES_BYTES) {
      errors.tooLong(`${field}.succeededIndexes`, MAX_INDEXES_BYTES);
    }
    if (count === undefined && indexes === undefined) {
      errors.required(field, "expected succeededIndexes or succeededCount");
      continue;
    }
    const fault = indexes === undefined || completions === undefined ? undefined : indexFault(indexes, completions);
    if (fault !== undefined) errors.invalid(`${field}.succeededIndexes`, indexes, fault);
    if (count === undefined) continue;
    validateNotNegative({ succeededCount: count }, ["succeededCount"], field, errors);
    if (completions !== undefined && count > completions) {
      errors.invalid(`${field}.succeededCount`, count, "expected no more than completions");
    }
    if (indexes !== undefined && count > (fault === undefined ? countIndexes(indexes) : 0)) {
      errors.invalid(`${field}.succeededCount`, count, "expected no more than the indexes that are named");
    }
  }
}

/** Members that may not change. */
const STAYS = [
  "completionMode",
  "podFailurePolicy",
  "backoffLimitPerIndex",
  "managedBy",
  "successPolicy",
  "selector",
] as const;

/**
 * The faults of a changed spec (KIND-Job-12..14).
 *
 * @param schema that of both specs
 * @param mayDirect whether the scheduling directives of the Pods may still change
 */
export function validateJobChange(
  schema: JobSpecSchema,
  spec: JobSpec,
  old: JobSpec,
  mayDirect: boolean,
  errors: FieldErrors,
): void {
  // An indexed Job requires the number.
  const isMissing = spec.completionMode === "Indexed" && spec.completions === undefined;
  if (!isMissing && spec.completions !== old.completions) {
    const isTogether = spec.completionMode === "Indexed" && spec.completions === spec.parallelism;
    if (!isTogether || spec.completions === undefined) {
      errors.invalid(
        "spec.completions",
        spec.completions ?? null,
        "field is immutable: expected it to change together with spec.parallelism of an Indexed Job",
      );
    }
  }
  for (const member of STAYS) {
    if (!sameMeaning(schema.properties[member], spec[member], old[member]))
      errors.invalid(`spec.${member}`, spec[member] ?? null, "field is immutable");
  }
  const before = mayDirect ? directedAs(old.template, spec.template) : old.template;
  if (!sameMeaning(schema.properties.template, spec.template, before))
    errors.invalid("spec.template", null, "field is immutable");
}

/** A template with the scheduling directives, labels and annotations of another one. */
function directedAs(template: PodTemplate, { metadata, spec }: PodTemplate): PodTemplate {
  const directed = structuredClone(template) as { metadata: Record<string, unknown>; spec: Record<string, unknown> };
  directed.metadata ??= {};
  const put = (into: Record<string, unknown>, member: string, value: unknown): void => {
    if (value === undefined) delete into[member];
    else into[member] = value;
  };
  put(directed.metadata, "labels", metadata.labels);
  put(directed.metadata, "annotations", metadata.annotations);
  for (const member of ["nodeSelector", "tolerations", "schedulingGates"] as const) {
    put(directed.spec, member, spec[member]);
  }
  const affinity = { ...(template.spec.affinity as Record<string, unknown> | undefined) };
  put(affinity, "nodeAffinity", spec.affinity?.nodeAffinity);
  const isThere = Object.keys(affinity).length > 0 || (spec.affinity && !spec.affinity.nodeAffinity);
  put(directed.spec, "affinity", isThere ? affinity : undefined);
  return directed as unknown as PodTemplate;
}
