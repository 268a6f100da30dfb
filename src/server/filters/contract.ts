/**
 * A filter: a step on the way that every request passes.
 *
 * A filter is called at five moments of a request, those whose member it has:
 *
 *     enter     the filters in their order, the last one responds         (before: nothing has happened)
 *       decoded     options and body have been read, the registry has not been called
 *       handled     done: a write is stored, a read has its entries; nothing has been answered
 *     leave     the response was made; a watch has begun                  (the last filter first)
 *     ended     the last byte of the response was sent (in process: read), or one side broke off; a watch is over
 *
 * What is known by then stands in the request: `info`, `identity` and `resource` after the filters that find them; `body`
 * and `options` from `decoded` on; of its `response` `changed` from `handled` on, `code`, `reason` and `bytesOut` from the answer
 * on, before the client has it, and `events` of a watch. Paths that are no resources have no `decoded` and no `handled`.
 *
 * A filter can
 *
 * - refuse: throw an `ApiError` in `enter`, `decoded` or `handled`, and it is the answer;
 * - wait: return a promise there, and the request waits;
 * - answer by itself: `request.response.respond(...)` there; the filters behind it are left out (`leave` and `ended` are not);
 * - lose the answer: `request.response.responder.destroy()` there, and the client sees a lost connection. In `handled` that is
 *   a write that is stored and not acknowledged;
 * - put its own in the place of `request.response.responder`, to see or change what is answered, headers and bytes;
 * - put its own between a watch and its stream: set `request.response.wrapWatch` before the watch begins.
 *
 * A filter that has nothing to wait for returns nothing, so that a request that waits for nothing is answered without a turn of the
 * event loop. `decoded`, `handled` and `ended` cost requests something only where a filter has them.
 *
 * @module
 */
import type { ServerContext } from "../request/context.ts";
import type { ServerRequest } from "../request/request.ts";

/** A step on the way of a request. */
export interface Filter {
  /** What others are put before or after; one of its kind in a chain. */
  readonly name: string;
  /** Called when a request comes by; what it throws is the answer. */
  enter?(server: ServerContext, request: ServerRequest): void | Promise<void>;
  /** Called when all of the request has been read and nothing has been done. */
  decoded?(server: ServerContext, request: ServerRequest): void | Promise<void>;
  /** Called when the verb is done and nothing has been answered. */
  handled?(server: ServerContext, request: ServerRequest): void | Promise<void>;
  /** Called when the request has been answered or broken off; the last filter first. */
  leave?(server: ServerContext, request: ServerRequest): void;
  /** Called once, after `leave`, when nothing of the response is left to send; the last filter first. */
  ended?(server: ServerContext, request: ServerRequest): void;
}

/** Thrown where a request has been answered, or its answer lost, before its way ends. */
export class AlreadyAnswered extends Error {}
