/**
 * The progress of long work: what is done, how much of it, how fast, and about how much longer it takes.
 *
 * Work reports amounts as often as it likes; the display decides when a line is due. Work that does not return to the event
 * loop is displayed while it reports.
 *
 * @module
 */
import type { Clock, Timer } from "./clock.ts";
import { counted } from "./counted.ts";

/** What amounts are of: `record`, or `byte`, which is shown in larger units. */
export type ProgressUnit = "byte" | "record" | "page" | "key";

/** Receives the progress of work. */
export interface Progress {
  /** A part of the work begins, such as `restoring`, with its total amount where that is known. */
  begin(what: string, unit?: ProgressUnit, total?: number): void;
  /** How much of the part is done. */
  at(done: number): void;
  /** The work has ended; later reports are not displayed. */
  end(): void;
}

/** The progress of a part of the work. */
export interface ProgressNote {
  readonly what: string;
  readonly unit: ProgressUnit;
  /** 0 for work that has no amount. */
  readonly done: number;
  /** Undefined where it is not known. */
  readonly total: number | undefined;
  /** Milliseconds since the part has begun. */
  readonly millis: number;
  /** The note as a text, without the end of a line. */
  readonly text: string;
}

/** Shows notes. */
export interface ProgressDisplay {
  /** How long work runs before its first note, and the time between two notes. */
  readonly firstMillis: number;
  readonly everyMillis: number;
  show(note: ProgressNote): void;
  /** A part has ended; `note` is its last one, if one was displayed. */
  done(note: ProgressNote | undefined): void;
}

/** Displays nothing. */
export const NO_PROGRESS: Progress = { begin() {}, at() {}, end() {} };

/** Returns the receiver of the reports of some work. */
export const progressOn = (clock: Clock, display: ProgressDisplay): Progress => new ShownProgress(clock, display);

/** The shortest duration of a part whose rate is meaningful. */
const RATE_AFTER_MS = 1000;

class ShownProgress implements Progress {
  readonly #clock: Clock;
  readonly #display: ProgressDisplay;
  /** When all work has begun, by the steady counter. */
  readonly #since: number;
  #what: string | undefined = undefined;
  #unit: ProgressUnit = "record";
  #total: number | undefined = undefined;
  #done = 0;
  #began = 0;
  /** When the next note is due. */
  #next: number;
  #wasShown = false;
  #timer: Timer | undefined = undefined;
  #hasEnded = false;

  constructor(clock: Clock, display: ProgressDisplay) {
    this.#clock = clock;
    this.#display = display;
    this.#since = clock.steady();
    this.#next = this.#since + display.firstMillis;
  }

  begin(what: string, unit: ProgressUnit = "record", total?: number): void {
    if (this.#hasEnded) return;
    this.#endPart();
    this.#what = what;
    this.#unit = unit;
    this.#total = total;
    this.#done = 0;
    this.#began = this.#clock.steady();
    this.#arm();
  }

  at(done: number): void {
    this.#done = done;
    const now = this.#clock.steady();
    if (now >= this.#next) this.#show(now);
  }

  end(): void {
    this.#hasEnded = true;
    this.#endPart();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Displays work that waits for something else, too. */
  #arm(): void {
    this.#timer?.cancel();
    const left = Math.max(1, this.#next - this.#clock.steady());
    this.#timer = this.#clock.after(left, () => {
      const now = this.#clock.steady();
      if (this.#what !== undefined && now >= this.#next) this.#show(now);
      this.#arm();
    });
  }

  #show(now: number): void {
    if (this.#what === undefined) return;
    this.#next = now + this.#display.everyMillis;
    this.#wasShown = true;
    this.#display.show(this.#note(this.#what, now));
  }

  #endPart(): void {
    const what = this.#what;
    if (what === undefined) return;
    this.#what = undefined;
    this.#display.done(this.#wasShown ? this.#note(what, this.#clock.steady(), true) : undefined);
    this.#wasShown = false;
  }

  #note(what: string, now: number, isLast = false): ProgressNote {
    const [unit, done, total] = [this.#unit, this.#done, this.#total];
    const millis = now - this.#began;
    const amount = amountText(done, total, unit);
    const words = isLast ? lastText(millis) : restText(done, total, unit, millis);
    const text = [`${what}${amount === "" ? "" : `: ${amount}`}`, ...words].join(", ");
    return { what, unit, done, total, millis, text };
  }
}

/** `310,000 of 1,000,000 records (31 %)`, `120.0 MB`; empty where there is no amount. */
function amountText(done: number, total: number | undefined, unit: ProgressUnit): string {
  if (done === 0 && total === undefined) return "";
  if (total === undefined) return unit === "byte" ? bytesText(done) : counted(done, unit).replace(/^\d+/, thousands);
  const share = total > 0 ? ` (${Math.min(100, Math.floor((100 * done) / total))} %)` : "";
  return unit === "byte"
    ? `${bytesText(done)} of ${bytesText(total)}${share}`
    : `${thousands(done)} of ${thousands(total)} ${unit}s${share}`;
}

/** The rate, and about how long the rest takes; the time so far where there is no amount. */
function restText(done: number, total: number | undefined, unit: ProgressUnit, millis: number): string[] {
  if (millis < RATE_AFTER_MS) return [];
  if (done === 0) return [timeText(millis)];
  const perMilli = done / millis;
  const rate = perMilli * 1000;
  const shown = unit === "byte" ? `${bytesText(rate)}/s` : `${thousands(Math.round(rate))}/s`;
  return total === undefined || done >= total ? [shown] : [shown, `${timeText((total - done) / perMilli)} left`];
}

const lastText = (millis: number): string[] => [`done in ${timeText(millis)}`];

/** `1,000,000`, in every locale. `Intl.NumberFormat` would take 6 MiB of a process for it. */
function thousands(count: number | string): string {
  const digits = String(count);
  const head = digits.length % 3 || 3;
  const groups = [digits.slice(0, head)];
  for (let at = head; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3));
  return groups.join(",");
}

const UNITS = ["kB", "MB", "GB", "TB"];

function bytesText(bytes: number): string {
  let [size, unit] = [bytes / 1000, 0];
  for (; size >= 1000 && unit < UNITS.length - 1; unit++) size /= 1000;
  return `${size.toFixed(1)} ${UNITS[unit]}`;
}

/** `8 s`, `3 min 20 s`, `2 h 5 min`. */
function timeText(millis: number): string {
  const seconds = Math.ceil(millis / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
