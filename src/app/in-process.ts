import type { Transport } from "../client/transport.ts";
import type { ServerHandle } from "../server/index.ts";

/** A transport to the server of the same process: the same filters and verbs, no socket. */
export const inProcessTransport =
  (server: Pick<ServerHandle, "inject">): Transport =>
  async ({ method, path, headers, body, signal }) => {
    const answer = await server.inject({ method, url: path, headers, ...(body === undefined ? {} : { body }) });
    if (signal?.aborted) answer.cancel();
    else signal?.addEventListener("abort", () => answer.cancel(), { once: true });
    return { status: answer.code, body: answer.pieces() };
  };
