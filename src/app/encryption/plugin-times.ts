import { Histogram, type Metric } from "../../util/exposition.ts";

const SECONDS = [
  0.0001, 0.0002, 0.0004, 0.0008, 0.0016, 0.0032, 0.0064, 0.0128, 0.0256, 0.0512, 0.1024, 0.2048, 0.5, 1, 3, 10,
];

/** The latencies of calls of KMS plugins, by plugin, method and status. */
export class PluginTimes {
  readonly #times = new Map<string, { readonly labels: Record<string, string>; readonly histogram: Histogram }>();

  add(plugin: string, method: string, seconds: number, failed: boolean): void {
    const labels = { provider_name: plugin, method_name: method, grpc_status_code: failed ? "unknown-non-grpc" : "OK" };
    const key = JSON.stringify(labels);
    let known = this.#times.get(key);
    if (!known) this.#times.set(key, (known = { labels, histogram: new Histogram(SECONDS) }));
    known.histogram.observe(seconds);
  }

  metric(): Metric {
    return {
      name: "apiserver_envelope_encryption_kms_operations_latency_seconds",
      type: "histogram",
      help: "Seconds that calls of KMS plugins took.",
      samples: [...this.#times.values()].flatMap(({ labels, histogram }) =>
        histogram.samples().map((sample) => ({ ...sample, labels: { ...labels, ...sample.labels } })),
      ),
    };
  }
}
