/**
 * The rules of every kind of the group, by the name of the kind; the same in a worker thread.
 *
 * @module
 */
import type { Dialect } from "../../meta/dialect.ts";
import type { FieldErrors } from "../../meta/field-errors.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { type Steps, inOneStep } from "../../util/steps.ts";
import { checkWork } from "../../util/work-limit.ts";
import type { WebhookConfiguration } from "./v1/configuration.ts";
import type { ValidatingAdmissionPolicyBinding } from "./v1/validating-schema.ts";
import { validateValidatingBinding, validateValidatingPolicy } from "./v1/validating-rules.ts";
import { validateWebhooks } from "./v1/webhook-rules.ts";
import type { MutatingAdmissionPolicyBinding } from "./v1beta1/mutating-schema.ts";
import { validateMutatingBinding, validateMutatingPolicy } from "./v1beta1/mutating-rules.ts";

/** Validates an object of one kind; `old` is the one that it replaces. */
type Rules<T> = (object: T, old: T | undefined, errors: FieldErrors, dialect: Dialect) => Steps<void>;

const webhookRules: Rules<WebhookConfiguration> = ({ webhooks = [] }, old, errors, dialect) =>
  validateWebhooks(webhooks, old && (old.webhooks ?? []), errors, dialect);

const validatingBindingRules: Rules<ValidatingAdmissionPolicyBinding> = (object, _old, errors) =>
  inOneStep(() => validateValidatingBinding(object, errors));

const mutatingBindingRules: Rules<MutatingAdmissionPolicyBinding> = (object, _old, errors) =>
  inOneStep(() => validateMutatingBinding(object, errors));

const RULES = {
  MutatingAdmissionPolicy: validateMutatingPolicy,
  MutatingAdmissionPolicyBinding: mutatingBindingRules,
  MutatingWebhookConfiguration: webhookRules,
  ValidatingAdmissionPolicy: validateValidatingPolicy,
  ValidatingAdmissionPolicyBinding: validatingBindingRules,
  ValidatingWebhookConfiguration: webhookRules,
} as const;

/** A kind that has rules. */
export type RuledKind = keyof typeof RULES;

/** The maximal cost of an entry of an object, in units of `checkWork`. */
const AN_ENTRY = 50;

/** Validates an object that has the schema of its kind. */
export function* validateObject(
  kind: RuledKind,
  object: ApiObject,
  old: ApiObject | undefined,
  errors: FieldErrors,
  dialect: Dialect,
): Steps<void> {
  checkWork(entriesOf(object) * AN_ENTRY);
  yield;
  const rules = RULES[kind] as Rules<ApiObject>;
  yield* rules(object, old, errors, dialect);
}

/** The number of members and elements in a value. */
function entriesOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, entry) => sum + 1 + entriesOf(entry), 0);
}
