/**
 * Calls of a driver: each has a timeout, and fails with a code that says what is known about its work.
 *
 * @module
 */
import { CODES, type CodeName, DriverError, codeName } from "../csi/driver-error.ts";
import type { Clock } from "../util/clock.ts";
import { cutText } from "../util/cut-text.ts";
import type { Call } from "./contract.ts";

/** With the name of the call and the code, a reason of this length fits into an Event and into the status of an object. */
const MAX_REASON_BYTES = 900;

/** The error of a call. */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly code: number;

  /** @param reason the message of the driver; cut after 900 bytes */
  constructor(call: string, code: number, reason: string, cause?: unknown) {
    super(`${call}: ${codeName(code)}: ${cutText(reason, MAX_REASON_BYTES)}`, { cause });
    this.code = code;
  }

  /** The name of the code, such as `InvalidArgument`. */
  get codeName(): CodeName {
    return codeName(this.code);
  }
}

/** Codes after which the driver may still work. */
const MAY_STILL_RUN: ReadonlySet<number> = new Set([
  CODES.Canceled,
  CODES.DeadlineExceeded,
  CODES.Aborted,
  CODES.Unavailable,
]);

/** Whether the driver may still work on a failed call. An exhausted resource is one of the driver itself (NODE-28). */
export const mayStillRun = ({ code }: CallError): boolean =>
  MAY_STILL_RUN.has(code) || code === CODES.ResourceExhausted;

/** As {@link mayStillRun} for the creation of a volume: an exhausted resource means that there is no capacity for it. */
export const mayStillCreate = ({ code }: CallError): boolean => MAY_STILL_RUN.has(code);

/** Codes that do not say whether the requested object exists. */
const UNCLEAR: ReadonlySet<number> = new Set([CODES.Unknown, CODES.Internal, CODES.DataLoss]);

/** Whether a call has ended, and it is not known whether the requested object exists. */
export const isUnclear = ({ code }: CallError): boolean => UNCLEAR.has(code);

/** Whether a call has ended, and the requested object does not exist: the driver refused it, or has no capacity. */
export const isFinal = (error: CallError): boolean => !mayStillCreate(error) && !isUnclear(error);

/** After so many unclear errors in a row, the requested object counts as missing. */
export const MAX_UNCLEAR_ERRORS = 5;

const INFEASIBLE: ReadonlySet<number> = new Set([CODES.InvalidArgument, CODES.OutOfRange, CODES.NotFound]);

/** Whether the same request can never succeed. */
export const isInfeasible = ({ code }: CallError): boolean => INFEASIBLE.has(code);

/** Options of all calls. */
export interface CallOptions {
  readonly clock: Clock;
  readonly timeoutMillis: number;
}

/**
 * The response of a driver.
 *
 * @param method such as `createVolume`
 * @param signal cancels the call; its outcome is not known then
 * @throws CallError
 */
export async function called<T>(
  { clock, timeoutMillis }: CallOptions,
  method: string,
  signal: AbortSignal,
  call: (options: Call) => Promise<T>,
): Promise<T> {
  const name = `${method.charAt(0).toUpperCase()}${method.slice(1)}`;
  const controller = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (code: number, reason: string): void => {
    const error = new CallError(name, code, reason);
    controller.abort(error);
    reject(error);
  };
  const cancel = (): void => end(CODES.Canceled, "the call was cancelled");
  const timeOut = (): void => end(CODES.DeadlineExceeded, `no response within ${timeoutMillis} ms`);
  const timer = clock.after(timeoutMillis, timeOut, { owner: name });
  signal.addEventListener("abort", cancel);
  try {
    signal.throwIfAborted();
    return await Promise.race([call({ signal: controller.signal }), ended]);
  } catch (error) {
    throw error instanceof CallError ? error : failureOf(name, error);
  } finally {
    timer.cancel();
    signal.removeEventListener("abort", cancel);
  }
}

/** An error without a code comes from the connection: the driver may have got the call. */
function failureOf(name: string, error: unknown): CallError {
  if (error instanceof DriverError) return new CallError(name, CODES[error.code], error.reason, error);
  const { code, message = String(error) } = error as { readonly code?: unknown; readonly message?: string };
  const isKnown = typeof code === "number" && (Object.values(CODES) as number[]).includes(code);
  return new CallError(name, isKnown ? code : CODES.Unavailable, message, error);
}
