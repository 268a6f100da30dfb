/**
 * The rules that ValidatingWebhookConfiguration and MutatingWebhookConfiguration share (HOOK-1, HOOK-2).
 *
 * @module
 */
import { numberColumn, ageColumn, countOf } from "../../../schema/columns.ts";
import type { ApiObject, Column, ResourceRules, WriteContext } from "../../../schema/definition.ts";
import { isSentEmpty } from "../../../schema/validation/sent-empty.ts";
import { same } from "../../rules/same.ts";
import { GROUP } from "../group.ts";
import type { WebhookValue } from "./webhook.ts";

/** A configuration of webhooks. */
export type WebhookConfiguration = ApiObject & { webhooks?: WebhookValue[] };

const columns: readonly Column<WebhookConfiguration>[] = [
  numberColumn("Webhooks", "The number of webhooks.", ({ webhooks }) => countOf(webhooks)),
  ageColumn,
];

/** What both configurations of webhooks have. */
export const configurationRules = {
  ...GROUP,
  version: "v1",
  counts: (object: WebhookConfiguration, old: WebhookConfiguration, ctx: WriteContext) =>
    isSentEmpty("webhooks", old, ctx) || !same(object.webhooks, old.webhooks),
  columns,
} satisfies Partial<ResourceRules<WebhookConfiguration>>;
