import { type AuditEvent, type AuditSink, Batches, sizeOf, truncateEvent } from "../../audit/index.ts";
import { type Random, sleep } from "../../util/clock.ts";
import { type KubeconfigWebhook, LateAnswer, openKubeconfigWebhook } from "../files/kubeconfig-webhook.ts";
import { OptionError } from "../options/types.ts";
import type { SinkParts } from "./audit-file.ts";
import type { AuditWebhookOptions } from "../options/audit-options.ts";

/** How often a list of events is sent before it is given up, and how the pauses grow. */
const TRIES = 5;
const GROWTH = 1.5;
/** A receiver that has not answered by then counts as failed. */
const BOUNDS = { millis: 30_000, owner: "audit" };

/** What a webhook is given. */
type WebhookParts = SinkParts & { readonly random: Random };

/**
 * Opens a sink that posts lists of events to a webhook, whose address and credentials are in a kubeconfig (AUDIT-24,
 * AUDIT-25). A redirect is not followed: it is a failure, and its text is told nobody.
 *
 * @param open sends what waits, once, and closes the connections
 * @throws OptionError where the file says no address
 */
export function openAuditWebhook(
  options: AuditWebhookOptions,
  parts: WebhookParts,
  open: AsyncDisposableStack,
): AuditSink {
  const { mode, batch, truncate } = options;
  const { clock, metrics } = parts;
  const webhook = new Webhook(options, parts);
  open.defer(() => webhook.close());
  const send = async (events: readonly AuditEvent[]): Promise<boolean> => {
    const kept = events.flatMap((event) => (truncate ? (truncateEvent(event, truncate) ?? []) : event));
    metrics.lost("truncate", events.length - kept.length);
    let all = kept.length === events.length;
    for (const part of partsOf(kept, truncate?.maxBatchSize ?? Infinity)) all = (await webhook.send(part)) && all;
    return all;
  };
  if (mode === "blocking-strict") return { write: (event) => send([event]) };
  if (mode === "blocking") return { write: (event) => send([event]).then(() => true) };
  const batches = new Batches({
    clock,
    options: batch,
    send: async (events) => void (await send(events)),
    onDropped: (events) => metrics.lost("buffered", events),
  });
  open.defer(() => {
    webhook.hurry();
    return batches.flush();
  });
  return batches;
}

/** Events in lists of so many bytes at most. */
function partsOf(events: readonly AuditEvent[], maxBytes: number): AuditEvent[][] {
  const parts: AuditEvent[][] = [];
  let left = 0;
  for (const event of events) {
    const size = sizeOf(event);
    if (size > left) {
      parts.push([]);
      left = maxBytes;
    }
    parts.at(-1)!.push(event);
    left -= size;
  }
  return parts;
}

/** A receiver of lists of events. */
class Webhook {
  readonly #options: AuditWebhookOptions;
  readonly #parts: WebhookParts;
  readonly #webhook: KubeconfigWebhook;
  /** Aborted when nobody has time for another try. */
  readonly #hurry = new AbortController();

  constructor(options: AuditWebhookOptions, parts: WebhookParts) {
    this.#options = options;
    this.#parts = parts;
    try {
      this.#webhook = openKubeconfigWebhook(options.configFile, parts.clock);
    } catch (error) {
      throw new OptionError(`expected --audit-webhook-config-file to name a kubeconfig: ${(error as Error).message}`);
    }
  }

  /** Sends events; false where all tries have failed. */
  async send(events: readonly AuditEvent[]): Promise<boolean> {
    const { clock, log, metrics, random } = this.#parts;
    const items = events.map(({ json }) => json).join(",");
    const body = `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${items}]}`;
    let pause = this.#options.initialBackoffMillis;
    for (let tries = 1; ; tries++) {
      const failure = await this.#post(body);
      if (failure === undefined) return true;
      if (tries >= TRIES || this.#hurry.signal.aborted) {
        log.error("audit events could not be sent", { error: failure, events: events.length });
        metrics.lost("webhook", events.length);
        return false;
      }
      await sleep(clock, pause * (1 + 0.2 * random.next()), this.#hurry.signal, { owner: "audit", upkeep: true });
      pause *= GROWTH;
    }
  }

  /** From now on there is no second try. */
  hurry(): void {
    this.#hurry.abort();
  }

  close(): void {
    this.#webhook.close();
  }

  /** Why it failed; undefined where it did not. */
  async #post(body: string): Promise<string | undefined> {
    try {
      const { status } = await this.#webhook.post(body, unread, BOUNDS);
      return status >= 200 && status < 300 ? undefined : `expected a status of 200, got ${status}`;
    } catch (error) {
      return error instanceof LateAnswer ? error.message : String(error);
    }
  }
}

/** What a receiver says beside its status is nothing to anybody. */
async function unread(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of body);
}
