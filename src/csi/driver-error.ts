/**
 * What a call of a driver failed with, and what that says about the work that was asked for.
 *
 * @module
 */

import { cutText } from "../util/cut-text.ts";

/** Bytes of what was said: with method and code it has room in an Event and in the status of an attachment. */
const MOST_REASON = 900;

/** The codes of gRPC by their names, as drivers and their messages write them. */
export const CODES = {
  Canceled: 1,
  Unknown: 2,
  InvalidArgument: 3,
  DeadlineExceeded: 4,
  NotFound: 5,
  AlreadyExists: 6,
  PermissionDenied: 7,
  ResourceExhausted: 8,
  FailedPrecondition: 9,
  Aborted: 10,
  OutOfRange: 11,
  Unimplemented: 12,
  Internal: 13,
  Unavailable: 14,
  DataLoss: 15,
  Unauthenticated: 16,
} as const;

/** The name of a code of gRPC, such as `InvalidArgument`. */
export type CodeName = keyof typeof CODES;

const NAMES = new Map(Object.entries(CODES).map(([name, code]) => [code as number, name as CodeName]));

/** The name of a code; `Unknown` for a number that is none. */
export const codeName = (code: number): CodeName => NAMES.get(code) ?? "Unknown";

/**
 * A call that failed: with what the driver answered, or without an answer of it (`Unavailable`, `DeadlineExceeded`,
 * `Canceled`). Drivers throw it as well, and whoever called gets its code and its reason.
 */
export class DriverError extends Error {
  override readonly name = "DriverError";
  readonly code: CodeName;
  /** What was said, without the method and the code; cut after 900 bytes, for a driver may say megabytes. */
  readonly reason: string;
  /** The method that was called, such as `NodePublishVolume`; empty for an error that a driver throws. */
  readonly method: string;

  constructor(code: CodeName, said: string, method = "") {
    const reason = cutText(said, MOST_REASON);
    super(method === "" ? `${reason} (${code})` : `${method}: ${reason} (${code})`);
    this.code = code;
    this.reason = reason;
    this.method = method;
  }
}

const UNSURE: ReadonlySet<CodeName> = new Set<CodeName>([
  "DeadlineExceeded",
  "Canceled",
  "Unavailable",
  "Aborted",
  "ResourceExhausted",
]);

const INFEASIBLE: ReadonlySet<CodeName> = new Set<CodeName>(["InvalidArgument", "OutOfRange", "NotFound"]);

/**
 * Whether the driver may still be at work on what it was asked for, or may have done it (NODE-28). An error that is no
 * {@link DriverError} came from before the call.
 */
export const mayStillRun = (error: unknown): boolean => error instanceof DriverError && UNSURE.has(error.code);

/** Whether the call has ended for good and has done nothing that lasts: every error but those of {@link mayStillRun}. */
export const isFinal = (error: unknown): boolean => !mayStillRun(error);

/** Whether the same call can never succeed: what is asked for is not possible with this volume (NODE-49). */
export const isInfeasible = (error: unknown): boolean => error instanceof DriverError && INFEASIBLE.has(error.code);
