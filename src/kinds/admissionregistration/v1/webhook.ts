/**
 * The members that webhooks of both configurations share (HOOK-1).
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import { WebhookClientConfig } from "../../rules/webhook-client.ts";
import { defaultSelection, matchConditions, webhookMatching } from "../matching.ts";

/** The schemas of the members of a webhook. */
export const webhookMembers = {
  name: t.required(
    t.text("The name of the webhook: a domain name of at least three parts, unique in the configuration."),
  ),
  clientConfig: t.required(WebhookClientConfig),
  failurePolicy: t.pointer(
    t.text(
      "Fail: a request is refused where the call of the webhook fails, which is the default. Ignore: it continues.",
    ),
  ),
  ...webhookMatching,
  sideEffects: t.requiredOrNull(
    t.text("None: a call has no side effects. NoneOnDryRun: a call for a dry run has none."),
  ),
  timeoutSeconds: t.pointer(t.int32("The seconds until a call has failed, 1 to 30; 10 by default.")),
  admissionReviewVersions: t.requiredOrNull(
    t.atomicList(t.text(), "The versions of AdmissionReview that the webhook supports; the first known one is sent."),
  ),
  matchConditions,
};

const Webhook = t.struct("A webhook of admission.", webhookMembers);

/** A webhook of either configuration in wire form. */
export type WebhookValue = t.Static<typeof Webhook>;

/** Sets the defaults of webhooks. Changes them. */
export function defaultWebhooks(webhooks: readonly WebhookValue[]): void {
  for (const webhook of webhooks) {
    webhook.failurePolicy ??= "Fail";
    webhook.timeoutSeconds ??= 10;
    defaultSelection(webhook, webhook.rules ?? []);
    const { service } = webhook.clientConfig;
    if (service) service.port ??= 443;
  }
}
