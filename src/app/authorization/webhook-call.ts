import { decodeJson } from "../../value/json.ts";
import type { Value } from "../../value/value.ts";
import { type KubeconfigWebhook, wholeUpTo } from "../files/kubeconfig-webhook.ts";

/** An answer is a review with a reason; it may be as long as the question was, and this much longer. */
const ROOM = 1 << 20;

/**
 * Asks a webhook: one JSON question, one JSON answer. Rejects where the status is none of success (a redirect is not
 * followed), and where the answer is late, too long or no JSON; what it says instead is told nobody.
 */
export const webhookAt =
  (webhook: KubeconfigWebhook, millis: number) =>
  async (body: string): Promise<Value> => {
    const bounds = { millis, owner: "authorization webhook" };
    const { status, answer } = await webhook.post(body, wholeUpTo(body.length + ROOM), bounds);
    if (status < 200 || status > 299) throw new Error(`expected a status of 200, got ${status}`);
    return decodeJson(answer).value;
  };
