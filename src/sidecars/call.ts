/**
 * Calls of a driver: each has a time to be answered in, and fails with a code that says what is known afterwards.
 *
 * @module
 */
import { CODES, type CodeName, DriverError, codeName } from "../csi/driver-error.ts";
import type { Clock } from "../util/clock.ts";
import { cutText } from "../util/cut-text.ts";

/** Bytes of what was said: with the name of the call and the code it has room in an Event and in the status of an object. */
const MOST_SAID = 900;

/** A call that a driver did not answer as it was wished. */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly code: number;

  /** @param said what the driver said of it; cut after 900 bytes */
  constructor(call: string, code: number, said: string, cause?: unknown) {
    super(`${call}: ${codeName(code)}: ${cutText(said, MOST_SAID)}`, { cause });
    this.code = code;
  }

  /** The name of the code, such as `InvalidArgument`. */
  get codeName(): CodeName {
    return codeName(this.code);
  }
}

/** Codes after which the work of a call may be going on. */
const MAY_GO_ON: ReadonlySet<number> = new Set([
  CODES.Canceled,
  CODES.DeadlineExceeded,
  CODES.Aborted,
  CODES.Unavailable,
]);

/** Whether a call may still be at work after it failed; an exhausted resource is that of the driver's own (NODE-28). */
export const mayGoOn = ({ code }: CallError): boolean => MAY_GO_ON.has(code) || code === CODES.ResourceExhausted;

/** As {@link mayGoOn} where an exhausted resource means that there is no room for a volume. */
export const mayBeMade = ({ code }: CallError): boolean => MAY_GO_ON.has(code);

/** Codes that do not say whether what was asked for is there. */
const UNCLEAR: ReadonlySet<number> = new Set([CODES.Unknown, CODES.Internal, CODES.DataLoss]);

/** Whether a call has ended without saying whether what was asked for is there. */
export const isUnclear = ({ code }: CallError): boolean => UNCLEAR.has(code);

/** Whether a call has ended with the word that what was asked for is not there: it was refused, or there is no room. */
export const isFinal = (error: CallError): boolean => !mayBeMade(error) && !isUnclear(error);

/** So many times in a row a driver may leave it open, before it is taken for not there. */
export const MOST_UNCLEAR = 5;

/** Codes by which a driver says that what it is asked for cannot be. */
const REFUSED: ReadonlySet<number> = new Set([CODES.InvalidArgument, CODES.OutOfRange, CODES.NotFound]);

/** Whether the same request will be refused again. */
export const isRefused = ({ code }: CallError): boolean => REFUSED.has(code);

/** What a call is made with. */
export interface Caller {
  readonly clock: Clock;
  readonly timeoutMillis: number;
}

/**
 * The answer of a driver.
 *
 * @param name of the call, such as `CreateVolume`
 * @param signal gives the call up, whose outcome is not known then
 * @throws CallError
 */
export async function called<T>(
  { clock, timeoutMillis }: Caller,
  name: string,
  signal: AbortSignal,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const { promise: given, reject } = Promise.withResolvers<never>();
  const giveUp = (code: number, said: string): void => {
    const error = new CallError(name, code, said);
    over.abort(error);
    reject(error);
  };
  const stop = (): void => giveUp(CODES.Canceled, "it was given up");
  const late = (): void => giveUp(CODES.DeadlineExceeded, `no answer within ${timeoutMillis} ms`);
  const timer = clock.after(timeoutMillis, late, { owner: name });
  signal.addEventListener("abort", stop);
  try {
    signal.throwIfAborted();
    return await Promise.race([call(over.signal), given]);
  } catch (error) {
    throw error instanceof CallError ? error : failureOf(name, error);
  } finally {
    timer.cancel();
    signal.removeEventListener("abort", stop);
  }
}

/** An error without a code is that of the way to the driver: it may have heard the call. */
function failureOf(name: string, error: unknown): CallError {
  if (error instanceof DriverError) return new CallError(name, CODES[error.code], error.reason, error);
  const { code, message = String(error) } = error as { readonly code?: unknown; readonly message?: string };
  const isKnown = typeof code === "number" && (Object.values(CODES) as number[]).includes(code);
  return new CallError(name, isKnown ? code : CODES.Unavailable, message, error);
}
