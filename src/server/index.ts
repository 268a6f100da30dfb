/**
 * The server room: HTTP only. See `server.ts` for how a server is made and `filters.ts` for the way of a request.
 *
 * @module
 */
export { type ServerHandle, type ServerOptions, createServer } from "./server.ts";
export type { Endpoint } from "./endpoint.ts";
export type { HealthCheck } from "./operations/health-check.ts";
