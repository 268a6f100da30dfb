/**
 * Where events go.
 *
 * @module
 */
import type { AuditEvent } from "./event.ts";

/** Takes events. */
export interface AuditSink {
  /**
   * Takes an event; false, now or later, where it is not kept and a request must not go on without it (AUDIT-25). Never
   * throws or rejects.
   */
  take(event: AuditEvent): boolean | Promise<boolean>;
}

/** Several sinks as one: each gets every event; false where one of them says so. */
export function bothOf(sinks: readonly AuditSink[]): AuditSink {
  const [only] = sinks;
  if (only && sinks.length === 1) return only;
  return {
    take(event) {
      const kept = sinks.map((sink) => sink.take(event));
      if (!kept.some((one) => one instanceof Promise)) return kept.every((one) => one === true);
      return Promise.all(kept.map((one) => Promise.resolve(one))).then((all) => all.every(Boolean));
    },
  };
}

/** How large events may be, in bytes; without it they are as large as they are (AUDIT-26). */
export interface Truncation {
  readonly maxEventSize: number;
  readonly maxBatchSize: number;
}

/** An event that is small enough, without its objects where it was too large; undefined where even that is too large. */
export function smallEnough(event: AuditEvent, { maxEventSize }: Truncation): AuditEvent | undefined {
  if (sizeOf(event) <= maxEventSize) return event;
  if (event.head.level !== "Request" && event.head.level !== "RequestResponse") return undefined;
  const smaller = event.truncated();
  return sizeOf(smaller) <= maxEventSize ? smaller : undefined;
}

/** The bytes of an event as JSON. */
export const sizeOf = ({ json }: AuditEvent): number => Buffer.byteLength(json);
