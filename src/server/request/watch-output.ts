import type { ApiError } from "../../meta/status.ts";
import type { WatchBatch } from "../../registry/index.ts";

/**
 * Where a watch writes its events, in order. A filter may wrap it (`HttpResponse.wrapWatch`): the client gets only what the wrapper passes
 * on.
 */
export interface WatchOutput {
  /** Events, one or more; the batch is shared with other watches. */
  events(batch: WatchBatch): void;
  /** A bookmark with the current revision of the watch; `end` marks the end of the initial events. */
  bookmark(revision: number, end: boolean): void;
  /** The last event of a watch that fails; the stream ends with it. */
  error(error: ApiError): void;
  /** Ends the stream in order. */
  end(): void;
  /** Breaks the stream off. */
  destroy(): void;
}

/** The first `count` events of a batch. */
export const firstOf = (batch: WatchBatch, count: number): WatchBatch =>
  count >= batch.events.length ? batch : { ...batch, events: batch.events.slice(0, count), memo: undefined };
