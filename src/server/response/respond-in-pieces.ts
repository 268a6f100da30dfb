import type { HttpResponse } from "../request/response.ts";
import { StreamWriter } from "./stream-writer.ts";

/** Short pieces are joined up to this many characters. */
const PART = 16_384;

/** Responds with the pieces of a text in slices of the event loop, with the code of the response; ends early when the reader is gone. */
export async function respondInPieces(response: HttpResponse, type: string, pieces: Iterable<string>): Promise<void> {
  const writer = new StreamWriter(response, type);
  try {
    for (const part of inParts(pieces)) if (writer.add(Buffer.from(part)) && !(await writer.flush())) return;
    writer.end();
  } catch (error) {
    writer.abort();
    throw error;
  }
}

function* inParts(pieces: Iterable<string>): Generator<string> {
  let part = "";
  for (const piece of pieces) {
    part += piece;
    if (part.length < PART) continue;
    yield part;
    part = "";
  }
  yield part;
}
