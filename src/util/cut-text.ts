const encoder = new TextEncoder();

/**
 * A text of at most so many bytes of UTF-8, in whole characters; one that was longer ends with `...`. It costs what is left of
 * it, and a text that was cut keeps nothing of the rest.
 */
export function cutText(text: string, mostBytes: number): string {
  // A code unit takes three bytes at most.
  if (3 * text.length <= mostBytes) return text;
  const bytes = new Uint8Array(mostBytes);
  if (encoder.encodeInto(text, bytes).read === text.length) return text;
  const { written } = encoder.encodeInto(text, bytes.subarray(0, Math.max(0, mostBytes - 3)));
  return `${Buffer.from(bytes.buffer, 0, written).toString()}...`;
}

/** As long as a note of an Event, or an error in the status of an attachment, may be; conditions need no more. */
const MOST_ERROR_BYTES = 1024;

/** What an error says, cut: whoever is asked for something may answer with megabytes. */
export const errorText = (error: unknown): string =>
  cutText(error instanceof Error ? error.message : String(error), MOST_ERROR_BYTES);
