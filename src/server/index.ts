/**
 * The server room: HTTP only. See `server.ts` for how a server is made and `filters.ts` for the way of a request.
 *
 * @module
 */
export { type ServerHandle, type ServerOptions, createServer } from "./server.ts";
export type { Exchange, OutHeaders, OutStream } from "./exchange.ts";
export type { HealthCheck } from "./health-check.ts";
export type { InjectAnswer, InjectRequest } from "./inject.ts";
export type { ListenOptions, Listener, TlsOptions } from "./listeners.ts";
export type { ServerLimits } from "./limits.ts";
export type { ServerLog } from "./context.ts";
export type { Collector } from "./metrics.ts";
