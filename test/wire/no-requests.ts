/**
 * What is no request of HTTP/1.1, in the ways in which two readers may take it for different ones (RFC 9112 11.2).
 *
 * @module
 */
import { TOKEN } from "../attacks/target.ts";

/** Headers of a request that shows a credential. */
export const AUTH = `host: x\r\nauthorization: Bearer ${TOKEN}\r\n`;
/** What must never be taken for a request: it would be answered with 404. */
export const HIDDEN = `GET /hidden HTTP/1.1\r\n${AUTH}\r\n`;

const MAPS = "/api/v1/namespaces/default/configmaps";
const OBJECT = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"a-"}}';

const post = (headers: string, body: string): string => `POST ${MAPS} HTTP/1.1\r\n${AUTH}${headers}\r\n${body}`;
const chunk = (size: string): string =>
  post("transfer-encoding: chunked\r\n", `${size}\r\n${OBJECT}\r\n0\r\n\r\n${HIDDEN}`);

/** Each is refused with 400, and its connection ends. */
export const NO_REQUESTS = {
  "a length and chunks": post("content-length: 4\r\ntransfer-encoding: chunked\r\n", `0\r\n\r\n${HIDDEN}`),
  "two codings": post("transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n", `0\r\n\r\n${HIDDEN}`),
  "a coding that is none": post("transfer-encoding: xchunked\r\n", `0\r\n\r\n${HIDDEN}`),
  "a folded header": post("x: y\r\n transfer-encoding: chunked\r\n", HIDDEN),
  "a space before the colon": post("transfer-encoding : chunked\r\n", `0\r\n\r\n${HIDDEN}`),
  "two lengths": post("content-length: 5\r\ncontent-length: 6\r\n", HIDDEN),
  "the same length twice": post("content-length: 5\r\ncontent-length: 5\r\n", HIDDEN),
  "a length with a sign": post("content-length: +5\r\n", HIDDEN),
  "a negative length": post("content-length: -1\r\n", HIDDEN),
  "a length with an exponent": post("content-length: 1e3\r\n", HIDDEN),
  "a list of lengths": post("content-length: 5, 5\r\n", HIDDEN),
  "a negative chunk": chunk("-1"),
  "a chunk beyond all numbers": chunk("fffffffffffffffff"),
  "a bare CR": `GET /version HTTP/1.1\r${AUTH}\r\n${HIDDEN}`,
  "a NUL in a header": `GET /version HTTP/1.1\r\nx: \0\r\n${AUTH}\r\n${HIDDEN}`,
  "a line end without CR": `GET /version HTTP/1.1\nhost: x\n\n${HIDDEN}`,
  "no Host header": `GET /version HTTP/1.1\r\n\r\n${HIDDEN}`,
  "two Host headers": `GET /version HTTP/1.1\r\nhost: y\r\n${AUTH}\r\n${HIDDEN}`,
  "a header without a name": `GET /version HTTP/1.1\r\n: y\r\n${AUTH}\r\n${HIDDEN}`,
} satisfies Readonly<Record<string, string>>;

/** The name of one of them. */
export type NoRequest = keyof typeof NO_REQUESTS;
