/**
 * Where a request comes from, as far as its browser says.
 *
 * A browser adds what it has by itself to every request, whatever page has caused it: cookies, a client certificate, what a proxy in
 * front knows it by.
 *
 * @module
 */
import type { Credentials } from "../auth/contract.ts";

/** The part of a request that says where it comes from. */
export type Originated = Pick<Credentials, "header"> & { readonly connection: { readonly encrypted: boolean } };

/** The host and port that the client has asked for. */
export const hostOf = (request: Pick<Originated, "header">): string =>
  (request.header("host") || request.header(":authority")).toLowerCase();

/** Whether a request asks for a WebSocket. */
export const isWebSocket = (request: Originated): boolean => request.header("upgrade").toLowerCase() === "websocket";

/** Whether a request comes from a page of this server, as far as its browser says. */
export function isSameOrigin(request: Originated): boolean {
  const site = request.header("sec-fetch-site");
  if (site !== "" && site !== "same-origin") return false;
  const origin = request.header("origin").toLowerCase();
  // A browser sends it with every WebSocket, and with what is not a GET.
  if (origin === "") return !isWebSocket(request);
  const host = hostOf(request);
  // What is plain HTTP here may be behind a proxy that is not.
  return origin === `https://${host}` || (!request.connection.encrypted && origin === `http://${host}`);
}

/** Whether a page of another origin has made a request. A program that is no browser sends no Origin. */
export const isOfOtherPage = (request: Originated): boolean =>
  request.header("origin") !== "" && !isSameOrigin(request);
