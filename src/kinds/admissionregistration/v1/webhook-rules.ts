/**
 * The form of webhooks (HOOK-2), with the messages of Kubernetes.
 *
 * @module
 */
import type { Dialect } from "../../../meta/dialect.ts";
import { FieldErrors } from "../../../meta/field-errors.ts";
import { dns1035Label, dnsSubdomain } from "../../../meta/names.ts";
import { validateLabelSelector } from "../../../schema/validation/label-selector.ts";
import type { Steps } from "../../../util/steps.ts";
import { same } from "../../rules/same.ts";
import { validateWebhookService, validateWebhookUrl } from "../../rules/webhook-client.ts";
import { validateConditions } from "../expressions.ts";
import { validateChoice, validateFailurePolicy, validateMatchPolicy } from "../policy-rules.ts";
import { validateRules } from "../rule-lists.ts";
import type { WebhookValue } from "./webhook.ts";

/** A webhook of either configuration. */
export type AnyWebhook = WebhookValue & { reinvocationPolicy?: string };

/** The versions of AdmissionReview that are known. */
const REVIEW_VERSIONS = ["v1", "v1beta1"];
const NO_SIDE_EFFECTS = ["None", "NoneOnDryRun"];
const SIDE_EFFECTS = [...NO_SIDE_EFFECTS, "Some", "Unknown"];
const REINVOCATION_POLICIES = ["IfNeeded", "Never"];
const MAX_TIMEOUT_SECONDS = 30;
const MIN_NAME_PARTS = 3;

/** The values that a configuration may keep because they were stored before. */
interface Kept {
  readonly conditions: boolean;
  readonly names: boolean;
  readonly sideEffects: boolean;
  readonly reviewVersions: boolean;
  readonly labelValues: boolean;
}

const NOTHING: Kept = {
  conditions: false,
  names: false,
  sideEffects: false,
  reviewVersions: false,
  labelValues: false,
};

const keptOf = (webhooks: readonly AnyWebhook[], old: readonly AnyWebhook[]): Kept => ({
  conditions: webhooks.length === old.length && webhooks.every((one, i) => sameConditions(one, old[i]!)),
  names: new Set(old.map(({ name }) => name)).size < old.length,
  sideEffects: !old.every(({ sideEffects }) => NO_SIDE_EFFECTS.includes(sideEffects ?? "")),
  reviewVersions: !old.every(({ admissionReviewVersions }) => hasKnownVersion(admissionReviewVersions ?? [])),
  labelValues: old.some(hasInvalidSelector),
});

const sameConditions = (one: AnyWebhook, other: AnyWebhook): boolean =>
  same(one.matchConditions, other.matchConditions);

const hasKnownVersion = (versions: readonly string[]): boolean =>
  versions.length === 0 || versions.some((version) => REVIEW_VERSIONS.includes(version));

function hasInvalidSelector(webhook: AnyWebhook): boolean {
  const errors = new FieldErrors();
  validateSelectors(webhook, "", false, errors);
  return errors.any;
}

/** Validates the webhooks of a configuration; `old` are those that it replaces. */
export function* validateWebhooks(
  webhooks: readonly AnyWebhook[],
  old: readonly AnyWebhook[] | undefined,
  errors: FieldErrors,
  dialect: Dialect,
): Steps<void> {
  const kept = old ? keptOf(webhooks, old) : NOTHING;
  const names = new Set<string>();
  for (const [i, webhook] of webhooks.entries()) {
    const at = `webhooks[${i}]`;
    yield* validateWebhook(webhook, at, kept, errors);
    validateClient(webhook.clientConfig, `${at}.clientConfig`, errors, dialect);
    if (!kept.names && names.has(webhook.name)) errors.duplicate(`${at}.name`, webhook.name);
    if (webhook.name !== "") names.add(webhook.name);
    yield;
  }
}

function* validateWebhook(webhook: AnyWebhook, at: string, kept: Kept, errors: FieldErrors): Steps<void> {
  validateName(webhook.name, `${at}.name`, errors);
  validateRules(webhook.rules ?? [], `${at}.rules`, errors);
  validateFailurePolicy(webhook.failurePolicy, `${at}.failurePolicy`, errors);
  validateMatchPolicy(webhook.matchPolicy, `${at}.matchPolicy`, errors);
  validateSideEffects(webhook.sideEffects, `${at}.sideEffects`, kept, errors);
  validateTimeout(webhook.timeoutSeconds, `${at}.timeoutSeconds`, errors);
  validateSelectors(webhook, `${at}.`, kept.labelValues, errors);
  validateChoice(webhook.reinvocationPolicy, REINVOCATION_POLICIES, `${at}.reinvocationPolicy`, errors);
  const conditions = kept.conditions ? [] : (webhook.matchConditions ?? []);
  yield* validateConditions(conditions, false, `${at}.matchConditions`, errors);
  validateReviewVersions(webhook.admissionReviewVersions ?? [], `${at}.admissionReviewVersions`, kept, errors);
}

function validateName(name: string, field: string, errors: FieldErrors): void {
  if (name === "") return errors.required(field);
  const wrong = dnsSubdomain(name);
  if (wrong !== undefined) errors.invalid(field, name, wrong);
  else if (name.split(".").length < MIN_NAME_PARTS) {
    errors.invalid(field, name, "should be a domain with at least three segments separated by dots");
  }
}

function validateSideEffects(value: string | null | undefined, field: string, kept: Kept, errors: FieldErrors): void {
  const allowed = kept.sideEffects ? SIDE_EFFECTS : NO_SIDE_EFFECTS;
  if (value == null) errors.required(field, `must specify one of ${allowed.join(", ")}`);
  else validateChoice(value, allowed, field, errors);
}

function validateTimeout(seconds: number | undefined, field: string, errors: FieldErrors): void {
  if (seconds === undefined || (seconds >= 1 && seconds <= MAX_TIMEOUT_SECONDS)) return;
  errors.invalid(field, seconds, `the timeout value must be between 1 and ${MAX_TIMEOUT_SECONDS} seconds`);
}

function validateSelectors(
  { namespaceSelector, objectSelector }: AnyWebhook,
  prefix: string,
  allowsAnyValue: boolean,
  errors: FieldErrors,
): void {
  if (namespaceSelector) {
    validateLabelSelector(namespaceSelector, `${prefix}namespaceSelector`, errors, allowsAnyValue);
  }
  if (objectSelector) validateLabelSelector(objectSelector, `${prefix}objectSelector`, errors, allowsAnyValue);
}

function validateClient(
  { url, service }: AnyWebhook["clientConfig"],
  field: string,
  errors: FieldErrors,
  dialect: Dialect,
): void {
  if ((url === undefined) === (service === undefined)) {
    errors.required(field, "exactly one of url or service is required");
  } else if (url !== undefined) validateWebhookUrl(url, `${field}.url`, errors);
  else validateWebhookService(service!, `${field}.service`, errors, dialect);
}

function validateReviewVersions(versions: readonly string[], field: string, kept: Kept, errors: FieldErrors): void {
  const known = REVIEW_VERSIONS.join(", ");
  if (versions.length === 0) return errors.required(field, `must specify one of ${known}`);
  const seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    const wrong = seen.has(version) ? "duplicate version" : dns1035Label(version);
    if (wrong !== undefined) errors.invalid(`${field}[${i}]`, version, wrong);
    seen.add(version);
  }
  if (!kept.reviewVersions && !hasKnownVersion(versions)) {
    errors.invalid(field, versions, `must include at least one of ${known}`);
  }
}
