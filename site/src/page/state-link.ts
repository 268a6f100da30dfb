/**
 * The state of a terminal as a link: the commands that were typed, compressed into the fragment of the address. Whoever opens the link
 * has them run again in a cluster of their own; a fragment is sent to no server.
 *
 * @module
 */

/** What a link has. */
export interface LinkedState {
  /** The commands in their order. */
  readonly commands: readonly string[];
}

/** The longest fragment, in characters: browsers and programs for messages keep longer ones only in part. */
export const MAX_FRAGMENT = 16_384;
/** The longest text of all commands, in bytes. */
const MAX_BYTES = 1 << 18;
const MAX_COMMANDS = 500;
const PREFIX = "run=1.";

/** The fragment for a state, without `#`. Rejects with RangeError for more than a link may have. */
export async function fragmentOf({ commands }: LinkedState): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(commands));
  if (commands.length > MAX_COMMANDS || bytes.length > MAX_BYTES) {
    throw new RangeError(
      `expected at most ${MAX_COMMANDS} commands of ${MAX_BYTES} bytes, got ${commands.length} of ${bytes.length}`,
    );
  }
  const packed = await collected(
    new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw")),
    MAX_BYTES,
  );
  const text = `${PREFIX}${base64url(packed)}`;
  if (text.length > MAX_FRAGMENT) {
    throw new RangeError(
      `expected a link of at most ${MAX_FRAGMENT} characters, got ${text.length}: type less, or begin again`,
    );
  }
  return text;
}

/** The state of a fragment; undefined where it has none. Rejects with RangeError for one that cannot be read. */
export async function stateOf(fragment: string): Promise<LinkedState | undefined> {
  const text = fragment.replace(/^#/, "");
  if (!text.startsWith(PREFIX)) return undefined;
  if (text.length > MAX_FRAGMENT) throw new RangeError(`expected a link of at most ${MAX_FRAGMENT} characters`);
  try {
    const packed = fromBase64url(text.slice(PREFIX.length));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const commands: unknown = JSON.parse(new TextDecoder().decode(await collected(stream, MAX_BYTES)));
    if (!Array.isArray(commands) || commands.length > MAX_COMMANDS) throw new RangeError("no list of commands");
    if (!commands.every((command) => typeof command === "string")) throw new RangeError("a command that is no text");
    return { commands };
  } catch (error) {
    throw new RangeError(`expected a link with commands, which this is not: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** All bytes of a stream. Rejects with RangeError beyond `most`, so that a short link cannot become a long text. */
async function collected(stream: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  // Not every browser iterates over streams.
  const reader = (stream as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- part by part
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      // oxlint-disable-next-line no-await-in-loop -- the stream ends here
      await reader.cancel();
      throw new RangeError(`expected at most ${most} bytes`);
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

const base64url = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

const fromBase64url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (unit) => unit.charCodeAt(0));
