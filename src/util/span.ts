/**
 * The part of tracing that all rooms use: the span of the running operation, in which other spans can be started. The room
 * `tracing/` creates spans and exports them.
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
  /** Whether it is recorded; otherwise its attributes need not be computed. */
  readonly isRecorded: boolean;
  /** 32 digits, the same for all spans of a trace. */
  readonly traceId: string;
  /** 16 digits. */
  readonly spanId: string;
  /** The headers of a request to another server that is a part of the operation. */
  readonly headers: Readonly<Record<string, string>>;
  /** Starts an operation that is a part of it, now by default. */
  start(name: string, attributes?: SpanAttributes, options?: SpanStart): Span;
  /** Adds an event at one time, now by default. */
  event(name: string, attributes?: SpanAttributes, at?: number): void;
  /** Adds attributes. */
  set(attributes: SpanAttributes): void;
  /** Records an error as an event. */
  error(error: unknown): void;
  /** Marks the operation as failed. */
  fail(message: string): void;
  /** Discards it, since there was nothing to wait for. It must have no child spans. */
  leaveOut(): void;
  /** Ends it, now by default; the first end counts. */
  end(at?: number): void;
  /** Runs work for which it is the {@link CurrentSpan}, also after each `await` of the work, until the span ends. */
  run<T>(work: () => T): T;
}

/**
 * Returns the span of the running work, for code without a request: calls of etcd, of webhooks and of plugins. Undefined for
 * work that belongs to no request, and where requests are not traced.
 */
export type CurrentSpan = () => Span | undefined;

/** The {@link CurrentSpan} of a program without traces. */
export const NO_SPAN: CurrentSpan = () => undefined;

/**
 * Runs work that is a part of no request in a trace of its own, with the {@link CurrentSpan} of that trace. The work gets the span
 * if that is recorded. An error is recorded and thrown again.
 */
export type InTrace = <T>(
  name: string,
  attributes: () => SpanAttributes,
  work: (span?: Span) => Promise<T>,
) => Promise<T>;

/** The {@link InTrace} of a program without traces. */
export const NO_TRACE: InTrace = (_name, _attributes, work) => work();

/** How a span starts. */
export interface SpanStart {
  readonly kind?: SpanKind;
  readonly at?: number;
}

/**
 * Sends a POST to a URL with a span for the request, whose name is that of client-go.
 *
 * @param send gets the headers of the trace, by lower-case names; undefined where requests are not traced
 */
export async function inPostSpan<T>(
  span: Span | undefined,
  url: string,
  send: (headers: Readonly<Record<string, string>> | undefined) => Promise<T>,
): Promise<T> {
  if (!span?.isRecorded) return send(span?.headers);
  // Without query and password, which may be secret.
  const { hostname, port, origin, pathname } = new URL(url);
  const attributes = {
    "http.request.method": "POST",
    "server.address": hostname,
    ...(port === "" ? {} : { "server.port": Number(port) }),
    "url.full": origin + pathname,
  };
  const part = span.start("HTTP POST", attributes, { kind: SPAN_KINDS.client });
  try {
    return await send(part.headers);
  } catch (error) {
    part.error(error);
    part.fail("");
    throw error;
  } finally {
    part.end();
  }
}

/** Runs work as a part of an operation; it gets the span if that is recorded. An error is recorded and thrown again. */
export function inSpan<T>(
  span: Span | undefined,
  name: string,
  attributes: () => SpanAttributes,
  work: (part?: Span) => Promise<T>,
): Promise<T>;
export function inSpan<T>(
  span: Span | undefined,
  name: string,
  attributes: () => SpanAttributes,
  work: (part?: Span) => T | Promise<T>,
): T | Promise<T>;
export function inSpan<T>(
  span: Span | undefined,
  name: string,
  attributes: () => SpanAttributes,
  work: (part?: Span) => T | Promise<T>,
): T | Promise<T> {
  if (!span) return work();
  if (!span.isRecorded) return span.run(() => work());
  const part = span.start(name, attributes());
  const failed = (error: unknown): never => {
    part.error(error);
    part.end();
    throw error;
  };
  try {
    const result = part.run(() => work(part));
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
