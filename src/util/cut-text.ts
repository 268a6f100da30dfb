import { messageOf } from "./error.ts";

const encoder = new TextEncoder();

/**
 * Cuts a text to at most `maxBytes` bytes of UTF-8, in whole characters; a longer text ends with `...`. The result does not keep
 * the longer text alive.
 */
export function cutText(text: string, maxBytes: number): string {
  // A code unit takes at most three bytes.
  if (3 * text.length <= maxBytes) return text;
  const bytes = new Uint8Array(maxBytes);
  if (encoder.encodeInto(text, bytes).read === text.length) return text;
  const { written } = encoder.encodeInto(text, bytes.subarray(0, Math.max(0, maxBytes - 3)));
  return `${Buffer.from(bytes.buffer, 0, written).toString()}...`;
}

/** The limit of the note of an Event and of the error in the status of a VolumeAttachment. */
const MAX_ERROR_BYTES = 1024;

/** Returns the message of an error, cut to 1 KiB: other services may respond with megabytes. */
export const errorText = (error: unknown): string => cutText(messageOf(error), MAX_ERROR_BYTES);
