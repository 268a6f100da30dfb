/**
 * GET of a collection with `watch=true`: what changes, as it changes (DEC-28).
 *
 * A watcher takes what the cache hands it and passes it on in the same turn; what is large it passes on in turns of its own,
 * in its order. A reader that does not keep up is closed when too much waits for it: it is never skipped, and never delays
 * another.
 *
 * @module
 */
import { errorPlace } from "../../util/error-place.ts";
import { ApiError, expired, hasReason, internalError } from "../../meta/status.ts";
import type { Resource, WatchOptions } from "../../registry/contract.ts";
import type { Watch, WatchBatch, WatchSink } from "../../registry/index.ts";
import type { Connection, Identity } from "../../auth/contract.ts";
import type { ServerContext } from "../context.ts";
import type { OutStream } from "../http/exchange.ts";
import { WATCH, streams } from "../answer/negotiate.ts";
import { timeoutSeconds, watchOptions } from "../verbs/options.ts";
import type { ServerRequest } from "../request.ts";
import { includeObject } from "../answer/table.ts";
import { type OngoingAnswer, ownerOf } from "../ongoing.ts";
import { type Steps, inOneStep } from "../../util/steps.ts";
import type { SeatHolder } from "../slow-clients.ts";
import type { UserPlace } from "../user-places.ts";
import { perform } from "../verbs/perform.ts";
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
import type { WatchOutput } from "./output.ts";
import type { Due } from "./wheel.ts";

type WatchFailure = Parameters<WatchSink["ended"]>[0];

const BOOKMARK_MILLIS = 60_000;
const FIRST_BOOKMARK_MILLIS = 1000;

/** Answers a watch; resolves when it has started. */
export async function watchObjects(server: ServerContext, request: ServerRequest, resource: Resource): Promise<void> {
  const format = request.format(WATCH);
  const include = format.shape === "Table" ? includeObject(request.query) : "Metadata";
  const sent = watchOptions(request.query);
  const info = request.info!;
  // The deprecated path names one object; a name is a field selector otherwise.
  const options = !info.hasName ? sent : { ...sent, fieldSelector: byName(info.name, sent.fieldSelector) };
  const seconds = timeoutSeconds(request.query) ?? 0;
  streams(format);
  const style = frameStyle(resource, format, include, server.dialect.domain);
  await perform(request, () => begin(server, request, style, options, seconds));
}

async function begin(
  server: ServerContext,
  request: ServerRequest,
  style: FrameStyle,
  options: WatchOptions,
  seconds: number,
): Promise<void> {
  const place = request.exchange.identity ? undefined : server.watchPlaces.take(request.identity);
  const watcher = new Watcher(server, request, style, options, place);
  try {
    const { watch } = await style.resource.watch(request.namespace, options, watcher);
    watcher.start(watch, seconds);
  } catch (error) {
    if (!hasReason(error, "Expired", "Gone", "Timeout")) {
      place?.[Symbol.dispose]();
      throw error;
    }
    watcher.fail(error);
  }
}

const byName = (name: string, selector: string): string =>
  selector === "" ? `metadata.name=${name}` : `metadata.name=${name},${selector}`;

/** What a client is told of the end of its watch. */
function failureOf(error: WatchFailure): unknown {
  if (error.code === "compacted") return expired("The resourceVersion that was asked for is too old");
  if (error.code !== "future") return error.cause ?? error;
  const causes = [{ reason: "ResourceVersionTooLarge", message: error.message }] as const;
  return new ApiError("Timeout", error.message, { details: { retryAfterSeconds: 1, causes } });
}

/** One watcher. It has no timers and no closures of its own: there may be ten thousand. */
class Watcher implements WatchSink, WatchOutput, Due, SeatHolder, OngoingAnswer {
  slot = -1;
  keptWaiting = 0;
  readonly #server: ServerContext;
  readonly #style: FrameStyle;
  readonly #bookmarks: boolean;
  readonly #marksStart: boolean;
  /** What the watch says goes here first: itself, or what a filter has put in front. */
  readonly #output: WatchOutput;
  /** Kept until the stream is open, and beyond where filters listen. */
  #request: ServerRequest | undefined;
  /** Told once when the initial events are sent, or never will be. */
  #initialSent: (() => void) | undefined;
  #out: OutStream | undefined;
  /** There while something has to be said in several turns. */
  #outbox: Outbox | undefined;
  #watch: Watch | undefined;
  #first = true;
  /** The last word has been said; it may still be on its way. */
  #ended = false;
  /** Nothing leaves any more. */
  #closed = false;
  readonly #isLocal: boolean;
  readonly #place: UserPlace | undefined;
  readonly owner: Identity;
  readonly connection: Connection;
  readonly #user: string;
  #endsAt = 0;
  #bookmarkAt = 0;

  constructor(
    server: ServerContext,
    request: ServerRequest,
    style: FrameStyle,
    { allowWatchBookmarks, sendInitialEvents }: WatchOptions,
    place: UserPlace | undefined,
  ) {
    this.#server = server;
    this.#request = request;
    this.#initialSent = request.initialSent;
    this.#isLocal = request.exchange.identity !== undefined;
    this.owner = ownerOf(request);
    this.connection = request.exchange.connection;
    this.#user = request.identity.user;
    this.#style = style;
    this.#bookmarks = allowWatchBookmarks;
    this.#marksStart = sendInitialEvents === true;
    this.#place = place;
    this.#output = request.wrapWatch?.(this) ?? this;
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
    // Who asked for the end of the initial events is told soon after how far the server has come since.
    const first = this.#marksStart ? FIRST_BOOKMARK_MILLIS : BOOKMARK_MILLIS * (0.75 + random.next() / 2);
    this.#bookmarkAt = this.#bookmarks ? now + first : Infinity;
    this.#schedule();
  }

