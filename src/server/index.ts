/**
 * The server room: HTTP only. See `server.ts` for how a server is made, `filters/default.ts` for the filters of a request, and
 * `routing/routes.ts` for the paths that are no resources.
 *
 * @module
 */
export { ThreadPool } from "./threads/pool.ts";
export { type ServerHandle, type ServerOptions, createServer } from "./server.ts";
export type { Programs, Route, ServerContext } from "./request/context.ts";
export type { OutHeaders } from "./request/exchange.ts";
export { valueBody } from "./body/decode-body.ts";
export { issuerRoutes } from "./documents/issuer-endpoint.ts";
export type { Listener, TlsOptions } from "./http/listeners.ts";
export { DEFAULT_LIMITS, type ServerLimits } from "./shared/limits.ts";
export { BrokenOff } from "./http/inject.ts";
export { respondInPieces } from "./response/respond-in-pieces.ts";
export { columnsOf, timelessCell } from "./response/table.ts";
export { respondWithValue } from "./response/respond.ts";
export { DOCUMENT, negotiate } from "./response/negotiate.ts";
export type { Messages } from "./request/exchange.ts";
export type { OngoingResponse } from "./shared/ongoing.ts";
export type { UserSlot } from "./shared/user-slots.ts";
export { permit } from "./request/permission.ts";
export { respondWithStream } from "./response/respond-stream.ts";
export type { HealthCheck } from "./operations/health.ts";
export { type Filter } from "./filters/contract.ts";
export { type Auditing, audit } from "./filters/audit.ts";
export { accessLog } from "./filters/access-log.ts";
export { DEFAULT_FILTERS, withFilter } from "./filters/default.ts";
export { endRevoked, ownerOf } from "./shared/ongoing.ts";
export { credentialsOf } from "./request/credentials.ts";
export type { ServerRequest } from "./request/request.ts";
export { type WatchOutput, firstOf } from "./request/watch-output.ts";
