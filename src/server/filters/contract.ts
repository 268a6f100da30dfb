/**
 * What a filter is: a step on the way that every request passes.
 *
 * A filter hears of a request at five moments. It says which by having the member:
 *
 *     enter     the filters in their order, the last one answers          (before: nothing has happened)
 *       decoded     options and body have been read, the registry has not been asked
 *       handled     done: a write is stored, a read has its entries; nothing has been answered
 *     leave     answered; a watch has begun                               (the last filter first)
 *     ended     the last byte of the answer has gone (in process: was read), or somebody broke off; a watch is over
 *
 * What has been found out by then stands in the request: `info`, `identity` and `resource` after the filters that find
 * them; `body` and `options` from `decoded` on; `changed` from `handled` on; `code`, `reason` and `bytesOut` from the
 * answer on, before the client has it; `events` as a watch tells them. Paths that are no resources have no `decoded` and
 * no `handled`.
 *
 * A filter can
 *
 * - refuse: throw an `ApiError` in `enter`, `decoded` or `handled`, and it is the answer;
 * - wait: return a promise there, and the request waits;
 * - answer by itself: `request.respond(...)` there, and the rest of the way is left out (`leave` and `ended` are not);
 * - lose the answer: `request.exchange.destroy()` there, and the client sees a lost connection. In `handled` that is a
 *   write that is stored and not acknowledged;
 * - put its own in the place of `request.exchange`, to see or change what is answered, headers and bytes;
 * - put its own between a watch and its stream: set `request.wrapWatch` before the watch begins.
 *
 * A filter that has nothing to wait for returns nothing, so that a request that finds everything at hand is answered
 * without a turn of the event loop. `decoded`, `handled` and `ended` cost requests something only where a filter has them.
 *
 * @module
 */
import type { ServerContext } from "../request/context.ts";
import type { ServerRequest } from "../request/request.ts";

/** A step on the way of a request. */
export interface Filter {
  /** What others are put before or after; one of its kind in a chain. */
  readonly name: string;
  /** Does its part when a request comes by; what it throws ends the way. */
  enter?(server: ServerContext, request: ServerRequest): void | Promise<void>;
  /** Called when all that was sent has been read and nothing has been done. */
  decoded?(server: ServerContext, request: ServerRequest): void | Promise<void>;
  /** Called when what was asked for has been done and nothing has been answered. */
  handled?(server: ServerContext, request: ServerRequest): void | Promise<void>;
  /** Called when the request has been answered, however that came about; the last filter first. */
  leave?(server: ServerContext, request: ServerRequest): void;
  /** Called once, after `leave`, when nothing of the answer is left to send; the last filter first. */
  ended?(server: ServerContext, request: ServerRequest): void;
}
