import type { Identity } from "../auth/contract.ts";
import { endingWith } from "../client/bodies.ts";
import type { ResponseBody, Transport } from "../client/transport.ts";
import type { ServerHandle } from "../server/index.ts";

type InjectResponse = Awaited<ReturnType<ServerHandle["inject"]>>;

/**
 * Transports to the server of the same process: the same filters and verbs, no socket. A request is sent as an identity, without a
 * credential.
 */
export const inProcessTransport =
  (server: Pick<ServerHandle, "inject">) =>
  (identity: Identity): Transport =>
  async ({ method, path, headers, body, isOwnJson, signal }) => {
    signal?.throwIfAborted();
    const response = await server.inject({
      method,
      url: path,
      headers,
      identity,
      ...(body === undefined ? {} : { body }),
      ...(isOwnJson ? { isOwnJson } : {}),
      ...(signal === undefined ? {} : { signal }),
    });
    const { code: status, headers: received } = response;
    return { status, headers: received, body: signal ? until(signal, response) : unlimited(response) };
  };

const unlimited = (response: InjectResponse): ResponseBody => ({
  text: () => response.text(),
  [Symbol.asyncIterator]: () => response.pieces(),
});

/** The body of a response until `signal` is aborted; a signal may outlive many responses, so its listener is removed. */
function until(signal: AbortSignal, response: InjectResponse): ResponseBody {
  // From now on, not from the first read: a signal may be aborted before that.
  const cancel = (): void => response.cancel();
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel);
  const end = (): void => signal.removeEventListener("abort", cancel);
  return {
    text: () => response.text().finally(end),
    [Symbol.asyncIterator]: () => endingWith(response.pieces(), end),
  };
}
