import { KubeconfigError } from "../../client/kubeconfig/error.ts";
import { decodeJson } from "../../value/json.ts";
import type { Value } from "../../value/value.ts";
import {
  type KubeconfigWebhook,
  type WebhookSystem,
  openKubeconfigWebhook,
  readUpTo,
} from "../files/kubeconfig-webhook.ts";
import { OptionError } from "../options/types.ts";
import { messageOf } from "../../util/error.ts";

const TIMEOUT = { millis: 30_000, owner: "token webhook" };
const MAX_RESPONSE_BYTES = 1 << 20;
const FLAG = "authentication-token-webhook-config-file";

/** Sends reviews of tokens to a webhook. */
export interface TokenReviews {
  /** Resolves to the response; rejects without one, and for a redirect, which is not followed. */
  readonly send: (review: string) => Promise<Value>;
  close(): void;
}

/**
 * Opens the webhook of a kubeconfig.
 *
 * @throws OptionError if the file has no address
 */
export function openTokenReviews(file: string, system: WebhookSystem): TokenReviews {
  const webhook = webhookOf(file, system);
  return {
    async send(review) {
      const { status, body: received } = await webhook.post(review, readUpTo(MAX_RESPONSE_BYTES), TIMEOUT);
      if (status !== 200 && status !== 201) throw new Error(`expected the status 200 or 201, got ${status}`);
      return decodeJson(received).value;
    },
    close: () => webhook.close(),
  };
}

function webhookOf(file: string, system: WebhookSystem): KubeconfigWebhook {
  try {
    return openKubeconfigWebhook(file, system);
  } catch (error) {
    if (error instanceof KubeconfigError) throw new OptionError(`--${FLAG}: ${error.message}`);
    throw new OptionError(`expected --${FLAG} ${file} to be a kubeconfig with an https address: ${messageOf(error)}`);
  }
}
