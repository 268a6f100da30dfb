import { CliError } from "../cli/cli-error.ts";
import { readKubeconfig } from "../cli/kubeconfig-file.ts";
import { type NodeTransport, nodeTransport } from "../client/transport-node.ts";
import type { Clock } from "../util/clock.ts";
import { decodeJson } from "../value/json.ts";
import type { Value } from "../value/value.ts";
import { OptionError } from "./option-types.ts";

/** A webhook that has not answered within this many milliseconds has failed. */
const MOST_MILLIS = 30_000;
/** The longest answer that is read. */
const MOST_BYTES = 1 << 20;
const FLAG = "authentication-token-webhook-config-file";

/** Sends reviews of tokens to a webhook. */
export interface TokenReviews {
  /** The value of the answer to a review. Rejects where there is none, or it is no answer: a redirect is not followed. */
  ask(review: string): Promise<Value>;
  close(): void;
}

/**
 * A webhook whose address and credentials are in a kubeconfig.
 *
 * @throws OptionError where the file says no address
 */
export function openTokenReviews(file: string, clock: Clock): TokenReviews {
  const { transport, query } = transportOf(file);
  return {
    async ask(review) {
      const abort = new AbortController();
      const late = new Error(`expected an answer within ${MOST_MILLIS / 1000} s, got none`);
      const timer = clock.after(MOST_MILLIS, () => abort.abort(late), { owner: "token webhook" });
      try {
        const { status, body } = await transport({
          method: "POST",
          path: query,
          headers: { "content-type": "application/json", accept: "application/json" },
          body: review,
          signal: abort.signal,
        });
        const bytes = await read(body);
        if (status !== 200 && status !== 201) throw new Error(`expected the status 200 or 201, got ${status}`);
        return decodeJson(bytes).value;
      } catch (error) {
        abort.abort(error);
        throw error;
      } finally {
        timer.cancel();
      }
    },
    close: () => transport.close(),
  };
}

function transportOf(file: string): { readonly transport: NodeTransport; readonly query: string } {
  try {
    const { transport } = readKubeconfig({ kubeconfig: file, env: {} });
    const { search } = new URL(transport.url);
    return { transport: nodeTransport(transport), query: search };
  } catch (error) {
    if (error instanceof CliError) throw new OptionError(`--${FLAG}: ${error.message}`);
    throw new OptionError(`expected --${FLAG} ${file} to name an address of HTTPS: ${(error as Error).message}`);
  }
}

async function read(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > MOST_BYTES) throw new Error(`expected an answer of at most ${MOST_BYTES} bytes, got more`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
