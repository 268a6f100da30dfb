/**
 * A filter: a step on the way that every request passes.
 *
 * A filter is called at five moments of a request, those whose member it has:
 *
 *     enter     the filters in their order, the last one responds         (before: nothing has happened)
 *       decoded     options and body have been read, the registry has not been called
 *       handled     done: a write is stored, a read has its entries; no response has begun
 *     leave     the response was made; a watch has begun                  (the last filter first)
 *     ended     the last byte of the response was sent (in process: read), or one side broke off; a watch is over
 * The request has what is known by then: `info`, `identity` and `resource` after the filters that find them; `body` and `options` from
 * `decoded` on; of its `response` `changed` from `handled` on, `code`, `reason` and `bytesOut` from the response on, before the client has
 * it, and `events` of a watch. Paths that are no resources have no `decoded` and no `handled`.
 *
 * A filter can
 *
 * - refuse: throw an `ApiError` in `enter`, `decoded` or `handled`, which is the response;
 * - wait: return a promise there, and the request waits;
 * - respond: `request.response.respond(...)` there; the filters behind it are left out (`leave` and `ended` are not);
 * - lose the response: `request.response.responder.destroy()` there, and the client sees a lost connection. In `handled` that is
 *   a write that is stored and not acknowledged;
 * - put its own in the place of `request.response.responder`, to see or change the response, headers and bytes;
 * - put its own between a watch and its stream: set `request.response.wrapWatch` before the watch begins.
 * A filter that has nothing to wait for returns nothing, so that a request that waits for nothing gets its response in the same slice of
 * the event loop. `decoded`, `handled` and `ended` cost requests something only where a filter has them.
 *
 * @module
 */
import type { ServerContext } from "../request/context.ts";
import type { ServerRequest } from "../request/request.ts";

/** A step on the way of a request. */
export interface Filter {
  /** The name by which other filters are placed before or after it; unique in a chain. */
  readonly name: string;
  /** Called when a request arrives; an error that it throws is the response. */
  enter?(server: ServerContext, request: ServerRequest): void | Promise<void>;
  /** Called when all of the request has been read and before its verb runs. */
  decoded?(server: ServerContext, request: ServerRequest): void | Promise<void>;
  /** Called when the verb is done and no response has begun. */
  handled?(server: ServerContext, request: ServerRequest): void | Promise<void>;
  /** Called when the response was made or broken off; the last filter first. */
  leave?(server: ServerContext, request: ServerRequest): void;
  /** Called once, after `leave`, when nothing of the response is left to send; the last filter first. */
  ended?(server: ServerContext, request: ServerRequest): void;
}

/** Thrown where a request gets its response, or loses it, before it has passed all filters. */
export class AlreadyResponded extends Error {}
