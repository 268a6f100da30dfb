import { decodeJson } from "../../value/json.ts";
import type { Value } from "../../value/value.ts";
import { type KubeconfigWebhook, readUpTo } from "../files/kubeconfig-webhook.ts";

/** A response repeats the review; it may be longer by this much. */
const MAX_ADDED_BYTES = 1 << 20;

/**
 * Returns a function that posts JSON to a webhook and resolves to the JSON of its response. It rejects if the status is not 2xx (a
 * redirect is not followed), and for a response that is late, too long or not JSON.
 */
export const webhookCall =
  (webhook: KubeconfigWebhook, millis: number) =>
  async (body: string): Promise<Value> => {
    const bounds = { millis, owner: "authorization webhook" };
    const { status, body: received } = await webhook.post(body, readUpTo(body.length + MAX_ADDED_BYTES), bounds);
    if (status < 200 || status > 299) throw new Error(`expected a status of 200, got ${status}`);
    return decodeJson(received).value;
  };
