/**
 * Sends spans to a collector over OTLP/gRPC, in batches and beside everything else.
 *
 * A span is encoded when it ends, and waits in a queue with a bound in spans and in bytes; where that is full, it is dropped and
 * counted. One batch is sent at a time. A collector that refuses, hangs or is not there costs nothing but the spans.
 *
 * @module
 */
import { CODES, GrpcError } from "../grpc/error.ts";
import { frameOf } from "../grpc/messages.ts";
import { GrpcSession } from "../grpc/session.ts";
import { type Clock, type Timer, sleep } from "../util/clock.ts";
import { errorText } from "../util/cut-text.ts";
import { type Metric, single } from "../util/exposition.ts";
import type { Log } from "../util/log.ts";
import { type SpanOrigin, exportRequest, readExportResponse, spanBytes } from "./otlp.ts";
import type { FinishedSpan, SpanSink } from "./tracer.ts";

/** Where the collector is: a host and port, or the path of a unix socket. */
export type Collector = { readonly url: string } | { readonly socket: string };

/** What an exporter needs. */
export interface ExporterParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly collector: Collector;
  readonly origin: SpanOrigin;
  /** {@link EXPORT_BOUNDS} by default. */
  readonly bounds?: Partial<ExportBounds>;
}

/** The bounds of the queue, and the times of sending. */
export interface ExportBounds {
  readonly queueSpans: number;
  readonly queueBytes: number;
  readonly batchSpans: number;
  readonly batchBytes: number;
  /** How long a span waits for others at most. */
  readonly delayMillis: number;
  /** How long a call, or the connection, may take. */
  readonly callMillis: number;
  /** The first pause before a batch is sent again, and how long it is tried in all. */
  readonly backoffMillis: number;
  readonly retryMillis: number;
  /** How long the end of the server waits for the rest. */
  readonly closeMillis: number;
}

/** As in the SDKs of OpenTelemetry, but for the bounds in bytes, and the end, which take no longer than the end of a server may. */
export const EXPORT_BOUNDS: ExportBounds = {
  queueSpans: 2048,
  queueBytes: 8 << 20,
  batchSpans: 512,
  batchBytes: 2 << 20,
  delayMillis: 5000,
  callMillis: 10_000,
  backoffMillis: 1000,
  retryMillis: 60_000,
  closeMillis: 2000,
};

const METHOD = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
const MAX_BACKOFF_MS = 30_000;
/** The codes after which the same batch may be accepted later (OTLP, "Failures"): cancelled, aborted and data loss beside those of {@link CODES}. */
const RETRIED: ReadonlySet<number> = new Set([
  1,
  CODES.deadlineExceeded,
  CODES.resourceExhausted,
  10,
  CODES.outOfRange,
  CODES.unavailable,
  15,
]);

/** Why a span was not sent. */
type Loss = "queue" | "trace" | "export" | "rejected";

/** See the head of this file. */
export class SpanExporter implements SpanSink {
  readonly #parts: ExporterParts;
  readonly #bounds: ExportBounds;
  #queue: Buffer[] = [];
  #bytes = 0;
  #timer: Timer | undefined = undefined;
  #sending: Promise<void> | undefined = undefined;
  #session: GrpcSession | undefined = undefined;
  readonly #closing = new AbortController();
  #isClosed = false;
  #exported = 0;
  #failures = 0;
  readonly #lost: Record<Loss, number> = { queue: 0, trace: 0, export: 0, rejected: 0 };

  constructor(parts: ExporterParts) {
    this.#parts = parts;
    this.#bounds = { ...EXPORT_BOUNDS, ...parts.bounds };
  }

