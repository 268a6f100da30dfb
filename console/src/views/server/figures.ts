/**
 * Figures of the server from two readings of `/metrics`: rates of counters, quantiles of histograms, and values of gauges.
 *
 * @module
 */
import type { Sample, Samples } from "./exposition.ts";

/** A reading and when it was made. */
export interface Reading {
  /** Milliseconds of a clock that only moves forward. */
  readonly at: number;
  readonly samples: Samples;
}

/** The names of the lines that the page reads. */
export const WANTED: ReadonlySet<string> = new Set([
  "apiserver_request_total",
  "apiserver_request_duration_seconds_bucket",
  "apiserver_longrunning_requests",
  "apiserver_watch_events_total",
  "apiserver_current_inflight_requests",
  "apiserver_flowcontrol_current_executing_seats",
  "apiserver_flowcontrol_current_inqueue_requests",
  "apiserver_flowcontrol_current_limit_seats",
  "apiserver_flowcontrol_dispatched_requests_total",
  "apiserver_flowcontrol_rejected_requests_total",
  "keelson_store_revision",
  "keelson_store_compacted_revision",
  "keelson_store_records",
  "keelson_store_bytes",
  "keelson_store_free_bytes",
  "keelson_store_full",
  "keelson_store_writes_total",
  "keelson_cache_objects",
  "keelson_cache_watches",
  "keelson_cache_history_events",
  "keelson_cache_history_bytes",
  "keelson_connections",
  "process_start_time_seconds",
  "process_resident_memory_bytes",
  "nodejs_heap_size_used_bytes",
  "nodejs_eventloop_utilization",
  "process_cpu_user_seconds_total",
  "process_cpu_system_seconds_total",
]);

/** Decides which samples count. */
export type Chosen = (labels: ReadonlyMap<string, string>) => boolean;

const all: Chosen = () => true;

/** The sum of the values of a line; undefined where the server has none. */
export function sumOf(samples: Samples, name: string, chosen: Chosen = all): number | undefined {
  const family = samples.get(name);
  if (!family) return undefined;
  let sum = 0;
  for (const { labels, value } of family) if (chosen(labels)) sum += value;
  return sum;
}

/** The sums of the values of a line by a label, or by several joined by a space; largest first, and by name among equals. */
export function sumsBy(
  samples: Samples,
  name: string,
  by: (labels: ReadonlyMap<string, string>) => string,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { labels, value } of samples.get(name) ?? []) {
    const key = by(labels);
    sums.set(key, (sums.get(key) ?? 0) + value);
  }
  return new Map([...sums].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)));
}

/** By how much a counter grew; one that shrank was reset by a restart, and counts from 0. */
export const growth = (before: number, after: number): number => (after >= before ? after - before : after);

/** The increase of each sample of a counter between two readings. */
export function increases(before: Samples, after: Samples, name: string, chosen: Chosen = all): readonly Sample[] {
  const old = new Map((before.get(name) ?? []).map(({ key, value }) => [key, value]));
  return (after.get(name) ?? [])
    .filter(({ labels }) => chosen(labels))
    .map((sample) => ({ ...sample, value: growth(old.get(sample.key) ?? 0, sample.value) }));
}

/** The rate of a counter in units per second; undefined where no time has passed. */
export function rateOf(before: Reading, after: Reading, name: string, chosen: Chosen = all): number | undefined {
  const seconds = (after.at - before.at) / 1000;
  if (seconds <= 0) return undefined;
  return increases(before.samples, after.samples, name, chosen).reduce((sum, { value }) => sum + value, 0) / seconds;
}

/** Rates of a counter by a key, largest first; those of 0 are left out. */
export function ratesBy(
  before: Reading,
  after: Reading,
  name: string,
  by: (labels: ReadonlyMap<string, string>) => string,
): ReadonlyMap<string, number> {
  const seconds = (after.at - before.at) / 1000;
  if (seconds <= 0) return new Map();
  const grown = increases(before.samples, after.samples, name).filter(({ value }) => value > 0);
  const sums = sumsBy(new Map([[name, grown]]), name, by);
  return new Map([...sums].map(([key, value]) => [key, value / seconds]));
}

/** Upper bounds of buckets with the number of observations up to them. */
export type Buckets = readonly (readonly [le: number, count: number])[];

/** The buckets of a histogram between two readings, summed over the chosen samples. */
export function bucketsBetween(before: Samples, after: Samples, name: string, chosen: Chosen = all): Buckets {
  const counts = new Map<number, number>();
  for (const { labels, value } of increases(before, after, `${name}_bucket`, chosen)) {
    const text = labels.get("le") ?? "";
    const le = text === "+Inf" ? Infinity : Number(text);
    if (text !== "" && !Number.isNaN(le)) counts.set(le, (counts.get(le) ?? 0) + value);
  }
  return [...counts].toSorted(([a], [b]) => a - b);
}

/**
 * The value below which a share of the observations lies, as Prometheus estimates it: linear within a bucket. The largest finite bound
 * where it lies beyond all of them; undefined without observations.
 */
