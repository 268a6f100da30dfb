import type { Metric } from "../util/exposition.ts";

/** Which way a value went. */
export type Direction = "from_storage" | "to_storage";

/** Counts what was encrypted and decrypted, by provider and outcome, for `/metrics` (CRYPT-14). */
export class Tally {
  readonly #counts = new Map<string, { readonly labels: Record<string, string>; value: number }>();

  /** Counts one value; `provider` is the part of the prefix that names it, of which there are few. */
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

  /** The counts, under the name that kube-apiserver gives them. */
  metric(): Metric {
    return {
      name: "apiserver_storage_transformation_operations_total",
      type: "counter",
      help: "Values that were encrypted or decrypted, by provider and outcome.",
      samples: [...this.#counts.values()],
    };
  }
}
