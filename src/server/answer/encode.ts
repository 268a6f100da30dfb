/**
 * Answers with bytes, compressed when they are many and the client is far.
 *
 * @module
 */
import { gzip } from "node:zlib";
import { lengthOf } from "../request/exchange.ts";
import type { HttpResponse } from "../request/response.ts";

/** Answers of more bytes are compressed for clients that take it. */
export const COMPRESS_FROM = 131_072;

/** Whether an answer of this length goes out compressed; peers on this machine lose more by it than they gain. */
export function compresses({ server, incoming: { sent } }: HttpResponse, length: number): boolean {
  if (length < COMPRESS_FROM || server.compress === "never") return false;
  if (!sent.header("accept-encoding").includes("gzip")) return false;
  return server.compress === "always" || !isLocal(sent.connection.address);
}

const isLocal = (address: string): boolean =>
  address === "" || address === "::1" || address.startsWith("127.") || address.startsWith("::ffff:127.");

/** The Vary header of an answer that is compressed; `other` is what it would be otherwise. */
export const varyBy = (other: string | undefined): string =>
  other === undefined ? "Accept-Encoding" : `${other}, Accept-Encoding`;

/** Answers with bytes, compressed where that pays; `more` are further headers. */
export function answerBytes(
  response: HttpResponse,
  code: number,
  body: Uint8Array | readonly Uint8Array[],
  type: string,
  more?: Readonly<Record<string, string>>,
): void | Promise<void> {
  const headers = response.headers(type);
  if (more) Object.assign(headers, more);
  const length = lengthOf(body);
  if (!compresses(response, length)) {
    response.respond(code, headers, body);
    return untilTaken(response, length);
  }
  headers["content-encoding"] = "gzip";
  headers["vary"] = varyBy(more?.["vary"]);
  const whole = body instanceof Uint8Array ? body : Buffer.concat(body, length);
  return compressed(whole).then((packed) => {
    response.respond(code, headers, packed);
    response.bytesOut = length;
    return untilTaken(response, packed.length);
  });
}

/**
 * A response of more bytes keeps the seats of its request until it was taken: each may be a copy of its own, and there would be
 * as many as are not read. The body of its request is done with.
 */
const HELD_FROM = 131_072;

function untilTaken(response: HttpResponse, length: number): Promise<void> | undefined {
  if (length < HELD_FROM) return undefined;
  response.bodyMemory?.[Symbol.dispose]();
  const over = response.untilOver();
  return over && response.server.slowClients.waitUntilTaken(response.seats, over);
}

/** Compresses in the thread pool, for speed rather than size. */
export function compressed(bytes: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gzip(bytes, { level: 1 }, (error, packed) => (error ? reject(error) : resolve(packed)));
  });
}