export function quantile(buckets: Buckets, share: number): number | undefined {
  const total = buckets.at(-1)?.[1] ?? 0;
  if (total <= 0) return undefined;
  const rank = share * total;
  let [lower, below] = [0, 0];
  for (const [le, count] of buckets) {
    if (count >= rank) {
      if (le === Infinity) return lower;
      const inside = count - below;
      return inside <= 0 ? le : lower + (le - lower) * ((rank - below) / inside);
    }
    [lower, below] = [le, count];
  }
  return lower;
}

/** A request with one response; no watch. */
export const isShort: Chosen = (labels) => !["watch", "connect", ""].includes(labels.get("verb") ?? "");

const READS = new Set(["get", "list"]);

/** The lines of the plots, in their order. */
export interface Figures {
  /** Requests per second. */
  readonly reads: number | undefined;
  readonly writes: number | undefined;
  readonly errors: number | undefined;
  /** Milliseconds. */
  readonly p50: number | undefined;
  readonly p99: number | undefined;
  readonly watches: number | undefined;
  /** Events per second that watches got. */
  readonly events: number | undefined;
  readonly storeBytes: number | undefined;
  /** Writes per second of the store. */
  readonly stored: number | undefined;
  /** Bytes. */
  readonly memory: number | undefined;
  /** Percent of one core. */
  readonly cpu: number | undefined;
  /** Percent of the time that the event loop is busy. */
  readonly loop: number | undefined;
  readonly executing: number | undefined;
  readonly queued: number | undefined;
}

/** Returns the figures of the time between two readings. */
export function figuresBetween(before: Reading, after: Reading): Figures {
  const { samples } = after;
  const requests = "apiserver_request_total";
  const buckets = bucketsBetween(before.samples, samples, "apiserver_request_duration_seconds", isShort);
  const millis = (share: number): number | undefined => {
    const seconds = quantile(buckets, share);
    return seconds === undefined ? undefined : seconds * 1000;
  };
  const user = rateOf(before, after, "process_cpu_user_seconds_total");
  const system = rateOf(before, after, "process_cpu_system_seconds_total");
  const busy = sumOf(samples, "nodejs_eventloop_utilization");
  return {
    reads: rateOf(before, after, requests, (labels) => READS.has(labels.get("verb") ?? "")),
    writes: rateOf(before, after, requests, (labels) => isShort(labels) && !READS.has(labels.get("verb") ?? "")),
    errors: rateOf(before, after, requests, (labels) => (labels.get("code") ?? "") >= "400"),
    p50: millis(0.5),
    p99: millis(0.99),
    watches: sumOf(samples, "keelson_cache_watches") ?? sumOf(samples, "apiserver_longrunning_requests"),
    events: rateOf(before, after, "apiserver_watch_events_total"),
    storeBytes: sumOf(samples, "keelson_store_bytes"),
    stored: rateOf(before, after, "keelson_store_writes_total"),
    memory: sumOf(samples, "process_resident_memory_bytes"),
    cpu: user === undefined || system === undefined ? undefined : (user + system) * 100,
    loop: busy === undefined ? undefined : busy * 100,
    executing: sumOf(samples, "apiserver_flowcontrol_current_executing_seats"),
    queued: sumOf(samples, "apiserver_flowcontrol_current_inqueue_requests"),
  };
}

/** The last values of several lines over some time: the oldest ones make way for new ones. */
export class Ring {
  readonly #size: number;
  readonly #times: number[] = [];
  readonly #rows: Figures[] = [];

  /** @param size the most readings that are kept */
  constructor(size: number) {
    this.#size = size;
  }

  /** Adds the figures of a moment in seconds. */
  push(time: number, figures: Figures): void {
    this.#times.push(time);
    this.#rows.push(figures);
    if (this.#times.length <= this.#size) return;
    this.#times.shift();
    this.#rows.shift();
  }

  /** The number of moments. */
  get length(): number {
    return this.#times.length;
  }

  /** The figures of the last moment. */
  get last(): Figures | undefined {
    return this.#rows.at(-1);
  }

  /** The columns of a plot: the times, then a column for each line; null where a line has no value. */
  columns(lines: readonly (keyof Figures)[]): readonly (readonly (number | null)[])[] {
    return [[...this.#times], ...lines.map((line) => this.#rows.map((row) => row[line] ?? null))];
  }
}

/** A check of health, as `/readyz?verbose` lists it. */
export interface HealthCheck {
  readonly name: string;
  readonly isOk: boolean;
  /** What the server says: `ok`, or why it failed. */
  readonly says: string;
}

const MAX_CHECKS = 200;

/** Returns the checks of the text of `/readyz?verbose`. */
export function parseHealth(text: string): readonly HealthCheck[] {
  return text
    .slice(0, 100_000)
    .split("\n")
    .filter((line) => line.startsWith("[+]") || line.startsWith("[-]"))
    .slice(0, MAX_CHECKS)
    .map((line) => {
      const space = line.indexOf(" ");
      const name = line.slice(3, space < 0 ? undefined : space);
      return { name, isOk: line.startsWith("[+]"), says: space < 0 ? "" : line.slice(space + 1) };
    });
}
