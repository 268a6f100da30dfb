import { nodeTransport, type NodeTransportOptions } from "../client/transport-node.ts";
import type { ResponseBody, TransportResponse } from "../client/transport.ts";
import type { Clock } from "../util/clock.ts";
import { messageOf } from "../util/error.ts";
import { CliError } from "./cli-error.ts";

/** The maximum number of bytes that are read of a response. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/** A response with its body. */
export interface TextResponse extends Pick<TransportResponse, "status" | "headers"> {
  readonly text: string;
}

/**
 * Sends one GET request, and reads its response, within a timeout.
 *
 * @throws CliError that names the URL, where there is no response, one longer than 4 MiB, or none in time
 */
export async function askServer(
  clock: Pick<Clock, "after">,
  options: NodeTransportOptions,
  path: string,
  { millis, agent }: { readonly millis: number; readonly agent: string },
): Promise<TextResponse> {
  const transport = nodeTransport(options);
  const ending = new AbortController();
  const timer = clock.after(millis, () => ending.abort(), { holds: true });
  const { signal } = ending;
  try {
    const { status, headers, body } = await transport({
      method: "GET",
      path,
      signal,
      headers: { "user-agent": agent },
    });
    return { status, ...(headers && { headers }), text: await readShort(body) };
  } catch (cause) {
    const why = signal.aborted ? `no response within ${millis} ms` : messageOf(cause);
    throw new CliError(`${options.url} did not respond to ${path.split("?")[0]}: ${why}`, { cause });
  } finally {
    timer.cancel();
    transport.close();
  }
}

/** Reads the text of a response; rejects for one that is longer than 4 MiB. */
export async function readShort(body: ResponseBody): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new Error(`expected a response of at most ${MAX_RESPONSE_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
