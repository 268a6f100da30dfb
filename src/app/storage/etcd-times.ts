import type { CallObserver, EtcdOperation } from "../../storage/etcd/client.ts";
import { Histogram, type Metric, type Sample } from "../../util/exposition.ts";

/** The buckets of kube-apiserver, and finer ones below: a write of an etcd on the same machine takes some milliseconds. */
const SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45,
  60,
];

/**
 * The number and the latency of calls of etcd, by operation, under the names of kube-apiserver. The labels `group` and `resource` are
 * left out: a transaction may have several.
 */
export class EtcdTimes {
  readonly #operations = new Map<EtcdOperation, { readonly seconds: Histogram; calls: number; failed: number }>();

  readonly add: CallObserver = (operation, seconds, failed) => {
    let known = this.#operations.get(operation);
    if (!known) this.#operations.set(operation, (known = { seconds: new Histogram(SECONDS), calls: 0, failed: 0 }));
    known.seconds.observe(seconds);
    known.calls++;
    if (failed) known.failed++;
  };

  /** Returns the metrics. */
  readonly collect = (): Metric[] => {
    const all = [...this.#operations];
    const counts = (figure: "calls" | "failed"): Sample[] =>
      all.map(([operation, known]) => ({ labels: { operation }, value: known[figure] }));
    return [
      {
        name: "etcd_request_duration_seconds",
        type: "histogram",
        help: "Etcd request latency in seconds for each operation.",
        samples: all.flatMap(([operation, { seconds }]) => seconds.samples({ operation })),
      },
      {
        name: "etcd_requests_total",
        type: "counter",
        help: "Etcd request counts for each operation.",
        samples: counts("calls"),
      },
      {
        name: "etcd_request_errors_total",
        type: "counter",
        help: "Etcd failed request counts for each operation.",
        samples: counts("failed"),
      },
    ];
  };
}
