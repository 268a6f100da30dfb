/**
 * The counts of requests, kept as plain numbers: finding and feeding a general histogram for each request costs as much
 * as answering it. They become text when `/metrics` is asked for (Prometheus exposition format 0.0.4).
 *
 * @module
 */

/** What a series is about, by the names of its labels. */
export type Labels = Readonly<Record<string, string>>;

/** A histogram: how many values were at most each bound, their sum and number. */
class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;
  #count = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length);
  }

  observe(value: number): void {
    this.#sum += value;
    this.#count++;
    const bounds = this.#bounds;
    for (let i = 0; i < bounds.length; i++) {
      if (value <= bounds[i]!) {
        this.#counts[i]!++;
        return;
      }
    }
  }

  text(name: string, labels: string): string[] {
    let below = 0;
    const lines = this.#bounds.map((bound, i) => {
      below += this.#counts[i]!;
      return `${name}_bucket{${labels},le="${bound}"} ${below}`;
    });
    lines.push(`${name}_bucket{${labels},le="+Inf"} ${this.#count}`);
    lines.push(`${name}_sum{${labels}} ${this.#sum}`, `${name}_count{${labels}} ${this.#count}`);
    return lines;
  }
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const BYTES = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8];

/** The requests of one verb on one resource. */
export class RequestSeries {
  readonly #labels: string;
  readonly #codes = new Map<number, number>();
  readonly #seconds = new Histogram(SECONDS);
  readonly #bytes = new Histogram(BYTES);

  constructor(labels: Labels) {
    this.#labels = Object.entries(labels)
      .map(([name, value]) => `${name}="${value}"`)
      .join(",");
  }

  /** Counts an answer; `bytes` undefined where they do not say anything. */
  add(code: number, seconds: number, bytes: number | undefined): void {
    this.#codes.set(code, (this.#codes.get(code) ?? 0) + 1);
    this.#seconds.observe(seconds);
    if (bytes !== undefined) this.#bytes.observe(bytes);
  }

  totals(name: string): string[] {
    return [...this.#codes].map(([code, count]) => `${name}{${this.#labels},code="${code}"} ${count}`);
  }

  seconds(name: string): string[] {
    return this.#seconds.text(name, this.#labels);
  }

  bytes(name: string): string[] {
    return this.#bytes.text(name, this.#labels);
  }
}

/** The metrics of all series as text. */
export function requestMetrics(all: readonly RequestSeries[]): string {
  const family = (name: string, type: string, help: string, lines: (series: RequestSeries) => string[]): string[] =>
    all.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...all.flatMap(lines), ""];
  const total = "apiserver_request_total";
  const seconds = "apiserver_request_duration_seconds";
  const bytes = "apiserver_response_sizes";
  return [
    ...family(total, "counter", "Requests by verb, resource and code of the answer.", (s) => s.totals(total)),
    ...family(seconds, "histogram", "Seconds from a request to its answer; for watches to their start.", (s) =>
      s.seconds(seconds),
    ),
    ...family(bytes, "histogram", "Bytes of answers before compression; watches are not counted.", (s) =>
      s.bytes(bytes),
    ),
  ].join("\n");
}
