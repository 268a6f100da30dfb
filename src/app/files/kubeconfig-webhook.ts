/**
 * Webhooks whose address and credentials are in a kubeconfig: those that judge tokens, decide what somebody may do, and take
 * audit events. A redirect is an answer like any other status and is not followed.
 *
 * @module
 */
import { contextOf } from "../../client/kubeconfig/context.ts";
import { openContext } from "../../client/kubeconfig/open.ts";
import type { Clock } from "../../util/clock.ts";
import { decodeYaml } from "../../value/yaml.ts";

/** A webhook, and how long it may take. */
export interface KubeconfigWebhook {
  /**
   * Posts JSON; the status of the answer, and its body as `read` has it. Rejects where nothing comes in time, and with what
   * `read` throws, which ends the connection.
   */
  post<T>(body: string, read: (body: AsyncIterable<Uint8Array>) => Promise<T>, bounds: Bounds): Promise<Posted<T>>;
  close(): void;
}

/** How long an answer may take, and what for. */
export interface Bounds {
  readonly millis: number;
  readonly owner: string;
}

/** Nothing came in time. */
export class LateAnswer extends Error {
  override readonly name = "LateAnswer";
}

/** What was answered. */
export interface Posted<T> {
  readonly status: number;
  readonly answer: T;
}

const HEADERS = { "content-type": "application/json", accept: "application/json" };

/** Opens the webhook of a kubeconfig. Throws, as KubeconfigError or Error, where the file says no address. */
export function openKubeconfigWebhook(file: string, clock: Clock): KubeconfigWebhook {
  const context = contextOf({ kubeconfig: file, env: {} }, (text) => decodeYaml(text).value);
  const send = openContext(context, { clock });
  const { pathname, search } = new URL(context.transport.url);
  const path = (pathname.endsWith("/") ? "/" : "") + search;
  return {
    async post(body, read, { millis, owner }) {
      const abort = new AbortController();
      const timer = clock.after(millis, () => abort.abort(), { owner });
      try {
        const answer = await send({ method: "POST", path, headers: HEADERS, body, signal: abort.signal });
        return { status: answer.status, answer: await read(answer.body) };
      } catch (error) {
        const isLate = abort.signal.aborted;
        abort.abort(error);
        if (!isLate) throw error;
        throw new LateAnswer(`expected an answer within ${millis / 1000} s, got none`, { cause: error });
      } finally {
        timer.cancel();
      }
    },
    close: () => send.close(),
  };
}

/** Reads a body of at most so many bytes; rejects for a longer one. */
export const wholeUpTo =
  (most: number) =>
  async (body: AsyncIterable<Uint8Array>): Promise<Buffer> => {
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of body) {
      length += part.length;
      if (length > most) throw new Error(`expected an answer of at most ${most} bytes, got more`);
      parts.push(part);
    }
    return Buffer.concat(parts);
  };
