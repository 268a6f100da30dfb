import type { Metric } from "../util/exposition.ts";

/** Whether a value was read or written. */
export type Direction = "from_storage" | "to_storage";

/** Counts encryptions and decryptions by provider and outcome, for `/metrics` (CRYPT-14). */
export class TransformationCounts {
  readonly #counts = new Map<string, { readonly labels: Record<string, string>; value: number }>();

  /** Counts one value; `provider` is the part of the prefix without the key, of which there are few. */
  count(direction: Direction, provider: string, done: boolean): void {
    const key = `${direction} ${provider} ${done ? "" : "failed"}`;
    const known = this.#counts.get(key);
    if (known) {
      known.value++;
      return;
    }
    const status = done ? "OK" : "unknown-non-grpc";
    const labels = { transformation_type: direction, transformer_prefix: provider, status };
    this.#counts.set(key, { labels, value: 1 });
  }

  /** The counts, with the metric name of kube-apiserver. */
  metric(): Metric {
    return {
      name: "apiserver_storage_transformation_operations_total",
      type: "counter",
      help: "Values that were encrypted or decrypted, by provider and outcome.",
      samples: [...this.#counts.values()],
    };
  }
}
