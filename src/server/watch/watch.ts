/**
 * GET of a collection with `watch=true`: what changes, as it changes (DEC-28).
 * A watcher passes on the events of the cache in the same slice; large batches in slices of its own, in their order. A reader that is too
 * slow is closed when too many bytes wait for it: no event is skipped, and no other reader is delayed.
 *
 * @module
 */
import { stackOf } from "../../util/error.ts";
import { errorLocation } from "../../util/error-location.ts";
import { ApiError, expired, hasReason, internalError } from "../../meta/status.ts";
import type { WatchOptions } from "../../registry/contract.ts";
import type { Watch, WatchBatch, WatchSink } from "../../registry/index.ts";
import type { Connection, Identity } from "../../auth/contract.ts";
import type { ServerContext } from "../request/context.ts";
import type { OutStream } from "../request/exchange.ts";
import { WATCH, negotiate, streams } from "../response/negotiate.ts";
import { timeoutSeconds, watchOptions } from "../verbs/options.ts";
import type { ResourceRequest } from "../request/request.ts";
import type { HttpResponse } from "../request/response.ts";
import type { Seats } from "../request/seats.ts";
import { includeObject } from "../response/table.ts";
import { type OngoingResponse, ownerOf } from "../shared/ongoing.ts";
import { type Steps, inOneStep } from "../../util/steps.ts";
import type { SeatHolder } from "../shared/slow-clients.ts";
import type { UserSlot } from "../shared/user-slots.ts";
import { read } from "../verbs/perform.ts";
import {
  type FrameStyle,
  bookmarkFrame,
  errorFrame,
  frameStyle,
  isShort,
  streamType,
  writeBatch,
  writeInSteps,
} from "./frames.ts";
import { Outbox } from "./outbox.ts";
import type { WatchOutput } from "../request/watch-output.ts";
import type { Due } from "../shared/wheel.ts";

type WatchFailure = Parameters<WatchSink["ended"]>[0];

const BOOKMARK_MILLIS = 60_000;
const FIRST_BOOKMARK_MILLIS = 1000;

/** Responds to a watch; resolves when it has started. */
export async function watchObjects(server: ServerContext, request: ResourceRequest): Promise<void> {
  const { incoming, info } = request;
  const { query } = incoming;
  const format = negotiate(incoming, WATCH, request);
  const include = format.shape === "Table" ? includeObject(query) : "Metadata";
  const sent = watchOptions(query);
  // The deprecated path names one object; a name is a field selector otherwise.
  const options = !info.hasName ? sent : { ...sent, fieldSelector: byName(info.name, sent.fieldSelector) };
  const seconds = timeoutSeconds(query) ?? 0;
  streams(format);
  const style = frameStyle(request.resource, format, include, server.dialect.domain);
  await read(request, () => begin(server, request, style, options, seconds));
}

async function begin(
  server: ServerContext,
  request: ResourceRequest,
  style: FrameStyle,
  options: WatchOptions,
  seconds: number,
): Promise<void> {
  const slot = request.incoming.sent.identity ? undefined : server.watchSlots.take(request.identity);
  const watcher = new Watcher(server, request, style, options, slot);
  try {
    const { watch } = await style.resource.watch(request.namespace, options, watcher);
    watcher.start(watch, seconds);
  } catch (error) {
    if (watcher.isOver) return;
    if (!hasReason(error, "Expired", "Gone", "Timeout")) {
      slot?.[Symbol.dispose]();
      throw error;
    }
    watcher.fail(error);
  }
}

const byName = (name: string, selector: string): string =>
  selector === "" ? `metadata.name=${name}` : `metadata.name=${name},${selector}`;

/** The error that a client gets at the end of its watch. */
function failureOf(error: WatchFailure): unknown {
  if (error.code === "compacted") return expired("The requested resourceVersion is too old");
  if (error.code !== "future") return error.cause ?? error;
  const causes = [{ reason: "ResourceVersionTooLarge", message: error.message }] as const;
  return new ApiError("Timeout", error.message, { details: { retryAfterSeconds: 1, causes } });
}

