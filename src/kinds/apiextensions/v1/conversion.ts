/**
 * The form of a conversion (CRD-24).
 *
 * @module
 */
import type { Dialect } from "../../../meta/dialect.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dns1035Label } from "../../../meta/names.ts";
import type { Conversion } from "./definition.ts";
import { validateWebhookService, validateWebhookUrl } from "../../rules/webhook-client.ts";

const FIELD = "spec.conversion";
const UNDERSTOOD = ["v1", "v1beta1"];

/** The faults of a conversion; `old` may have no known version of the review, which then is not required. */
export function validateConversion(
  conversion: Conversion | undefined,
  old: Conversion | undefined,
  errors: FieldErrors,
  dialect: Dialect,
): void {
  if (!conversion) return;
  const { strategy, webhook } = conversion;
  if (!strategy) errors.required(`${FIELD}.strategy`, "expected None or Webhook");
  else if (strategy !== "None" && strategy !== "Webhook") {
    errors.notSupported(`${FIELD}.strategy`, strategy, ["None", "Webhook"]);
  }
  if (strategy === "Webhook") return validateWebhook(webhook, old, errors, dialect);
  const why = "expected none where the strategy is not Webhook";
  if (webhook?.clientConfig) errors.forbidden(`${FIELD}.webhookClientConfig`, why);
  if (webhook?.conversionReviewVersions?.length) errors.forbidden(`${FIELD}.conversionReviewVersions`, why);
}

function validateWebhook(
  webhook: Conversion["webhook"],
  old: Conversion | undefined,
  errors: FieldErrors,
  dialect: Dialect,
): void {
  const field = `${FIELD}.webhookClientConfig`;
  const { url, service } = webhook?.clientConfig ?? {};
  if ((url === undefined) === (service === undefined)) errors.required(field, "expected one of url and service");
  else if (url !== undefined) validateWebhookUrl(url, `${field}.url`, errors);
  else validateWebhookService(service!, `${field}.service`, errors, dialect);
  validateReviewVersions(webhook?.conversionReviewVersions ?? [], old, errors);
}

function validateReviewVersions(versions: readonly string[], old: Conversion | undefined, errors: FieldErrors): void {
  const field = `${FIELD}.conversionReviewVersions`;
  if (versions.length === 0) return errors.required(field, "expected a version of ConversionReview");
  const seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    const why = seen.has(version) ? "expected each version once" : dns1035Label(version);
    if (why !== undefined) errors.invalid(`${field}[${i}]`, version, why);
    seen.add(version);
  }
  const before = old?.webhook?.conversionReviewVersions ?? [];
  const needsKnown = before.length === 0 || before.some((version) => UNDERSTOOD.includes(version));
  if (needsKnown && !versions.some((version) => UNDERSTOOD.includes(version))) {
    errors.invalid(field, versions, `expected one of ${UNDERSTOOD.join(", ")} among them`);
  }
}
