import type { IncomingMessage } from "node:http";
import type { Clock } from "../util/clock.ts";

/** The error of a response that has not arrived in time. */
export class ResponseTimeout extends Error {
  override readonly name = "ResponseTimeout";
}

/** Returns the error that `what` has not arrived in time. */
export const tooLate = (millis: number, what: string): ResponseTimeout =>
  new ResponseTimeout(`expected ${what} within ${millis / 1000} s, got none`);

/** Returns the error that `what` is too long. */
export const tooLong = (maxBytes: number, what: string): Error =>
  new Error(`expected ${what} of at most ${maxBytes} bytes, got more`);

/**
 * Runs `work` and aborts its signal after `millis`, or when `outer` is aborted; it then rejects with an error that expected
 * `what`, or with the reason of `outer`.
 */
export async function withTimeout<T>(
  clock: Clock,
  millis: number,
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  const abort = new AbortController();
  const late = (): void => abort.abort(tooLate(millis, what));
  const end = (): void => abort.abort(outer?.reason);
  const timer = clock.after(millis, late);
  if (outer?.aborted) end();
  else outer?.addEventListener("abort", end);
  try {
    return await work(abort.signal);
  } catch (error) {
    throw abort.signal.aborted ? abort.signal.reason : error;
  } finally {
    timer.cancel();
    outer?.removeEventListener("abort", end);
  }
}

/** Reads a body of at most `maxBytes`; `what` names it in the error. Rejects where it is cut off. */
export function readBody(response: IncomingMessage, maxBytes: number, what: string): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const parts: Buffer[] = [];
  let length = 0;
  // Events, because an iterator over a short body costs more than the rest of the response.
  response.on("data", (part: Buffer) => {
    length += part.length;
    if (length <= maxBytes) return void parts.push(part);
    reject(tooLong(maxBytes, what));
    response.destroy();
  });
  response.on("error", reject);
  response.on("end", () => resolve(Buffer.concat(parts)));
  response.on("close", () => reject(new Error(`expected ${what}, the connection was closed before its end`)));
  return promise;
}