/** One watcher. It has no timers and no closures of its own: there may be ten thousand. */
class Watcher implements WatchSink, WatchOutput, Due, SeatHolder, OngoingResponse {
  slot = -1;
  keptWaiting = 0;
  readonly #server: ServerContext;
  readonly #style: FrameStyle;
  readonly #bookmarks: boolean;
  readonly #marksStart: boolean;
  /** Where events are written first: the watcher itself, or the wrapper of a filter. */
  readonly #output: WatchOutput;
  readonly #response: HttpResponse;
  /** The seats that it holds until its initial events are sent, or never will be. */
  #seats: Seats | undefined;
  #out: OutStream | undefined;
  /** Set while a batch is written in several slices. */
  #outbox: Outbox | undefined;
  #watch: Watch | undefined;
  #first = true;
  /** The last event has been written; it may not have been sent yet. */
  #ended = false;
  /** The stream is closed. */
  #closed = false;
  readonly #isLocal: boolean;
  readonly #slot: UserSlot | undefined;
  readonly owner: Identity;
  readonly connection: Connection;
  readonly #user: string;
  #endsAt = 0;
  #bookmarkAt = 0;

  constructor(
    server: ServerContext,
    request: ResourceRequest,
    style: FrameStyle,
    { allowWatchBookmarks, sendInitialEvents }: WatchOptions,
    slot: UserSlot | undefined,
  ) {
    const { response, incoming } = request;
    this.#server = server;
    this.#response = response;
    this.#seats = response.seats.areForInitialEvents ? response.seats : undefined;
    this.#isLocal = incoming.sent.identity !== undefined;
    this.owner = ownerOf(request);
    this.connection = incoming.sent.connection;
    this.#user = request.identity.user;
    this.#style = style;
    this.#bookmarks = allowWatchBookmarks;
    this.#marksStart = sendInitialEvents === true;
    this.#slot = slot;
    this.#output = response.wrapWatch?.(this) ?? this;
  }

  /** Whether the stream is closed. */
  get isOver(): boolean {
    return this.#closed;
  }

  /** The watch runs; events may have come before this. */
  start(watch: Watch, seconds: number): void {
    this.#watch = watch;
    this.#open();
    if (this.#ended) {
      watch.close();
      return;
    }
    const { clock, random, authenticator } = this.#server;
    if (this.#server.closing() || authenticator.isRevoked?.(this.owner, this.connection)) {
      this.finish();
      return;
    }
    const now = clock.steady();
    this.#endsAt = now + (seconds > 0 ? seconds * 1000 : seconds < 0 ? 0 : this.#lifetime());
    // A client that requested the end of the initial events soon gets the current revision of the server.
    const first = this.#marksStart ? FIRST_BOOKMARK_MILLIS : BOOKMARK_MILLIS * (0.75 + random.next() / 2);
    this.#bookmarkAt = this.#bookmarks ? now + first : Infinity;
    this.#schedule();
  }

