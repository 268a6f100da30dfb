/**
 * Webhooks whose address and credentials are in a kubeconfig: for tokens, authorization and audit events. A redirect is not
 * followed; it is returned like any other status.
 *
 * @module
 */
import { contextOf } from "../../client/kubeconfig/context.ts";
import { openContext } from "../../client/kubeconfig/open.ts";
import type { TracedSystemParts } from "../process/system-parts.ts";
import { NO_SPAN, inPostSpan } from "../../util/span.ts";
import { decodeYaml } from "../../value/yaml.ts";

/** A webhook that receives JSON. */
export interface KubeconfigWebhook {
  /**
   * Posts JSON; resolves to the status of the response, and to its body as `read` returns it. Rejects after the timeout, and with
   * the error of `read`, which closes the connection.
   */
  post<T>(body: string, read: (body: AsyncIterable<Uint8Array>) => Promise<T>, timeout: Timeout): Promise<Posted<T>>;
  close(): void;
}

/** The time limit of a response, and its purpose. */
export interface Timeout {
  readonly millis: number;
  readonly owner: string;
}

/** The webhook did not respond in time. */
export class ResponseTimeout extends Error {
  override readonly name = "ResponseTimeout";
}

/** The response of a webhook. */
export interface Posted<T> {
  readonly status: number;
  readonly body: T;
}

const HEADERS = { "content-type": "application/json", accept: "application/json" };

/** What a webhook of a kubeconfig needs. */
export type WebhookSystem = Pick<TracedSystemParts, "clock" | "currentSpan">;

/** Opens the webhook of a kubeconfig. @throws KubeconfigError or Error if the file has no address */
export function openKubeconfigWebhook(file: string, system: WebhookSystem): KubeconfigWebhook {
  const { clock, currentSpan = NO_SPAN } = system;
  const context = contextOf({ kubeconfig: file, env: {} }, (text) => decodeYaml(text).value);
  const send = openContext(context, { clock });
  const { url } = context.transport;
  const { pathname, search } = new URL(url);
  const path = (pathname.endsWith("/") ? "/" : "") + search;
  return {
    async post(body, read, { millis, owner }) {
      const abort = new AbortController();
      const timer = clock.after(millis, () => abort.abort(), { owner });
      try {
        return await inPostSpan(currentSpan(), url, async (traced) => {
          const headers = { ...HEADERS, ...traced };
          const response = await send({ method: "POST", path, headers, body, signal: abort.signal });
          return { status: response.status, body: await read(response.body) };
        });
      } catch (error) {
        const isLate = abort.signal.aborted;
        abort.abort(error);
        if (!isLate) throw error;
        throw new ResponseTimeout(`expected a response within ${millis / 1000} s, got none`, { cause: error });
      } finally {
        timer.cancel();
      }
    },
    close: () => send.close(),
  };
}

/** Returns a function that reads a body of at most `maxBytes`; it rejects for a longer one. */
export const readUpTo =
  (maxBytes: number) =>
  async (body: AsyncIterable<Uint8Array>): Promise<Buffer> => {
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of body) {
      length += part.length;
      if (length > maxBytes) throw new Error(`expected a response of at most ${maxBytes} bytes, got more`);
      parts.push(part);
    }
    return Buffer.concat(parts);
  };
