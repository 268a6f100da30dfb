/**
 * Metrics of controllers, under the names that dashboards know.
 *
 * @module
 */

/** Upper bounds of the buckets of a duration, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** How a reconcile ended. */
export type Outcome = "success" | "error" | "requeue_after" | "terminal_error";

interface Durations {
  readonly buckets: number[];
  sum: number;
  count: number;
}

const durations = (): Durations => ({ buckets: BOUNDS.map(() => 0), sum: 0, count: 0 });

/** What is counted of one controller. */
export class ControllerMetrics {
  readonly name: string;
  readonly outcomes: Record<Outcome, number> = { success: 0, error: 0, requeue_after: 0, terminal_error: 0 };
  readonly reconcile: Durations = durations();
  readonly waited: Durations = durations();
  readonly workers: number;
  adds = 0;
  retries = 0;
  active = 0;
  /** Keys that wait, asked when the metrics are. */
  depth: () => number = () => 0;
  readonly #asked = new Map<string, number>();

  constructor(name: string, workers: number) {
    this.name = name;
    this.workers = workers;
  }

  /** A key was asked for, at a time of the steady clock. */
  added(key: string, now: number): void {
    this.adds++;
    if (!this.#asked.has(key)) this.#asked.set(key, now);
  }

  /** A key is begun. */
  began(key: string, now: number): void {
    this.active++;
    observe(this.waited, now - (this.#asked.get(key) ?? now));
    this.#asked.delete(key);
  }

  /** A reconcile that took `ms` has ended. */
  ended(outcome: Outcome, ms: number): void {
    this.active--;
    this.outcomes[outcome]++;
    if (outcome === "error") this.retries++;
    observe(this.reconcile, ms);
  }
}

function observe(into: Durations, ms: number): void {
  const seconds = ms / 1000;
  into.sum += seconds;
  into.count++;
  BOUNDS.forEach((bound, i) => {
    if (seconds <= bound) into.buckets[i]!++;
  });
}

/** The text that Prometheus reads. */
export function metricsText(all: readonly ControllerMetrics[]): string {
  const one = (name: string, type: string, help: string, of: (metrics: ControllerMetrics) => string[]): string =>
    `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${all
      .flatMap(of)
      .map((line) => `${line}\n`)
      .join("")}`;
  const simple = (name: string, type: string, help: string, label: string, of: (m: ControllerMetrics) => number) =>
    one(name, type, help, (m) => [`${name}{${label}=${JSON.stringify(m.name)}} ${of(m)}`]);
  const spread = (name: string, help: string, label: string, of: (m: ControllerMetrics) => Durations) =>
    one(name, "histogram", help, (m) => histogram(name, `${label}=${JSON.stringify(m.name)}`, of(m)));
  const total = "controller_runtime_reconcile_total";
  return [
    one(total, "counter", "Reconciles by how they ended.", (m) =>
      Object.entries(m.outcomes).map(
        ([result, count]) => `${total}{controller=${JSON.stringify(m.name)},result="${result}"} ${count}`,
      ),
    ),
    simple(
      "controller_runtime_reconcile_errors_total",
      "counter",
      "Reconciles that threw.",
      "controller",
      (m) => m.outcomes.error,
    ),
    simple(
      "controller_runtime_terminal_reconcile_errors_total",
      "counter",
      "Reconciles that gave up.",
      "controller",
      (m) => m.outcomes.terminal_error,
    ),
    spread("controller_runtime_reconcile_time_seconds", "How long reconciles took.", "controller", (m) => m.reconcile),
    simple(
      "controller_runtime_max_concurrent_reconciles",
      "gauge",
      "Keys that may be handled side by side.",
      "controller",
      (m) => m.workers,
    ),
    simple("controller_runtime_active_workers", "gauge", "Keys that are handled.", "controller", (m) => m.active),
    simple("workqueue_depth", "gauge", "Keys that wait.", "name", (m) => m.depth()),
    simple("workqueue_adds_total", "counter", "How often keys were asked for.", "name", (m) => m.adds),
    simple("workqueue_retries_total", "counter", "How often keys were tried again.", "name", (m) => m.retries),
    spread("workqueue_queue_duration_seconds", "How long keys waited.", "name", (m) => m.waited),
    spread("workqueue_work_duration_seconds", "How long keys were handled.", "name", (m) => m.reconcile),
  ].join("");
}

function histogram(name: string, label: string, { buckets, sum, count }: Durations): string[] {
  return [
    ...buckets.map((n, i) => `${name}_bucket{${label},le="${BOUNDS[i]}"} ${n}`),
    `${name}_bucket{${label},le="+Inf"} ${count}`,
    `${name}_sum{${label}} ${sum}`,
    `${name}_count{${label}} ${count}`,
  ];
}
