import type { ServerContext } from "../request/context.ts";
import type { HttpResponse } from "../request/response.ts";
import { type OngoingResponse } from "../shared/ongoing.ts";

/** A reader that reads nothing for this long is disconnected: its output must be kept in memory. */
const STALLED_MS = 60_000;

/**
 * Responds with the output of a program until the program ends or the reader leaves; ends when the credentials of the owner are no longer
 * valid.
 *
 * @param cancel called when the reader is gone
 */
export async function respondWithStream(
  { clock, ongoing }: Pick<ServerContext, "clock" | "ongoing">,
  response: HttpResponse,
  owner: OngoingResponse["owner"],
  type: string,
  pieces: AsyncIterable<Uint8Array>,
  cancel: () => void,
): Promise<void> {
  response.longRunning = true;
  const out = response.stream(200, response.headers(type));
  const one = { owner, connection: response.incoming.sent.connection, revoke: () => out.destroy() };
  ongoing.add(one);
  out.onClose = cancel;
  if (out.closed) cancel();
  try {
    for await (const piece of pieces) {
      if (out.closed) return;
      response.bytesOut += piece.length;
      if (out.write(piece)) continue;
      const stalled = clock.after(STALLED_MS, () => out.destroy(), { owner: "reader of a stream" });
      await out.drained();
      stalled.cancel();
    }
    out.end();
  } catch {
    // The stream is broken off, so that the reader does not take a part of the output for all of it.
    out.destroy();
  } finally {
    ongoing.delete(one);
  }
}
