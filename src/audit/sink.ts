/**
 * Destinations of audit events.
 *
 * @module
 */
import type { AuditEvent } from "./event.ts";

/** A destination of events. */
export interface AuditSink {
  /**
   * Writes an event. False, directly or as a promise, means that the event is lost and that its request must be refused
   * (AUDIT-25). Never throws or rejects.
   */
  write(event: AuditEvent): boolean | Promise<boolean>;
}

/** Several sinks as one: each gets every event, and one false makes the result false. */
export function unionOf(sinks: readonly AuditSink[]): AuditSink {
  const [only] = sinks;
  if (only && sinks.length === 1) return only;
  return {
    write(event) {
      const written = sinks.map((sink) => sink.write(event));
      if (!written.some((one) => one instanceof Promise)) return written.every((one) => one === true);
      return Promise.all(written.map((one) => Promise.resolve(one))).then((all) => all.every(Boolean));
    },
  };
}

/** The largest size of events and of batches, in bytes (AUDIT-26). */
export interface Truncation {
  readonly maxEventSize: number;
  readonly maxBatchSize: number;
}

/** An event within the largest size, without its objects where it was too large; undefined where that is too large, too. */
export function truncateEvent(event: AuditEvent, { maxEventSize }: Truncation): AuditEvent | undefined {
  if (sizeOf(event) <= maxEventSize) return event;
  if (event.head.level !== "Request" && event.head.level !== "RequestResponse") return undefined;
  const smaller = event.truncated();
  return sizeOf(smaller) <= maxEventSize ? smaller : undefined;
}

/** The bytes of an event as JSON. */
export const sizeOf = ({ json }: AuditEvent): number => Buffer.byteLength(json);
