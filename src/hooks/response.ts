import type { IncomingMessage } from "node:http";
import type { Clock } from "../util/clock.ts";

/** Runs `work` and aborts its signal after `millis`; it then rejects with an error that expected `what`. */
export async function withTimeout<T>(
  clock: Clock,
  millis: number,
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const late = new Error(`expected ${what} within ${millis / 1000} s, got none`);
  const timer = clock.after(millis, () => abort.abort(late));
  try {
    return await work(abort.signal);
  } catch (error) {
    throw abort.signal.aborted ? late : error;
  } finally {
    timer.cancel();
  }
}

/** Reads a body of at most `maxBytes`; `what` names it in the error. */
export async function readBody(response: IncomingMessage, maxBytes: number, what: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response) {
    length += part.length;
    if (length > maxBytes) throw new Error(`expected ${what} of at most ${maxBytes} bytes, got more`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
