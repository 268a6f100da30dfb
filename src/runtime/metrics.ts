/** Metrics of controllers, with the names of controller-runtime and client-go. */
import { Histogram, type Metric, type Sample, expose } from "../util/exposition.ts";

/** Upper bounds of the buckets of a duration, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** How a reconcile ended. */
export type Outcome = "success" | "error" | "requeue_after" | "terminal_error";

/** The metrics of one controller. */
export class ControllerMetrics {
  readonly name: string;
  readonly outcomes: Record<Outcome, number> = { success: 0, error: 0, requeue_after: 0, terminal_error: 0 };
  /** Durations of reconciles in seconds. */
  readonly reconcile = new Histogram(BOUNDS);
  /** Waits of keys in seconds. */
  readonly waited = new Histogram(BOUNDS);
  readonly workers: number;
  adds = 0;
  retries = 0;
  active = 0;
  /** The number of waiting keys. */
  depth: () => number = () => 0;
  readonly #asked = new Map<string, number>();

  constructor(name: string, workers: number) {
    this.name = name;
    this.workers = workers;
  }

  /** Counts an added key, at a time of the steady clock. */
  added(key: string, now: number): void {
    this.adds++;
    if (!this.#asked.has(key)) this.#asked.set(key, now);
  }

  /** Drops waiting keys. */
  cleared(): void {
    this.#asked.clear();
  }

  /** Counts the start of a reconcile. */
  began(key: string, now: number): void {
    this.active++;
    this.waited.observe((now - (this.#asked.get(key) ?? now)) / 1000);
    this.#asked.delete(key);
  }

  /** Counts the end of a reconcile. */
  ended(outcome: Outcome, ms: number): void {
    this.active--;
    this.outcomes[outcome]++;
    if (outcome === "error") this.retries++;
    this.reconcile.observe(ms / 1000);
  }
}

/** One metric of all controllers. */
type Series = Omit<Metric, "samples"> & { readonly of: (metrics: ControllerMetrics) => readonly Sample[] };

const controller = ({ name }: ControllerMetrics) => ({ controller: name });
const queue = ({ name }: ControllerMetrics) => ({ name });

const SERIES: readonly Series[] = [
  {
    name: "controller_runtime_reconcile_total",
    type: "counter",
    help: "Reconciles by how they ended.",
    of: (m) => Object.entries(m.outcomes).map(([result, value]) => ({ labels: { ...controller(m), result }, value })),
  },
  {
    name: "controller_runtime_reconcile_errors_total",
    type: "counter",
    help: "Reconciles that threw.",
    of: (m) => [{ labels: controller(m), value: m.outcomes.error }],
  },
  {
    name: "controller_runtime_terminal_reconcile_errors_total",
    type: "counter",
    help: "Reconciles that gave up.",
    of: (m) => [{ labels: controller(m), value: m.outcomes.terminal_error }],
  },
  {
    name: "controller_runtime_reconcile_time_seconds",
    type: "histogram",
    help: "How long reconciles took.",
    of: (m) => m.reconcile.samples(controller(m)),
  },
  {
    name: "controller_runtime_max_concurrent_reconciles",
    type: "gauge",
    help: "Keys that may be handled side by side.",
    of: (m) => [{ labels: controller(m), value: m.workers }],
  },
  {
    name: "controller_runtime_active_workers",
    type: "gauge",
    help: "Keys that are handled.",
    of: (m) => [{ labels: controller(m), value: m.active }],
  },
  {
    name: "workqueue_depth",
    type: "gauge",
    help: "Keys that wait.",
    of: (m) => [{ labels: queue(m), value: m.depth() }],
  },
  {
    name: "workqueue_adds_total",
    type: "counter",
    help: "How often keys were added.",
    of: (m) => [{ labels: queue(m), value: m.adds }],
  },
  {
    name: "workqueue_retries_total",
    type: "counter",
    help: "How often keys were tried again.",
    of: (m) => [{ labels: queue(m), value: m.retries }],
  },
  {
    name: "workqueue_queue_duration_seconds",
    type: "histogram",
    help: "How long keys waited.",
    of: (m) => m.waited.samples(queue(m)),
  },
  {
    name: "workqueue_work_duration_seconds",
    type: "histogram",
    help: "How long keys were handled.",
    of: (m) => m.reconcile.samples(queue(m)),
  },
];

/** Returns the metrics in the text format of Prometheus. */
export const metricsText = (all: readonly ControllerMetrics[]): string =>
  expose(SERIES.map(({ of, ...metric }) => ({ ...metric, samples: all.flatMap(of) })));
