/** Reads response bodies. */
import type { AnswerBody } from "./transport.ts";

/** Returns a body as text. */
export async function readAll(body: AnswerBody): Promise<string> {
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

/** Yields the lines of a stream. */
export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  // A line may come in many pieces, each of which is scanned once.
  let begun: string[] = [];
  for await (const chunk of body) {
    const [first = "", ...parts] = decoder.decode(chunk, { stream: true }).split("\n");
    begun.push(first);
    for (const part of parts) {
      const line = begun.join("");
      begun = [part];
      if (line !== "") yield line;
    }
  }
  const rest = begun.join("");
  if (rest !== "") yield rest;
}
