/** The most characters of a line: an object of 3 MiB, twice escaped, and more. */
const MOST = 16 * 2 ** 20;

/**
 * The lines of a response, as they arrive; what stands behind the last line break is a line too.
 *
 * @throws {Error} for a line that is longer than 16 Mi characters.
 */
export async function* linesOf(response: Response): AsyncGenerator<string> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    // A line may arrive in many chunks; only the last one can have its end.
    let parts: string[] = [];
    let length = 0;
    for (;;) {
      const { done, value = "" } = await reader.read();
      if (done) break;
      let from = 0;
      for (let end = value.indexOf("\n"); end >= 0; end = value.indexOf("\n", from)) {
        parts.push(value.slice(from, end));
        from = end + 1;
        const line = parts.join("");
        parts = [];
        length = 0;
        if (line !== "") yield line;
      }
      parts.push(value.slice(from));
      length += value.length - from;
      if (length > MOST) throw new Error(`expected lines of at most ${MOST} characters, found a longer one`);
    }
    const last = parts.join("");
    if (last !== "") yield last;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