  add(span: FinishedSpan): void {
    const { queueSpans, queueBytes, batchSpans } = this.#bounds;
    // A full queue costs nothing more.
    if (this.#isClosed || this.#queue.length >= queueSpans || this.#bytes >= queueBytes) {
      this.#lost.queue++;
      return;
    }
    const bytes = spanBytes(span);
    if (this.#bytes + bytes.length > queueBytes) {
      this.#lost.queue++;
      return;
    }
    this.#queue.push(bytes);
    this.#bytes += bytes.length;
    if (this.#queue.length >= batchSpans) this.#begin();
    else this.#wait();
  }

  dropped(spans: number): void {
    this.#lost.trace += spans;
  }

  /** Sends what waits, within a bound; further spans are dropped. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    this.#closing.abort();
    const late = new AbortController();
    const bound = sleep(this.#parts.clock, this.#bounds.closeMillis, late.signal, { owner: "tracing", holds: true });
    await Promise.race([this.#rest(), bound]);
    late.abort();
    this.#isClosed = true;
    this.#lost.export += this.#queue.length;
    this.#queue = [];
    this.#bytes = 0;
    this.#session?.destroy("the server is closing");
  }

  /** Spans that were sent, that were dropped, and calls that failed. */
  readonly metrics = (): readonly Metric[] => [
    single("counter", "keelson_tracing_spans_exported_total", "Spans that a collector has taken.", this.#exported),
    {
      name: "keelson_tracing_spans_dropped_total",
      type: "counter",
      help: "Spans that were not sent: the queue was full, a trace had too many, calls failed, or the collector refused them.",
      samples: Object.entries(this.#lost).map(([reason, value]) => ({ labels: { reason }, value })),
    },
    single("counter", "keelson_tracing_export_failures_total", "Calls of the collector that failed.", this.#failures),
    single("gauge", "keelson_tracing_queued_spans", "Spans that wait to be sent.", this.#queue.length),
  ];

  async #rest(): Promise<void> {
    await this.#sending;
    if (this.#queue.length > 0) {
      this.#begin();
      await this.#rest();
    }
  }

  /** Waits for more spans, for a time. */
  #wait(): void {
    const { clock } = this.#parts;
    const { delayMillis } = this.#bounds;
    this.#timer ??= clock.after(delayMillis, () => this.#begin(), { owner: "tracing", upkeep: true });
  }

  /** Sends batches until no full one waits, unless that is running. */
  #begin(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      if (this.#queue.length > 0 && !this.#closing.signal.aborted) this.#wait();
    });
  }

  async #sendAll(): Promise<void> {
    do await this.#send(this.#next());
    while (this.#queue.length >= this.#bounds.batchSpans && !this.#isClosed);
  }

  /** Takes a batch from the queue. */
  #next(): readonly Buffer[] {
    const { batchSpans, batchBytes } = this.#bounds;
    let count = 0;
    let bytes = 0;
    for (; count < Math.min(batchSpans, this.#queue.length); count++) {
      const { length } = this.#queue[count]!;
      if (count > 0 && bytes + length > batchBytes) break;
      bytes += length;
    }
    this.#bytes -= bytes;
    return this.#queue.splice(0, count);
  }

  /** Sends a batch, again where that may help; never rejects. */
  async #send(batch: readonly Buffer[]): Promise<void> {
    if (batch.length === 0) return;
    const { clock, log } = this.#parts;
    const { backoffMillis, retryMillis } = this.#bounds;
    const since = clock.steady();
    for (let pause = backoffMillis; ; pause = Math.min(2 * pause, MAX_BACKOFF_MS)) {
      try {
        const { rejected, message } = await this.#call(batch);
        const refused = Math.min(batch.length, Math.max(0, rejected));
        this.#exported += batch.length - refused;
        this.#lost.rejected += refused;
        if (refused > 0) log.warn("the collector has refused spans", { spans: refused, message: errorText(message) });
        return;
      } catch (error) {
        this.#failures++;
        const mayHelp = !(error instanceof GrpcError) || RETRIED.has(error.code);
        const isLate = clock.steady() - since + pause > retryMillis || this.#closing.signal.aborted;
        if (!mayHelp || isLate) {
          this.#lost.export += batch.length;
          log.warn("spans could not be sent", { spans: batch.length, error: errorText(error) });
          return;
        }
        await sleep(clock, pause, this.#closing.signal, { owner: "tracing", upkeep: true });
      }
    }
  }

  async #call(batch: readonly Buffer[]): Promise<ReturnType<typeof readExportResponse>> {
    const { clock, origin } = this.#parts;
    const { callMillis } = this.#bounds;
    const session = await this.#connected();
    // A collector that does not respond in time gets a new connection.
    const late = clock.after(callMillis, () => session.destroy(`no response within ${callMillis} ms`), {
      owner: "tracing",
    });
    try {
      return readExportResponse(await session.call(METHOD, frameOf(exportRequest(origin, batch)), callMillis));
    } finally {
      late.cancel();
    }
  }

  async #connected(): Promise<GrpcSession> {
    if (this.#session?.open) return this.#session;
    const { clock, collector } = this.#parts;
    const [url, options] =
      "url" in collector ? [collector.url, {}] : ["http://localhost", { socket: collector.socket }];
    const session = await GrpcSession.open(url, options, clock, this.#bounds.callMillis);
    if (this.#isClosed) session.destroy("the server is closing");
    return (this.#session = session);
  }
}
