/**
 * Metrics as text: the Prometheus exposition format 0.0.4, and that of OpenMetrics 1.0 with exemplars.
 *
 * A metric is read during a scrape; nothing is registered and nothing runs between scrapes.
 *
 * @module
 */

/** The Content-Type of the text. */
export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** The Content-Type of the text in the form of OpenMetrics. */
export const OPEN_METRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/**
 * Whether an `Accept` header prefers OpenMetrics to plain text: the first of the two in it counts, unless a weight (`q`) puts it
 * behind the other.
 */
export function acceptsOpenMetrics(accept: string): boolean {
  let [open, plain] = [0, 0];
  for (const part of accept.slice(0, MAX_ACCEPT_CHARACTERS).split(",")) {
    const [type = "", ...parameters] = part.split(";").map((one) => one.trim().toLowerCase());
    const weight = parameters.find((one) => one.startsWith("q="));
    const quality = weight === undefined ? 1 : Number(weight.slice(2)) || 0;
    const version = parameters.find((one) => one.startsWith("version="))?.slice("version=".length);
    const isKnown = version === undefined || version === "1.0.0";
    if (type === "application/openmetrics-text" && isKnown) open = Math.max(open, quality);
    // A wildcard gets the plain form.
    else if (type === "text/plain" || type === "*/*" || type === "text/*") plain = Math.max(plain, quality);
  }
  return open > 0 && open >= plain;
}

const MAX_ACCEPT_CHARACTERS = 4096;

/** The labels of a sample, by name. */
export type Labels = Readonly<Record<string, string>>;

/** One number of a metric; `suffix` for the parts of a histogram (`_sum`). */
export interface Sample {
  readonly value: number;
  readonly labels?: Labels;
  readonly suffix?: string;
  /** One of the values that are counted, for OpenMetrics. */
  readonly exemplar?: Exemplar | undefined;
}

/** One value that a histogram has observed, with the trace in which it was. */
export interface Exemplar {
  readonly labels: Labels;
  readonly value: number;
  /** Seconds since the epoch. */
  readonly time: number;
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

const TOTAL = "_total";
/** The maximum number of characters in the labels of an exemplar together. */
const MAX_EXEMPLAR_CHARACTERS = 128;

/** Returns metrics as text in the form of OpenMetrics 1.0, with exemplars; metrics without samples are left out. */
export const exposeOpenMetrics = (metrics: readonly Metric[]): string =>
  [
    ...metrics
      .filter(({ samples }) => samples.length > 0)
      .flatMap(({ name, type, help, samples }) => {
        // In OpenMetrics the name of a counter has no `_total`; a counter without that suffix gets no type.
        const isTotal = type === "counter" && name.endsWith(TOTAL);
        const family = isTotal ? name.slice(0, -TOTAL.length) : name;
        const shownType = type === "counter" && !isTotal ? "unknown" : type;
        return [
          `# HELP ${family} ${escape(help)}`,
          `# TYPE ${family} ${shownType}`,
          ...samples.map((sample) => openMetricsLine(name, sample)),
        ];
      }),
    "# EOF\n",
  ].join("\n");

/** Bounds of buckets are numbers with a point, as in the client of Go. */
const canonical = (text: string): string => (/^\d+$/.test(text) ? `${text}.0` : text);

function openMetricsLine(name: string, { labels, exemplar, ...sample }: Sample): string {
  const shown = labels?.["le"] === undefined ? labels : { ...labels, le: canonical(labels["le"]) };
  const text = line(name, shown ? { ...sample, labels: shown } : sample);
  if (!exemplar) return text;
  const inner = labelText(exemplar.labels);
  return inner.length > MAX_EXEMPLAR_CHARACTERS ? text : `${text} # {${inner}} ${exemplar.value} ${exemplar.time}`;
}

/** A histogram: the number of values up to each bound, and their sum and number. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  /** The last exemplar of each bucket, that above all bounds last; undefined while there is none. */
  #exemplars: (Exemplar | undefined)[] | undefined = undefined;
  #sum = 0;
  #count = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length);
  }

  observe(value: number, exemplar?: Exemplar): void {
    this.#sum += value;
    this.#count++;
    const bucket = this.#bounds.findIndex((bound) => value <= bound);
    if (bucket >= 0) this.#counts[bucket]!++;
    if (exemplar) (this.#exemplars ??= [])[bucket < 0 ? this.#bounds.length : bucket] = exemplar;
  }

  /** Returns the cumulative buckets, the sum and the number. */
  samples(labels: Labels = {}): Sample[] {
    let below = 0;
    const buckets = this.#bounds.map((bound, i) => {
      below += this.#counts[i]!;
      return { suffix: "_bucket", labels: { ...labels, le: String(bound) }, value: below, ...this.#exemplarOf(i) };
    });
    return [
      ...buckets,
      {
        suffix: "_bucket",
        labels: { ...labels, le: "+Inf" },
        value: this.#count,
        ...this.#exemplarOf(this.#bounds.length),
      },
      { suffix: "_sum", labels, value: this.#sum },
      { suffix: "_count", labels, value: this.#count },
    ];
  }
  #exemplarOf(bucket: number): { readonly exemplar?: Exemplar } {
    const exemplar = this.#exemplars?.[bucket];
    return exemplar ? { exemplar } : {};
  }
}
