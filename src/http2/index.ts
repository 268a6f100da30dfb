/**
 * HTTP/2 for servers (RFC 9113), without a socket; begin with `connection.ts`.
 *
 * @module
 */
export { Http2Connection, type Http2Limits } from "./connection.ts";
export { ERROR } from "./constants.ts";
export type { BodyListener } from "./inbound.ts";
export { outputPages } from "./output.ts";
export type { Http2Stream } from "./stream.ts";
