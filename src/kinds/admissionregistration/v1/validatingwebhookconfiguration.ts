/**
 * ValidatingWebhookConfiguration: webhooks that may refuse a write (HOOK-1, HOOK-2).
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { rulesOf } from "../validate.ts";
import { configurationRules } from "./configuration.ts";
import { defaultWebhooks, webhookMembers } from "./webhook.ts";

const schema = objectSchema("Webhooks that accept or refuse writes and do not change them.", {
  webhooks: t.optional(
    t.keyedList(t.struct("A webhook that accepts or refuses writes.", webhookMembers), ["name"], "The webhooks."),
  ),
});

/** The definition of ValidatingWebhookConfiguration. */
export const validatingWebhookConfiguration = defineResource(schema, {
  ...configurationRules,
  kind: "ValidatingWebhookConfiguration",
  validateInSteps: rulesOf("ValidatingWebhookConfiguration"),
  plural: "validatingwebhookconfigurations",
  defaults: ({ webhooks = [] }) => defaultWebhooks(webhooks),
});
