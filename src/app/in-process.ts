import type { Transport } from "../client/transport.ts";
import type { ServerHandle } from "../server/index.ts";

/** A transport to the server of the same process: the same filters and verbs, no socket. */
export const inProcessTransport =
  (server: Pick<ServerHandle, "inject">): Transport =>
  async ({ method, path, headers, body, signal }) => {
    const answer = await server.inject({ method, url: path, headers, ...(body === undefined ? {} : { body }) });
    return { status: answer.code, body: signal ? until(signal, answer) : answer.pieces() };
  };

/** The pieces of an answer until `signal` is aborted; a signal may outlive many answers, so nothing stays with it. */
async function* until(
  signal: AbortSignal,
  answer: Awaited<ReturnType<ServerHandle["inject"]>>,
): AsyncGenerator<Uint8Array> {
  const cancel = (): void => answer.cancel();
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel);
  try {
    yield* answer.pieces();
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
