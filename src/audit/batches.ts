/**
 * Sends events in batches: by number and by time, throttled, from a buffer of bounded size (AUDIT-25).
 *
 * @module
 */
import type { Clock, Timer } from "../util/clock.ts";
import type { AuditEvent } from "./event.ts";
import type { AuditSink } from "./sink.ts";

/** The sizes and times of batches, as the options `--audit-...-batch-...` set them. */
export interface BatchOptions {
  /** Events that may wait; further events are dropped. */
  readonly bufferSize: number;
  /** Events in a batch. */
  readonly maxSize: number;
  /** Milliseconds after which a batch is sent that is not full. */
  readonly maxWaitMillis: number;
  /** Batches a second on average, and the largest burst; undefined for no throttling. */
  readonly throttle?: { readonly qps: number; readonly burst: number } | undefined;
}

/** The parts of {@link Batches}. */
export interface BatchParts {
  readonly clock: Clock;
  readonly options: BatchOptions;
  /** Sends a batch; never rejects. */
  readonly send: (events: readonly AuditEvent[]) => Promise<void>;
  /** Called with the number of events that were dropped. */
  readonly onDropped: (events: number) => void;
}

const MAX_BATCHES_IN_FLIGHT = 4;
/** Characters of the events that wait or are in flight: their objects can be large. */
const MAX_CHARACTERS = 64 << 20;

/** A sink that sends its events in batches. */
export class Batches implements AuditSink {
  readonly #parts: BatchParts;
  #waiting: AuditEvent[] = [];
  #characters = 0;
  #inFlight = 0;
  #tokens: number;
  #filledAt: number;
  #timer: Timer | undefined;
  /** When the oldest waiting event must be sent. */
  #dueAt = 0;
  #flushed: (() => void) | undefined;

  constructor(parts: BatchParts) {
    this.#parts = parts;
    this.#tokens = parts.options.throttle?.burst ?? 0;
    this.#filledAt = parts.clock.steady();
  }

  /** Buffers an event, or drops it where the buffer is full; the request does not wait. */
  write(event: AuditEvent): true {
    const { options, onDropped, clock } = this.#parts;
    const length = event.json.length;
    const isFull = this.#waiting.length >= options.bufferSize || this.#characters + length > MAX_CHARACTERS;
    if (isFull || this.#flushed) {
      onDropped(1);
      return true;
    }
    if (this.#waiting.length === 0) this.#dueAt = clock.steady() + options.maxWaitMillis;
    this.#waiting.push(event);
    this.#characters += length;
    if (this.#waiting.length === 1 || this.#waiting.length >= options.maxSize) this.#pump();
    return true;
  }

  /** Sends all waiting events without throttling; resolves when they are sent. Later events are dropped. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      this.#flushed = resolve;
      this.#pump();
    });
  }

  #pump(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const { clock, options } = this.#parts;
    while (this.#waiting.length > 0 && this.#inFlight < MAX_BATCHES_IN_FLIGHT) {
      const wait = this.#flushed ? 0 : this.#wait(clock.steady(), options);
      if (wait > 0) {
        this.#timer = clock.after(wait, () => this.#pump(), { owner: "audit", upkeep: true });
        return;
      }
      this.#send();
    }
    if (this.#waiting.length === 0 && this.#inFlight === 0) this.#flushed?.();
  }

  /** Milliseconds until a batch may be sent; where that is 0, a token of the throttle is used. */
  #wait(now: number, { maxSize, throttle }: BatchOptions): number {
    if (this.#waiting.length < maxSize && now < this.#dueAt) return this.#dueAt - now;
    if (!throttle) return 0;
    const { qps, burst } = throttle;
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) * qps) / 1000);
    this.#filledAt = now;
    if (this.#tokens < 1) return Math.ceil(((1 - this.#tokens) * 1000) / qps);
    this.#tokens--;
    return 0;
  }

  #send(): void {
    const { clock, options, send } = this.#parts;
    const batch = this.#waiting.splice(0, options.maxSize);
    this.#dueAt = clock.steady() + options.maxWaitMillis;
    this.#inFlight++;
    void send(batch).then(() => {
      this.#inFlight--;
      for (const { json } of batch) this.#characters -= json.length;
      this.#pump();
    });
  }
}
