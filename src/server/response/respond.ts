/**
 * Responses in pieces that are made one by one: small ones are sent at once, with their length; large ones as fast as the client reads, so
 * that only a small part is in memory.
 *
 * @module
 */
import type { Status } from "../../meta/status.ts";
import { inSlices } from "../../util/steps.ts";
import type { HttpResponse } from "../request/response.ts";
import { respondWithBytes } from "./encode.ts";
import { type BodyPieces, contentType, valueInForm } from "./in-form.ts";
import type { Format } from "./negotiate.ts";
import { StreamWriter, WHOLE } from "./stream-writer.ts";

/** Further headers of a response. */
type MoreHeaders = Readonly<Record<string, string>>;

/**
 * Responds with pieces; the event loop is free between two of them. A piece must be made within a slice, and may be empty.
 *
 * @param pieces never change once they are made
 */
export function respondWithPieces(
  response: HttpResponse,
  code: number,
  pieces: Iterable<Uint8Array>,
  type: string,
  more?: MoreHeaders,
): void | Promise<void> {
  const source = pieces[Symbol.iterator]();
  const begun: Uint8Array[] = [];
  const limit = response.server.clock.loop.slice();
  let length = 0;
  const collect = (): void | Promise<void> => {
    for (;;) {
      const next = source.next();
      if (next.done) return respondWithBytes(response, code, begun, type, more);
      begun.push(next.value);
      length += next.value.length;
      if (length > WHOLE) return stream(response, code, begun, source, type, more);
      const pause = limit.pause();
      if (pause) return pause.then(collect);
    }
  };
  return collect();
}

/** Continues the response that has begun. */
async function stream(
  response: HttpResponse,
  code: number,
  begun: readonly Uint8Array[],
  rest: Iterator<Uint8Array>,
  type: string,
  more: MoreHeaders | undefined,
): Promise<void> {
  response.code = code;
  if (response.incoming.sent.method === "HEAD") {
    response.stream(code, { ...response.headers(type), ...more }).end();
    return;
  }
  const writer = new StreamWriter(response, type, Infinity, more);
  const limit = response.server.clock.loop.slice();
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

/** Responds with a value that is no object of a kind: a report, an empty list. */
export function respondWithValue(
  response: HttpResponse,
  code: number,
  value: unknown,
  format: Format,
): void | Promise<void> {
  const send = (pieces: BodyPieces): void | Promise<void> =>
    respondWithPieces(response, code, pieces, contentType(format));
  response.recorder?.response?.value(value);
  const pieces = inSlices(valueInForm(value, format), response.server.clock.loop.slice());
  return pieces instanceof Promise ? pieces.then(send) : send(pieces);
}

/** Responds with a Status, which has no table form and no metadata form. */
export function respondWithStatus(
  response: HttpResponse,
  code: number,
  status: Status,
  format: Format,
): void | Promise<void> {
  response.status = status;
  return respondWithValue(response, code, status, { ...format, shape: "" });
}
