import type { HttpResponse } from "../request/response.ts";
import { StreamWriter } from "./stream-writer.ts";

/** Responds with the pieces of a text in slices of the event loop, with the code of the response; ends early when the reader is gone. */
export async function respondInPieces(response: HttpResponse, type: string, pieces: Iterable<string>): Promise<void> {
  const writer = new StreamWriter(response, type);
  try {
    for (const piece of pieces) if (writer.add(Buffer.from(piece)) && !(await writer.flush())) return;
    writer.end();
  } catch (error) {
    writer.abort();
    throw error;
  }
}
