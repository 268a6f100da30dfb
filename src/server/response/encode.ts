/**
 * Responds with bytes, compressed when they are many and the client is on another machine.
 *
 * @module
 */
import { gzip } from "node:zlib";
import { lengthOf } from "../request/exchange.ts";
import type { HttpResponse } from "../request/response.ts";

/** Responses with more bytes are compressed for clients that accept it. */
export const COMPRESS_FROM = 131_072;

/** Whether a response of this length is compressed; for clients on this machine compression costs more time than it saves. */
export function compresses({ server, incoming: { sent } }: HttpResponse, length: number): boolean {
  if (length < COMPRESS_FROM || server.compress === "never") return false;
  if (!sent.header("accept-encoding").includes("gzip")) return false;
  return server.compress === "always" || !isLocal(sent.connection.address);
}

const isLocal = (address: string): boolean =>
  address === "" || address === "::1" || address.startsWith("127.") || address.startsWith("::ffff:127.");

/** The Vary header of a compressed response; `other` is its value otherwise. */
export const varyBy = (other: string | undefined): string =>
  other === undefined ? "Accept-Encoding" : `${other}, Accept-Encoding`;

/** Responds with bytes, compressed where that saves time; `more` are further headers. */
export function respondWithBytes(
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
 * A response with more bytes keeps the seats of its request until the client has read it: each may be a copy of its own, so the seats bound
 * the number of unread copies. The body of the request is not needed any more.
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