  /**
   * How long a watch without `timeoutSeconds` lasts: half an hour to an hour, so that clients spread over servers again (DEC-28).
   * A client of this process has no other server to go to.
   */
  #lifetime(): number {
    const { limits, random } = this.#server;
    return this.#isLocal || limits.watchMillis === 0 ? Infinity : limits.watchMillis * (1 + random.next());
  }

  #schedule(): void {
    const due = Math.min(this.#endsAt, this.#bookmarkAt);
    if (due < Infinity) this.#server.wheel.schedule(this, due);
  }

  deliver(batch: WatchBatch): void {
    if (this.#ended) return;
    const out = this.#open();
    if (out.buffered > this.#server.limits.watchBufferBytes) {
      this.#server.metrics.watchersClosed();
      const about = {
        client: this.connection.address,
        user: this.#user,
        resource: this.#style.resource.definition.plural,
      };
      const message = "a watch was closed: its reader does not keep up";
      this.#server.log.warn(message, { limit: "watch buffer", ...about }, about.resource);
      this.destroy();
      return;
    }
    if (batch.events.length > 0) this.#output.events(batch);
    if (batch.initialEnd) {
      if (this.#marksStart && this.#bookmarks) this.#output.bookmark(batch.revision, true);
      this.#write(() => this.#initialEventsSent());
    }
  }

  drained(): Promise<void> | undefined {
    const out = this.#out;
    const { emptied } = this.#outbox ?? {};
    if (emptied) return emptied.then(() => this.drained());
    if (!out || out.buffered === 0) return undefined;
    return this.holdsSeats ? this.#server.slowClients.waitFor(this, out.drained()) : out.drained();
  }

  /** Whether there are initial events to send, for which the request was given seats. */
  get holdsSeats(): boolean {
    return this.#seats !== undefined;
  }

  giveSeatsBack(): void {
    this.#initialEventsSent();
  }

  ended(error: WatchFailure): void {
    if (error.code === "closed") this.finish();
    else this.fail(failureOf(error));
  }

  /** Sends the client an error and ends. */
  fail(cause: unknown): void {
    if (this.#ended) return;
    const error = cause instanceof ApiError ? cause : internalError(cause);
    if (error.code >= 500 && error.reason === "InternalError") {
      const text = stackOf(cause);
      this.#server.log.error("a watch has failed", { cause: text }, errorLocation(cause));
    }
    this.#open();
    this.#end();
    this.#output.error(error);
  }

  due(now: number): void {
    if (this.#ended) return;
    if (now >= this.#endsAt) {
      this.finish();
      return;
    }
    const watch = this.#watch;
    if (now >= this.#bookmarkAt) {
      if (watch?.live) this.#output.bookmark(watch.revision, false);
      this.#bookmarkAt = now + BOOKMARK_MILLIS * (0.75 + this.#server.random.next() / 2);
    }
    this.#schedule();
  }

  revoke(): void {
    this.finish();
  }

  /** Ends in order: with a last bookmark, from which the client can resume. */
  finish(): void {
    if (this.#ended) return;
    this.#open();
    const watch = this.#watch;
    const revision = this.#bookmarks && watch?.live ? watch.revision : 0;
    this.#end();
    this.#output.bookmark(revision, false);
    this.#output.end();
  }

  events(batch: WatchBatch): void {
    const out = this.#out;
    if (this.#closed || !out) return;
    const { log } = this.#server;
    const [style, first, around] = [this.#style, this.#first, { now: this.#server.objectTime(), log }];
    // A client of this process gets bytes directly, and does not wait.
    if (!this.#outbox && (this.#isLocal || isShort(style, batch))) writeBatch(out, style, batch, first, around);
    else this.#writeLater(writeInSteps(out, style, batch, first, around));
    this.#first = false;
    const count = batch.events.length;
    this.#server.metrics.watchEvents(count);
    this.#response.events += count;
  }

  bookmark(revision: number, end: boolean): void {
    if (this.#closed || revision <= 0) return;
    const frame = bookmarkFrame(this.#style, revision, end, this.#first, this.#server.objectTime());
    this.#write(() => this.#out?.write(frame));
    this.#first = false;
  }

  error(error: ApiError): void {
    if (this.#closed) return;
    // A filter may end a watch that has not begun.
    this.#open();
    this.#response.reason = error.reason;
    const frame = errorFrame(this.#style, error.status);
    this.#write(() => this.#out?.write(frame));
    this.end();
  }

  end(): void {
    if (this.#closed) return;
    this.#open();
    this.#write(() => {
      if (this.#closed) return;
      this.#out?.end();
      this.#close();
    });
  }

  destroy(): void {
    if (this.#closed) return;
    this.#open().destroy();
    this.#close();
  }

  /** Writes a short batch, when all before has been written. */
  #write(work: () => unknown): void {
    if (!this.#outbox) work();
    else this.#outbox.add(inOneStep(() => void work()));
  }

  /** Writes a batch in several slices. */
  #writeLater(work: Steps<void>): void {
    const outbox = (this.#outbox ??= new Outbox(this.#server.clock.loop, (error) => {
      this.#outbox = undefined;
      // Its last event is not written any more.
      if (this.#ended) this.destroy();
      else this.fail(error);
    }));
    outbox.add(work);
    void outbox.emptied?.then(() => {
      if (this.#outbox === outbox && !outbox.emptied) this.#outbox = undefined;
    });
  }

  /** Opens the stream with the first event, at the latest when the watch has started. */
  #open(): OutStream {
    if (this.#out) return this.#out;
    const response = this.#response;
    response.longRunning = true;
    response.uncount();
    const out = response.stream(200, response.headers(streamType(this.#style)));
    this.#out = out;
    out.onClose = () => this.#gone();
    this.#server.watchers.add(this);
    if (!this.#isLocal) this.#server.ongoing.add(this);
    this.#server.metrics.watchers(this.#style.resource.definition, 1);
    if (out.closed) this.#gone();
    return out;
  }

  #initialEventsSent(): void {
    this.#seats?.initialEventsSent();
    this.#seats = undefined;
  }

  /** The stream is closed: one that has ended and was not read to its end still takes a slot. */
  #gone(): void {
    this.#close();
    this.#slot?.[Symbol.dispose]();
  }

  /** Unsubscribes from the cache and the wheel. */
  #end(): void {
    this.#ended = true;
    this.#watch?.close();
    this.#server.wheel.cancel(this);
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#outbox?.clear();
    if (!this.#ended) this.#end();
    this.#initialEventsSent();
    this.#server.watchers.delete(this);
    this.#server.ongoing.delete(this);
    this.#server.metrics.watchers(this.#style.resource.definition, -1);
  }
}
