import { type ApiError, expired } from "../meta/status.ts";
import type { WatchBatch } from "../registry/index.ts";
import { type WatchOutput, firstOf } from "../server/index.ts";
import type { Clock } from "../util/clock.ts";
import type { WatchFault, WatchPlay } from "./fault.ts";
import type { OpenWatch } from "./faults.ts";
import type { OpenRecord } from "./traffic.ts";

/** Two of the longest periods of bookmarks: after this time without events an informer closes a watch. */
const SILENCE_MS = 150_000;

/** A watch output that counts events and applies faults. */
export class FaultyWatch implements WatchOutput, OpenWatch {
  readonly record: OpenRecord;
  readonly #output: WatchOutput;
  readonly #clock: Clock;
  readonly #noticesSilence: boolean;
  #play: WatchPlay | undefined;
  /** Events that are still sent before `#play` ends the watch. */
  #left = Infinity;
  #over = false;
  /** The time of the last delayed event, which keeps the order. */
  #lastDue = 0;
  /** Whether the stream is open; before that it cannot end. */
  #begun = false;

  /** @param noticesSilence whether the reader is a controller of this process, which would notice silence on a socket */
  constructor(output: WatchOutput, record: OpenRecord, clock: Clock, noticesSilence: boolean) {
    this.#output = output;
    this.record = record;
    this.#clock = clock;
    this.#noticesSilence = noticesSilence;
    record.events = 0;
  }

  play(fault: WatchFault): void {
    this.#play = fault.play;
    if (fault.play.act === "stall" && this.#noticesSilence) this.#closeAfterSilence();
    if (fault.play.act !== "end" && fault.play.act !== "expire") return;
    this.#left = fault.play.events;
    this.#endIfDue();
  }

  begin(): void {
    this.#begun = true;
    this.#endIfDue();
  }

  events(batch: WatchBatch): void {
    const sent = firstOf(batch, this.#left);
    this.#left -= sent.events.length;
    if (sent.events.length > 0) {
      this.#pass(() => {
        this.record.events = (this.record.events ?? 0) + sent.events.length;
        this.#output.events(sent);
      });
    }
    this.#endIfDue();
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

  /** Sends now, later or never. */
  #pass(send: () => void): void {
    if (this.#over || this.#play?.act === "stall") return;
    if (this.#play?.act !== "lag") {
      send();
      return;
    }
    const now = this.#clock.steady();
    this.#lastDue = Math.max(this.#lastDue, now + this.#play.millis);
    const due = (): void => {
      if (!this.#over) send();
    };
    this.#clock.after(this.#lastDue - now, due, { owner: `a watch of ${this.record.kind} that lags` });
  }

  /** Informers in this process do not check for silence, so their reaction is emulated here. */
  #closeAfterSilence(): void {
    const owner = `the silence of a watch of ${this.record.kind}`;
    this.#clock.after(SILENCE_MS, () => void (this.#over || this.destroy()), { owner });
  }

  /** Ends the watch after the last event before the fault. */
  #endIfDue(): void {
    if (this.#left > 0 || this.#over || !this.#begun) return;
    this.#over = true;
    if (this.#play?.act === "expire") this.#output.error(expired("The requested resourceVersion is too old"));
    else this.#output.end();
  }
}
