/**
 * Makes the spans of requests, and decides which requests are traced.
 *
 * A trace of the sender goes on where the sender may decide that: a request of an administrator or of monitoring has the parent
 * that its `traceparent` names, and is traced if that is. Every other request begins a trace of its own, of which a share is recorded,
 * with a link to the span that it names (KEP-647). A request that is not traced has a span without anything in it, which passes
 * on to other servers that they need not trace it.
 *
 * @module
 */
import type { Clock, Random } from "../util/clock.ts";
import { errorText } from "../util/cut-text.ts";
import {
  type InTrace,
  SPAN_KINDS,
  type Span,
  type SpanAttributes,
  type SpanKind,
  type SpanStart,
  type SpanValue,
} from "../util/span.ts";
import type { SpanContext, SpanHolder } from "./span-context.ts";
import { type RemoteSpan, traceparent } from "./trace-context.ts";

/** A point in time of a span, with ms since the epoch. */
export interface SpanEvent {
  readonly name: string;
  readonly at: number;
  readonly attributes: SpanAttributes;
}

/** A span that has ended; times are ms since the epoch. */
export interface FinishedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentId: string;
  readonly state: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly start: number;
  readonly end: number;
  readonly attributes: Readonly<Record<string, SpanValue>>;
  readonly events: readonly SpanEvent[];
  readonly droppedEvents: number;
  readonly link: RemoteSpan | undefined;
  /** Why the operation has failed; undefined where it has not. */
  readonly failure: string | undefined;
}

/** Takes spans that have ended. */
export interface SpanSink {
  add(span: FinishedSpan): void;
  /** Spans were left out, because their trace has too many. */
  dropped(spans: number): void;
}

/** What a tracer needs. */
export interface TracerParts {
  readonly clock: Pick<Clock, "now" | "steady">;
  readonly random: Pick<Random, "next">;
  readonly context: SpanContext;
  /** The share of traces that is recorded, from 0 to 1. */
  readonly ratio: number;
  readonly sink: SpanSink;
}

/** The beginning of a request, or of other work that begins a trace. */
export interface TracedRequest {
  readonly name: () => string;
  /** That of a server by default. */
  readonly kind?: SpanKind;
  readonly attributes: () => SpanAttributes;
  /** The span that the request says that it is a part of. */
  readonly remote: RemoteSpan | undefined;
  /** Whether its sender decides whether it is traced. */
  readonly isTrusted: boolean;
  readonly baggage: string;
  /** When it came, by the steady counter. */
  readonly at: number;
}

/** A trace has at most so many spans, and a span so many events, as in the SDKs of OpenTelemetry. */
const MAX_SPANS = 1000;
const MAX_EVENTS = 128;

const WORD = 2 ** 32;

/** See the head of this file. */
export class Tracer {
  readonly #parts: TracerParts;

  constructor(parts: TracerParts) {
    this.#parts = parts;
  }

  /** Begins the span of a request. */
  begin(request: TracedRequest): Span {
    const { random, ratio, context } = this.#parts;
    const { remote, isTrusted, baggage } = request;
    const parent = isTrusted ? remote : undefined;
    // The same share of ids, so that other programs with the same ratio record the same traces.
    const share = random.next();
    const isRecorded = parent ? parent.isSampled : share < ratio;
    if (!isRecorded) return new UnrecordedSpan({ random, context }, parent, baggage);
    const trace: Trace = {
      parts: this.#parts,
      traceId: parent?.traceId ?? words(random, 2) + hex(Math.floor(share * WORD)) + words(random, 1),
      state: parent?.state ?? "",
      baggage,
      zero: this.#parts.clock.now() - this.#parts.clock.steady(),
      spans: 1,
    };
    return new RecordedSpan(trace, {
      parentId: parent?.spanId ?? "",
      link: parent ? undefined : remote,
      name: request.name(),
      kind: request.kind ?? SPAN_KINDS.server,
      at: request.at,
      attributes: request.attributes(),
    });
  }

  readonly inTrace: InTrace = async (name, attributes, work) => {
    const span = this.begin({
      name: () => name,
      kind: SPAN_KINDS.internal,
      attributes,
      remote: undefined,
      isTrusted: false,
      baggage: "",
      at: this.#parts.clock.steady(),
    });
    try {
      return await span.run(() => work(span.isRecorded ? span : undefined));
    } catch (error) {
      span.error(error);
      throw error;
    } finally {
      span.end();
    }
  };

  /** Runs work whose current span is that of a holder. */
  run<T>(holder: SpanHolder, work: () => T): T {
    return this.#parts.context.run(holder, work);
  }
}

/** What all spans of one trace share. */
interface Trace {
  readonly parts: TracerParts;
  readonly traceId: string;
  readonly state: string;
  readonly baggage: string;
  /** The time of day at zero of the steady counter. */
  readonly zero: number;
  /** How many have begun. */
  spans: number;
}

interface SpanBeginning {
  readonly parentId: string;
  readonly link?: RemoteSpan | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  readonly at: number;
  readonly attributes: SpanAttributes;
}

class RecordedSpan implements Span, SpanHolder {
  readonly isRecorded = true;
  readonly spanId: string;
  readonly #trace: Trace;
  readonly #beginning: SpanBeginning;
  readonly #attributes: Record<string, SpanValue>;
  #events: SpanEvent[] | undefined = undefined;
  #droppedEvents = 0;
  #failure: string | undefined = undefined;
  #hasEnded = false;

