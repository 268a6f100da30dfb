/**
 * The error of a call to a driver, and what it says about the requested work.
 *
 * @module
 */
import { cutText } from "../util/cut-text.ts";

/** With the method and the code, a reason of this length fits into an Event and into the status of an attachment. */
const MAX_REASON_BYTES = 900;

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

/** The name of a code; `Unknown` for any other number. */
export const codeName = (code: number): CodeName => NAMES.get(code) ?? "Unknown";

/**
 * A call that failed: with the error of the driver, or without a response (`Unavailable`, `DeadlineExceeded`, `Canceled`).
 * A driver throws it as well; its caller gets the code and the reason.
 */
export class DriverError extends Error {
  override readonly name = "DriverError";
  readonly code: CodeName;
  /** The message without the method and the code, cut after 900 bytes. */
  readonly reason: string;
  /** The method that was called, such as `NodePublishVolume`; empty for an error that a driver throws. */
  readonly method: string;

  constructor(code: CodeName, message: string, method = "") {
    const reason = cutText(message, MAX_REASON_BYTES);
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
 * Whether the driver may still work on the request, or may have done the work (NODE-28). An error that is no
 * {@link DriverError} happened before the call.
 */
export const mayStillRun = (error: unknown): boolean => error instanceof DriverError && UNSURE.has(error.code);

/** Whether the call has ended and left nothing behind: true for every error except those of {@link mayStillRun}. */
export const isFinal = (error: unknown): boolean => !mayStillRun(error);

/** Whether the same call can never succeed with this volume (NODE-49). */
export const isInfeasible = (error: unknown): boolean => error instanceof DriverError && INFEASIBLE.has(error.code);
