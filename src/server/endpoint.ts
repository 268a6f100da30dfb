/**
 * Endpoints beside those of the API: paths of this program's own, answered by whoever makes the server.
 *
 * @module
 */
import type { ServerContext } from "./context.ts";
import type { ServerRequest } from "./request.ts";

/** Answers a GET of one path; who asks has been let in. What it throws is answered as for any request. */
export type Endpoint = (server: ServerContext, request: ServerRequest) => void | Promise<void>;

/** Endpoints by their whole path, `/keelson/v1/backup`. */
export type Endpoints = ReadonlyMap<string, Endpoint>;