  /**
   * How long a watch lasts that asked for no time: half an hour to an hour, so that clients spread over servers again (DEC-28).
   * Who is of this process has no other server to go to.
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
      this.#say(() => this.#isPastStart());
    }
  }

  drained(): Promise<void> | undefined {
    const out = this.#out;
    const { emptied } = this.#outbox ?? {};
    if (emptied) return emptied.then(() => this.drained());
    if (!out || out.buffered === 0) return undefined;
    return this.holdsSeats ? this.#server.slowClients.waitFor(this, out.drained()) : out.drained();
  }

  /** Whether there are initial events to send, and the request was given seats for that. */
  get holdsSeats(): boolean {
    return this.#initialSent !== undefined;
  }

  giveSeatsBack(): void {
    this.#isPastStart();
  }

  ended(error: WatchFailure): void {
    if (error.code === "closed") this.finish();
    else this.fail(failureOf(error));
  }

  /** Tells the client what is wrong and ends. */
  fail(cause: unknown): void {
    if (this.#ended) return;
    const error = cause instanceof ApiError ? cause : internalError(cause);
    if (error.code >= 500 && error.reason === "InternalError") {
      const text = String((cause as Error | undefined)?.stack ?? cause);
      this.#server.log.error("a watch has failed", { cause: text }, errorPlace(cause));
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
    const watch = this.#watch!;
    if (now >= this.#bookmarkAt) {
      if (watch.live) this.#output.bookmark(watch.revision, false);
      this.#bookmarkAt = now + BOOKMARK_MILLIS * (0.75 + this.#server.random.next() / 2);
    }
    this.#schedule();
  }

  revoke(): void {
    this.finish();
  }

  /** Ends in order: with a last bookmark, from which the client can go on. */
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
    if (this.#closed) return;
    const { clock, log } = this.#server;
    const [out, style, first, around] = [this.#out!, this.#style, this.#first, { now: clock.now(), log }];
    // Who is of this process is handed bytes, and waits for nothing.
    if (!this.#outbox && (this.#isLocal || isShort(style, batch))) writeBatch(out, style, batch, first, around);
    else this.#sayLater(writeInSteps(out, style, batch, first, around));
    this.#first = false;
    const count = batch.events.length;
    this.#server.metrics.watchEvents(count);
    if (this.#request) this.#request.events += count;
  }

  bookmark(revision: number, end: boolean): void {
    if (this.#closed || revision <= 0) return;
    const frame = bookmarkFrame(this.#style, revision, end, this.#first, this.#server.clock.now());
    this.#say(() => this.#out!.write(frame));
    this.#first = false;
  }

  error(error: ApiError): void {
    if (this.#closed) return;
    if (this.#request) this.#request.reason = error.reason;
    const frame = errorFrame(this.#style, error.status);
    this.#say(() => this.#out!.write(frame));
    this.end();
  }

  end(): void {
    this.#say(() => {
      if (this.#closed) return;
      this.#out!.end();
      this.#close();
    });
  }

  destroy(): void {
    if (this.#closed) return;
    this.#out!.destroy();
    this.#close();
  }

  /** Says something short, when all before has been said. */
  #say(something: () => unknown): void {
    if (!this.#outbox) something();
    else this.#outbox.add(inOneStep(() => void something()));
  }

  /** Says something in several turns. */
  #sayLater(something: Steps<void>): void {
    const outbox = (this.#outbox ??= new Outbox(this.#server.clock.loop, (error) => {
      this.#outbox = undefined;
      // What was to be its last word is not said any more.
      if (this.#ended) this.destroy();
      else this.fail(error);
    }));
    outbox.add(something);
    void outbox.emptied?.then(() => {
      if (this.#outbox === outbox && !outbox.emptied) this.#outbox = undefined;
    });
  }

  /** Opens the stream with the first thing there is to tell, at the latest when the watch has started. */
  #open(): OutStream {
    if (this.#out) return this.#out;
    const request = this.#request!;
    if (!request.taps) this.#request = undefined;
    request.code = 200;
    request.longRunning = true;
    request.uncount();
    const out = request.exchange.stream(200, request.headers(streamType(this.#style)));
    this.#out = out;
    out.onClose = () => this.#gone();
    this.#server.watchers.add(this);
    if (!this.#isLocal) this.#server.ongoing.add(this);
    this.#server.metrics.watchers(this.#style.resource.definition, 1);
    if (out.closed) this.#gone();
    return out;
  }

  #isPastStart(): void {
    this.#initialSent?.();
    this.#initialSent = undefined;
  }

  /** The stream is closed: what has ended and was not read to its end still takes a place. */
  #gone(): void {
    this.#close();
    this.#place?.[Symbol.dispose]();
  }

  /** Hears nothing more from the cache and the wheel. */
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
    this.#isPastStart();
    this.#server.watchers.delete(this);
    this.#server.ongoing.delete(this);
    this.#server.metrics.watchers(this.#style.resource.definition, -1);
  }
}
