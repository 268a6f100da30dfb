/**
 * `keelson/client`: a small client for this API, over a socket or in the same process.
 *
 * @module
 */
export * from "./client.ts";
export * from "./informer.ts";
export type * from "./transport.ts";
export * from "./transport-node.ts";
