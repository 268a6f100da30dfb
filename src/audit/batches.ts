/**
 * Events that are sent in batches: by number and by time, not too often, and never more of them waiting than there is
 * room for (AUDIT-25).
 *
 * @module
 */
import type { Clock, Timer } from "../util/clock.ts";
import type { AuditEvent } from "./event.ts";
import type { AuditSink } from "./sink.ts";

/** How events are gathered. */
export interface BatchOptions {
  /** Events that may wait; what comes beyond is dropped. */
  readonly bufferSize: number;
  /** Events in a batch. */
  readonly maxSize: number;
  /** Milliseconds after which a batch goes that is not full. */
  readonly maxWaitMillis: number;
  /** How many batches a second on average, and how many at once after a quiet time; undefined for as many as there are. */
  readonly throttle?: { readonly qps: number; readonly burst: number } | undefined;
}

/** What batches are given. */
export interface BatchParts {
  readonly clock: Clock;
  readonly options: BatchOptions;
  /** Sends a batch; never rejects. */
  readonly send: (events: readonly AuditEvent[]) => Promise<void>;
  /** Is told of events that were dropped. */
  readonly dropped: (events: number) => void;
}

/** Batches that are under way at once: a receiver that is slow holds no more than these. */
const MOST_UNDER_WAY = 4;
/** Characters of events that wait or are under way: their objects can be large. */
const MOST_CHARACTERS = 64 << 20;

/** See the head of this file. */
export class Batches implements AuditSink {
  readonly #parts: BatchParts;
  #waiting: AuditEvent[] = [];
  #characters = 0;
  #underWay = 0;
  #tokens: number;
  #filledAt: number;
  #timer: Timer | undefined;
  /** When the oldest event that waits has to go. */
  #dueAt = 0;
  #flushed: (() => void) | undefined;

  constructor(parts: BatchParts) {
    this.#parts = parts;
    this.#tokens = parts.options.throttle?.burst ?? 0;
    this.#filledAt = parts.clock.steady();
  }

  /** Takes an event or drops it; nobody waits for it. */
  take(event: AuditEvent): true {
    const { options, dropped, clock } = this.#parts;
    const length = event.json.length;
    const isFull = this.#waiting.length >= options.bufferSize || this.#characters + length > MOST_CHARACTERS;
    if (isFull || this.#flushed) {
      dropped(1);
      return true;
    }
    if (this.#waiting.length === 0) this.#dueAt = clock.steady() + options.maxWaitMillis;
    this.#waiting.push(event);
    this.#characters += length;
    if (this.#waiting.length === 1 || this.#waiting.length >= options.maxSize) this.#pump();
    return true;
  }

  /** Sends all that waits, without a pause; resolves when that has been sent. Nothing is taken any more. */
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
    while (this.#waiting.length > 0 && this.#underWay < MOST_UNDER_WAY) {
      const wait = this.#flushed ? 0 : this.#wait(clock.steady(), options);
      if (wait > 0) {
        this.#timer = clock.after(wait, () => this.#pump(), { owner: "audit", upkeep: true });
        return;
      }
      this.#send();
    }
    if (this.#waiting.length === 0 && this.#underWay === 0) this.#flushed?.();
  }

  /** Milliseconds until a batch may go; takes one of those that may go now where that is 0. */
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
    this.#underWay++;
    void send(batch).then(() => {
      this.#underWay--;
      for (const { json } of batch) this.#characters -= json.length;
      this.#pump();
    });
  }
}
