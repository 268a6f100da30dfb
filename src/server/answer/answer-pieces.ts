/**
 * Answers in pieces that are made one by one: small ones leave whole, with their length; large ones as their reader takes
 * them, so that no more than a little of them is in memory.
 *
 * @module
 */
import type { ServerContext } from "../context.ts";
import type { ServerRequest } from "../request.ts";
import { answerBytes } from "./encode.ts";
import { StreamWriter, WHOLE } from "./stream-writer.ts";

/** Further headers of an answer. */
type MoreHeaders = Readonly<Record<string, string>>;

/**
 * Answers with pieces. Others get their turn between two of them; each takes a moment to make at most, and may be empty.
 *
 * @param pieces never change once they are made
 */
export function answerPieces(
  server: ServerContext,
  request: ServerRequest,
  code: number,
  pieces: Iterable<Uint8Array>,
  type: string,
  more?: MoreHeaders,
): void | Promise<void> {
  const source = pieces[Symbol.iterator]();
  const begun: Uint8Array[] = [];
  const limit = server.clock.loop.slice();
  let length = 0;
  const collect = (): void | Promise<void> => {
    for (;;) {
      const next = source.next();
      if (next.done) return answerBytes(server, request, code, begun, type, more);
      begun.push(next.value);
      length += next.value.length;
      if (length > WHOLE) return stream(server, request, code, begun, source, type, more);
      const pause = limit.pause();
      if (pause) return pause.then(collect);
    }
  };
  return collect();
}

/** Goes on with what has been begun. */
async function stream(
  server: ServerContext,
  request: ServerRequest,
  code: number,
  begun: readonly Uint8Array[],
  rest: Iterator<Uint8Array>,
  type: string,
  more: MoreHeaders | undefined,
): Promise<void> {
  request.code = code;
  if (request.exchange.method === "HEAD") {
    request.exchange.stream(code, { ...request.headers(type), ...more }).end();
    return;
  }
  const writer = new StreamWriter(server, request, type, Infinity, more);
  const limit = server.clock.loop.slice();
  try {
    for (const piece of begun) if (writer.add(piece, true) && !(await writer.flush())) return;
    for (let next = rest.next(); !next.done; next = rest.next()) {
      if (writer.add(next.value, true) && !(await writer.flush())) return;
      if (limit.isOver) await limit.pause();
    }
    writer.end();
  } catch (error) {
    writer.abort();
    throw error;
  }
}
