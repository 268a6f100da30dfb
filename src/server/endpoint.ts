/**
 * Endpoints beside those of the API: paths of this program's own, answered by whoever makes the server.
 *
 * @module
 */
import type { Exchange, OutHeaders } from "./http/exchange.ts";
import type { Query } from "./query.ts";

/** What an endpoint sees of a request, and tells of its answer for metrics and the log. */
export interface EndpointRequest {
  readonly exchange: Exchange;
  readonly query: Query;
  /** The headers that every answer has, for a body of this type. */
  headers(type: string): OutHeaders;
  code: number;
  bytesOut: number;
}

/** Answers a GET of one path; who asks has been let in. What it throws is answered as for any request. */
export type Endpoint = (request: EndpointRequest) => void | Promise<void>;

/** Endpoints by their whole path, `/keelson/v1/backup`. */
export type Endpoints = ReadonlyMap<string, Endpoint>;
