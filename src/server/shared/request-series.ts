/**
 * The counts of requests, kept as plain numbers: finding and feeding a general histogram for each request would cost as
 * much as answering it.
 *
 * @module
 */
import { Histogram, type Labels, type Metric, type Sample } from "../../util/exposition.ts";

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const BYTES = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8];

/** The requests of one verb on one resource. */
export class RequestSeries {
  readonly #labels: Labels;
  readonly #codes = new Map<number, number>();
  readonly #seconds = new Histogram(SECONDS);
  readonly #bytes = new Histogram(BYTES);

  constructor(labels: Labels) {
    this.#labels = labels;
  }

  /** Counts an answer; `bytes` undefined where they do not say anything. */
  add(code: number, seconds: number, bytes: number | undefined): void {
    this.#codes.set(code, (this.#codes.get(code) ?? 0) + 1);
    this.#seconds.observe(seconds);
    if (bytes !== undefined) this.#bytes.observe(bytes);
  }

  totals(): Sample[] {
    return [...this.#codes].map(([code, value]) => ({ labels: { ...this.#labels, code: String(code) }, value }));
  }

  seconds(): Sample[] {
    return this.#seconds.samples(this.#labels);
  }

  bytes(): Sample[] {
    return this.#bytes.samples(this.#labels);
  }
}

/** The metrics of all series. */
export const requestMetrics = (all: readonly RequestSeries[]): Metric[] => [
  {
    name: "apiserver_request_total",
    type: "counter",
    help: "Requests by verb, resource and code of the answer.",
    samples: all.flatMap((series) => series.totals()),
  },
  {
    name: "apiserver_request_duration_seconds",
    type: "histogram",
    help: "Seconds from a request to its answer; for watches to their start.",
    samples: all.flatMap((series) => series.seconds()),
  },
  {
    name: "apiserver_response_sizes",
    type: "histogram",
    help: "Bytes of answers before compression; watches are not counted.",
    samples: all.flatMap((series) => series.bytes()),
  },
];
