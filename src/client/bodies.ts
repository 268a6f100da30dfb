/**
 * Reading the bodies of answers.
 *
 * @module
 */

/** The whole of a body as text. */
export async function readAll(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return new TextDecoder().decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
}

/** The lines of a stream, without their ends. */
export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  // A line may come in many pieces: none of them is looked through twice.
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
