/**
 * Metrics as text: the Prometheus exposition format 0.0.4.
 *
 * A metric is read during a scrape; nothing is registered and nothing runs between scrapes.
 *
 * @module
 */

/** The Content-Type of the text. */
export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** The labels of a sample by name. */
export type Labels = Readonly<Record<string, string>>;

/** One number of a metric; `suffix` for the parts of a histogram (`_sum`). */
export interface Sample {
  readonly value: number;
  readonly labels?: Labels;
  readonly suffix?: string;
}

/** A metric with its current samples. */
export interface Metric {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Returns the metrics of a room. A metric that is not available is left out. */
export type Collector = () => readonly Metric[] | Promise<readonly Metric[]>;

/** Returns a metric with one value, or without samples where the value is undefined. */
export const single = (type: "counter" | "gauge", name: string, help: string, value: number | undefined): Metric => ({
  name,
  type,
  help,
  samples: value === undefined ? [] : [{ value }],
});

const escape = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

/** Returns labels in the form of a line: `verb="get",code="200"`. */
export const labelText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escape(value)}"`)
    .join(",");

function line(name: string, { value, labels, suffix = "" }: Sample): string {
  const inner = labels ? labelText(labels) : "";
  return `${name}${suffix}${inner === "" ? "" : `{${inner}}`} ${value}`;
}

/** Returns metrics as text; metrics without samples are left out. */
export const expose = (metrics: readonly Metric[]): string =>
  metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, type, help, samples }) =>
      [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples.map((s) => line(name, s)), ""].join("\n"),
    )
    .join("\n");

/** A histogram: the number of values up to each bound, and their sum and number. */
export class Histogram {
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
    const bucket = this.#bounds.findIndex((bound) => value <= bound);
    if (bucket >= 0) this.#counts[bucket]!++;
  }

  /** Returns the cumulative buckets, the sum and the number. */
  samples(labels: Labels = {}): Sample[] {
    let below = 0;
    const buckets = this.#bounds.map((bound, i) => {
      below += this.#counts[i]!;
      return { suffix: "_bucket", labels: { ...labels, le: String(bound) }, value: below };
    });
    return [
      ...buckets,
      { suffix: "_bucket", labels: { ...labels, le: "+Inf" }, value: this.#count },
      { suffix: "_sum", labels, value: this.#sum },
      { suffix: "_count", labels, value: this.#count },
    ];
  }
}
