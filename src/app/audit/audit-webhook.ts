import { type AuditEvent, type AuditSink, Batches, sizeOf, truncateEvent } from "../../audit/index.ts";
import { sleep } from "../../util/clock.ts";
import { type KubeconfigWebhook, ResponseTimeout, openKubeconfigWebhook } from "../files/kubeconfig-webhook.ts";
import { OptionError } from "../options/types.ts";
import type { TracedSystemParts } from "../process/system-parts.ts";
import type { SinkParts } from "./audit-file.ts";
import type { AuditWebhookOptions } from "../options/audit-options.ts";
import { messageOf } from "../../util/error.ts";
import { NO_SPAN, NO_TRACE, type Span, type SpanAttributes, inSpan } from "../../util/span.ts";

/** As the webhook backend of kube-apiserver. */
const MAX_ATTEMPTS = 5;
const BACKOFF_FACTOR = 1.5;
const BACKOFF_JITTER = 0.2;
const TIMEOUT = { millis: 30_000, owner: "audit" };
const SPAN = "Call Audit Events webhook";

type WebhookParts = SinkParts & Pick<TracedSystemParts, "random" | "currentSpan" | "inTrace">;

/**
 * Opens a sink that posts lists of events to a webhook, whose address and credentials are in a kubeconfig (AUDIT-24,
 * AUDIT-25). A redirect is not followed: it is a failure.
 *
 * @param open sends the buffered events once, and closes the connections
 * @throws OptionError if the file has no address
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
    for (const part of batchesOf(kept, truncate?.maxBatchSize ?? Infinity)) all = (await webhook.send(part)) && all;
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
    webhook.stopRetrying();
    return batches.flush();
  });
  return batches;
}

/** Splits events into lists of at most `maxBytes` bytes. */
function batchesOf(events: readonly AuditEvent[], maxBytes: number): readonly (readonly AuditEvent[])[] {
  const batches: AuditEvent[][] = [];
  let batch: AuditEvent[] = [];
  let left = 0;
  for (const event of events) {
    const size = sizeOf(event);
    if (size > left) {
      batches.push((batch = []));
      left = maxBytes;
    }
    batch.push(event);
    left -= size;
  }
  return batches;
}

class Webhook {
  readonly #options: AuditWebhookOptions;
  readonly #parts: WebhookParts;
  readonly #webhook: KubeconfigWebhook;
  /** Aborted when the server closes. */
  readonly #noRetry = new AbortController();

  constructor(options: AuditWebhookOptions, parts: WebhookParts) {
    this.#options = options;
    this.#parts = parts;
    try {
      this.#webhook = openKubeconfigWebhook(options.configFile, parts);
    } catch (error) {
      throw new OptionError(`expected --audit-webhook-config-file to name a kubeconfig: ${messageOf(error)}`);
    }
  }

  /**
   * Sends events; false if all attempts have failed. Its span is a part of the request that waits for it; a batch, which has events
   * of several requests, has a trace of its own.
   */
  send(events: readonly AuditEvent[]): Promise<boolean> {
    const { currentSpan = NO_SPAN, inTrace = NO_TRACE } = this.#parts;
    const attributes = (): SpanAttributes => ({ name: "webhook", "event-count": events.length });
    const work = async (span?: Span): Promise<boolean> => {
      const failure = await this.#sendAll(events);
      if (failure === undefined) return true;
      span?.fail(failure);
      return false;
    };
    return this.#options.mode === "batch"
      ? inTrace(SPAN, attributes, work)
      : inSpan(currentSpan(), SPAN, attributes, work);
  }

  /** Returns the error of the last attempt; undefined if one has succeeded. */
  async #sendAll(events: readonly AuditEvent[]): Promise<string | undefined> {
    const { clock, log, metrics, random } = this.#parts;
    const items = events.map(({ json }) => json).join(",");
    const body = `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${items}]}`;
    let pause = this.#options.initialBackoffMillis;
    for (let attempts = 1; ; attempts++) {
      const failure = await this.#post(body);
      if (failure === undefined) return undefined;
      if (attempts >= MAX_ATTEMPTS || this.#noRetry.signal.aborted) {
        log.error("audit events could not be sent", { error: failure, events: events.length });
        metrics.lost("webhook", events.length);
        return failure;
      }
      const jittered = pause * (1 + BACKOFF_JITTER * random.next());
      await sleep(clock, jittered, this.#noRetry.signal, { owner: "audit", upkeep: true });
      pause *= BACKOFF_FACTOR;
    }
  }

  stopRetrying(): void {
    this.#noRetry.abort();
  }

  close(): void {
    this.#webhook.close();
  }

  /** Returns the error of a request; undefined if it succeeded. */
  async #post(body: string): Promise<string | undefined> {
    try {
      const { status } = await this.#webhook.post(body, discard, TIMEOUT);
      return status >= 200 && status < 300 ? undefined : `expected a status of 200, got ${status}`;
    } catch (error) {
      return error instanceof ResponseTimeout ? error.message : String(error);
    }
  }
}

async function discard(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of body);
}
