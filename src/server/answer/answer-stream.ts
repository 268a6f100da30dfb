import type { ServerContext } from "../request/context.ts";
import type { HttpResponse } from "../request/response.ts";
import { type OngoingAnswer } from "../shared/ongoing.ts";

/** A reader that takes nothing for so long is broken off: what it reads must be kept for it. */
const STALLED_MS = 60_000;

/**
 * Answers with pieces that a program makes, for as long as it and the reader want; ends when the credentials of the owner are taken
 * back.
 *
 * @param cancel called when the reader is gone
 */
export async function answerStream(
  { clock, ongoing }: Pick<ServerContext, "clock" | "ongoing">,
  response: HttpResponse,
  owner: OngoingAnswer["owner"],
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
    // The reader must not take what it has for all of it.
    out.destroy();
  } finally {
    ongoing.delete(one);
  }
}
