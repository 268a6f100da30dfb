/**
 * MutatingWebhookConfiguration: webhooks that may change and refuse a write (HOOK-1, HOOK-2).
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { rulesOf } from "../validate.ts";
import { configurationRules } from "./configuration.ts";
import { defaultWebhooks, webhookMembers } from "./webhook.ts";

const MutatingWebhook = t.struct("A webhook that may change writes, and may refuse them.", {
  ...webhookMembers,
  reinvocationPolicy: t.pointer(
    t.text(
      "Never: the webhook is called once, which is the default. IfNeeded: it is called once more where others have changed the object after its call.",
    ),
  ),
});

const schema = objectSchema("Webhooks that may change writes, and may refuse them.", {
  webhooks: t.optional(t.keyedList(MutatingWebhook, ["name"], "The webhooks, in the order of their calls.")),
});

/** A configuration of mutating webhooks in wire form. */
export type MutatingWebhookConfiguration = ObjectOf<typeof schema>;

/** The definition of MutatingWebhookConfiguration. */
export const mutatingWebhookConfiguration = defineResource(schema, {
  ...configurationRules,
  kind: "MutatingWebhookConfiguration",
  validateInSteps: rulesOf("MutatingWebhookConfiguration"),
  plural: "mutatingwebhookconfigurations",
  defaults({ webhooks = [] }) {
    defaultWebhooks(webhooks);
    for (const webhook of webhooks) webhook.reinvocationPolicy ??= "Never";
  },
});
