import { KubeconfigError } from "../../client/kubeconfig/error.ts";
import type { Clock } from "../../util/clock.ts";
import { decodeJson } from "../../value/json.ts";
import type { Value } from "../../value/value.ts";
import { type KubeconfigWebhook, openKubeconfigWebhook, wholeUpTo } from "../files/kubeconfig-webhook.ts";
import { OptionError } from "../options/types.ts";

/** A webhook that has not answered by then has failed. */
const BOUNDS = { millis: 30_000, owner: "token webhook" };
/** The longest answer that is read. */
const MOST_BYTES = 1 << 20;
const FLAG = "authentication-token-webhook-config-file";

/** Sends reviews of tokens to a webhook. */
export interface TokenReviews {
  /** The value of the answer to a review. Rejects where there is none, or it is no answer: a redirect is not followed. */
  ask(review: string): Promise<Value>;
  close(): void;
}

/**
 * A webhook whose address and credentials are in a kubeconfig.
 *
 * @throws OptionError where the file says no address
 */
export function openTokenReviews(file: string, clock: Clock): TokenReviews {
  const webhook = webhookOf(file, clock);
  return {
    async ask(review) {
      const { status, answer } = await webhook.post(review, wholeUpTo(MOST_BYTES), BOUNDS);
      if (status !== 200 && status !== 201) throw new Error(`expected the status 200 or 201, got ${status}`);
      return decodeJson(answer).value;
    },
    close: () => webhook.close(),
  };
}

function webhookOf(file: string, clock: Clock): KubeconfigWebhook {
  try {
    return openKubeconfigWebhook(file, clock);
  } catch (error) {
    if (error instanceof KubeconfigError) throw new OptionError(`--${FLAG}: ${error.message}`);
    throw new OptionError(`expected --${FLAG} ${file} to name an address of HTTPS: ${(error as Error).message}`);
  }
}
