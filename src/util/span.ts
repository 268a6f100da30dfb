/**
 * What code that does a part of a request knows of its trace: the operation that runs, of which it can start parts. The room
 * `tracing/` has what makes spans and sends them.
 *
 * @module
 */

/** The value of an attribute. */
export type SpanValue = string | number | boolean;

/** Attributes by their names. */
export type SpanAttributes = Readonly<Record<string, SpanValue>>;

/** Which side of a call a span is, with the numbers of OTLP. */
export const SPAN_KINDS = { internal: 1, server: 2, client: 3 } as const;

/** One of {@link SPAN_KINDS}. */
export type SpanKind = (typeof SPAN_KINDS)[keyof typeof SPAN_KINDS];

/** One timed operation. Times are ms of the steady counter. */
export interface Span {
  /** Whether it is recorded; attributes of one that is not need not be made. */
  readonly isRecorded: boolean;
  /** 32 digits, the same for all spans of a trace. */
  readonly traceId: string;
  /** 16 digits. */
  readonly spanId: string;
  /** The headers of a request to another server that is a part of the operation. */
  readonly headers: Readonly<Record<string, string>>;
  /** Starts an operation that is a part of it, now by default. */
  start(name: string, attributes?: SpanAttributes, options?: SpanStart): Span;
  /** Adds something that happened at one time, now by default. */
  event(name: string, attributes?: SpanAttributes, at?: number): void;
  /** Adds attributes. */
  set(attributes: SpanAttributes): void;
  /** Records an error as an event. */
  error(error: unknown): void;
  /** Marks the operation as failed. */
  fail(message: string): void;
  /** Leaves it out: there was nothing to wait for. Nothing may be a part of it. */
  leaveOut(): void;
  /** Ends it, now by default; the first end counts. */
  end(at?: number): void;
}

/** How a span starts. */
export interface SpanStart {
  readonly kind?: SpanKind;
  readonly at?: number;
}

/** Runs work as a part of an operation; an error is recorded, and passed on. */
export function inSpan<T>(
  span: Span | undefined,
  name: string,
  attributes: () => SpanAttributes,
  work: () => T | Promise<T>,
): T | Promise<T> {
  if (!span?.isRecorded) return work();
  const part = span.start(name, attributes());
  const failed = (error: unknown): never => {
    part.error(error);
    part.end();
    throw error;
  };
  try {
    const result = work();
    if (!(result instanceof Promise)) {
      part.end();
      return result;
    }
    return result.then((value) => {
      part.end();
      return value;
    }, failed);
  } catch (error) {
    return failed(error);
  }
}
