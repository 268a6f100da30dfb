import type { Transport } from "../../client/transport.ts";
import type { Clock } from "../../util/clock.ts";
import { decodeJson } from "../../value/json.ts";
import type { Value } from "../../value/value.ts";

/** An answer is a review with a reason; it may be as long as the question was, and this much longer. */
const ROOM = 1 << 20;

/**
 * Asks a webhook: one JSON question, one JSON answer. Rejects where the status is none of success (a redirect is not
 * followed), and where the answer is late, too long or no JSON; what it says instead is told nobody.
 *
 * @param query of the address of the webhook
 */
export const webhookAt =
  ({ send, query }: { readonly send: Transport; readonly query: string }, millis: number, clock: Clock) =>
  async (body: string): Promise<Value> => {
    const abort = new AbortController();
    const timer = clock.after(millis, () => abort.abort(), { owner: "authorization webhook" });
    try {
      const headers = { "content-type": "application/json", accept: "application/json" };
      const answer = await send({ method: "POST", path: query, headers, body, signal: abort.signal });
      const bytes = await read(answer.body, body.length + ROOM, abort);
      if (answer.status < 200 || answer.status > 299) throw new Error(`expected a status of 200, got ${answer.status}`);
      return decodeJson(bytes).value;
    } catch (error) {
      throw abort.signal.aborted && !(error instanceof TooLong)
        ? new Error(`expected an answer within ${millis / 1000} s, got none`, { cause: error })
        : error;
    } finally {
      timer.cancel();
    }
  };

class TooLong extends Error {
  override readonly name = "TooLong";
}

async function read(parts: AsyncIterable<Uint8Array>, most: number, abort: AbortController): Promise<Buffer> {
  const kept: Uint8Array[] = [];
  let length = 0;
  for await (const part of parts) {
    length += part.length;
    kept.push(part);
    if (length <= most) continue;
    abort.abort();
    throw new TooLong(`expected an answer of at most ${most} bytes, got more`);
  }
  return Buffer.concat(kept);
}
