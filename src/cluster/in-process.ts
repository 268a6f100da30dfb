import type { Identity } from "../auth/contract.ts";
import { endingWith } from "../client/bodies.ts";
import type { AnswerBody, Transport } from "../client/transport.ts";
import type { ServerHandle } from "../server/index.ts";

type InjectAnswer = Awaited<ReturnType<ServerHandle["inject"]>>;

/**
 * Transports to the server of the same process: the same filters and verbs, no socket. A request is sent as an identity, without a
 * credential.
 */
export const inProcessTransport =
  (server: Pick<ServerHandle, "inject">) =>
  (identity: Identity): Transport =>
  async ({ method, path, headers, body, isOwnJson, signal }) => {
    signal?.throwIfAborted();
    const answer = await server.inject({
      method,
      url: path,
      headers,
      identity,
      ...(body === undefined ? {} : { body }),
      ...(isOwnJson ? { isOwnJson } : {}),
      ...(signal === undefined ? {} : { signal }),
    });
    const { code: status, headers: answered } = answer;
    return { status, headers: answered, body: signal ? until(signal, answer) : unlimited(answer) };
  };

const unlimited = (answer: InjectAnswer): AnswerBody => ({
  text: () => answer.text(),
  [Symbol.asyncIterator]: () => answer.pieces(),
});

/** The body of a response until `signal` is aborted; a signal may outlive many responses, so its listener is removed. */
function until(signal: AbortSignal, answer: InjectAnswer): AnswerBody {
  // From now on, not from the first read: a signal may be aborted before that.
  const cancel = (): void => answer.cancel();
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel);
  const end = (): void => signal.removeEventListener("abort", cancel);
  return {
    text: () => answer.text().finally(end),
    [Symbol.asyncIterator]: () => endingWith(answer.pieces(), end),
  };
}