  constructor(trace: Trace, beginning: SpanBeginning) {
    this.#trace = trace;
    this.#beginning = beginning;
    this.#attributes = { ...beginning.attributes };
    this.spanId = words(trace.parts.random, 2);
  }

  get traceId(): string {
    return this.#trace.traceId;
  }

  get headers(): Readonly<Record<string, string>> {
    const { traceId, state, baggage } = this.#trace;
    return headersOf(traceparent(traceId, this.spanId, true), state, baggage);
  }

  start(name: string, attributes: SpanAttributes = {}, { kind = SPAN_KINDS.internal, at }: SpanStart = {}): Span {
    const trace = this.#trace;
    if (trace.spans >= MAX_SPANS) {
      trace.parts.sink.dropped(1);
      return new LeftOutSpan(this);
    }
    trace.spans++;
    return new RecordedSpan(trace, { parentId: this.spanId, name, kind, at: at ?? this.#now, attributes });
  }

  event(name: string, attributes: SpanAttributes = {}, at: number = this.#now): void {
    const events = (this.#events ??= []);
    if (events.length < MAX_EVENTS) events.push({ name, at: this.#trace.zero + at, attributes });
    else this.#droppedEvents++;
  }

  set(attributes: SpanAttributes): void {
    Object.assign(this.#attributes, attributes);
  }

  error(error: unknown): void {
    const type = error instanceof Error ? error.name : typeof error;
    this.event("exception", { "exception.type": type, "exception.message": errorText(error) });
  }

  fail(message: string): void {
    this.#failure = message;
  }

  leaveOut(): void {
    if (!this.#hasEnded) this.#trace.spans--;
    this.#hasEnded = true;
  }

  end(at: number = this.#now): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { parts, traceId, state, zero } = this.#trace;
    const { parentId, link, name, kind, at: start } = this.#beginning;
    parts.sink.add({
      traceId,
      spanId: this.spanId,
      parentId,
      state,
      name,
      kind,
      start: zero + start,
      end: zero + Math.max(start, at),
      attributes: this.#attributes,
      events: this.#events ?? [],
      droppedEvents: this.#droppedEvents,
      link,
      failure: this.#failure,
    });
  }

  run<T>(work: () => T): T {
    return this.#trace.parts.context.run(this, work);
  }

  get current(): Span | undefined {
    return this.#hasEnded ? undefined : this;
  }

  get #now(): number {
    return this.#trace.parts.clock.steady();
  }
}

const nothing = (): void => {};

/** A span that is not recorded, nor are its parts. */
abstract class SilentSpan implements Span {
  readonly isRecorded = false;
  abstract readonly traceId: string;
  abstract readonly spanId: string;
  abstract readonly headers: Readonly<Record<string, string>>;
  abstract run<T>(work: () => T): T;
  abstract end(): void;
  readonly event = nothing;
  readonly set = nothing;
  readonly error = nothing;
  readonly fail = nothing;
  readonly leaveOut = nothing;

  start(): Span {
    return this;
  }
}

/** The span of a request that is not traced. Its ids are made when they are needed. */
class UnrecordedSpan extends SilentSpan implements SpanHolder {
  readonly #parts: Pick<TracerParts, "random" | "context">;
  readonly #parent: RemoteSpan | undefined;
  readonly #baggage: string;
  #ids: { readonly traceId: string; readonly spanId: string } | undefined = undefined;
  #hasEnded = false;

  constructor(parts: Pick<TracerParts, "random" | "context">, parent: RemoteSpan | undefined, baggage: string) {
    super();
    this.#parts = parts;
    this.#parent = parent;
    this.#baggage = baggage;
  }

  get traceId(): string {
    return this.#made.traceId;
  }

  get spanId(): string {
    return this.#made.spanId;
  }

  get headers(): Readonly<Record<string, string>> {
    return headersOf(traceparent(this.traceId, this.spanId, false), this.#parent?.state ?? "", this.#baggage);
  }

  end(): void {
    this.#hasEnded = true;
  }

  run<T>(work: () => T): T {
    return this.#parts.context.run(this, work);
  }

  get current(): Span | undefined {
    return this.#hasEnded ? undefined : this;
  }

  get #made(): { readonly traceId: string; readonly spanId: string } {
    const { random } = this.#parts;
    return (this.#ids ??= { traceId: this.#parent?.traceId ?? words(random, 4), spanId: words(random, 2) });
  }
}

/** Stands in for a span of a trace that has too many; what it calls is a part of the span above it. */
class LeftOutSpan extends SilentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly #above: Span;

  constructor(above: Span) {
    super();
    this.traceId = above.traceId;
    this.spanId = above.spanId;
    this.#above = above;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#above.headers;
  }

  run<T>(work: () => T): T {
    return this.#above.run(work);
  }

  end(): void {}
}

const headersOf = (parent: string, state: string, baggage: string): Readonly<Record<string, string>> => ({
  traceparent: parent,
  ...(state === "" ? {} : { tracestate: state }),
  ...(baggage === "" ? {} : { baggage }),
});

/** 32 bits as 8 digits. */
const hex = (word: number): string => word.toString(16).padStart(8, "0");

/** Random words; the lowest is not zero, so that no id is. */
function words(random: Pick<Random, "next">, count: number): string {
  let text = "";
  for (let i = 1; i <= count; i++) {
    const word = Math.floor(random.next() * WORD);
    text += hex(i === count ? word || 1 : word);
  }
  return text;
}
