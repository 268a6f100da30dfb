/**
 * What a test puts between a watch and its stream.
 *
 * @module
 */
import { type ApiError, expired } from "../meta/status.ts";
import type { WatchBatch } from "../registry/index.ts";
import { type WatchOutput, firstOf } from "../server/index.ts";
import type { Clock } from "../util/clock.ts";
import type { WatchFault, WatchPlay } from "./fault.ts";
import type { OpenWatch } from "./faults.ts";
import type { OpenRecord } from "./traffic.ts";

/** Two periods of bookmarks, the longest there are: after so long an informer takes a watch for dead. */
const SILENCE_MS = 150_000;

/** A watch that counts what it tells, until a fault is played to it. */
export class FaultyWatch implements WatchOutput, OpenWatch {
  readonly record: OpenRecord;
  readonly #output: WatchOutput;
  readonly #clock: Clock;
  readonly #noticesSilence: boolean;
  #play: WatchPlay | undefined;
  /** Events that are still told before `#play` ends the watch. */
  #left = Infinity;
  #over = false;
  /** What lags, in order: something that is due later never overtakes. */
  #lastDue = 0;
  /** Whether the stream is open: before that it cannot end. */
  #begun = false;

  /** @param noticesSilence whether its reader, who is of this process, would notice if it were not */
  constructor(output: WatchOutput, record: OpenRecord, clock: Clock, noticesSilence: boolean) {
    this.#output = output;
    this.record = record;
    this.#clock = clock;
    this.#noticesSilence = noticesSilence;
    record.events = 0;
  }

  play(fault: WatchFault): void {
    this.#play = fault.play;
    if (fault.play.act === "stall" && this.#noticesSilence) this.#beGivenUp();
    if (fault.play.act !== "end" && fault.play.act !== "expire") return;
    this.#left = fault.play.events;
    this.#endInTime();
  }

  /** The stream is open. */
  begin(): void {
    this.#begun = true;
    this.#endInTime();
  }

  events(batch: WatchBatch): void {
    const told = firstOf(batch, this.#left);
    this.#left -= told.events.length;
    if (told.events.length > 0) {
      this.#pass(() => {
        this.record.events = (this.record.events ?? 0) + told.events.length;
        this.#output.events(told);
      });
    }
    this.#endInTime();
  }

  bookmark(revision: number, end: boolean): void {
    this.#pass(() => this.#output.bookmark(revision, end));
  }

  error(error: ApiError): void {
    this.#pass(() => this.#output.error(error));
  }

  end(): void {
    this.#pass(() => this.#output.end());
  }

  destroy(): void {
    this.#over = true;
    this.#output.destroy();
  }

  /** Does what the watch has to say now, later or never. */
  #pass(tell: () => void): void {
    if (this.#over || this.#play?.act === "stall") return;
    if (this.#play?.act !== "lag") {
      tell();
      return;
    }
    const now = this.#clock.steady();
    this.#lastDue = Math.max(this.#lastDue, now + this.#play.millis);
    const due = (): void => {
      if (!this.#over) tell();
    };
    this.#clock.after(this.#lastDue - now, due, { owner: `a watch of ${this.record.kind} that lags` });
  }

  /** Informers of this process trust their server to live, so what they would do over a socket is done here. */
  #beGivenUp(): void {
    const owner = `the silence of a watch of ${this.record.kind}`;
    this.#clock.after(SILENCE_MS, () => void (this.#over || this.destroy()), { owner });
  }

  /** Ends where all events that the fault lets through have been told. */
  #endInTime(): void {
    if (this.#left > 0 || this.#over || !this.#begun) return;
    this.#over = true;
    if (this.#play?.act === "expire") this.#output.error(expired("The resourceVersion that was asked for is too old"));
    else this.#output.end();
  }
}
