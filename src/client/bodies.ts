/** Reads response bodies. */
import type { ResponseBody } from "./transport.ts";

/** Returns a body as text. */
export async function readAll(body: ResponseBody): Promise<string> {
  if (body.text) return body.text();
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return new TextDecoder().decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
}

/** Wraps an iterator; `end` is called at its end, or when the reader stops. */
export const endingWith = (pieces: AsyncIterator<Uint8Array>, end: () => void): AsyncIterator<Uint8Array> => ({
  next: () =>
    pieces.next().then(
      (next) => {
        if (next.done) end();
        return next;
      },
      (error: unknown) => {
        end();
        throw error;
      },
    ),
  async return() {
    end();
    await pieces.return?.();
    return { done: true, value: undefined };
  },
});

const LINE_END = 0x0a;

/** Yields the lines of a stream. */
export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  // A line may come in many pieces, each of which is scanned once. Text of whole lines is decoded at once: a decoder that
  // keeps a state between pieces makes strings of two bytes per character, which cost more to parse.
  let begun: Uint8Array[] = [];
  for await (const chunk of body) {
    const end = chunk.lastIndexOf(LINE_END);
    if (end < 0) {
      begun.push(chunk);
      continue;
    }
    const text = textOf([...begun, chunk.subarray(0, end)]);
    begun = end + 1 === chunk.length ? [] : [chunk.subarray(end + 1)];
    for (const line of text.split("\n")) if (line !== "") yield line;
  }
  const rest = textOf(begun);
  if (rest !== "") yield rest;
}

function textOf(pieces: readonly Uint8Array[]): string {
  const [first] = pieces;
  if (first === undefined) return "";
  const bytes = pieces.length === 1 ? first : Buffer.concat(pieces);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
